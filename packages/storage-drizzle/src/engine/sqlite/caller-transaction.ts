import type { Database } from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import type { DrizzleDatabase } from './statement.js'

/**
 * A transaction of the caller: a better-sqlite3 connection inside `BEGIN` (Kysely and Knex expose it), or the `tx` of a
 * Drizzle transaction.
 */
export type SqliteTransaction = Database | DrizzleDatabase

/** The connection, to check for an open transaction; null for the `tx` of a Drizzle transaction. */
export function connectionOf(tx: SqliteTransaction): { readonly inTransaction: boolean } | null {
  if ('inTransaction' in tx) return tx
  return '$client' in tx ? (tx.$client as Database) : null
}

/** Converts the transaction for Drizzle. */
export function databaseOf(tx: SqliteTransaction): DrizzleDatabase {
  return 'inTransaction' in tx ? drizzle({ client: tx }) : tx
}
