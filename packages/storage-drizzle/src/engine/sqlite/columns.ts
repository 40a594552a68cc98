import { getTableName, type SQL } from 'drizzle-orm'
import { blob, check, integer, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { isAtLeast, isOneOf } from '../checks.js'

/** Bytes, as a `Buffer`. */
export const bytes = (name: string) => blob(name, { mode: 'buffer' })

/** Milliseconds since 1970 in UTC. */
export const instant = (name: string) => integer(name)

/** 0 or 1. Add {@link oneOf} as a check. */
export const flag = (name: string) => integer(name)

/** The order in which rows were written. Never used again, also after the newest row was removed. */
export const position = () => integer('position').primaryKey({ autoIncrement: true })

/** The order in which rows were written. A number is used again after the newest row was removed. Costs less. */
export const reusedPosition = () => integer('position').primaryKey()

/** A check of one column, with the default name of PostgreSQL. */
const columnCheck = (column: SQLiteColumn, condition: SQL) =>
  check(`${getTableName(column.table)}_${column.name}_check`, condition)

/** A check that the column holds one of these values, or null. */
export const oneOf = (column: SQLiteColumn, values: readonly (string | number)[]) =>
  columnCheck(column, isOneOf(column, values))

/** A check that the column is at least `least`. */
export const atLeast = (column: SQLiteColumn, least: number) => columnCheck(column, isAtLeast(column, least))
