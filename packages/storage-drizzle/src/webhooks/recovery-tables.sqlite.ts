import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { instant, oneOf } from '../engine/sqlite/columns.js'
import { recoveryStates } from './values.js'
import { endpoints } from './tables.sqlite.js'

export const recoveries = sqliteTable(
  'kyc_relay_recoveries',
  {
    recoveryId: text('recovery_id').primaryKey(),
    appId: text('app_id').notNull(),
    /** Changes when the endpoint is replaced. */
    endpoint: integer('endpoint')
      .notNull()
      .references(() => endpoints.position),
    since: instant('since').notNull(),
    until: instant('until').notNull(),
    /** JSON array; null for all types of the endpoint. */
    eventTypes: text('event_types'),
    state: text('state', { enum: recoveryStates }).notNull(),
    /** Place of the last event that was looked at; null before the first one. */
    afterCreatedAt: instant('after_created_at'),
    afterPosition: integer('after_position'),
    created: integer('created').notNull().default(0),
    acknowledged: integer('acknowledged').notNull().default(0),
    pending: integer('pending').notNull().default(0),
    withoutScope: integer('without_scope').notNull().default(0),
    erased: integer('erased').notNull().default(0),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    oneOf(table.state, recoveryStates),
    index('kyc_relay_recoveries_of_endpoint').on(table.endpoint),
    uniqueIndex('kyc_relay_recoveries_running')
      .on(table.endpoint)
      .where(sql`state = 'RUNNING'`),
    index('kyc_relay_recoveries_in_order')
      .on(table.createdAt, table.recoveryId)
      .where(sql`state = 'RUNNING'`),
  ],
)

/** With a literal, which allows SQLite to use the partial index. */
export const isRunning = sql`${recoveries.state} = 'RUNNING'`
