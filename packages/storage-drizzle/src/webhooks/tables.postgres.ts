import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
} from 'drizzle-orm/pg-core'
import type { EventName } from '@kyc-relay/webhooks/internal'
import { bytea, instant, oneOf, position, references, text, transactionId } from '../engine/postgres/columns.js'
import { deliveryClass, deliveryStates, endedAttemptStates, pausers, withheldReasons } from './values.js'

/**
 * Always true. An index with this condition serves only statements that have it too. Where most apps have few rows,
 * PostgreSQL may look for one row by its key in any index that begins with the app. It then reads all rows of a large
 * app. An index that begins with another column needs no condition.
 */
const forLists = sql`position > 0`

export const endpoints = pgTable(
  'kyc_relay_endpoints',
  {
    appId: text('app_id').notNull(),
    endpointId: text('endpoint_id').notNull(),
    position: position(),
    url: text('url').notNull(),
    /** Id of the first endpoint of the lineage. */
    lineageId: text('lineage_id').notNull(),
    description: text('description'),
    /** JSON array; null for all events. */
    eventTypes: text('event_types'),
    /** Static headers: JSON of names and sealed values; null without, and after removal. */
    headers: text('headers'),
    standardWebhooks: boolean('standard_webhooks').notNull(),
    pausedBy: text<(typeof pausers)[number]>('paused_by'),
    createdAt: instant('created_at').notNull(),
    removedAt: instant('removed_at'),
  },
  (table) => [
    oneOf(table.pausedBy, pausers),
    primaryKey({ name: 'kyc_relay_endpoints_pkey', columns: [table.appId, table.endpointId] }),
    index('kyc_relay_endpoints_by_url').on(table.url, table.appId),
    index('kyc_relay_endpoints_of_lineage').on(table.lineageId, table.appId, table.position),
    index('kyc_relay_endpoints_of_app')
      .on(table.appId, table.createdAt, table.position)
      .where(sql`removed_at IS NULL`),
  ],
)

/** One row for each app that has endpoints: locked while they are counted. */
export const endpointLimits = pgTable('kyc_relay_endpoint_limits', {
  appId: text('app_id').primaryKey(),
})

export const events = pgTable(
  'kyc_relay_events',
  {
    appId: text('app_id').notNull(),
    eventId: text('event_id').notNull(),
    position: position(),
    userId: text('user_id').notNull(),
    type: text<EventName>('type').notNull(),
    occurredAt: instant('occurred_at').notNull(),
    /** Signed and sent bytes; null after an erasure or retention has blanked them. */
    body: bytea('body'),
    test: boolean('test').notNull(),
    withheld: text<(typeof withheldReasons)[number]>('withheld'),
    createdAt: instant('created_at').notNull(),
    /** W3C `traceparent` of the publisher. */
    traceContext: text('trace_context'),
    /** The transaction that wrote it, for the order of the feed. */
    transactionId: transactionId(),
  },
  (table) => [
    primaryKey({ name: 'kyc_relay_events_pkey', columns: [table.appId, table.eventId] }),
    oneOf(table.withheld, withheldReasons),
    index('kyc_relay_events_of_app').on(table.appId, table.createdAt, table.position).where(forLists),
    index('kyc_relay_events_in_feed').on(table.appId, table.transactionId, table.position).where(forLists),
    index('kyc_relay_events_of_user').on(table.userId, table.appId, table.position),
    index('kyc_relay_events_withheld')
      .on(table.appId, table.createdAt, table.position)
      .where(sql`withheld IS NOT NULL`),
    index('kyc_relay_events_by_age')
      .on(table.createdAt)
      .where(sql`body IS NOT NULL`),
  ],
)

export const eventSources = pgTable(
  'kyc_relay_event_sources',
  {
    appId: text('app_id').notNull(),
    sourceEventId: text('source_event_id').notNull(),
    eventId: text('event_id').notNull(),
  },
  (table) => [primaryKey({ name: 'kyc_relay_event_sources_pkey', columns: [table.appId, table.sourceEventId] })],
)

