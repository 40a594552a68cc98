import { sql } from 'drizzle-orm'
import type { EventType } from '@kyc-relay/webhooks'
import { now } from './now.js'
import { statement } from './statement.js'

const value = sql.placeholder

/** Most announcements folded by one claim; what is left is folded by the next. */
export const mostAnnouncements = 10_000

/** Folds what publishers announced into the turns, endpoints in one order so that two folds never wait in a circle. */
export const foldAnnouncements = statement(
  'fold_announcements',
  sql`
WITH taken AS (
  DELETE FROM kyc_relay_due_announcements WHERE position IN (
    SELECT position FROM kyc_relay_due_announcements ORDER BY position LIMIT ${value('limit')} FOR UPDATE SKIP LOCKED
  )
  RETURNING endpoint_id, due_at
)
INSERT INTO kyc_relay_endpoint_turns AS turns (endpoint_id, next_due_at)
SELECT endpoint_id, min(due_at) FROM taken GROUP BY endpoint_id ORDER BY endpoint_id
ON CONFLICT (endpoint_id) DO UPDATE SET next_due_at = least(turns.next_due_at, excluded.next_due_at)`,
)

/** A locked turn, and the instant that this claim calls now. */
export interface LockedTurn {
  readonly endpointId: string
  readonly inFlight: number
  readonly failing: boolean
  readonly turnAt: Date
  readonly now: Date
}

const turnColumns = sql`endpoint_id, in_flight, failing, turn_at, next_due_at`
const lockedColumns = sql`endpoint_id AS "endpointId", in_flight AS "inFlight", failing, turn_at AS "turnAt"`
const inOrder = sql`ORDER BY turn_at, next_due_at, endpoint_id`
const hasRoom = sql`next_due_at <= (SELECT now FROM clock)
    AND in_flight < CASE WHEN failing THEN ${value('failingCap')}::int ELSE ${value('healthyCap')}::int END`
const healthyInOrder = sql`WHERE NOT failing AND ${hasRoom} ${inOrder} LIMIT ${value('healthyLimit')}`
const failingInOrder = sql`WHERE failing AND ${hasRoom} ${inOrder} LIMIT ${value('failingLimit')}`

/**
 * Locks the turns of endpoints that have something due and a free place. Endpoints that another claim or settlement
 * holds at this moment are passed over. The lock is taken before the caps are trusted: a row that changed meanwhile is
 * looked at again as it is now.
 */
export const lockTurns = statement<LockedTurn>(
  'lock_turns',
  sql`
WITH clock AS MATERIALIZED (SELECT ${now} AS now),
healthy AS (
  SELECT ${turnColumns} FROM kyc_relay_endpoint_turns ${healthyInOrder} FOR NO KEY UPDATE SKIP LOCKED
),
failing AS (
  SELECT ${turnColumns} FROM kyc_relay_endpoint_turns ${failingInOrder} FOR NO KEY UPDATE SKIP LOCKED
)
SELECT ${lockedColumns}, (SELECT now FROM clock) AS now
FROM (SELECT * FROM healthy UNION ALL SELECT * FROM failing) AS turns`,
)

/**
 * The same, but waits for those that others hold: for when there is work and nothing of it could be locked at once.
 * Locks in the order of settlements, so that they never wait for each other in a circle.
 */
export const awaitTurns = statement<LockedTurn>(
  'await_turns',
  sql`
WITH clock AS MATERIALIZED (SELECT ${now} AS now)
SELECT ${lockedColumns}, (SELECT now FROM clock) AS now
FROM kyc_relay_endpoint_turns
WHERE endpoint_id IN (
  SELECT endpoint_id FROM (SELECT endpoint_id FROM kyc_relay_endpoint_turns ${healthyInOrder}) AS healthy
  UNION ALL
  SELECT endpoint_id FROM (SELECT endpoint_id FROM kyc_relay_endpoint_turns ${failingInOrder}) AS failing
) AND ${hasRoom}
ORDER BY endpoint_id FOR NO KEY UPDATE`,
)

/** The first waiting deliveries of each locked endpoint, due or not, one more than it has room for. */
export const listWaiting = statement<{ endpointId: string; appId: string; position: number; dueAt: Date }>(
  'list_waiting',
  sql`
SELECT t.endpoint_id AS "endpointId", w.app_id AS "appId", w.position, w.due_at AS "dueAt"
FROM unnest(${value('endpointIds')}::text[], ${value('rooms')}::int[]) AS t (endpoint_id, room)
CROSS JOIN LATERAL (
  SELECT app_id, position, due_at FROM kyc_relay_delivery_queue AS waiting
  WHERE waiting.endpoint_id = t.endpoint_id AND waiting.due_at IS NOT NULL
  ORDER BY due_at, position LIMIT t.room + 1
) AS w`,
)

/** A claimed delivery as it is read. */
export interface ClaimedRow {
  readonly deliveryId: string
  readonly attempt: number
  readonly token: string
  readonly eventId: string
  readonly xEventId: string
  readonly appId: string
  readonly userId: string
  readonly eventType: EventType
  readonly test: boolean
  readonly endpointId: string
  readonly url: string
  readonly standardWebhooks: boolean
  readonly body: Buffer | null
  readonly unsentSince: Date | null
  readonly traceContext: string | null
}

