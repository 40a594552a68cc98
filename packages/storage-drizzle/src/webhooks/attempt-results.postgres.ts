import { sql } from 'drizzle-orm'
import type { AttemptResult } from '@kyc-relay/webhooks/delivery'
import type { EndpointHealthChange } from '@kyc-relay/webhooks/internal'
import { schedulesAfter, type Applied, type LeasedRow, type ScheduleAfter } from './applied-results.postgres.js'
import { deliveryAfterResult } from './delivery-after-result.js'
import { countAttempts } from './endpoint-hours.js'
import { addHourCounts } from './endpoint-hours.postgres.js'
import { listLineage } from './endpoints.postgres.js'
import { goneReason, heirOf } from './lineage.js'
import { now } from '../engine/postgres/parameters.js'
import { reportText, responseBodyOf } from './ended-results.postgres.js'
import { deliveryKey, endpointKey } from './row-keys.js'
import { statementByApp, type AppGroup } from './by-app.postgres.js'
import type { Queryable } from '../engine/postgres/statement.js'
import { deliveryClass } from './values.js'

const value = sql.placeholder

/**
 * Locks deliveries in flight one by one, by their key and in a fixed order that prevents deadlocks. A plain join would be
 * planned for an empty queue, as PostgreSQL often counts it, and compare each result with each lease.
 */
const lockLeased = statementByApp<LeasedRow>(
  'lock_leased',
  (ofApp) => sql`
WITH found AS MATERIALIZED (
  SELECT app_id, delivery_id, delivery.position, delivery.event_type
  FROM unnest(${value('appIds')}::text[], ${value('deliveryIds')}::text[]) AS given (app_id, delivery_id)
  JOIN kyc_relay_deliveries AS delivery USING (app_id, delivery_id)
  WHERE ${ofApp('delivery')}
  ORDER BY delivery_id, app_id
)
SELECT found.app_id AS "appId", found.delivery_id AS "deliveryId", found.position, found.event_type AS "eventType",
  queued.endpoint_id AS "endpointId", queued.lease_token AS "leaseToken", queued.attempts_made AS "attemptsMade",
  queued.started_at AS "startedAt", queued.unsent_since AS "unsentSince", queued.cancel_requested AS "cancelRequested",
  queued.class
FROM found CROSS JOIN LATERAL (
  SELECT * FROM kyc_relay_delivery_queue AS queued
  WHERE queued.app_id = found.app_id AND queued.position = found.position AND ${ofApp('queued')}
  FOR UPDATE
) AS queued
WHERE queued.lease_token IS NOT NULL`,
)

/** Locks the schedules of endpoints after their deliveries, and tells the time. */
const lockEndpoints = statementByApp<{
  readonly appId: string
  readonly endpointId: string
  readonly paused: boolean
  readonly failing: boolean
  readonly now: Date
}>(
  'lock_endpoints',
  (ofApp) => sql`
SELECT app_id AS "appId", endpoint_id AS "endpointId", schedule.paused, schedule.failing, ${now} AS now
FROM unnest(${value('appIds')}::text[], ${value('endpointIds')}::text[]) AS given (app_id, endpoint_id)
JOIN kyc_relay_endpoint_schedules AS schedule USING (app_id, endpoint_id)
WHERE ${ofApp('schedule')}
ORDER BY app_id, endpoint_id
FOR NO KEY UPDATE OF schedule`,
)

interface RemovedRow {
  readonly appId: string
  readonly endpointId: string
  readonly lineageId: string
}

/** Read under the locks of the schedules: an earlier removal is visible here, and a later one sees these writes. */
const findRemoved = statementByApp<RemovedRow>(
  'find_removed',
  (ofApp) => sql`
SELECT app_id AS "appId", endpoint_id AS "endpointId", lineage_id AS "lineageId"
FROM unnest(${value('appIds')}::text[], ${value('endpointIds')}::text[]) AS given (app_id, endpoint_id)
JOIN kyc_relay_endpoints AS endpoint USING (app_id, endpoint_id)
WHERE endpoint.removed_at IS NOT NULL AND ${ofApp('endpoint')}`,
)