export const deliveries = pgTable(
  'kyc_relay_deliveries',
  {
    appId: text('app_id').notNull(),
    deliveryId: text('delivery_id').notNull(),
    position: position(),
    eventId: text('event_id').notNull(),
    endpointId: text('endpoint_id').notNull(),
    xEventId: text('x_event_id').notNull(),
    userId: text('user_id').notNull(),
    eventType: text<EventName>('event_type').notNull(),
    state: text<(typeof deliveryStates)[number]>('state').notNull(),
    /** Without the attempt in flight, which the queue knows. */
    attemptsMade: integer('attempts_made').notNull().default(0),
    createdAt: instant('created_at').notNull(),
    endedAt: instant('ended_at'),
    cancelReason: text('cancel_reason'),
    resendOf: text('resend_of'),
    /** The state of a delivery that failed or was cancelled, else null. */
    undelivered: text('undelivered').generatedAlwaysAs(sql`CASE WHEN state IN ('FAILED', 'CANCELLED') THEN state END`),
    /** Answer of the last attempt that was sent, null without one; and its duration in milliseconds. */
    httpStatus: integer('http_status'),
    latencyMs: doublePrecision('latency_ms'),
    /** Null for 200, so that the usual success changes no index. */
    unusualStatus: integer('unusual_status').generatedAlwaysAs(sql`nullif(http_status, 200)`),
  },
  (table) => [
    primaryKey({ name: 'kyc_relay_deliveries_pkey', columns: [table.appId, table.deliveryId] }),
    references([table.appId, table.eventId], [events.appId, events.eventId]),
    references([table.appId, table.endpointId], [endpoints.appId, endpoints.endpointId]),
    oneOf(table.state, deliveryStates),
    check('kyc_relay_deliveries_ended_check', sql`(state = 'PENDING') = (ended_at IS NULL)`),
    check('kyc_relay_deliveries_cancelled_check', sql`(state = 'CANCELLED') = (cancel_reason IS NOT NULL)`),
    index('kyc_relay_deliveries_of_app').on(table.appId, table.createdAt, table.position).where(forLists),
    index('kyc_relay_deliveries_of_app_by_type').on(table.eventType, table.appId, table.createdAt, table.position),
    index('kyc_relay_deliveries_undelivered')
      .on(table.appId, table.undelivered, table.createdAt, table.position)
      .where(sql`undelivered IS NOT NULL`),
    index('kyc_relay_deliveries_of_app_by_status')
      .on(table.appId, table.unusualStatus, table.createdAt, table.position)
      .where(sql`unusual_status IS NOT NULL`),
    index('kyc_relay_deliveries_of_endpoint').on(table.endpointId, table.appId, table.createdAt, table.position),
    index('kyc_relay_deliveries_by_x_event_id').on(table.xEventId, table.appId),
    index('kyc_relay_deliveries_of_event').on(table.eventId, table.appId, table.position),
  ],
)

/** Deliveries that wait or are in flight; the row goes when the delivery ends. */
export const deliveryQueue = pgTable(
  'kyc_relay_delivery_queue',
  {
    appId: text('app_id').notNull(),
    /** That of the delivery. */
    position: bigint('position', { mode: 'number' }).notNull(),
    deliveryId: text('delivery_id').notNull(),
    endpointId: text('endpoint_id').notNull(),
    class: smallint('class').notNull().default(deliveryClass.live),
    /** Counts the attempt in flight. */
    attemptsMade: integer('attempts_made').notNull().default(0),
    /** Set while waiting; null in flight. */
    dueAt: instant('due_at'),
    leaseToken: text('lease_token'),
    leaseUntil: instant('lease_until'),
    /** Start of the attempt in flight. */
    startedAt: instant('started_at'),
    unsentSince: instant('unsent_since'),
    /** Reason to cancel after the attempt in flight, unless it succeeds. */
    cancelRequested: text('cancel_requested'),
  },
  (table) => [
    primaryKey({ name: 'kyc_relay_delivery_queue_pkey', columns: [table.appId, table.position] }),
    check('kyc_relay_delivery_queue_due_check', sql`(due_at IS NULL) <> (lease_token IS NULL)`),
    check('kyc_relay_delivery_queue_lease_check', sql`(lease_token IS NULL) = (lease_until IS NULL)`),
    check('kyc_relay_delivery_queue_started_check', sql`(lease_token IS NULL) = (started_at IS NULL)`),
    index('kyc_relay_delivery_queue_waiting')
      .on(table.appId, table.endpointId, table.class, table.dueAt, table.position)
      .where(sql`due_at IS NOT NULL`),
    index('kyc_relay_delivery_queue_in_flight')
      .on(table.appId, table.endpointId, table.leaseUntil)
      .where(sql`lease_until IS NOT NULL`),
  ],
)

