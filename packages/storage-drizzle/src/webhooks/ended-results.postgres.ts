import { sql } from 'drizzle-orm'
import type { AttemptResult } from '@kyc-relay/webhooks/delivery'
import { asBuffer } from '../engine/postgres/as-buffer.js'
import { now } from '../engine/postgres/now.js'
import { statement, type Queryable } from '../engine/postgres/statement.js'
import { textArray } from '../engine/postgres/text-array.js'

const value = sql.placeholder

/**
 * Records the results of deliveries that are over, in one statement and so in one round trip: nothing of it depends on the row but
 * whether the fence is current. Locks as `lockLeased` does; a row of the queue that changed since the statement began may
 * be passed over. The delivery is found once: nobody but who holds its row in the queue changes it, so it stands where it
 * was read.
 *
 * Each row is looked for from what is given. A join would leave it to PostgreSQL where to begin, and where the queue was
 * analysed while it was empty it begins with the queue, as if that were one row, and compares all of it with all that is
 * given.
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

/** Whether each of these ends its delivery by an attempt that was sent, and no delivery is there twice. */
export function areAllEnded(results: readonly AttemptResult[]): boolean {
  const ids = new Set(results.map(({ fence }) => fence.deliveryId))
  const isEnded = ({ attempt, next }: AttemptResult) => attempt.state !== 'UNSENT' && next.state !== 'PENDING'
  return ids.size === results.length && results.every(isEnded)
}

/** JSON writes control characters in another way, so it parts any two reports. */
const separator = '\u001F'

/**
 * Applies results whose fence is current, and answers the others: they are stale, or their row changed at this moment.
 * Only for what `areAllEnded`.
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

/** What an attempt saw, without the body of the answer. */
export function reportText({ attempt }: AttemptResult): string {
  // JSON leaves out what is undefined.
  return JSON.stringify({ ...attempt.report, responseBody: undefined })
}

export function responseBodyOf({ attempt: { report } }: AttemptResult): Buffer | null {
  return report.responseBody === null ? null : asBuffer(report.responseBody)
}
