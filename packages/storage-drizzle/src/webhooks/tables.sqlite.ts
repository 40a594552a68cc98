import { sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { EventName } from '@kyc-relay/webhooks/internal'
import { atLeast, bytes, flag, instant, oneOf, position } from '../engine/sqlite/columns.js'
import { attemptStates, deliveryClass, deliveryStates, pausers, withheldReasons } from './values.js'

export const endpoints = sqliteTable(
  'kyc_relay_endpoints',
  {
    position: position(),
    endpointId: text('endpoint_id').notNull().unique('kyc_relay_endpoints_by_id'),
    appId: text('app_id').notNull(),
    url: text('url').notNull(),
    /** Id of the first endpoint of the lineage. */
    lineageId: text('lineage_id').notNull(),
    description: text('description'),
    /** JSON array; null for all events. */
    eventTypes: text('event_types'),
    /** Static headers: JSON of names and sealed values; null without, and after removal. */
    headers: text('headers'),
    standardWebhooks: flag('standard_webhooks').notNull(),
    pausedBy: text('paused_by', { enum: pausers }),
    createdAt: instant('created_at').notNull(),
    removedAt: instant('removed_at'),
  },
  (table) => [
    oneOf(table.standardWebhooks, [0, 1]),
    oneOf(table.pausedBy, pausers),
    index('kyc_relay_endpoints_by_url').on(table.appId, table.url),
    index('kyc_relay_endpoints_of_lineage').on(table.appId, table.lineageId, table.position),
    index('kyc_relay_endpoints_of_app')
      .on(table.appId, table.createdAt, table.position)
      .where(sql`removed_at IS NULL`),
  ],
)

export const events = sqliteTable(
  'kyc_relay_events',
  {
    position: position(),
    eventId: text('event_id').notNull().unique('kyc_relay_events_by_id'),
    appId: text('app_id').notNull(),
    userId: text('user_id').notNull(),
    type: text('type').$type<EventName>().notNull(),
    occurredAt: instant('occurred_at').notNull(),
    /** Signed and sent bytes; null after an erasure or retention has blanked them. */
    body: bytes('body'),
    test: flag('test').notNull(),
    sourceEventId: text('source_event_id'),
    withheld: text('withheld', { enum: withheldReasons }),
    createdAt: instant('created_at').notNull(),
    /** W3C `traceparent` of the publisher. */
    traceContext: text('trace_context'),
  },
  (table) => [
    oneOf(table.test, [0, 1]),
    oneOf(table.withheld, withheldReasons),
    uniqueIndex('kyc_relay_events_by_source')
      .on(table.appId, table.sourceEventId)
      .where(sql`source_event_id IS NOT NULL`),
    index('kyc_relay_events_of_app').on(table.appId, table.createdAt, table.position),
    index('kyc_relay_events_in_feed').on(table.appId, table.position),
    index('kyc_relay_events_of_user').on(table.userId, table.appId, table.position),
    index('kyc_relay_events_withheld')
      .on(table.appId, table.createdAt, table.position)
      .where(sql`withheld IS NOT NULL`),
    index('kyc_relay_events_by_age')
      .on(table.createdAt)
      .where(sql`body IS NOT NULL`),
  ],
)

export const deliveries = sqliteTable(
  'kyc_relay_deliveries',
  {
    position: position(),
    deliveryId: text('delivery_id').notNull().unique('kyc_relay_deliveries_by_id'),
    event: integer('event')
      .notNull()
      .references(() => events.position),
    endpoint: integer('endpoint')
      .notNull()
      .references(() => endpoints.position),
    xEventId: text('x_event_id').notNull(),
    appId: text('app_id').notNull(),
    userId: text('user_id').notNull(),
    eventType: text('event_type').$type<EventName>().notNull(),
    class: integer('class').notNull().default(deliveryClass.live),
    state: text('state', { enum: deliveryStates }).notNull(),
    attemptsMade: integer('attempts_made').notNull().default(0),
    createdAt: instant('created_at').notNull(),
    /** Set while waiting; null in flight and in a final state. */
    dueAt: instant('due_at'),
    leaseToken: text('lease_token'),
    leaseUntil: instant('lease_until'),
    unsentSince: instant('unsent_since'),
    endedAt: instant('ended_at'),
    cancelReason: text('cancel_reason'),
    /** Reason to cancel after the attempt in flight, unless it succeeds. */
    cancelRequested: text('cancel_requested'),
    resendOf: text('resend_of'),
    /** Answer of the last attempt that was sent, null without one; and its duration in milliseconds. */
    httpStatus: integer('http_status'),
    latencyMs: real('latency_ms'),
  },
  (table) => [
    oneOf(table.state, deliveryStates),
    check('kyc_relay_deliveries_lease_check', sql`(lease_token IS NULL) = (lease_until IS NULL)`),
    check('kyc_relay_deliveries_pending_check', sql`(state = 'PENDING') = ((due_at IS NULL) <> (lease_token IS NULL))`),
    check('kyc_relay_deliveries_ended_check', sql`(state = 'PENDING') = (ended_at IS NULL)`),
    check('kyc_relay_deliveries_cancelled_check', sql`(state = 'CANCELLED') = (cancel_reason IS NOT NULL)`),
    index('kyc_relay_deliveries_waiting')
      .on(table.endpoint, table.class, table.dueAt, table.position)
      .where(sql`due_at IS NOT NULL`),
    index('kyc_relay_deliveries_leased')
      .on(table.leaseUntil, table.position)
      .where(sql`lease_until IS NOT NULL`),
    index('kyc_relay_deliveries_of_app').on(table.appId, table.createdAt, table.position),
    index('kyc_relay_deliveries_of_app_by_type').on(table.appId, table.eventType, table.createdAt, table.position),
    index('kyc_relay_deliveries_of_app_by_state')
      .on(table.appId, table.state, table.createdAt, table.position)
      .where(sql`state <> 'DELIVERED'`),
    index('kyc_relay_deliveries_of_app_by_status')
      .on(table.appId, table.httpStatus, table.createdAt, table.position)
      .where(sql`http_status <> 200`),
    index('kyc_relay_deliveries_of_endpoint').on(table.endpoint, table.createdAt, table.position),
    index('kyc_relay_deliveries_of_event').on(table.event),
    index('kyc_relay_deliveries_by_x_event_id').on(table.xEventId),
  ],
)

export const attempts = sqliteTable(
  'kyc_relay_attempts',
  {
    delivery: integer('delivery')
      .notNull()
      .references(() => deliveries.position),
    number: integer('number').notNull(),
    state: text('state', { enum: attemptStates }).notNull(),
    startedAt: instant('started_at').notNull(),
    endedAt: instant('ended_at'),
    /** JSON of the report without its response body. */
    report: text('report'),
    responseBody: bytes('response_body'),
  },
  (table) => [
    primaryKey({ columns: [table.delivery, table.number] }),
    oneOf(table.state, attemptStates),
    check('kyc_relay_attempts_ended_check', sql`(state = 'STARTED') = (ended_at IS NULL)`),
    index('kyc_relay_attempts_by_age').on(table.startedAt),
  ],
)

export const endpointSchedules = sqliteTable(
  'kyc_relay_endpoint_schedules',
  {
    endpoint: integer('endpoint')
      .primaryKey()
      .references(() => endpoints.position),
    inFlight: integer('in_flight').notNull().default(0),
    /** 1 while the endpoint's last attempt failed. */
    failing: flag('failing').notNull().default(0),
    /** Time since which every attempt failed. */
    failingSince: instant('failing_since'),
    /** End of the last attempt that succeeded. */
    lastSuccessAt: instant('last_success_at'),
    /** 1 while the endpoint is paused. */
    paused: flag('paused').notNull().default(0),
    lastClaimedAt: instant('last_claimed_at').notNull().default(0),
    /** Due time of the earliest waiting delivery that may be sent; null when there is none. */
    nextDueAt: instant('next_due_at'),
    /** Since when the endpoint waits for its next delivery. */
    waitingSince: instant('waiting_since').generatedAlwaysAs(sql`max(next_due_at, last_claimed_at)`, {
      mode: 'virtual',
    }),
  },
  (table) => [
    atLeast(table.inFlight, 0),
    oneOf(table.failing, [0, 1]),
    oneOf(table.paused, [0, 1]),
    index('kyc_relay_endpoint_schedules_in_order')
      .on(table.failing, table.waitingSince, table.nextDueAt, table.endpoint, table.inFlight, table.paused)
      .where(sql`next_due_at IS NOT NULL`),
    index('kyc_relay_endpoint_schedules_paused')
      .on(table.endpoint)
      .where(sql`paused = 1`),
    index('kyc_relay_endpoint_schedules_by_due')
      .on(table.nextDueAt)
      .where(sql`next_due_at IS NOT NULL`),
  ],
)

/** Counts of attempts by endpoint, hour and cause. */
export const endpointHours = sqliteTable(
  'kyc_relay_endpoint_hours',
  {
    endpoint: integer('endpoint')
      .notNull()
      .references(() => endpoints.position),
    /** Start of the hour. */
    hour: instant('hour').notNull(),
    /** Empty if the receiver acknowledged. */
    cause: text('cause').notNull(),
    attempts: integer('attempts').notNull(),
    firstAttempts: integer('first_attempts').notNull(),
    failedDeliveries: integer('failed_deliveries').notNull(),
  },
  (table) => [
    primaryKey({ name: 'kyc_relay_endpoint_hours_pkey', columns: [table.endpoint, table.hour, table.cause] }),
    index('kyc_relay_endpoint_hours_by_hour').on(table.hour),
  ],
)
