import type { MigrationTarget } from '../migrations/ledger.js'
import { openConnection } from './connection.js'
import { storageErrorOf } from './driver-errors.js'
import { migrate, migrationStatus, type PostgresHistory } from './migrate.js'

/** The migrations of one PostgreSQL database. */
export async function openPostgresMigrations(
  connectionString: string,
  which: 'main' | 'vault',
): Promise<MigrationTarget> {
  const history: PostgresHistory = which === 'main' ? 'postgres' : 'postgres-vault'
  const { pool, clientConfig, close } = await openConnection({ connectionString, maxConnections: 2 })
  return {
    status: () =>
      migrationStatus(pool, history).catch((error: unknown) => {
        throw storageErrorOf(error)
      }),
    up: () => migrate(clientConfig, history),
    close,
  }
}
