import { index, integer, pgTable } from 'drizzle-orm/pg-core'
import { atLeast, instant, oneOf, text } from '../engine/postgres/columns.js'
import { receiverEventStates } from './values.js'

export const receiverEvents = pgTable(
  'kyc_relay_receiver_events',
  {
    eventId: text('event_id').primaryKey(),
    /** Grows with every claim of the event. */
    fence: integer('fence').notNull(),
    state: text<(typeof receiverEventStates)[number]>('state').notNull(),
    /** When the lease ends, or when the event was released or completed. */
    at: instant('at').notNull(),
  },
  (table) => [
    atLeast(table.fence, 1),
    oneOf(table.state, receiverEventStates),
    index('kyc_relay_receiver_events_by_age').on(table.at),
  ],
)
