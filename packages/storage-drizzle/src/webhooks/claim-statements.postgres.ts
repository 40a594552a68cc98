import { sql, type SQL } from 'drizzle-orm'
import type { EventType } from '@kyc-relay/webhooks'
import { now } from '../engine/postgres/parameters.js'
import { statement } from '../engine/postgres/statement.js'

const value = sql.placeholder

/** Most due notices that one claim merges; the next claim merges the rest. */
export const mostDueNotices = 10_000

/**
 * Merges the due notices of publishers into the endpoint schedules. Endpoints are locked in a fixed order, so two
 * claims never deadlock. A notice is never updated, so its row does not move.
 */
export const mergeDueNotices = statement(
  'merge_due_notices',
  sql`
WITH taken AS (
  DELETE FROM kyc_relay_due_notices WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM kyc_relay_due_notices ORDER BY position LIMIT ${value('limit')} FOR UPDATE SKIP LOCKED
  ))
  RETURNING endpoint_id, due_at
)
INSERT INTO kyc_relay_endpoint_schedules AS turns (endpoint_id, next_due_at)
SELECT endpoint_id, min(due_at) FROM taken GROUP BY endpoint_id ORDER BY endpoint_id
ON CONFLICT (endpoint_id) DO UPDATE SET next_due_at = least(turns.next_due_at, excluded.next_due_at)`,
)

const inOrder = sql`ORDER BY waiting_since, next_due_at, endpoint_id`
/**
 * Upper limit of attempts in flight: claims are counted under the lock of the schedule; ended attempts may have been
 * counted since.
 */
const inFlight = (turn: SQL) => sql`(${turn}.claimed - coalesce(
    (SELECT ended FROM kyc_relay_endpoint_ends AS ends WHERE ends.endpoint_id = ${turn}.endpoint_id), 0))`
const hasRoom = sql`next_due_at <= (SELECT now FROM clock) AND ${inFlight(sql`kyc_relay_endpoint_schedules`)}
    < CASE WHEN failing THEN ${value('failingCap')}::int ELSE ${value('healthyCap')}::int END`
const healthyInOrder = sql`WHERE NOT failing AND ${hasRoom} ${inOrder} LIMIT ${value('limit')}::int`
const failingInOrder = sql`WHERE failing AND ${hasRoom} ${inOrder} LIMIT ${value('failingLimit')}::int`

/**
 * Waits for locked schedules with due deliveries and a free slot. It is used when none of them could be locked at once.
 * It locks in the same order as recording results, so they never deadlock. The array is computed once; PostgreSQL would
 * run a joined subquery again for each schedule that changed during the wait.
 */
export const awaitSchedules = statement(
  'await_schedules',
  sql`
WITH clock AS MATERIALIZED (SELECT ${now} AS now)
SELECT FROM kyc_relay_endpoint_schedules
WHERE endpoint_id = ANY (ARRAY(
  SELECT endpoint_id FROM (SELECT endpoint_id FROM kyc_relay_endpoint_schedules ${healthyInOrder}) AS healthy
  UNION ALL
  SELECT endpoint_id FROM (SELECT endpoint_id FROM kyc_relay_endpoint_schedules ${failingInOrder}) AS failing
)) AND ${hasRoom}
ORDER BY endpoint_id FOR NO KEY UPDATE`,
)

/** Columns of a claimed delivery. */
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

/** Reading a number is cheaper than reading a timestamp. */
const sinceEpochMs = (instant: SQL) => sql`(extract(epoch FROM ${instant}) * 1000)::float8`

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

/** Columns that a claim returns with each row, and with one row of nulls when it claimed nothing. */
interface ClaimLook {
  readonly nowMs: number
  /** Milliseconds until the next waiting delivery is due, from due notices and schedules. */
  readonly nextDueInMs: number | null
}

/**
 * Order of a claim: the endpoint that waited longest goes first, and each gets one delivery before any gets a second.
 */
