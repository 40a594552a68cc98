import { sql } from 'drizzle-orm'
import type { AttemptResult } from '@kyc-relay/webhooks/delivery'
import { asBuffer, now, numberArray, textArray } from '../engine/postgres/parameters.js'
import type { Queryable } from '../engine/postgres/statement.js'
import { statementByApp, type AppGroup } from './by-app.postgres.js'
import { storedCause } from './endpoint-hours.js'
import { deliveryKey, endpointKey } from './row-keys.js'
import type { RecordedResults } from './attempt-results.postgres.js'

const value = sql.placeholder

/** An applied result; with its endpoint if the health of the endpoint changed. */
type EndedRow = { readonly ordinal: number } & (
  | { readonly appId: string; readonly endpointId: string; readonly failing: boolean }
  | { readonly appId: null; readonly endpointId: null; readonly failing: null }
)

/**
 * Records results that end their deliveries, in one statement. Only the check of the fence depends on the row. The
 * delivery is read once: only the holder of its queue row changes it. Leases are locked one by one, by their key and in a
 * fixed order. A plain join would be planned for an empty queue, as PostgreSQL often counts it, and compare each result
 * with each lease. A schedule is waited for only when the endpoint begins or ceases to fail. The first success of a minute
 * is not written while a claim holds the schedule: a later success is, once none holds it. Answers for a
 * cancelled user are not kept: an erasure has blanked those that were there.
 */
const recordEndedStatement = statementByApp<EndedRow>(
  'record_ended',
  (ofApp) => sql`
WITH clock AS MATERIALIZED (SELECT ${now} AS now),
found AS MATERIALIZED (
  SELECT given.*, delivery.position FROM unnest(
    ${value('appIds')}::text[], ${value('deliveryIds')}::text[], ${value('tokens')}::text[], ${value('numbers')}::int[],
    ${value('states')}::text[], ${value('cancelReasons')}::text[], ${value('attemptStates')}::text[],
    string_to_array(${value('reports')}, ${value('separator')}), ${value('responseBodies')}::bytea[],
    ${value('httpStatuses')}::int[], ${value('latencies')}::float8[], ${value('causes')}::text[]
  ) WITH ORDINALITY AS given (
    app_id, delivery_id, token, number, state, cancel_reason, attempt_state, report, response_body, http_status,
    latency_ms, cause, ordinal
  ) JOIN kyc_relay_deliveries AS delivery USING (app_id, delivery_id)
  WHERE ${ofApp('delivery')}
  ORDER BY delivery_id, app_id
), leased AS MATERIALIZED (
  SELECT found.*, queued.endpoint_id, queued.started_at, queued.cancel_requested FROM found CROSS JOIN LATERAL (
    SELECT endpoint_id, started_at, cancel_requested FROM kyc_relay_delivery_queue AS queued
    WHERE queued.app_id = found.app_id AND queued.position = found.position AND ${ofApp('queued')}
      AND queued.lease_token = found.token AND queued.attempts_made = found.number
    FOR UPDATE
  ) AS queued
), gone AS (
  DELETE FROM kyc_relay_delivery_queue AS queued
  WHERE queued.app_id = ANY(${value('appIds')}::text[]) AND queued.position = ANY(ARRAY(SELECT position FROM leased))
    AND queued.lease_until IS NOT NULL AND ${ofApp('queued')}
), written AS (
  UPDATE kyc_relay_deliveries AS delivery
  SET state = leased.state, attempts_made = leased.number, ended_at = (SELECT now FROM clock),
    cancel_reason = leased.cancel_reason, http_status = leased.http_status, latency_ms = leased.latency_ms
  FROM leased
  WHERE delivery.app_id = leased.app_id AND delivery.delivery_id = leased.delivery_id AND ${ofApp('delivery')}
), ended AS (
  INSERT INTO kyc_relay_attempts (app_id, delivery_id, number, state, started_at, ended_at, report, response_body)
  SELECT app_id, delivery_id, number, attempt_state, started_at, (SELECT now FROM clock), report,
    CASE WHEN cancel_requested IS NULL THEN response_body END
  FROM leased
), counted AS (
  INSERT INTO kyc_relay_endpoint_hours (app_id, endpoint_id, hour, cause, attempts, first_attempts, failed_deliveries)
  SELECT app_id, endpoint_id, date_trunc('hour', (SELECT now FROM clock), 'UTC'), cause, count(*),
    count(*) FILTER (WHERE number = 1), count(*) FILTER (WHERE state = 'FAILED')
  FROM leased GROUP BY app_id, endpoint_id, cause
), endpoint AS (
  SELECT app_id, endpoint_id, (array_agg(attempt_state <> 'SUCCEEDED' ORDER BY ordinal DESC))[1] AS failing,
    bool_or(attempt_state = 'SUCCEEDED') AS succeeded
  FROM leased GROUP BY app_id, endpoint_id
), changed AS MATERIALIZED (
  SELECT endpoint.*, schedule.failing AS was_failing
  FROM endpoint JOIN kyc_relay_endpoint_schedules AS schedule USING (app_id, endpoint_id)
  WHERE (schedule.failing <> endpoint.failing OR endpoint.failing AND endpoint.succeeded) AND ${ofApp('schedule')}
  ORDER BY app_id, endpoint_id FOR NO KEY UPDATE OF schedule
), changed_health AS (
  UPDATE kyc_relay_endpoint_schedules AS schedule
  SET failing = changed.failing, failing_since = CASE WHEN changed.failing THEN (SELECT now FROM clock) END,
    last_success_at = CASE WHEN changed.succeeded THEN (SELECT now FROM clock) ELSE schedule.last_success_at END
  FROM changed
  WHERE schedule.app_id = changed.app_id AND schedule.endpoint_id = changed.endpoint_id AND ${ofApp('schedule')}
), healthy AS MATERIALIZED (
  SELECT app_id, endpoint_id FROM endpoint JOIN kyc_relay_endpoint_schedules AS schedule USING (app_id, endpoint_id)
  WHERE NOT endpoint.failing AND NOT schedule.failing AND ${ofApp('schedule')}
    AND (schedule.last_success_at > (SELECT now FROM clock) - interval '1 minute'
      AND schedule.last_success_at <= (SELECT now FROM clock)) IS NOT TRUE
  FOR NO KEY UPDATE OF schedule SKIP LOCKED
), success_of_minute AS (
  UPDATE kyc_relay_endpoint_schedules AS schedule SET last_success_at = (SELECT now FROM clock) FROM healthy
  WHERE schedule.app_id = healthy.app_id AND schedule.endpoint_id = healthy.endpoint_id AND ${ofApp('schedule')}
)
SELECT leased.ordinal, changed.app_id AS "appId", changed.endpoint_id AS "endpointId", changed.failing
FROM leased LEFT JOIN changed
  ON changed.app_id = leased.app_id AND changed.endpoint_id = leased.endpoint_id AND changed.failing <> changed.was_failing`,
)

