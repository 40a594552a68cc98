import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { instant } from '../engine/postgres/column-types.js'

// Columns as migrations/postgres-receiver/*.sql makes them.

export const receiverEvents = pgTable('kyc_relay_receiver_events', {
  eventId: text('event_id').primaryKey(),
  /** Grows with every claim of the event. */
  fence: integer('fence').notNull(),
  state: text('state', { enum: ['CLAIMED', 'RELEASED', 'COMPLETED'] }).notNull(),
  /** When the lease ends, or when the event was given free or completed. */
  at: instant('at').notNull(),
})
