import { bigint, customType, timestamp } from 'drizzle-orm/pg-core'

/** Bytes; read back as a `Uint8Array` of its own. */
export const bytea = customType<{ data: Uint8Array; driverData: Buffer }>({
  dataType: () => 'bytea',
  toDriver: (value) => Buffer.from(value.buffer, value.byteOffset, value.byteLength),
  fromDriver: (value) => new Uint8Array(value),
})

/** An instant with milliseconds. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

/** The order in which rows were written; below 2⁵³ for as long as anyone will look. */
export const position = () => bigint('position', { mode: 'number' }).notNull().generatedByDefaultAsIdentity()
