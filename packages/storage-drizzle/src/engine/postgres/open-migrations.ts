import type { DatabasePart } from '../../cli/migrate-command.js'
import type { MigrationTarget } from '../migrations/ledger.js'
import { openConnection } from './pool.js'
import { storageErrorOf } from './errors.js'
import { migrate, migrationStatus, type PostgresHistory } from './migrate.js'

/** Opens the migrations of one PostgreSQL database. */
export async function openPostgresMigrations(connectionString: string, part: DatabasePart): Promise<MigrationTarget> {
  const history: PostgresHistory = part === 'stores' ? 'postgres' : `postgres-${part}`
  const connection = await openConnection({ connectionString, maxConnections: 2 })
  const { pool, close } = connection
  return {
    status: () =>
      migrationStatus(pool, history).catch((error: unknown) => {
        throw storageErrorOf(error)
      }),
    up: (listeners) => migrate(connection, history, listeners),
    close,
  }
}