const applyResults = statementByApp(
  'apply_results',
  (ofApp) => sql`
WITH outcome AS MATERIALIZED (
  SELECT * FROM unnest(
    ${value('appIds')}::text[], ${value('positions')}::bigint[], ${value('deliveryIds')}::text[],
    ${value('states')}::text[], ${value('attemptsMade')}::int[], ${value('dueAts')}::timestamptz[],
    ${value('unsentSinces')}::timestamptz[], ${value('cancelReasons')}::text[], ${value('numbers')}::int[],
    ${value('attemptStates')}::text[], ${value('startedAts')}::timestamptz[], ${value('reports')}::text[],
    ${value('responseBodies')}::bytea[], ${value('httpStatuses')}::int[], ${value('latencies')}::float8[]
  ) AS given (
    app_id, position, delivery_id, state, attempts_made, due_at, unsent_since, cancel_reason, number, attempt_state,
    started_at, report, response_body, http_status, latency_ms
  )
), again AS (
  UPDATE kyc_relay_delivery_queue AS queued
  SET due_at = outcome.due_at, attempts_made = outcome.attempts_made, lease_token = NULL, lease_until = NULL,
    started_at = NULL, unsent_since = outcome.unsent_since
  FROM outcome WHERE queued.app_id = outcome.app_id AND queued.position = outcome.position
    AND queued.lease_until IS NOT NULL AND outcome.state = 'PENDING' AND ${ofApp('queued')}
), gone AS (
  DELETE FROM kyc_relay_delivery_queue AS queued USING outcome
  WHERE queued.app_id = outcome.app_id AND queued.position = outcome.position
    AND queued.lease_until IS NOT NULL AND outcome.state <> 'PENDING' AND ${ofApp('queued')}
), written AS (
  UPDATE kyc_relay_deliveries AS delivery
  SET state = outcome.state, attempts_made = outcome.attempts_made, cancel_reason = outcome.cancel_reason,
    ended_at = CASE WHEN outcome.state <> 'PENDING' THEN ${value('now')}::timestamptz END,
    http_status = CASE WHEN attempt_state = 'UNSENT' THEN delivery.http_status ELSE outcome.http_status END,
    latency_ms = CASE WHEN attempt_state = 'UNSENT' THEN delivery.latency_ms ELSE outcome.latency_ms END
  FROM outcome WHERE delivery.app_id = outcome.app_id AND delivery.delivery_id = outcome.delivery_id
    AND ${ofApp('delivery')}
), ended AS (
  INSERT INTO kyc_relay_attempts (app_id, delivery_id, number, state, started_at, ended_at, report, response_body)
  SELECT app_id, delivery_id, number, attempt_state, started_at, ${value('now')}::timestamptz, report, response_body
  FROM outcome
)
UPDATE kyc_relay_endpoint_schedules AS schedule
SET failing = coalesce(after.failing, schedule.failing), next_due_at = least(schedule.next_due_at, after.due_at),
  failing_since = CASE
    WHEN after.failing IS NULL THEN schedule.failing_since
    WHEN after.failing THEN coalesce(CASE WHEN NOT after.succeeded THEN schedule.failing_since END, ${value('now')}::timestamptz)
  END,
  last_success_at = CASE WHEN after.succeeded THEN ${value('now')}::timestamptz ELSE schedule.last_success_at END
FROM unnest(
  ${value('endpointAppIds')}::text[], ${value('endpointIds')}::text[], ${value('failings')}::boolean[],
  ${value('successes')}::boolean[], ${value('earliestDues')}::timestamptz[]
) AS after (app_id, endpoint_id, failing, succeeded, due_at)
WHERE schedule.app_id = after.app_id AND schedule.endpoint_id = after.endpoint_id AND ${ofApp('schedule')}`,
)

