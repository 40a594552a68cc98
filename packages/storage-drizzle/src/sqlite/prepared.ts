import type Database from 'better-sqlite3'

/** A statement that is prepared once and run by its parameters in order. */
export interface Prepared<Parameters extends unknown[], Row = never> {
  all(...parameters: Parameters): Row[]
  get(...parameters: Parameters): Row | undefined
  run(...parameters: Parameters): { readonly changes: number; readonly lastInsertRowid: number | bigint }
}

/** Prepares SQL without a query builder in between: for what runs with every delivery. */
export function prepare<Parameters extends unknown[], Row = never>(
  client: Database.Database,
  sql: string,
): Prepared<Parameters, Row> {
  return client.prepare<Parameters, Row>(sql)
}
