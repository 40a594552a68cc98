import { sql, type SQL } from 'drizzle-orm'

/**
 * SQL of the store's clock, at the begin of the statement. It is the database's clock, which all processes share, unless
 * the parameter `now` is a time. Milliseconds, like all times in the ports.
 */
export const now = sql`coalesce(${sql.placeholder('now')}::timestamptz, statement_timestamp())::timestamptz(3)`

/** The same for a query of the builder. @param at Time of the store's clock; null for the database's clock. */
export const timeOf = (at: Date | null): SQL =>
  at === null ? sql`statement_timestamp()::timestamptz(3)` : sql`${at.toISOString()}::timestamptz(3)`

/** The text of a statement with `now` for a given time: without the clock, which a distributed PostgreSQL does not ask. */
export const withGivenTime = (text: string): string =>
  text.replaceAll(/coalesce\((\$\d+)::timestamptz, statement_timestamp\(\)\)/g, '$1::timestamptz')

/** Wraps bytes in a `Buffer` without a copy. Inside an array, pg writes only a `Buffer` as bytes. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Characters whose JSON form PostgreSQL's array parser does not read: control characters and lone surrogates. */
const readOtherwise = /[\p{Cc}\p{Cs}]/u

/**
 * Writes a `text[]` literal of PostgreSQL. It uses JSON quoting, which is faster than pg's own and needs less memory.
 */
export function textArray(texts: readonly (string | null)[]): string {
  return `{${texts.map(elementOf).join(',')}}`
}

/** Writes an array literal of numbers, as {@link textArray} does. */
export function numberArray(numbers: readonly (number | null)[]): string {
  return `{${numbers.map((number) => number ?? 'NULL').join(',')}}`
}

/** Text that needs no quotes. Four letters could be NULL. */
const plain = /^(?:[\w-]{1,3}|[\w-]{5,})$/

function elementOf(text: string | null): string {
  if (text === null) return 'NULL'
  if (plain.test(text)) return text
  return readOtherwise.test(text) ? `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"` : JSON.stringify(text)
}
