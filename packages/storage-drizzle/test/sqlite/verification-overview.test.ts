import { test } from 'vitest'
import { createSqliteStorage } from '../../src/sqlite/index.js'
import { verificationOverviewCases } from '../verification-overview-cases.js'

test.each(verificationOverviewCases)('the overview of verifications $name', async ({ run }) => {
  const storage = await createSqliteStorage({ path: ':memory:' })
  await run(storage)
  await storage.close()
})
