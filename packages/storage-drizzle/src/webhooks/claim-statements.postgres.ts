import { sql, type SQL } from 'drizzle-orm'
import { now } from '../engine/postgres/parameters.js'
import { statement } from '../engine/postgres/statement.js'
import { statementByApp } from './by-app.postgres.js'
import { selectClaimed, type ClaimedRow } from './claimed-deliveries.postgres.js'
import { sentClasses } from './values.js'

const value = sql.placeholder

/** Most endpoints of one kind that a look lists, and most due notices that it reads. */
const mostListed = 1_000
const mostNotices = 10_000

/** Endpoints that are given as two lists. */
const listed = sql`unnest(${value('appIds')}::text[], ${value('endpointIds')}::text[]) AS listed (app_id, endpoint_id)`

/** No lease ends earlier: entries of attempts that ended before are passed by. The clock may have been set back since. */
const isLeased = sql`leased.lease_until > least(${value('noLeaseBefore')}::timestamptz, ${now})`

const inFlight = (of: SQL, ofApp: SQL = sql`true`) => sql`(SELECT count(*)::int FROM kyc_relay_delivery_queue AS leased
    WHERE leased.app_id = ${of}.app_id AND leased.endpoint_id = ${of}.endpoint_id AND ${isLeased} AND ${ofApp})`

const withRoom = (failing: boolean) => sql`
  SELECT app_id, endpoint_id, failing, waiting_since, next_due_at FROM kyc_relay_endpoint_schedules AS schedule
  WHERE failing = ${sql.raw(String(failing))} AND next_due_at <= (SELECT now FROM clock)
    AND ${inFlight(sql`schedule`)} < ${value(failing ? 'failingCap' : 'healthyCap')}::int
  ORDER BY waiting_since, next_due_at, endpoint_id LIMIT ${sql.raw(String(mostListed))}`

/** An endpoint that may have a due delivery and a free slot. */
export interface DueEndpointRow {
  readonly appId: string
  readonly endpointId: string
  readonly failing: boolean
}

/** Columns that a look returns with each row, and with one row of nulls when nothing is due. */
interface LookColumns {
  readonly nowMs: number
  /** Due time of the first schedule that is not due yet. */
  readonly nextDueMs: number | null
  /** True if more schedules are due than listed: their endpoints have no free slot. */
  readonly moreAreDue: boolean
  /** Positions of the due notices that were read, first and last. */
  readonly firstNotice: number | null
  readonly lastNotice: number | null
}

/** Reading a number is cheaper than reading a timestamp. */
const sinceEpochMs = (instant: SQL) => sql`(extract(epoch FROM ${instant}) * 1000)::float8`

/** Lists due endpoints, those that waited longest first, from schedules and due notices. It locks nothing. */
export const findDueEndpoints = statement<(DueEndpointRow | { readonly appId: null }) & LookColumns>(
  'find_due_endpoints',
  sql`
WITH clock AS MATERIALIZED (SELECT ${now} AS now),
scheduled AS MATERIALIZED (
  (${withRoom(false)}) UNION ALL (${withRoom(true)})
), notices AS MATERIALIZED (
  SELECT app_id, endpoint_id, due_at, position FROM kyc_relay_due_notices
  ORDER BY position LIMIT ${sql.raw(String(mostNotices))}
), noticed AS (
  SELECT app_id, endpoint_id, schedule.failing,
    greatest(least(schedule.next_due_at, notice.due_at), schedule.last_claimed_at) AS waiting_since,
    least(schedule.next_due_at, notice.due_at) AS next_due_at
  FROM (
    SELECT app_id, endpoint_id, min(due_at) AS due_at FROM notices GROUP BY app_id, endpoint_id
  ) AS notice JOIN kyc_relay_endpoint_schedules AS schedule USING (app_id, endpoint_id)
), look AS (
  SELECT ${sinceEpochMs(sql`now`)} AS "nowMs",
    (SELECT ${sinceEpochMs(sql`min(next_due_at)`)} FROM kyc_relay_endpoint_schedules
      WHERE next_due_at > (SELECT now FROM clock)) AS "nextDueMs",
    (SELECT count(*) FROM (
      SELECT 1 FROM kyc_relay_endpoint_schedules WHERE next_due_at <= (SELECT now FROM clock)
      LIMIT ${sql.raw(String(2 * mostListed + 1))}
    ) AS due) > (SELECT count(*) FROM scheduled) AS "moreAreDue",
    (SELECT min(position) FROM notices) AS "firstNotice", (SELECT max(position) FROM notices) AS "lastNotice"
  FROM clock
)
SELECT look.*, due.app_id AS "appId", due.endpoint_id AS "endpointId", due.failing
FROM look LEFT JOIN (SELECT * FROM scheduled UNION SELECT * FROM noticed) AS due ON true
ORDER BY due.waiting_since, due.next_due_at, due.endpoint_id`,
)

