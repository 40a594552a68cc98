import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, test } from 'vitest'
import { propertyRuns } from '../../../../scripts/test-sizes.js'
import { createMigratedDatabase, tableModes, type MigratedDatabase } from '../engine/postgres/distributed-database.js'
import { ofOneApp, sequencesOf } from './commands.js'
import { runInLockStep } from './lock-step.js'
import { memorySide, postgresSide, sqliteSide } from './sides.js'

const databases = tableModes.map((mode) => ({
  ...mode,
  database: null as MigratedDatabase | null,
  pool: new pg.Pool(),
}))

beforeAll(async () => {
  for (const one of databases) {
    one.database = await createMigratedDatabase(one)
    one.pool = new pg.Pool({ connectionString: one.database.connectionString, max: 5 })
  }
})
afterAll(async () => {
  for (const { pool, database } of databases) {
    await pool.end()
    await database?.stop()
  }
})

test('memory, SQLite, PostgreSQL in both modes and the model give the same answers and the same rows for any sequence of commands', async () => {
  const sidesOf = (mode: boolean) =>
    databases
      .filter(({ distributed }) => distributed === mode)
      .map(({ mode, pool, distributed, database }) =>
        postgresSide({ name: `PostgreSQL, ${mode}`, pool, distributed, empty: async (all) => database?.empty(all) }),
      )
  const [plain, distributed] = [
    [memorySide, sqliteSide, ...sidesOf(false)],
    [memorySide, ...sidesOf(true)],
  ]
  const compareAll = fc.asyncProperty(sequencesOf(60), async (commands) => {
    await runInLockStep(commands, plain)
    await runInLockStep(ofOneApp(commands), distributed)
  })
  await fc.assert(compareAll, propertyRuns(20_260_102, 30))
})