/** Gives retries of removed endpoints to their lineage. A paused heir is sent only test events. */
const moveRetries = statementByApp(
  'move_retries',
  (ofApp) => sql`
WITH moved AS MATERIALIZED (
  SELECT * FROM unnest(
    ${value('appIds')}::text[], ${value('positions')}::bigint[], ${value('deliveryIds')}::text[],
    ${value('endpointIds')}::text[], ${value('dueAts')}::timestamptz[], ${value('tests')}::boolean[]
  ) AS given (app_id, position, delivery_id, endpoint_id, due_at, test)
), waiting AS (
  UPDATE kyc_relay_delivery_queue AS queued SET endpoint_id = moved.endpoint_id
  FROM moved WHERE queued.app_id = moved.app_id AND queued.position = moved.position AND ${ofApp('queued')}
), logged AS (
  UPDATE kyc_relay_deliveries AS delivery SET endpoint_id = moved.endpoint_id
  FROM moved WHERE delivery.app_id = moved.app_id AND delivery.delivery_id = moved.delivery_id AND ${ofApp('delivery')}
), first AS (
  SELECT app_id, endpoint_id, min(due_at) AS due_at, min(due_at) FILTER (WHERE test) AS test_due_at
  FROM moved GROUP BY app_id, endpoint_id
)
UPDATE kyc_relay_endpoint_schedules AS schedule
SET next_due_at = least(schedule.next_due_at, CASE WHEN schedule.paused THEN first.test_due_at ELSE first.due_at END)
FROM first
WHERE schedule.app_id = first.app_id AND schedule.endpoint_id = first.endpoint_id AND ${ofApp('schedule')}`,
)

const instant = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))

/** What a call has recorded. */
export interface RecordedResults {
  readonly stale: readonly AttemptResult[]
  readonly healthChanges: readonly EndpointHealthChange[]
}

/**
 * Applies each result whose fence is current, inside a transaction. The others are stale.
 *
 * The general path: for a retry, which may have to move to another endpoint or wait for the end of a pause, an unsent
 * attempt, or two results of one delivery. It locks, decides in this process, then writes. Most results end their
 * deliveries and take the one statement of `recordEndedResults`.
 */
export async function recordAttemptResults(
  on: Queryable,
  { appId, rows: results }: AppGroup<AttemptResult>,
  at: Date | null,
): Promise<RecordedResults> {
  const rows = await lockLeased.rows(on, {
    appId,
    appIds: results.map(({ fence }) => fence.appId),
    deliveryIds: results.map(({ fence }) => fence.deliveryId),
  })
  const endpoints = [...new Map(rows.map((row) => [endpointKey(row), row])).values()]
  const keys = {
    appId,
    appIds: endpoints.map((row) => row.appId),
    endpointIds: endpoints.map(({ endpointId }) => endpointId),
  }
  const schedules = await lockEndpoints.rows(on, { ...keys, now: at })
  const [locked] = schedules
  const paused = new Set(schedules.filter((schedule) => schedule.paused).map(endpointKey))
  const lineages = await lineagesOf(on, await findRemoved.rows(on, keys))
  const leased = new Map(rows.map((row) => [deliveryKey(row), row]))
  const stale: AttemptResult[] = []
  const applied: Applied[] = []
  for (const result of results) {
    const { fence } = result
    const row = leased.get(deliveryKey(fence))
    if (locked === undefined || row?.leaseToken !== fence.token || row.attemptsMade !== fence.attempt) {
      stale.push(result)
      continue
    }
    // The claim has ended: a second result for it in the same call is stale.
    leased.delete(deliveryKey(fence))
    const lineage = lineages.get(endpointKey(row))
    const heir = heirOf(lineage ?? [], row.eventType)
    const delivery = {
      attemptsMade: row.attemptsMade,
      unsentSinceMs: row.unsentSince?.getTime() ?? null,
      cancelRequested: row.cancelRequested,
      gone: lineage === undefined || heir !== undefined ? null : goneReason(lineage),
    }
    const outcome = deliveryAfterResult(delivery, result, locked.now.getTime())
    const movesTo = outcome.dueAtMs === null ? null : (heir?.endpointId ?? null)
    const isHeld = paused.has(endpointKey(row)) && row.class !== deliveryClass.test
    applied.push({ row, result, outcome, movesTo, isHeld })
  }
  const after = schedulesAfter(applied)
  if (locked !== undefined && applied.length > 0) await write(on, appId, applied, after, locked.now)
  const failedBefore = new Map(schedules.map((schedule) => [endpointKey(schedule), schedule.failing]))
  const healthChanges = after.flatMap((schedule) => {
    const { appId, endpointId, failing } = schedule
    return failing === null || failing === failedBefore.get(endpointKey(schedule))
      ? []
      : [{ appId, endpointId, failing }]
  })
  return { stale, healthChanges }
}

