import { existsSync, statSync } from 'node:fs'
import { emptyDatabase, inspectTables, type DatabaseInspection } from '../database-inspection.js'
import { storageErrorOf } from './errors.js'
import { checkedPath } from './open.js'
import { openReadOnly } from './open-read-only.js'

/**
 * Reads what a SQLite file holds: the stores, a vault, and values that only an existing key file opens. Writes nothing and
 * creates no file. A path that names no file holds nothing.
 *
 * @throws StorageError `STORE_UNAVAILABLE`, `STORE_FAILED`, `DATABASE_DAMAGED`, `ARGUMENT_INVALID` without a path
 *
 * @example
 * ```ts
 * import { inspectSqliteDatabase } from '@kyc-relay/storage-drizzle/sqlite'
 *
 * export const isFirstStart = async () => !(await inspectSqliteDatabase({ path: 'data/vault.db' })).needsKeys
 * ```
 */
export async function inspectSqliteDatabase(location: { readonly path: string }): Promise<DatabaseInspection> {
  const path = checkedPath(location)
  // A folder is refused by name when it is opened.
  if (!existsSync(path) || statSync(path).isDirectory()) return emptyDatabase
  try {
    const client = openReadOnly(path)
    try {
      const table = client.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
      return await inspectTables(
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
