import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, uniqueIndex } from 'drizzle-orm/pg-core'
import { atLeast, instant, oneOf, references, text } from '../engine/postgres/columns.js'
import { transactionStates } from './values.js'
import { events } from './tables.postgres.js'

export const transactions = pgTable(
  'kyc_relay_transactions',
  {
    appId: text('app_id').notNull(),
    transactionId: text('transaction_id').notNull(),
    userId: text('user_id').notNull(),
    state: text<(typeof transactionStates)[number]>('state').notNull(),
    revision: integer('revision').notNull(),
    /** JSON object; with a sealer, one with the sealed bytes. */
    fields: text('fields'),
    movedAt: instant('moved_at').notNull(),
  },
  (table) => [
    primaryKey({ name: 'kyc_relay_transactions_pkey', columns: [table.appId, table.transactionId] }),
    oneOf(table.state, transactionStates),
    atLeast(table.revision, 1),
    index('kyc_relay_transactions_by_id').on(table.transactionId),
    index('kyc_relay_transactions_of_user').on(table.userId, table.appId),
    index('kyc_relay_transactions_with_fields')
      .on(table.movedAt)
      .where(sql`fields IS NOT NULL`),
  ],
)

export const transactionMoves = pgTable(
  'kyc_relay_transaction_moves',
  {
    appId: text('app_id').notNull(),
    eventId: text('event_id').notNull(),
    transactionId: text('transaction_id').notNull(),
    revision: integer('revision').notNull(),
    state: text<(typeof transactionStates)[number]>('state').notNull(),
  },
  (table) => [
    primaryKey({ name: 'kyc_relay_transaction_moves_pkey', columns: [table.appId, table.eventId] }),
    references([table.appId, table.eventId], [events.appId, events.eventId]),
    references([table.appId, table.transactionId], [transactions.appId, transactions.transactionId]),
    oneOf(table.state, transactionStates),
    atLeast(table.revision, 1),
    // Always true, as `forLists` of the events.
    uniqueIndex('kyc_relay_transaction_moves_by_revision')
      .on(table.appId, table.transactionId, table.revision)
      .where(sql`revision > 0`),
  ],
)
