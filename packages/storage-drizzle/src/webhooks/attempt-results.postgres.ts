import { sql } from 'drizzle-orm'
import type { Fence, AttemptResult } from '@kyc-relay/webhooks/delivery'
import { deliveryAfterResult, type DeliveryAfterResult } from './delivery-after-result.js'
import { now } from '../engine/postgres/parameters.js'
import { reportText, responseBodyOf } from './ended-results.postgres.js'
import { statement, type Queryable } from '../engine/postgres/statement.js'

const value = sql.placeholder

/**
 * Locks deliveries in flight, and then the schedules of their endpoints, in a fixed order that prevents deadlocks. Each
 * queue row is searched by its delivery, as in `recordEndedResults`.
 */
const lockLeased = statement<{
  deliveryId: string
  appId: string
  position: number
  endpointId: string
  leaseToken: string | null
  attemptsMade: number
  startedAt: Date | null
  unsentSince: Date | null
  cancelRequested: string | null
  now: Date
}>(
  'lock_leased',
  sql`
WITH leased AS MATERIALIZED (
  SELECT queued.* FROM (
    SELECT app_id, position FROM kyc_relay_deliveries WHERE delivery_id = ANY(${value('deliveryIds')}::text[])
    ORDER BY app_id, position OFFSET 0
  ) AS delivery CROSS JOIN LATERAL (
    SELECT * FROM kyc_relay_delivery_queue AS leased
    WHERE leased.app_id = delivery.app_id AND leased.position = delivery.position AND leased.lease_token IS NOT NULL
    FOR UPDATE
  ) AS queued
)
SELECT delivery_id AS "deliveryId", app_id AS "appId", position, endpoint_id AS "endpointId",
  lease_token AS "leaseToken", attempts_made AS "attemptsMade", started_at AS "startedAt",
  unsent_since AS "unsentSince", cancel_requested AS "cancelRequested", ${now} AS now
FROM leased JOIN kyc_relay_endpoint_schedules AS schedule USING (endpoint_id)
ORDER BY endpoint_id
FOR NO KEY UPDATE OF schedule`,
)

/** Read under the locks of the schedules: an earlier removal is visible here, and a later one sees these writes. */
const findRemoved = statement<{ endpointId: string }>(
  'find_removed',
  sql`
SELECT endpoint_id AS "endpointId" FROM kyc_relay_endpoints
WHERE endpoint_id = ANY(${value('endpointIds')}::text[]) AND removed_at IS NOT NULL`,
)

const applyResults = statement(
  'apply_results',
  sql`
WITH outcome AS MATERIALIZED (
  SELECT s.*, leased.place FROM unnest(
    ${value('appIds')}::text[], ${value('positions')}::bigint[], ${value('deliveryIds')}::text[],
    ${value('states')}::text[], ${value('attemptsMade')}::int[], ${value('dueAts')}::timestamptz[],
    ${value('unsentSinces')}::timestamptz[], ${value('cancelReasons')}::text[]
  ) AS s (app_id, position, delivery_id, state, attempts_made, due_at, unsent_since, cancel_reason)
  CROSS JOIN LATERAL (
    SELECT ctid AS place FROM kyc_relay_delivery_queue WHERE app_id = s.app_id AND position = s.position OFFSET 0
  ) AS leased
  -- As in recordEndedResults: the few that are given are looked up.
  WHERE s.position * 0 = 0
), again AS (
  UPDATE kyc_relay_delivery_queue AS queued
  SET due_at = outcome.due_at, attempts_made = outcome.attempts_made, lease_token = NULL, lease_until = NULL,
    started_at = NULL, unsent_since = outcome.unsent_since
  FROM outcome WHERE queued.ctid = outcome.place AND outcome.state = 'PENDING'
), gone AS (
  DELETE FROM kyc_relay_delivery_queue AS queued USING outcome
  WHERE queued.ctid = outcome.place AND outcome.state <> 'PENDING'
), written AS (
  UPDATE kyc_relay_deliveries AS delivery
  SET state = outcome.state, attempts_made = outcome.attempts_made, ended_at = ${value('now')}::timestamptz,
    cancel_reason = outcome.cancel_reason
  FROM outcome WHERE delivery.delivery_id = outcome.delivery_id AND outcome.state <> 'PENDING'
), ended AS (
  INSERT INTO kyc_relay_attempts (delivery_id, number, state, started_at, ended_at, report, response_body)
  SELECT delivery_id, number, state, started_at, ${value('now')}::timestamptz, report, response_body
  FROM unnest(
    ${value('deliveryIds')}::text[], ${value('numbers')}::int[], ${value('attemptStates')}::text[],
    ${value('startedAts')}::timestamptz[], ${value('reports')}::text[], ${value('responseBodies')}::bytea[]
  ) AS a (delivery_id, number, state, started_at, report, response_body)
), ends AS (
  INSERT INTO kyc_relay_endpoint_ends AS ends (endpoint_id, ended)
  SELECT endpoint_id, ended FROM unnest(${value('endpointIds')}::text[], ${value('endedCounts')}::int[])
    AS e (endpoint_id, ended) ORDER BY endpoint_id COLLATE "C"
  ON CONFLICT (endpoint_id) DO UPDATE SET ended = ends.ended + excluded.ended
)
UPDATE kyc_relay_endpoint_schedules AS schedule
SET failing = coalesce(t.failing, schedule.failing), next_due_at = least(schedule.next_due_at, t.due_at)
FROM unnest(
  ${value('endpointIds')}::text[], ${value('failings')}::boolean[], ${value('earliestDues')}::timestamptz[]
) AS t (endpoint_id, failing, due_at)
WHERE schedule.endpoint_id = t.endpoint_id`,
)

