import { getTableName, type SQL } from 'drizzle-orm'
import { bigint, check, customType, foreignKey, timestamp, type PgColumn } from 'drizzle-orm/pg-core'
import { isAtLeast, isOneOf } from '../checks.js'

/** Text that compares byte by byte, whatever collation the database was made with. */
export const text = <Value extends string = string>(name: string) =>
  customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' })(name).$type<Value>()

/** Bytes; read back as a `Uint8Array` of its own. */
export const bytea = customType<{ data: Uint8Array; driverData: Buffer }>({
  dataType: () => 'bytea',
  toDriver: (value) => Buffer.from(value.buffer, value.byteOffset, value.byteLength),
  fromDriver: (value) => new Uint8Array(value),
})

/** A time with milliseconds. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

/** The order in which rows were written; below 2⁵³ for as long as anyone will look. */
export const position = () => bigint('position', { mode: 'number' }).notNull().generatedByDefaultAsIdentity()

/** A foreign key of one column, with the default name of PostgreSQL. */
export const references = (column: PgColumn, target: PgColumn) =>
  foreignKey({
    name: `${getTableName(column.table)}_${column.name}_fkey`,
    columns: [column as never],
    foreignColumns: [target as never],
  })

const columnCheck = (column: PgColumn, condition: SQL) =>
  check(`${getTableName(column.table)}_${column.name}_check`, condition)

/** A check that the column holds one of these values, or null. */
export const oneOf = (column: PgColumn, values: readonly (string | number)[]) =>
  columnCheck(column, isOneOf(column, values))

/** A check that the column is at least `least`. */
export const atLeast = (column: PgColumn, least: number) => columnCheck(column, isAtLeast(column, least))
