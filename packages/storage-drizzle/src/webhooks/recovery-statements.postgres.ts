import { sql } from 'drizzle-orm'
import type { EventName, WithheldReason } from '@kyc-relay/webhooks/internal'
import { now } from '../engine/postgres/parameters.js'
import { statement } from '../engine/postgres/statement.js'
import type { recoveries } from './recovery-tables.postgres.js'
import { deliveryClass } from './values.js'

// Steps of recoveries run beside live deliveries, so their statements are prepared.

const value = sql.placeholder

const recovered = sql.raw(String(deliveryClass.recovered))

interface FoundEndpoint {
  endpointId: string
  lineageId: string
  eventTypes: string | null
  paused: boolean
}

const endpointOf = sql`
SELECT endpoint_id AS "endpointId", lineage_id AS "lineageId", event_types AS "eventTypes",
  paused_by IS NOT NULL AS paused
FROM kyc_relay_endpoints
WHERE app_id = ${value('appId')} AND endpoint_id = ${value('endpointId')} AND removed_at IS NULL`

export const findEndpoint = statement<FoundEndpoint>('find_endpoint', endpointOf)

/** Blocks removal, replacement and pause of the endpoint until the transaction ends. */
export const shareEndpoint = statement<FoundEndpoint>('share_endpoint', sql`${endpointOf} FOR SHARE`)

/** Finds a running recovery, and how many of its deliveries wait: it counts no further than `mostWaiting`. */
export const findRunning = statement<{
  endpointId: string
  lineageId: string
  since: Date
  until: Date
  eventTypes: string | null
  afterCreatedAt: Date | null
  afterPosition: number | null
  waiting: number
}>(
  'find_running_recovery',
  sql`
SELECT endpoint_id AS "endpointId", endpoint.lineage_id AS "lineageId", recovery.since, recovery.until,
  recovery.event_types AS "eventTypes", recovery.after_created_at AS "afterCreatedAt",
  recovery.after_position AS "afterPosition",
  (SELECT count(*) FROM (
    SELECT FROM kyc_relay_delivery_queue AS queued
    WHERE queued.app_id = ${value('appId')} AND queued.endpoint_id = recovery.endpoint_id
      AND queued.class = ${recovered} AND queued.due_at IS NOT NULL
    LIMIT ${value('mostWaiting')}
  ) AS queued) AS waiting
FROM kyc_relay_recoveries AS recovery JOIN kyc_relay_endpoints AS endpoint USING (app_id, endpoint_id)
WHERE app_id = ${value('appId')} AND recovery.recovery_id = ${value('recoveryId')} AND recovery.state = 'RUNNING'
  AND endpoint.removed_at IS NULL`,
)

/** Locks the progress of a recovery, so that of several processes one writes the step. */
export const lockProgress = statement<
  Pick<
    typeof recoveries.$inferSelect,
    | 'recoveryId'
    | 'endpointId'
    | 'state'
    | 'afterCreatedAt'
    | 'afterPosition'
    | 'created'
    | 'acknowledged'
    | 'pending'
    | 'withoutScope'
    | 'erased'
  >
>(
  'lock_recovery',
  sql`
SELECT recovery_id AS "recoveryId", endpoint_id AS "endpointId", state, after_created_at AS "afterCreatedAt",
  after_position AS "afterPosition", created, acknowledged, pending, without_scope AS "withoutScope", erased
FROM kyc_relay_recoveries WHERE app_id = ${value('appId')} AND recovery_id = ${value('recoveryId')}
FOR UPDATE`,
)

export const writeProgress = statement(
  'write_recovery',
  sql`
UPDATE kyc_relay_recoveries SET state = ${value('state')}, created = ${value('created')},
  acknowledged = ${value('acknowledged')}, pending = ${value('pending')}, without_scope = ${value('withoutScope')},
  erased = ${value('erased')}, after_created_at = ${value('afterCreatedAt')}, after_position = ${value('afterPosition')}
WHERE app_id = ${value('appId')} AND recovery_id = ${value('recoveryId')}`,
)

