import { connectPool } from '../engine/postgres/pool.js'
import { storageErrorOf } from '../engine/postgres/errors.js'
import { heldPartsOf, type HeldParts } from './held-parts.js'

/**
 * Finds the parts whose tables a PostgreSQL database holds: it tells a vault from a database of the stores. Writes
 * nothing.
 *
 * @throws StorageError `DATABASE_UNUSABLE`, `STORE_UNAVAILABLE`
 *
 * @example
 * ```ts
 * import { postgresHeldParts } from '@kyc-relay/storage-drizzle/postgres'
 *
 * export const isVault = async (connectionString: string) => (await postgresHeldParts({ connectionString })).vault
 * ```
 */
export async function postgresHeldParts(location: {
  readonly connectionString: string
  readonly transactionPooler?: boolean
}): Promise<HeldParts> {
  const { pool, close } = connectPool({ ...location, maxConnections: 1 })
  try {
    return await heldPartsOf(
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
