import { test } from 'vitest'
import { createSqliteStorage } from '../../src/sqlite/index.js'
import { userErasureCases } from '../user-erasure-cases.js'

test.each(userErasureCases)('the erasure of a user $name', async ({ run }) => {
  const storage = await createSqliteStorage({ path: ':memory:' })
  await run(storage)
  await storage.close()
})
