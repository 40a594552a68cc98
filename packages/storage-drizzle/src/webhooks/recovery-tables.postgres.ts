import { sql } from 'drizzle-orm'
import { bigint, index, integer, pgTable, primaryKey, uniqueIndex } from 'drizzle-orm/pg-core'
import { instant, oneOf, references, text } from '../engine/postgres/columns.js'
import { recoveryStates } from './values.js'
import { endpoints } from './tables.postgres.js'

export const recoveries = pgTable(
  'kyc_relay_recoveries',
  {
    appId: text('app_id').notNull(),
    recoveryId: text('recovery_id').notNull(),
    /** Changes when the endpoint is replaced. */
    endpointId: text('endpoint_id').notNull(),
    since: instant('since').notNull(),
    until: instant('until').notNull(),
    /** JSON array; null for all types of the endpoint. */
    eventTypes: text('event_types'),
    state: text<(typeof recoveryStates)[number]>('state').notNull(),
    /** Place of the last event that was looked at; null before the first one. */
    afterCreatedAt: instant('after_created_at'),
    afterPosition: bigint('after_position', { mode: 'number' }),
    created: integer('created').notNull().default(0),
    acknowledged: integer('acknowledged').notNull().default(0),
    pending: integer('pending').notNull().default(0),
    withoutScope: integer('without_scope').notNull().default(0),
    erased: integer('erased').notNull().default(0),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    primaryKey({ name: 'kyc_relay_recoveries_pkey', columns: [table.appId, table.recoveryId] }),
    references([table.appId, table.endpointId], [endpoints.appId, endpoints.endpointId]),
    oneOf(table.state, recoveryStates),
    uniqueIndex('kyc_relay_recoveries_running')
      .on(table.appId, table.endpointId)
      .where(sql`state = 'RUNNING'`),
    index('kyc_relay_recoveries_in_order')
      .on(table.createdAt, table.recoveryId)
      .where(sql`state = 'RUNNING'`),
  ],
)
