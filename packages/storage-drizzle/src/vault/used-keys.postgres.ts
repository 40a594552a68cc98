import { connectPool } from '../engine/postgres/pool.js'
import { storageErrorOf } from '../engine/postgres/errors.js'
import { tablesOfKeyUse } from './used-keys.js'

/**
 * Checks whether a PostgreSQL database holds values under keys of a key file: API keys, or data keys of a vault. Without
 * those keys they cannot be opened. Writes nothing.
 *
 * @returns false also for a database without tables.
 * @throws StorageError `DATABASE_UNUSABLE`, `STORE_UNAVAILABLE`
 *
 * @example
 * ```ts
 * import { postgresNeedsKeys } from '@kyc-relay/storage-drizzle/postgres'
 *
 * export const isFirstStart = async () =>
 *   !(await postgresNeedsKeys({ connectionString: 'postgres://kyc@localhost/kyc' }))
 * ```
 */
export async function postgresNeedsKeys(location: {
  readonly connectionString: string
  readonly transactionPooler?: boolean
}): Promise<boolean> {
  const { pool, close } = connectPool({ ...location, maxConnections: 1 })
  try {
    for (const table of tablesOfKeyUse) {
      const { rows } = await pool.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [table])
      if (rows[0]?.found !== true) continue
      const used = await pool.query(`SELECT 1 FROM ${table} LIMIT 1`)
      if (used.rows.length > 0) return true
    }
    return false
  } catch (error) {
    throw storageErrorOf(error)
  } finally {
    await close()
  }
}
