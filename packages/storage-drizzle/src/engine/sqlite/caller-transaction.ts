import type Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import type { DrizzleDatabase } from './drizzle-database.js'

/**
 * A transaction of the caller: a better-sqlite3 connection inside `BEGIN` (Kysely and Knex hand theirs out), or the
 * `tx` of a Drizzle transaction.
 */
export type SqliteTransaction = Database.Database | DrizzleDatabase

/** Null for the `tx` of a Drizzle transaction, which exists only inside one. */
export function connectionOf(tx: SqliteTransaction): { readonly inTransaction: boolean } | null {
  if ('inTransaction' in tx) return tx
  return '$client' in tx ? (tx.$client as Database.Database) : null
}

/** The transaction as Drizzle sees it. */
export function databaseOf(tx: SqliteTransaction): DrizzleDatabase {
  return 'inTransaction' in tx ? drizzle({ client: tx }) : tx
}
