import { sql, type SQL } from 'drizzle-orm'

/**
 * Returns the condition that a column holds one of `values`, or null. The values are literals because it is a check of
 * a table.
 */
export function isOneOf(column: { readonly name: string }, values: readonly (string | number)[]): SQL {
  const list = values.map((value) => (typeof value === 'number' ? String(value) : `'${value}'`))
  return sql.raw(`${column.name} IN (${list.join(', ')})`)
}

/** The condition that a column is at least `least`. For checks of tables. */
export function isAtLeast(column: { readonly name: string }, least: number): SQL {
  return sql.raw(`${column.name} >= ${least}`)
}
