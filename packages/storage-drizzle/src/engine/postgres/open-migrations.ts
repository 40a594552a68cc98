import type { DatabasePart } from '../../cli/migrate-command.js'
import { wholeStatus, type MigrationTarget } from '../migrations/ledger.js'
import type { OwnTables } from '../migrations/migration-files.js'
import { openConnection } from './pool.js'
import { storageErrorOf } from './errors.js'
import { migrate, readStatus, type PostgresHistory } from './migrate.js'

/** Opens the migrations of one PostgreSQL database. */
export async function openPostgresMigrations(
  connectionString: string,
  part: DatabasePart,
  ownTables: OwnTables | null,
): Promise<MigrationTarget> {
  const history: PostgresHistory = part === 'stores' ? 'postgres' : `postgres-${part}`
  const histories = ownTables === null ? [history] : [history, ownTables]
  const connection = await openConnection({ connectionString, maxConnections: 2 })
  const { pool, close } = connection
  return {
    async status() {
      try {
        return wholeStatus(await readStatus(pool, histories))
      } catch (error) {
        throw storageErrorOf(error)
      }
    },
    async up(listeners) {
      const applied: string[] = []
      for (const each of histories) applied.push(...(await migrate(connection, each, listeners)))
      return applied
    },
    close,
  }
}
