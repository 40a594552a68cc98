import { sql } from 'drizzle-orm'
import type { AttemptResult } from '@kyc-relay/webhooks/delivery'
import { asBuffer, now, textArray } from '../engine/postgres/parameters.js'
import { statement, type Queryable } from '../engine/postgres/statement.js'

const value = sql.placeholder

/**
 * Records results that end their deliveries, in one statement. Only the check of the fence depends on the row. It locks
 * as `lockLeased` does and may skip a queue row that changed meanwhile. The delivery is read once: only the holder of
 * its queue row changes it.
 *
 * Each row is searched from the given results. With a join, PostgreSQL chooses the order. If the queue was empty when
 * analysed, it would scan the whole queue for each result.
 */
const recordEndedStatement = statement<{ deliveryId: string }>(
  'record_ended',
  sql`
WITH clock AS MATERIALIZED (SELECT ${now} AS now),
given AS (
  SELECT * FROM unnest(
    ${value('deliveryIds')}::text[], ${value('tokens')}::text[], ${value('numbers')}::int[], ${value('states')}::text[],
    ${value('cancelReasons')}::text[], ${value('attemptStates')}::text[],
    string_to_array(${value('reports')}, ${value('separator')}), ${value('responseBodies')}::bytea[]
  ) WITH ORDINALITY
    AS g (delivery_id, token, number, state, cancel_reason, attempt_state, report, response_body, ordinal)
), found AS MATERIALIZED (
  SELECT given.*, delivery.row, in_flight.place FROM given CROSS JOIN LATERAL (
    SELECT ctid AS row, app_id, position FROM kyc_relay_deliveries WHERE delivery_id = given.delivery_id OFFSET 0
  ) AS delivery CROSS JOIN LATERAL (
    SELECT ctid AS place FROM kyc_relay_delivery_queue
    WHERE app_id = delivery.app_id AND position = delivery.position OFFSET 0
  ) AS in_flight
  -- Always so. PostgreSQL takes it for one in two hundred: then it is cheaper to look where the few stand than to begin
  -- with the queue.
  WHERE given.ordinal * 0 = 0
), leased AS (
  DELETE FROM kyc_relay_delivery_queue AS queued USING found
  WHERE queued.ctid = found.place AND queued.lease_token = found.token AND queued.attempts_made = found.number
  RETURNING queued.endpoint_id, queued.started_at, found.*
), written AS (
  UPDATE kyc_relay_deliveries AS delivery
  SET state = leased.state, attempts_made = leased.number, ended_at = (SELECT now FROM clock),
    cancel_reason = leased.cancel_reason
  FROM leased WHERE delivery.ctid = leased.row
), ended AS (
  INSERT INTO kyc_relay_attempts (delivery_id, number, state, started_at, ended_at, report, response_body)
  SELECT delivery_id, number, attempt_state, started_at, (SELECT now FROM clock), report, response_body FROM leased
), counted AS (
  SELECT endpoint_id, count(*)::int AS ended,
    (array_agg(attempt_state <> 'SUCCEEDED' ORDER BY ordinal DESC))[1] AS failing
  FROM leased GROUP BY endpoint_id
), locked AS MATERIALIZED (
  SELECT counted.* FROM counted JOIN kyc_relay_endpoint_schedules AS turn USING (endpoint_id)
  WHERE turn.failing <> counted.failing
  ORDER BY turn.endpoint_id FOR NO KEY UPDATE OF turn
), turned AS (
  UPDATE kyc_relay_endpoint_schedules AS turn SET failing = locked.failing
  FROM locked WHERE turn.endpoint_id = locked.endpoint_id
  RETURNING turn.endpoint_id
), ends AS (
  INSERT INTO kyc_relay_endpoint_ends AS ends (endpoint_id, ended)
  -- Schedules are locked before ends, as in every write of results, so that two never deadlock.
  SELECT endpoint_id, ended FROM counted WHERE (SELECT count(*) FROM turned) IS NOT NULL ORDER BY endpoint_id
  ON CONFLICT (endpoint_id) DO UPDATE SET ended = ends.ended + excluded.ended
)
SELECT delivery_id AS "deliveryId" FROM leased`,
)

/** Checks that each result ends its delivery with a sent attempt, and that no delivery appears twice. */
export function areAllEnded(results: readonly AttemptResult[]): boolean {
  const ids = new Set(results.map(({ fence }) => fence.deliveryId))
  const isEnded = ({ attempt, next }: AttemptResult) => attempt.state !== 'UNSENT' && next.state !== 'PENDING'
  return ids.size === results.length && results.every(isEnded)
}

/** Separator of reports: JSON escapes control characters, so a report never contains it. */
const separator = '\u001F'

/**
 * Applies results whose fence is current and returns the rest, which are stale or whose row changed meanwhile. Call it
 * only for results that pass `areAllEnded`.
 */
export async function recordEndedResults(
  on: Queryable,
  results: readonly AttemptResult[],
  at: Date | null,
): Promise<readonly AttemptResult[]> {
  const rows = await recordEndedStatement.rows(on, {
    now: at,
    deliveryIds: textArray(results.map(({ fence }) => fence.deliveryId)),
    tokens: textArray(results.map(({ fence }) => fence.token)),
    numbers: results.map(({ fence }) => fence.attempt),
    states: textArray(results.map(({ next }) => next.state)),
    cancelReasons: textArray(results.map(({ next }) => (next.state === 'CANCELLED' ? next.reason : null))),
    attemptStates: textArray(results.map(({ attempt }) => attempt.state)),
    reports: results.map(reportText).join(separator),
    separator,
    responseBodies: results.map(responseBodyOf),
  })
  const written = new Set(rows.map(({ deliveryId }) => deliveryId))
  return results.filter(({ fence }) => !written.has(fence.deliveryId))
}

/** Converts a report to JSON, without the response body. */
export function reportText({ attempt }: AttemptResult): string {
  // JSON omits undefined members.
  return JSON.stringify({ ...attempt.report, responseBody: undefined })
}

export function responseBodyOf({ attempt: { report } }: AttemptResult): Buffer | null {
  return report.responseBody === null ? null : asBuffer(report.responseBody)
}