interface Applied {
  readonly endpointId: string
  readonly queued: { readonly appId: string; readonly position: number; readonly startedAt: Date | null }
  readonly result: AttemptResult
  readonly outcome: DeliveryAfterResult
}

const instant = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))

/** Applies each result whose fence is current, inside a transaction. */
export async function recordAttemptResults(
  on: Queryable,
  results: readonly AttemptResult[],
  at: Date | null,
): Promise<{ readonly stale: readonly Fence[] }> {
  const rows = await lockLeased.rows(on, { deliveryIds: results.map(({ fence }) => fence.deliveryId), now: at })
  const endpointIds = [...new Set(rows.map(({ endpointId }) => endpointId))]
  const removed = new Set((await findRemoved.rows(on, { endpointIds })).map(({ endpointId }) => endpointId))
  const leased = new Map(rows.map((row) => [row.deliveryId, row]))
  const stale: Fence[] = []
  const applied: Applied[] = []
  for (const result of results) {
    const { fence } = result
    const row = leased.get(fence.deliveryId)
    if (row?.leaseToken !== fence.token || row.attemptsMade !== fence.attempt) {
      stale.push(fence)
      continue
    }
    // The claim has ended: a second result for it in the same call is stale.
    leased.delete(fence.deliveryId)
    const delivery = {
      attemptsMade: row.attemptsMade,
      unsentSinceMs: row.unsentSince?.getTime() ?? null,
      cancelRequested: row.cancelRequested,
      endpointRemoved: removed.has(row.endpointId),
    }
    applied.push({
      endpointId: row.endpointId,
      queued: row,
      result,
      outcome: deliveryAfterResult(delivery, result, row.now.getTime()),
    })
  }
  const now = rows[0]?.now
  if (now !== undefined && applied.length > 0) await write(on, applied, now)
  return { stale }
}

async function write(on: Queryable, applied: readonly Applied[], now: Date): Promise<void> {
  const schedules = schedulesAfter(applied)
  await applyResults.count(on, {
    now,
    appIds: applied.map(({ queued }) => queued.appId),
    positions: applied.map(({ queued }) => queued.position),
    deliveryIds: applied.map(({ result }) => result.fence.deliveryId),
    states: applied.map(({ outcome }) => outcome.state),
    attemptsMade: applied.map(({ outcome }) => outcome.attemptsMade),
    dueAts: applied.map(({ outcome }) => instant(outcome.dueAtMs)),
    unsentSinces: applied.map(({ outcome }) => instant(outcome.unsentSinceMs)),
    cancelReasons: applied.map(({ outcome }) => outcome.cancelReason),
    numbers: applied.map(({ result }) => result.fence.attempt),
    startedAts: applied.map(({ queued }) => queued.startedAt),
    attemptStates: applied.map(({ result }) => result.attempt.state),
    reports: applied.map(({ result }) => reportText(result)),
    responseBodies: applied.map(({ result }) => responseBodyOf(result)),
    endpointIds: schedules.map(({ endpointId }) => endpointId),
    endedCounts: schedules.map(({ ended }) => ended),
    failings: schedules.map(({ failing }) => failing),
    earliestDues: schedules.map(({ dueAtMs }) => instant(dueAtMs)),
  })
}

/** Computes the effect of the results on each endpoint: its last sent attempt decides whether it is failing. */
function schedulesAfter(applied: readonly Applied[]) {
  const schedules = new Map<
    string,
    { endpointId: string; ended: number; failing: boolean | null; dueAtMs: number | null }
  >()
  for (const { endpointId, outcome } of applied) {
    const before = schedules.get(endpointId)
    const dues = [before?.dueAtMs ?? null, outcome.dueAtMs].filter((due) => due !== null)
    schedules.set(endpointId, {
      endpointId,
      ended: (before?.ended ?? 0) + 1,
      failing: outcome.endpointFailing ?? before?.failing ?? null,
      dueAtMs: dues.length === 0 ? null : Math.min(...dues),
    })
  }
  return [...schedules.values()]
}