const fairOrder = sql`round, waiting_since, due_at, position`

/**
 * Claims in one statement. It locks the schedules of endpoints with due deliveries and a free slot, and skips those
 * locked by another claim or result write. It selects deliveries as `chooseFairly` does, opens their attempts and
 * updates the schedules.
 *
 * Caps are checked after locking, on the current version of a changed schedule; deliveries are read from the
 * statement's snapshot. A delivery added meanwhile can be missed; the next claim finds it. A delivery claimed or
 * cancelled meanwhile is skipped when it is locked, so schedules count claimed deliveries, not selected ones. The
 * statement never waits for a delivery: its claimer may be waiting for a lock held here. An unsent attempt gives its
 * number to the new one.
 */
export const claimFairly = statement<(ClaimedRow | { readonly deliveryId: null }) & ClaimLook>(
  'claim_fairly',
  sql`
WITH clock AS MATERIALIZED (SELECT ${now} AS now),
healthy AS (
  SELECT *, ctid AS row FROM kyc_relay_endpoint_schedules ${healthyInOrder} FOR NO KEY UPDATE SKIP LOCKED
), failing AS (
  SELECT *, ctid AS row FROM kyc_relay_endpoint_schedules ${failingInOrder} FOR NO KEY UPDATE SKIP LOCKED
), locked AS MATERIALIZED (
  SELECT endpoint_id, failing, waiting_since,
    -- With as many schedules as slots nobody gets a second one, so no second one has to be read.
    CASE WHEN count(*) OVER () >= ${value('limit')}::int THEN 1
      ELSE CASE WHEN failing THEN ${value('failingCap')}::int ELSE ${value('healthyCap')}::int END - ${inFlight(sql`turn`)}
      END AS room,
    -- A version that was written since the statement began is locked, but cannot be seen.
    (SELECT true FROM kyc_relay_endpoint_schedules AS found WHERE found.ctid = turn.row) IS NOT NULL AS as_found
  FROM (SELECT * FROM healthy UNION ALL SELECT * FROM failing) AS turn
), waiting AS MATERIALIZED (
  SELECT locked.endpoint_id, locked.failing, locked.waiting_since, locked.room, first.*
  FROM locked CROSS JOIN LATERAL (
    SELECT ctid AS row, position, due_at, row_number() OVER (ORDER BY due_at, position) AS round
    FROM kyc_relay_delivery_queue AS queued
    WHERE queued.endpoint_id = locked.endpoint_id AND queued.due_at IS NOT NULL
    ORDER BY due_at, position LIMIT locked.room + 1
  ) AS first
), rated AS (
  SELECT *, round <= room AND due_at <= (SELECT now FROM clock) AS has_slot FROM waiting
), slotted AS (
  SELECT *, has_slot AND (NOT failing OR ${value('failingLimit')}::int >=
    row_number() OVER (PARTITION BY failing, has_slot ORDER BY ${fairOrder})) AS in_turn
  FROM rated
), ranked AS MATERIALIZED (
  SELECT *, in_turn AND ordinal <= ${value('limit')}::int AS chosen
  FROM (SELECT *, row_number() OVER (PARTITION BY in_turn ORDER BY ${fairOrder}) AS ordinal FROM slotted) AS numbered
), chosen AS MATERIALIZED (
  SELECT array_agg(row ORDER BY ordinal) AS rows FROM ranked WHERE chosen
), taken AS MATERIALIZED (
  -- Where they stand, not by key: on an empty queue PostgreSQL plans a join by key as a search through the whole of it.
  SELECT ctid AS row, array_position((SELECT rows FROM chosen), ctid) AS ordinal FROM kyc_relay_delivery_queue
  WHERE ctid = ANY ((SELECT rows FROM chosen)::tid[])
  FOR NO KEY UPDATE SKIP LOCKED
), claimed AS (
  UPDATE kyc_relay_delivery_queue AS queued
  SET due_at = NULL, lease_token = (${value('tokens')}::text[])[taken.ordinal], started_at = (SELECT now FROM clock),
    lease_until = (SELECT now FROM clock) + ${value('leaseMs')} * interval '1 millisecond',
    attempts_made = queued.attempts_made + 1
  FROM taken WHERE queued.ctid = taken.row AND queued.due_at IS NOT NULL
  RETURNING queued.delivery_id, queued.endpoint_id, queued.attempts_made, queued.lease_token, queued.unsent_since,
    taken.ordinal
), reopened AS (
  DELETE FROM kyc_relay_attempts AS unsent USING claimed
  WHERE claimed.unsent_since IS NOT NULL AND unsent.delivery_id = claimed.delivery_id
    AND unsent.number = claimed.attempts_made
), outcome AS (
  SELECT endpoint_id, bool_and(as_found) AS as_found, sum(claimed)::int AS claimed, min(due_at) AS next_due_at
  FROM (
    SELECT endpoint_id, as_found, 0 AS claimed, NULL::timestamptz AS due_at FROM locked
    UNION ALL SELECT endpoint_id, NULL, 1, NULL FROM claimed
    UNION ALL SELECT endpoint_id, NULL, 0, due_at FROM ranked WHERE NOT chosen
  ) AS part GROUP BY endpoint_id
), turned AS (
  UPDATE kyc_relay_endpoint_schedules AS turn
  SET next_due_at = CASE WHEN outcome.as_found THEN outcome.next_due_at ELSE turn.next_due_at END,
    claimed = turn.claimed + outcome.claimed,
    last_claimed_at = CASE WHEN outcome.claimed > 0 THEN (SELECT now FROM clock) ELSE turn.last_claimed_at END
  FROM outcome WHERE turn.endpoint_id = outcome.endpoint_id
  RETURNING turn.next_due_at
), look AS (
  SELECT ${sinceEpochMs(sql`now`)} AS "nowMs", ceil(extract(epoch FROM least(
    (SELECT min(next_due_at) FROM turned),
    (SELECT next_due_at FROM kyc_relay_endpoint_schedules
      WHERE next_due_at IS NOT NULL AND endpoint_id NOT IN (SELECT endpoint_id FROM locked)
      ORDER BY next_due_at LIMIT 1),
    (SELECT due_at FROM kyc_relay_due_notices ORDER BY position LIMIT 1)
  ) - now) * 1000)::float8 AS "nextDueInMs"
  FROM clock
)
SELECT look.*, row.* FROM look LEFT JOIN (SELECT claimed.ordinal, ${claimedColumns}) AS row ON true
ORDER BY row.ordinal`,
)

/**
 * Takes over ended leases under fresh tokens. Skips leases that another process is taking over or has changed
 * meanwhile; the next call finds them.
 */
export const takeOverExpired = statement<ClaimedRow & { nowMs: number }>(
  'take_over_expired',
  sql`
WITH clock AS MATERIALIZED (SELECT ${now} AS now),
expired AS (
  SELECT ctid AS row, lease_until, position FROM kyc_relay_delivery_queue
  WHERE lease_until <= (SELECT now FROM clock)
  ORDER BY lease_until, position LIMIT ${value('limit')} FOR NO KEY UPDATE SKIP LOCKED
), numbered AS (
  SELECT row, row_number() OVER (ORDER BY lease_until, position) AS number FROM expired
), claimed AS (
  UPDATE kyc_relay_delivery_queue AS queued
  SET lease_token = (${value('tokens')}::text[])[numbered.number],
    lease_until = (SELECT now FROM clock) + ${value('leaseMs')} * interval '1 millisecond'
  FROM numbered WHERE queued.ctid = numbered.row
  RETURNING queued.*, numbered.number
)
SELECT ${sinceEpochMs(sql`(SELECT now FROM clock)`)} AS "nowMs", ${claimedColumns} ORDER BY claimed.number`,
)