/**
 * Writes the deliveries of a step and queues them in one statement. The share lock keeps retention from the bodies, and
 * reads one table alone: Citus inserts nothing from a join that locks. One notice is enough, and none while the endpoint is
 * paused.
 */
export const insertRecovered = statement<{ created: number }>(
  'insert_recovered',
  sql`
WITH event AS (
  SELECT event_id, user_id, type FROM kyc_relay_events
  WHERE app_id = ${value('appId')} AND event_id = ANY(${value('eventIds')}::text[]) AND body IS NOT NULL
  FOR SHARE
), found AS (
  SELECT given.delivery_id, given.x_event_id, given.ordinal, event.event_id, event.user_id, event.type
  FROM unnest(${value('deliveryIds')}::text[], ${value('eventIds')}::text[], ${value('xEventIds')}::text[])
    WITH ORDINALITY AS given (delivery_id, event_id, x_event_id, ordinal)
  JOIN event USING (event_id)
  WHERE NOT EXISTS (
    SELECT FROM kyc_relay_deliveries AS other
    WHERE other.app_id = ${value('appId')} AND other.x_event_id = given.x_event_id
      AND other.state IN ('PENDING', 'DELIVERED')
  )
), written AS (
  INSERT INTO kyc_relay_deliveries (
    app_id, delivery_id, event_id, endpoint_id, x_event_id, user_id, event_type, state, created_at
  )
  SELECT ${value('appId')}, delivery_id, event_id, ${value('endpointId')}, x_event_id, user_id, type, 'PENDING', ${now}
  FROM found ORDER BY ordinal
  RETURNING app_id, position, delivery_id, endpoint_id, created_at
), queued AS (
  INSERT INTO kyc_relay_delivery_queue (app_id, position, delivery_id, endpoint_id, class, due_at)
  SELECT app_id, position, delivery_id, endpoint_id, ${recovered}, created_at FROM written
), notices AS (
  INSERT INTO kyc_relay_due_notices (app_id, endpoint_id, due_at)
  SELECT app_id, endpoint_id, created_at FROM written WHERE NOT ${value('held')}::boolean LIMIT 1
)
SELECT count(*)::int AS created FROM written`,
)

/** Whether the lineage has a delivery of an event in this state. */
const hasDelivery = (state: 'DELIVERED' | 'PENDING') => sql`EXISTS (
  SELECT FROM kyc_relay_deliveries AS delivery
  JOIN kyc_relay_endpoints AS member ON member.app_id = ${value('appId')} AND member.endpoint_id = delivery.endpoint_id
  WHERE delivery.app_id = ${value('appId')} AND delivery.event_id = event.event_id
    AND delivery.state = ${sql.raw(`'${state}'`)} AND member.lineage_id = ${value('lineageId')})`

/** The next events of a step. */
export const listRecoverable = statement<{
  eventId: string
  userId: string
  type: EventName
  withheld: WithheldReason | null
  createdAt: Date
  position: number
  erased: boolean
  acknowledged: boolean
  pending: boolean
}>(
  'list_recoverable',
  sql`
SELECT event_id AS "eventId", user_id AS "userId", type, withheld, created_at AS "createdAt", position,
  coalesce(length(body), 0) = 0 AS erased,
  ${hasDelivery('DELIVERED')} AS acknowledged,
  ${hasDelivery('PENDING')} AS pending
FROM kyc_relay_events AS event
WHERE app_id = ${value('appId')} AND created_at < ${value('until')}::timestamptz
  AND (created_at, position) > (${value('afterCreatedAt')}::timestamptz, ${value('afterPosition')}::bigint)
  AND type = ANY(${value('types')}::text[]) AND NOT test AND position > 0
ORDER BY created_at, position
LIMIT ${value('limit')}`,
)