const claimedColumns = sql`
  claimed.delivery_id AS "deliveryId", claimed.attempts_made AS attempt, claimed.lease_token AS token,
  delivery.event_id AS "eventId", delivery.x_event_id AS "xEventId", delivery.app_id AS "appId",
  delivery.user_id AS "userId", delivery.event_type AS "eventType", event.test, claimed.endpoint_id AS "endpointId",
  endpoint.url, endpoint.standard_webhooks AS "standardWebhooks", event.body, claimed.unsent_since AS "unsentSince",
  event.trace_context AS "traceContext"
FROM claimed
JOIN kyc_relay_deliveries AS delivery ON delivery.delivery_id = claimed.delivery_id
JOIN kyc_relay_events AS event ON event.event_id = delivery.event_id
JOIN kyc_relay_endpoints AS endpoint ON endpoint.endpoint_id = claimed.endpoint_id`

/**
 * Opens the attempts of the chosen deliveries and moves the turns on. A delivery that was cancelled since it was read
 * is left out; so the turns count what was claimed, not what was chosen. An attempt that was told to be unsent gives its
 * number to the new one.
 */
export const openAttempts = statement<ClaimedRow>(
  'open_attempts',
  sql`
WITH chosen AS (
  SELECT * FROM unnest(${value('appIds')}::text[], ${value('positions')}::bigint[], ${value('tokens')}::text[])
    AS c (app_id, position, token)
), claimed AS (
  UPDATE kyc_relay_delivery_queue AS queued
  SET due_at = NULL, lease_token = chosen.token, lease_until = ${value('leaseUntil')}::timestamptz,
    started_at = ${value('now')}::timestamptz, attempts_made = queued.attempts_made + 1
  FROM chosen
  WHERE queued.app_id = chosen.app_id AND queued.position = chosen.position AND queued.due_at IS NOT NULL
  RETURNING queued.delivery_id, queued.endpoint_id, queued.attempts_made, queued.lease_token, queued.unsent_since
), reopened AS (
  DELETE FROM kyc_relay_attempts AS unsent USING claimed
  WHERE claimed.unsent_since IS NOT NULL AND unsent.delivery_id = claimed.delivery_id
    AND unsent.number = claimed.attempts_made
), counted AS (
  SELECT endpoint_id, count(*)::int AS claimed FROM claimed GROUP BY endpoint_id
), turned AS (
  UPDATE kyc_relay_endpoint_turns AS turn
  SET next_due_at = locked.next_due_at,
    in_flight = turn.in_flight + coalesce(counted.claimed, 0),
    last_claimed_at = CASE WHEN counted.claimed IS NULL THEN turn.last_claimed_at ELSE ${value('now')}::timestamptz END
  FROM unnest(${value('endpointIds')}::text[], ${value('nextDueAts')}::timestamptz[])
    AS locked (endpoint_id, next_due_at)
  LEFT JOIN counted USING (endpoint_id)
  WHERE turn.endpoint_id = locked.endpoint_id
)
SELECT ${claimedColumns}`,
)

/** When the next waiting delivery is due, announced or folded, in milliseconds from now. */
export const findNextDue = statement<{ nextDueInMs: number | null }>(
  'find_next_due',
  sql`
SELECT ceil(extract(epoch FROM least(
  (SELECT next_due_at FROM kyc_relay_endpoint_turns WHERE next_due_at IS NOT NULL ORDER BY next_due_at LIMIT 1),
  (SELECT due_at FROM kyc_relay_due_announcements ORDER BY position LIMIT 1)
) - ${now}) * 1000)::float8 AS "nextDueInMs"`,
)

/** Takes over ended leases under fresh tokens. What another process takes over at this moment is passed over. */
export const takeOverExpired = statement<ClaimedRow & { now: Date }>(
  'take_over_expired',
  sql`
WITH clock AS MATERIALIZED (SELECT ${now} AS now),
expired AS (
  SELECT app_id, lease_until, position FROM kyc_relay_delivery_queue
  WHERE lease_until <= (SELECT now FROM clock)
  ORDER BY lease_until, position LIMIT ${value('limit')} FOR NO KEY UPDATE SKIP LOCKED
), numbered AS (
  SELECT app_id, position, row_number() OVER (ORDER BY lease_until, position) AS number FROM expired
), claimed AS (
  UPDATE kyc_relay_delivery_queue AS queued
  SET lease_token = fresh.token, lease_until = (SELECT now FROM clock) + ${value('leaseMs')} * interval '1 millisecond'
  FROM numbered
  JOIN unnest(${value('tokens')}::text[]) WITH ORDINALITY AS fresh (token, number) USING (number)
  WHERE queued.app_id = numbered.app_id AND queued.position = numbered.position
  RETURNING queued.*, numbered.number
)
SELECT (SELECT now FROM clock) AS now, ${claimedColumns} ORDER BY claimed.number`,
)
