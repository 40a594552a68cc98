import { existsSync, statSync } from 'node:fs'
import { storageErrorOf } from '../engine/sqlite/errors.js'
import { checkedPath } from '../engine/sqlite/open.js'
import { openReadOnly } from '../engine/sqlite/open-read-only.js'
import { read } from '../engine/sqlite/statement.js'
import { tablesOfKeyUse } from './used-keys.js'

/**
 * Checks whether a SQLite file holds values under keys of a key file: API keys, or data keys of a vault. Without those
 * keys they cannot be opened. Writes nothing and creates no file.
 *
 * @returns false also for a path that names no file, and for a file without tables.
 * @throws StorageError `STORE_UNAVAILABLE`, `STORE_FAILED`, `DATABASE_DAMAGED`, `ARGUMENT_INVALID` without a path
 *
 * @example
 * ```ts
 * import { sqliteNeedsKeys } from '@kyc-relay/storage-drizzle/sqlite'
 *
 * export const isFirstStart = async () => !(await sqliteNeedsKeys({ path: 'data/vault.db' }))
 * ```
 */
export function sqliteNeedsKeys(location: { readonly path: string }): Promise<boolean> {
  return read(() => {
    const path = checkedPath(location)
    // A folder is refused by name when it is opened.
    if (!existsSync(path) || statSync(path).isDirectory()) return false
    try {
      const client = openReadOnly(path)
      try {
        const hasTable = client.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
        return tablesOfKeyUse.some(
          (table) =>
            hasTable.get(table) !== undefined && client.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined,
        )
      } finally {
        client.close()
      }
    } catch (error) {
      throw storageErrorOf(error)
    }
  })
}