/** Checks that each result ends its delivery with a sent attempt, and that no delivery appears twice. */
export function areAllEnded(results: readonly AttemptResult[]): boolean {
  const keys = new Set(results.map(({ fence }) => deliveryKey(fence)))
  const isEnded = ({ attempt, next }: AttemptResult) => attempt.state !== 'UNSENT' && next.state !== 'PENDING'
  return keys.size === results.length && results.every(isEnded)
}

/** Separator of reports: JSON escapes control characters, so a report never contains it. */
const separator = '\u001F'

/**
 * Applies results whose fence is current. The rest are stale. Call it only for results that pass `areAllEnded`.
 *
 * The fast path, for most results of tables that are not distributed: what they write does not depend on the endpoint,
 * so nothing is read first.
 */
export async function recordEndedResults(
  on: Queryable,
  { appId, rows: results }: AppGroup<AttemptResult>,
  at: Date | null,
): Promise<RecordedResults> {
  const rows = await recordEndedStatement.rows(on, {
    appId,
    now: at,
    appIds: textArray(results.map(({ fence }) => fence.appId)),
    deliveryIds: textArray(results.map(({ fence }) => fence.deliveryId)),
    tokens: textArray(results.map(({ fence }) => fence.token)),
    numbers: numberArray(results.map(({ fence }) => fence.attempt)),
    states: textArray(results.map(({ next }) => next.state)),
    cancelReasons: textArray(results.map(({ next }) => (next.state === 'CANCELLED' ? next.reason : null))),
    attemptStates: textArray(results.map(({ attempt }) => attempt.state)),
    reports: results.map(reportText).join(separator),
    separator,
    responseBodies: results.map(responseBodyOf),
    httpStatuses: numberArray(results.map(({ attempt }) => attempt.report.status)),
    latencies: numberArray(results.map(({ attempt }) => attempt.report.timings.totalMs)),
    causes: textArray(results.map(({ attempt }) => storedCause(attempt))),
  })
  const written = new Set(rows.map(({ ordinal }) => ordinal - 1))
  const changes = rows.flatMap(({ appId, endpointId, failing }) =>
    appId === null ? [] : [[endpointKey({ appId, endpointId }), { appId, endpointId, failing }] as const],
  )
  return {
    stale: results.filter((_, index) => !written.has(index)),
    healthChanges: [...new Map(changes).values()],
  }
}

/** Converts a report to JSON, without the response body. */
export function reportText({ attempt }: AttemptResult): string {
  // JSON omits undefined members.
  return JSON.stringify({ ...attempt.report, responseBody: undefined })
}

export function responseBodyOf({ attempt: { report } }: AttemptResult): Buffer | null {
  return report.responseBody === null ? null : asBuffer(report.responseBody)
}
