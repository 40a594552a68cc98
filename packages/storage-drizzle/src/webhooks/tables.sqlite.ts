import { sql } from 'drizzle-orm'
import { blob, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { AttemptState, DeliveryState, KnownTransactionState, WithheldReason } from '@kyc-relay/webhooks/delivery'
import type { EventType } from '@kyc-relay/webhooks'

// Columns as migrations/sqlite/*.sql makes them; instants are milliseconds since 1970 in UTC.

export const endpoints = sqliteTable('kyc_relay_endpoints', {
  position: integer('position').primaryKey({ autoIncrement: true }),
  endpointId: text('endpoint_id').notNull(),
  appId: text('app_id').notNull(),
  url: text('url').notNull(),
  /** JSON array; null for all events. */
  eventTypes: text('event_types'),
  standardWebhooks: integer('standard_webhooks').notNull(),
  createdAt: integer('created_at').notNull(),
  removedAt: integer('removed_at'),
})

export const events = sqliteTable('kyc_relay_events', {
  position: integer('position').primaryKey({ autoIncrement: true }),
  eventId: text('event_id').notNull(),
  appId: text('app_id').notNull(),
  userId: text('user_id').notNull(),
  type: text('type').$type<EventType>().notNull(),
  occurredAt: integer('occurred_at').notNull(),
  /** The bytes that are signed and sent; null once blanked by an erasure or by retention. */
  body: blob('body', { mode: 'buffer' }),
  test: integer('test').notNull(),
  sourceEventId: text('source_event_id'),
  withheld: text('withheld').$type<WithheldReason>(),
  createdAt: integer('created_at').notNull(),
  /** W3C `traceparent` of what published it. */
  traceContext: text('trace_context'),
})

export const deliveries = sqliteTable('kyc_relay_deliveries', {
  position: integer('position').primaryKey({ autoIncrement: true }),
  deliveryId: text('delivery_id').notNull(),
  event: integer('event').notNull(),
  endpoint: integer('endpoint').notNull(),
  xEventId: text('x_event_id').notNull(),
  appId: text('app_id').notNull(),
  userId: text('user_id').notNull(),
  eventType: text('event_type').$type<EventType>().notNull(),
  state: text('state').$type<DeliveryState>().notNull(),
  attemptsMade: integer('attempts_made').notNull().default(0),
  createdAt: integer('created_at').notNull(),
  /** Set while waiting; null in flight and in a final state. */
  dueAt: integer('due_at'),
  leaseToken: text('lease_token'),
  leaseUntil: integer('lease_until'),
  unsentSince: integer('unsent_since'),
  endedAt: integer('ended_at'),
  cancelReason: text('cancel_reason'),
  /** Reason to cancel as soon as the attempt in flight has ended without success. */
  cancelRequested: text('cancel_requested'),
  resendOf: text('resend_of'),
})

export const attempts = sqliteTable(
  'kyc_relay_attempts',
  {
    delivery: integer('delivery').notNull(),
    number: integer('number').notNull(),
    state: text('state').$type<AttemptState>().notNull(),
    startedAt: integer('started_at').notNull(),
    endedAt: integer('ended_at'),
    /** JSON of the report without its response body. */
    report: text('report'),
    responseBody: blob('response_body', { mode: 'buffer' }),
  },
  (table) => [primaryKey({ columns: [table.delivery, table.number] })],
)

export const endpointSchedules = sqliteTable('kyc_relay_endpoint_turns', {
  endpoint: integer('endpoint').primaryKey(),
  inFlight: integer('in_flight').notNull().default(0),
  /** 1 while the endpoint's last attempt failed. */
  failing: integer('failing').notNull().default(0),
  lastClaimedAt: integer('last_claimed_at').notNull().default(0),
  /** When the earliest waiting delivery is due; null when none waits. */
  nextDueAt: integer('next_due_at'),
  /** Generated: since when the endpoint waits for its next delivery. */
  waitingSince: integer('turn_at').generatedAlwaysAs(sql`max(next_due_at, last_claimed_at)`),
})

export const transactions = sqliteTable('kyc_relay_transactions', {
  transactionId: text('transaction_id').primaryKey(),
  appId: text('app_id').notNull(),
  userId: text('user_id').notNull(),
  state: text('state').$type<KnownTransactionState>().notNull(),
  revision: integer('revision').notNull(),
  /** JSON object. */
  fields: text('fields'),
  movedAt: integer('moved_at').notNull(),
})

export const transactionMoves = sqliteTable('kyc_relay_transaction_moves', {
  event: integer('event').primaryKey(),
  transactionId: text('transaction_id').notNull(),
  revision: integer('revision').notNull(),
  state: text('state').$type<KnownTransactionState>().notNull(),
})