const lockedSchedules = (how: SQL) => (ofApp: (table: string) => SQL) => sql`
WITH locked AS MATERIALIZED (
  SELECT schedule.* FROM ${listed} JOIN kyc_relay_endpoint_schedules AS schedule USING (app_id, endpoint_id)
  WHERE ${ofApp('schedule')}
  ORDER BY app_id, endpoint_id FOR NO KEY UPDATE OF schedule ${how}
), noticed AS (
  DELETE FROM kyc_relay_due_notices AS notice USING locked
  WHERE notice.app_id = locked.app_id AND notice.endpoint_id = locked.endpoint_id AND ${ofApp('notice')}
    AND notice.position BETWEEN ${value('firstNotice')}::bigint AND ${value('lastNotice')}::bigint
  RETURNING notice.app_id, notice.endpoint_id, notice.due_at
), first AS (
  SELECT app_id, endpoint_id, min(due_at) AS due_at FROM noticed GROUP BY app_id, endpoint_id
)
SELECT app_id AS "appId", endpoint_id AS "endpointId", failing, paused, last_claimed_at AS "lastClaimedAt",
  next_due_at AS "nextDueAt", least(next_due_at, first.due_at) AS "firstDueAt", ${now} AS now
FROM locked LEFT JOIN first USING (app_id, endpoint_id)`

const classes = (paused: boolean) => sql.raw(`'{${sentClasses(paused).join()}}'::smallint[]`)

/** The classes of deliveries that an endpoint is sent. */
export const sentTo = (paused: SQL): SQL => sql`CASE WHEN ${paused} THEN ${classes(true)} ELSE ${classes(false)} END`

/** A locked schedule. */
export interface ScheduleRow {
  readonly appId: string
  readonly endpointId: string
  readonly failing: boolean
  readonly paused: boolean
  readonly lastClaimedAt: Date | null
  readonly nextDueAt: Date | null
  /** No delivery waits that is due earlier. Null if none waits. */
  readonly firstDueAt: Date | null
  readonly now: Date
}

/**
 * Locks schedules, and deletes their due notices that the look read. The deliveries of these notices are visible to the
 * next statement. Skips schedules that another claim, a removal or a result holds.
 */
export const lockSchedules = statementByApp<ScheduleRow>('lock_schedules', lockedSchedules(sql`SKIP LOCKED`))

/** The same, but waits. The order prevents deadlocks. */
export const awaitSchedules = statementByApp<ScheduleRow>('await_schedules', lockedSchedules(sql``))

/** A waiting delivery of an endpoint, by class and due time, or an endpoint without one. */
export interface WaitingRow {
  /** Place of the endpoint in the given list, from 1. */
  readonly place: number
  readonly inFlight: number
  /** Null for an endpoint without a waiting delivery, with all that follow. */
  readonly position: number | null
  readonly dueAtMs: number
  readonly deliveryId: string
  readonly attemptsMade: number
  readonly unsentSince: Date | null
}

