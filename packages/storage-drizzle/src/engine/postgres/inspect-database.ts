import { inspectTables, type DatabaseInspection } from '../database-inspection.js'
import { storageErrorOf } from './errors.js'
import { connectPool } from './pool.js'

/**
 * Reads what a PostgreSQL database holds: the stores, a vault, and values that only an existing key file opens. Writes
 * nothing.
 *
 * @throws StorageError `DATABASE_UNUSABLE`, `STORE_UNAVAILABLE`
 *
 * @example
 * ```ts
 * import { inspectPostgresDatabase } from '@kyc-relay/storage-drizzle/postgres'
 *
 * export const isFirstStart = async (connectionString: string) =>
 *   !(await inspectPostgresDatabase({ connectionString })).needsKeys
 * ```
 */
export async function inspectPostgresDatabase(location: {
  readonly connectionString: string
  readonly transactionPooler?: boolean
}): Promise<DatabaseInspection> {
  const { pool, close } = connectPool({ ...location, maxConnections: 1 })
  try {
    return await inspectTables(
      async (name) => {
        const { rows } = await pool.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [name])
        return rows[0]?.found === true
      },
      async (name) => (await pool.query(`SELECT 1 FROM ${name} LIMIT 1`)).rows.length > 0,
    )
  } catch (error) {
    throw storageErrorOf(error)
  } finally {
    await close()
  }
}