async function write(
  on: Queryable,
  appId: string | null,
  applied: readonly Applied[],
  schedules: readonly ScheduleAfter[],
  now: Date,
): Promise<void> {
  await applyResults.count(on, {
    appId,
    now,
    appIds: applied.map(({ row }) => row.appId),
    positions: applied.map(({ row }) => row.position),
    deliveryIds: applied.map(({ result }) => result.fence.deliveryId),
    states: applied.map(({ outcome }) => outcome.state),
    attemptsMade: applied.map(({ outcome }) => outcome.attemptsMade),
    dueAts: applied.map(({ outcome }) => instant(outcome.dueAtMs)),
    unsentSinces: applied.map(({ outcome }) => instant(outcome.unsentSinceMs)),
    cancelReasons: applied.map(({ outcome }) => outcome.cancelReason),
    numbers: applied.map(({ result }) => result.fence.attempt),
    startedAts: applied.map(({ row }) => row.startedAt),
    attemptStates: applied.map(({ result }) => result.attempt.state),
    reports: applied.map(({ result }) => reportText(result)),
    // An erasure has blanked the answers that were there: a later one may repeat the user's data too.
    responseBodies: applied.map(({ row, result }) => (row.cancelRequested === null ? responseBodyOf(result) : null)),
    httpStatuses: applied.map(({ result }) => result.attempt.report.status),
    latencies: applied.map(({ result }) => result.attempt.report.timings.totalMs),
    endpointAppIds: schedules.map((schedule) => schedule.appId),
    endpointIds: schedules.map(({ endpointId }) => endpointId),
    failings: schedules.map(({ failing }) => failing),
    successes: schedules.map(({ succeeded }) => succeeded),
    earliestDues: schedules.map(({ dueAtMs }) => instant(dueAtMs)),
  })
  const counted = countAttempts(
    applied.map(({ row, result }) => ({ endpoint: row, result })),
    endpointKey,
  )
  await addHourCounts(on, counted, now)
  const moved = applied.filter(({ movesTo }) => movesTo !== null)
  if (moved.length === 0) return
  await moveRetries.count(on, {
    appId,
    appIds: moved.map(({ row }) => row.appId),
    positions: moved.map(({ row }) => row.position),
    deliveryIds: moved.map(({ row }) => row.deliveryId),
    endpointIds: moved.map(({ movesTo }) => movesTo),
    dueAts: moved.map(({ outcome }) => instant(outcome.dueAtMs)),
    tests: moved.map(({ row }) => row.class === deliveryClass.test),
  })
}

/** Lists the other endpoints of the lineage of each removed one, and blocks their removal. */
async function lineagesOf(on: Queryable, removed: readonly RemovedRow[]) {
  const lineages = new Map<string, Awaited<ReturnType<typeof listLineage>>>()
  for (const row of removed) lineages.set(endpointKey(row), await listLineage(on, row, true))
  return lineages
}
