import type Database from 'better-sqlite3'

/** A prepared statement with positional parameters. */
export interface Prepared<Parameters extends unknown[], Row = never> {
  all(...parameters: Parameters): Row[]
  get(...parameters: Parameters): Row | undefined
  run(...parameters: Parameters): { readonly changes: number; readonly lastInsertRowid: number | bigint }
}

/**
 * Prepares SQL without the query builder, for statements that run with every delivery.
 *
 * Avoid two things in these statements. `LIMIT ?` makes SQLite plan the statement again at each run; `LIMIT ? + 0` does
 * not. `RETURNING` opens a temporary table at each run.
 */
export function prepare<Parameters extends unknown[], Row = never>(
  client: Database.Database,
  sql: string,
): Prepared<Parameters, Row> {
  return client.prepare<Parameters, Row>(sql)
}

/** Works as `prepare`, but returns rows as arrays, at half the cost of objects. */
export function prepareRows<Parameters extends unknown[], Row extends readonly unknown[]>(
  client: Database.Database,
  sql: string,
): Prepared<Parameters, Row> {
  return client.prepare<Parameters, Row>(sql).raw()
}
