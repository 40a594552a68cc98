import type { Database, RunResult } from 'better-sqlite3'
import { sql, type SQL } from 'drizzle-orm'
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'
import { storageErrorOf } from './errors.js'

/** A Drizzle database or transaction over better-sqlite3, with any schema. */
export type DrizzleDatabase = BaseSQLiteDatabase<'sync', RunResult, Record<string, never>>

/** An assignment of a placeholder, which the types of Drizzle's `set` do not know. */
export const given = (name: string): SQL => sql`${sql.placeholder(name)}`

/** A prepared statement with positional parameters. */
export interface Prepared<Parameters extends unknown[], Row = never> {
  all(...parameters: Parameters): Row[]
  get(...parameters: Parameters): Row | undefined
  run(...parameters: Parameters): { readonly changes: number; readonly lastInsertRowid: number | bigint }
}

/**
 * Prepares SQL without the query builder, for statements that run with every submission or delivery.
 *
 * Avoid two things in these statements. `LIMIT ?` makes SQLite plan the statement again at each run; `LIMIT ? + 0` does
 * not. `RETURNING` opens a temporary table at each run.
 */
export function prepare<Parameters extends unknown[], Row = never>(
  client: Database,
  sql: string,
): Prepared<Parameters, Row> {
  return client.prepare<Parameters, Row>(sql)
}

/** Works as `prepare`, but returns rows as arrays, at half the cost of objects. */
export function prepareRows<Parameters extends unknown[], Row extends readonly unknown[]>(
  client: Database,
  sql: string,
): Prepared<Parameters, Row> {
  return client.prepare<Parameters, Row>(sql).raw()
}

/** Runs a synchronous read in a promise. Errors become rejections with a code of this package. */
export function read<T>(work: () => T): Promise<T> {
  try {
    return Promise.resolve(work())
  } catch (error) {
    return Promise.reject(storageErrorOf(error))
  }
}
