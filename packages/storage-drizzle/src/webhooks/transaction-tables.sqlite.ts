import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'
import { atLeast, instant, oneOf } from '../engine/sqlite/columns.js'
import { transactionStates } from './values.js'
import { events } from './tables.sqlite.js'

export const transactions = sqliteTable(
  'kyc_relay_transactions',
  {
    transactionId: text('transaction_id').primaryKey(),
    appId: text('app_id').notNull(),
    userId: text('user_id').notNull(),
    state: text('state', { enum: transactionStates }).notNull(),
    revision: integer('revision').notNull(),
    /** JSON object; with a sealer, one with the sealed bytes. */
    fields: text('fields'),
    movedAt: instant('moved_at').notNull(),
  },
  (table) => [
    oneOf(table.state, transactionStates),
    atLeast(table.revision, 1),
    index('kyc_relay_transactions_of_user').on(table.userId, table.appId),
    index('kyc_relay_transactions_with_fields')
      .on(table.movedAt)
      .where(sql`fields IS NOT NULL`),
  ],
)

export const transactionMoves = sqliteTable(
  'kyc_relay_transaction_moves',
  {
    event: integer('event')
      .primaryKey()
      .references(() => events.position),
    transactionId: text('transaction_id')
      .notNull()
      .references(() => transactions.transactionId),
    revision: integer('revision').notNull(),
    state: text('state', { enum: transactionStates }).notNull(),
  },
  (table) => [
    oneOf(table.state, transactionStates),
    unique('kyc_relay_transaction_moves_by_revision').on(table.transactionId, table.revision),
  ],
)