/** Attempts that have ended. */
export const attempts = pgTable(
  'kyc_relay_attempts',
  {
    appId: text('app_id').notNull(),
    deliveryId: text('delivery_id').notNull(),
    number: integer('number').notNull(),
    state: text<(typeof endedAttemptStates)[number]>('state').notNull(),
    startedAt: instant('started_at').notNull(),
    endedAt: instant('ended_at').notNull(),
    /** JSON of the report without its response body. */
    report: text('report'),
    responseBody: bytea('response_body'),
  },
  (table) => [
    primaryKey({ name: 'kyc_relay_attempts_pkey', columns: [table.appId, table.deliveryId, table.number] }),
    oneOf(table.state, endedAttemptStates),
    index('kyc_relay_attempts_by_age').on(table.startedAt),
  ],
)

/** One row for each endpoint, locked by who claims its deliveries. Its due time changes only when something is left waiting. */
export const endpointSchedules = pgTable(
  'kyc_relay_endpoint_schedules',
  {
    appId: text('app_id').notNull(),
    endpointId: text('endpoint_id').notNull(),
    /** True while the endpoint's last attempt failed. */
    failing: boolean('failing').notNull().default(false),
    /** Time since which every attempt failed. */
    failingSince: instant('failing_since'),
    /** End of the last attempt that succeeded, or of an earlier one: not each is written. */
    lastSuccessAt: instant('last_success_at'),
    /** True while the endpoint is paused. */
    paused: boolean('paused').notNull().default(false),
    lastClaimedAt: instant('last_claimed_at'),
    /**
     * Due time of the earliest waiting delivery that may be sent; null when there is none, or only deliveries with a due
     * notice.
     */
    nextDueAt: instant('next_due_at'),
    /** Since when the endpoint waits for its next delivery. */
    waitingSince: instant('waiting_since').generatedAlwaysAs(sql`greatest(next_due_at, last_claimed_at)`),
  },
  (table) => [
    primaryKey({ name: 'kyc_relay_endpoint_schedules_pkey', columns: [table.appId, table.endpointId] }),
    references([table.appId, table.endpointId], [endpoints.appId, endpoints.endpointId]),
    index('kyc_relay_endpoint_schedules_in_order')
      .on(table.failing, table.waitingSince, table.nextDueAt, table.endpointId)
      .where(sql`next_due_at IS NOT NULL`),
    index('kyc_relay_endpoint_schedules_paused')
      .on(table.appId, table.endpointId)
      .where(sql`paused`),
    index('kyc_relay_endpoint_schedules_by_due')
      .on(table.nextDueAt)
      .where(sql`next_due_at IS NOT NULL`),
  ],
)

/** Publishing only inserts here, so publishers never wait for a claim. The next claim of the endpoint deletes the rows. */
export const dueNotices = pgTable(
  'kyc_relay_due_notices',
  {
    appId: text('app_id').notNull(),
    endpointId: text('endpoint_id').notNull(),
    position: position(),
    dueAt: instant('due_at').notNull(),
  },
  (table) => [
    primaryKey({ name: 'kyc_relay_due_notices_pkey', columns: [table.appId, table.endpointId, table.position] }),
    index('kyc_relay_due_notices_in_order').on(table.position),
  ],
)

/**
 * Counts of attempts by endpoint, hour and cause. Each call adds a row, so that writers never wait for each other. The
 * retention merges the rows of an hour after it.
 */
export const endpointHours = pgTable(
  'kyc_relay_endpoint_hours',
  {
    appId: text('app_id').notNull(),
    endpointId: text('endpoint_id').notNull(),
    /** Start of the hour. */
    hour: instant('hour').notNull(),
    /** Empty if the receiver acknowledged. */
    cause: text('cause').notNull(),
    position: position(),
    attempts: bigint('attempts', { mode: 'number' }).notNull(),
    firstAttempts: bigint('first_attempts', { mode: 'number' }).notNull(),
    failedDeliveries: bigint('failed_deliveries', { mode: 'number' }).notNull(),
    merged: boolean('merged').notNull().default(false),
  },
  (table) => [
    primaryKey({
      name: 'kyc_relay_endpoint_hours_pkey',
      columns: [table.appId, table.endpointId, table.hour, table.cause, table.position],
    }),
    index('kyc_relay_endpoint_hours_by_hour').on(table.merged, table.hour),
  ],
)
