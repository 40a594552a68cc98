import { test } from 'vitest'
import { createSqliteStorage } from '../../src/sqlite/index.js'
import { appDirectoryCases } from '../app-directory-cases.js'

test.each(appDirectoryCases)('$name', async ({ run }) => {
  const storage = await createSqliteStorage({ path: ':memory:' })
  await run(storage.apps)
  await storage.close()
})