/** The first waiting deliveries of a class, which an endpoint is sent unless it is paused. */
const firstOfClass = (each: number, ofApp: (table: string) => SQL) => sql`(
  SELECT * FROM kyc_relay_delivery_queue AS waiting
  WHERE waiting.app_id = listed.app_id AND waiting.endpoint_id = listed.endpoint_id
    AND waiting.class = ${sql.raw(String(each))} AND waiting.due_at >= listed.first_due_at AND ${ofApp('waiting')}
    ${sentClasses(true).includes(each as never) ? sql`` : sql`AND NOT listed.paused`}
  ORDER BY due_at, position LIMIT ${value('each')}::int
)`

/**
 * Counts the attempts in flight of locked endpoints and lists the first waiting deliveries of each class that they are
 * sent. It begins at the first due time, after the entries of deliveries that are gone.
 */
export const listWaiting = statementByApp<WaitingRow>(
  'list_waiting',
  (ofApp) => sql`
SELECT listed.place, "inFlight", first.position, ${sinceEpochMs(sql`first.due_at`)} AS "dueAtMs",
  first.delivery_id AS "deliveryId", first.attempts_made AS "attemptsMade", first.unsent_since AS "unsentSince"
FROM unnest(
  ${value('appIds')}::text[], ${value('endpointIds')}::text[], ${value('firstDueAts')}::timestamptz[],
  ${value('pauses')}::boolean[]
) WITH ORDINALITY AS listed (app_id, endpoint_id, first_due_at, paused, place)
CROSS JOIN LATERAL ${inFlight(sql`listed`, ofApp('leased'))} AS leases ("inFlight")
LEFT JOIN LATERAL (
  ${sql.join(
    sentClasses(false).map((each) => firstOfClass(each, ofApp)),
    sql` UNION ALL `,
  )}
) AS first ON true
ORDER BY first.class, first.due_at, first.position`,
)

/**
 * Leases chosen deliveries, updates their schedules, and returns the leased deliveries. The rows exist, under the lock of
 * their schedules. PostgreSQL finds them by their key, also without statistics of the table.
 */
export const openAttempts = statementByApp<ClaimedRow>(
  'open_attempts',
  (ofApp) => sql`
WITH leased AS (
  INSERT INTO kyc_relay_delivery_queue (
    app_id, position, delivery_id, endpoint_id, attempts_made, lease_token, lease_until, started_at
  )
  SELECT app_id, position, delivery_id, endpoint_id, attempt, token,
    ${now} + ${value('leaseMs')}::float8 * interval '1 millisecond', ${now}
  FROM unnest(
    ${value('appIds')}::text[], ${value('positions')}::bigint[], ${value('deliveryIds')}::text[],
    ${value('endpointIds')}::text[], ${value('attempts')}::int[], ${value('tokens')}::text[]
  ) AS chosen (app_id, position, delivery_id, endpoint_id, attempt, token)
  ON CONFLICT (app_id, position) DO UPDATE SET due_at = NULL, attempts_made = excluded.attempts_made,
    lease_token = excluded.lease_token, lease_until = excluded.lease_until, started_at = excluded.started_at
), scheduled AS (
  UPDATE kyc_relay_endpoint_schedules AS schedule
  SET next_due_at = after.next_due_at, last_claimed_at = after.last_claimed_at
  FROM unnest(
    ${value('scheduleAppIds')}::text[], ${value('scheduleEndpointIds')}::text[], ${value('nextDueAts')}::timestamptz[],
    ${value('lastClaimedAts')}::timestamptz[]
  ) AS after (app_id, endpoint_id, next_due_at, last_claimed_at)
  WHERE schedule.app_id = after.app_id AND schedule.endpoint_id = after.endpoint_id AND ${ofApp('schedule')}
)
${selectClaimed(ofApp)}`,
)

/** Removes unsent attempts: each gives its number to the new one. */
export const removeUnsent = statementByApp(
  'remove_unsent',
  (ofApp) => sql`
DELETE FROM kyc_relay_attempts AS unsent
USING unnest(${value('appIds')}::text[], ${value('deliveryIds')}::text[], ${value('attempts')}::int[])
  AS chosen (app_id, delivery_id, attempt)
WHERE unsent.app_id = chosen.app_id AND unsent.delivery_id = chosen.delivery_id AND unsent.number = chosen.attempt
  AND ${ofApp('unsent')}`,
)
