import { existsSync, statSync } from 'node:fs'
import { storageErrorOf } from '../engine/sqlite/errors.js'
import { checkedPath } from '../engine/sqlite/open.js'
import { openReadOnly } from '../engine/sqlite/open-read-only.js'
import { heldPartsOf, type HeldParts } from './held-parts.js'

/**
 * Finds the parts whose tables a SQLite file holds: it tells a vault from a database of the stores. Writes nothing and
 * creates no file. A path that names no file holds nothing.
 *
 * @throws StorageError `STORE_UNAVAILABLE`, `STORE_FAILED`, `DATABASE_DAMAGED`, `ARGUMENT_INVALID` without a path
 *
 * @example
 * ```ts
 * import { sqliteHeldParts } from '@kyc-relay/storage-drizzle/sqlite'
 *
 * export const isVault = async (path: string) => (await sqliteHeldParts({ path })).vault
 * ```
 */
export async function sqliteHeldParts(location: { readonly path: string }): Promise<HeldParts> {
  const path = checkedPath(location)
  // A folder is refused by name when it is opened.
  if (!existsSync(path) || statSync(path).isDirectory()) return { stores: false, vault: false, vaultIsUsed: false }
  try {
    const client = openReadOnly(path)
    try {
      const table = client.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
      return await heldPartsOf(
        async (name) => table.get(name) !== undefined,
        async (name) => client.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() !== undefined,
      )
    } finally {
      client.close()
    }
  } catch (error) {
    throw storageErrorOf(error)
  }
}
