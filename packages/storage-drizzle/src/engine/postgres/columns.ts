import { getTableName, sql, type SQL } from 'drizzle-orm'
import { bigint, check, customType, foreignKey, type PgColumn } from 'drizzle-orm/pg-core'
import { isAtLeast, isOneOf } from '../checks.js'
import { parseInstant } from './instant-text.js'

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
export const instant = customType<{ data: Date; driverData: string }>({
  dataType: () => 'timestamp (3) with time zone',
  toDriver: (value) => value.toISOString(),
  fromDriver: parseInstant,
})

/** The order in which rows were written; below 2⁵³ for as long as anyone will look. */
export const position = () => bigint('position', { mode: 'number' }).notNull().generatedByDefaultAsIdentity()

/** Id of the transaction that writes the row: 64 bits, as decimal digits. */
export const transactionId = () =>
  customType<{ data: string }>({ dataType: () => 'xid8' })('transaction_id')
    .notNull()
    .default(sql`pg_current_xact_id()`)

type Columns = readonly [PgColumn, ...PgColumn[]]

/** A foreign key of one or several columns, with the default name of PostgreSQL. */
export const references = (from: PgColumn | Columns, to: PgColumn | Columns) => {
  const columns = [from].flat() as [PgColumn, ...PgColumn[]]
  const names = columns.map(({ name }) => name).join('_')
  return foreignKey({
    name: `${getTableName(columns[0].table)}_${names}_fkey`,
    columns: columns as never,
    foreignColumns: [to].flat() as never,
  })
}

const columnCheck = (column: PgColumn, condition: SQL) =>
  check(`${getTableName(column.table)}_${column.name}_check`, condition)

/** A check that the column holds one of these values, or null. */
export const oneOf = (column: PgColumn, values: readonly (string | number)[]) =>
  columnCheck(column, isOneOf(column, values))

/** A check that the column is at least `least`. */
export const atLeast = (column: PgColumn, least: number) => columnCheck(column, isAtLeast(column, least))
