import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

// Columns as migrations/sqlite-receiver/*.sql makes them; instants are milliseconds since 1970 in UTC.

export const receiverEvents = sqliteTable('kyc_relay_receiver_events', {
  eventId: text('event_id').primaryKey(),
  /** Grows with every claim of the event. */
  fence: integer('fence').notNull(),
  state: text('state', { enum: ['CLAIMED', 'RELEASED', 'COMPLETED'] }).notNull(),
  /** When the lease ends, or when the event was given free or completed. */
  at: integer('at').notNull(),
})
