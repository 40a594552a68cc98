import pg from 'pg'
import { createPostgresStorage } from '../../src/postgres/index.js'
import { createSqliteStorage } from '../../src/sqlite/index.js'
import { guardDistribution, type DistributionGuard } from '../engine/postgres/distribution-guard.js'
import { createMigratedDatabase, tableModes, type MigratedDatabase } from '../engine/postgres/distributed-database.js'

export type Stores = Pick<
  Awaited<ReturnType<typeof createSqliteStorage>>,
  | 'verifications'
  | 'statusOutbox'
  | 'webhooks'
  | 'recoveries'
  | 'feed'
  | 'endpointHeaders'
  | 'retention'
  | 'users'
  | 'close'
>

/** The engines to test, each with an empty database for every test, and the guard of distributed tables. */
export function storeEngines(clock: () => Date, kycStatusEvents = false) {
  const guard: DistributionGuard = { refused: new Set(), readsOverAll: new Set() }
  const onPostgres = tableModes.map(({ mode, distributed }) => {
    let database: MigratedDatabase | undefined
    let pool: pg.Pool
    return {
      engine: `PostgreSQL, ${mode}`,
      async start() {
        database = await createMigratedDatabase({ distributed })
        pool = new pg.Pool({ connectionString: database.connectionString, max: 5 })
        if (distributed) guardDistribution(pool, guard)
      },
      async open(): Promise<Stores> {
        await database?.empty(pool)
        return createPostgresStorage(
          { pool },
          { clock, kycStatusEvents, migrations: 'require', notify: false, distributed },
        ) as never
      },
      async stop() {
        await pool.end()
        await database?.stop()
      },
    }
  })
  const onSqlite = {
    engine: 'SQLite',
    start: () => Promise.resolve(),
    open: (): Promise<Stores> => createSqliteStorage({ path: ':memory:' }, { clock, kycStatusEvents }),
    stop: () => Promise.resolve(),
  }
  return { engines: [onSqlite, ...onPostgres], guard }
}
