import { test } from 'vitest'
import { createSqliteStorage } from '../../src/sqlite/index.js'
import { retentionCases } from '../retention-cases.js'
import { startOfTests } from '../samples.js'

test.each(retentionCases)('retention $name', async ({ run }) => {
  let now = startOfTests.getTime()
  const storage = await createSqliteStorage({ path: ':memory:' }, { clock: () => new Date(now) })
  await run({ ...storage, advance: (ms) => void (now += ms) })
  await storage.close()
})
