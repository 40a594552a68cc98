import { sql } from 'drizzle-orm'
import { bigint, boolean, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { AttemptState, DeliveryState, KnownTransactionState, WithheldReason } from '@kyc-relay/webhooks/delivery'
import type { EventType } from '@kyc-relay/webhooks'
import { bytea, instant, position } from '../engine/postgres/column-types.js'

// Columns as migrations/postgres/*.sql makes them.

export const endpoints = pgTable('kyc_relay_endpoints', {
  position: position(),
  endpointId: text('endpoint_id').notNull(),
  appId: text('app_id').notNull(),
  url: text('url').notNull(),
  /** JSON array; null for all events. */
  eventTypes: text('event_types'),
  standardWebhooks: boolean('standard_webhooks').notNull(),
  createdAt: instant('created_at').notNull(),
  removedAt: instant('removed_at'),
})

export const events = pgTable('kyc_relay_events', {
  position: position(),
  eventId: text('event_id').notNull(),
  appId: text('app_id').notNull(),
  userId: text('user_id').notNull(),
  type: text('type').$type<EventType>().notNull(),
  occurredAt: instant('occurred_at').notNull(),
  /** The bytes that are signed and sent; null once blanked by an erasure or by retention. */
  body: bytea('body'),
  test: boolean('test').notNull(),
  withheld: text('withheld').$type<WithheldReason>(),
  createdAt: instant('created_at').notNull(),
  /** W3C `traceparent` of what published it. */
  traceContext: text('trace_context'),
})

export const deliveries = pgTable('kyc_relay_deliveries', {
  position: position(),
  deliveryId: text('delivery_id').notNull(),
  eventId: text('event_id').notNull(),
  endpointId: text('endpoint_id').notNull(),
  xEventId: text('x_event_id').notNull(),
  appId: text('app_id').notNull(),
  userId: text('user_id').notNull(),
  eventType: text('event_type').$type<EventType>().notNull(),
  state: text('state').$type<DeliveryState>().notNull(),
  /** Attempts of a delivery that is over; of one that is pending the queue knows. */
  attemptsMade: integer('attempts_made').notNull().default(0),
  createdAt: instant('created_at').notNull(),
  endedAt: instant('ended_at'),
  cancelReason: text('cancel_reason'),
  resendOf: text('resend_of'),
  /** Generated: the state of what failed or was cancelled, else null. */
  undelivered: text('undelivered').generatedAlwaysAs(sql`CASE WHEN state IN ('FAILED', 'CANCELLED') THEN state END`),
})

/** What waits or is in flight; the row goes when the delivery ends. */
export const deliveryQueue = pgTable(
  'kyc_relay_delivery_queue',
  {
    appId: text('app_id').notNull(),
    /** That of the delivery. */
    position: bigint('position', { mode: 'number' }).notNull(),
    deliveryId: text('delivery_id').notNull(),
    endpointId: text('endpoint_id').notNull(),
    /** Counts the attempt in flight. */
    attemptsMade: integer('attempts_made').notNull().default(0),
    /** Set while waiting; null in flight. */
    dueAt: instant('due_at'),
    leaseToken: text('lease_token'),
    leaseUntil: instant('lease_until'),
    /** When the attempt in flight began. */
    startedAt: instant('started_at'),
    unsentSince: instant('unsent_since'),
    /** Reason to cancel as soon as the attempt in flight has ended without success. */
    cancelRequested: text('cancel_requested'),
  },
  (table) => [primaryKey({ columns: [table.appId, table.position] })],
)

/** Attempts that have ended. */
export const attempts = pgTable(
  'kyc_relay_attempts',
  {
    deliveryId: text('delivery_id').notNull(),
    number: integer('number').notNull(),
    state: text('state').$type<AttemptState>().notNull(),
    startedAt: instant('started_at').notNull(),
    endedAt: instant('ended_at').notNull(),
    /** JSON of the report without its response body. */
    report: text('report'),
    responseBody: bytea('response_body'),
  },
  (table) => [primaryKey({ columns: [table.deliveryId, table.number] })],
)

export const endpointSchedules = pgTable('kyc_relay_endpoint_turns', {
  endpointId: text('endpoint_id').primaryKey(),
  /** True while the endpoint's last attempt failed. */
  failing: boolean('failing').notNull().default(false),
  lastClaimedAt: instant('last_claimed_at'),
  /** When the earliest waiting delivery is due; null when none waits. */
  nextDueAt: instant('next_due_at'),
  /** Generated: since when the endpoint waits for its next delivery. */
  waitingSince: instant('turn_at').generatedAlwaysAs(sql`greatest(next_due_at, last_claimed_at)`),
  /** Attempts that were ever claimed. Those that have not ended are in flight. */
  claimed: bigint('claimed', { mode: 'number' }).notNull().default(0),
})

/** Counted by writes of results, so that the schedules are left to the claims. */
export const endpointEnds = pgTable('kyc_relay_endpoint_ends', {
  endpointId: text('endpoint_id').primaryKey(),
  /** Attempts whose result was recorded. */
  ended: bigint('ended', { mode: 'number' }).notNull(),
})

export const transactions = pgTable('kyc_relay_transactions', {
  transactionId: text('transaction_id').primaryKey(),
  appId: text('app_id').notNull(),
  userId: text('user_id').notNull(),
  state: text('state').$type<KnownTransactionState>().notNull(),
  revision: integer('revision').notNull(),
  /** JSON object. */
  fields: text('fields'),
  movedAt: instant('moved_at').notNull(),
})

export const transactionMoves = pgTable('kyc_relay_transaction_moves', {
  eventId: text('event_id').primaryKey(),
  transactionId: text('transaction_id').notNull(),
  revision: integer('revision').notNull(),
  state: text('state').$type<KnownTransactionState>().notNull(),
})

export const eventSources = pgTable(
  'kyc_relay_event_sources',
  {
    appId: text('app_id').notNull(),
    sourceEventId: text('source_event_id').notNull(),
    eventId: text('event_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.appId, table.sourceEventId] })],
)

export const endpointLimits = pgTable('kyc_relay_endpoint_limits', {
  appId: text('app_id').primaryKey(),
})

export const dueNotices = pgTable('kyc_relay_due_announcements', {
  position: position(),
  endpointId: text('endpoint_id').notNull(),
  dueAt: instant('due_at').notNull(),
})
