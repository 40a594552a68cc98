import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { atLeast, instant, oneOf } from '../engine/sqlite/columns.js'
import { receiverEventStates } from './values.js'

export const receiverEvents = sqliteTable(
  'kyc_relay_receiver_events',
  {
    eventId: text('event_id').primaryKey(),
    /** Grows with every claim of the event. */
    fence: integer('fence').notNull(),
    state: text('state', { enum: receiverEventStates }).notNull(),
    /** When the lease ends, or when the event was released or completed. */
    at: instant('at').notNull(),
  },
  (table) => [
    atLeast(table.fence, 1),
    oneOf(table.state, receiverEventStates),
    index('kyc_relay_receiver_events_by_age').on(table.at),
  ],
)
