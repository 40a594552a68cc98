import { sql } from 'drizzle-orm'
import type { Fence, Settlement } from '@kyc-relay/webhooks/delivery'
import { asBuffer } from './as-buffer.js'
import { now } from './now.js'
import { statement, type Queryable } from './statement.js'

const value = sql.placeholder

/**
 * Settles deliveries that are over, in one statement and so in one round trip: nothing of it depends on the row but
 * whether the fence is current. Locks as `lockLeased` does, and what changed meanwhile is looked at again as it is now.
 */
const settleEndedOnes = statement<{ deliveryId: string }>(
  'settle_ended',
  sql`
WITH clock AS MATERIALIZED (SELECT ${now} AS now),
given AS (
  SELECT * FROM unnest(
    ${value('deliveryIds')}::text[], ${value('tokens')}::text[], ${value('numbers')}::int[], ${value('states')}::text[],
    ${value('cancelReasons')}::text[], ${value('attemptStates')}::text[], ${value('reports')}::text[],
    ${value('responseBodies')}::bytea[]
  ) WITH ORDINALITY
    AS g (delivery_id, token, number, state, cancel_reason, attempt_state, report, response_body, ordinal)
), leased AS MATERIALIZED (
  SELECT delivery.endpoint_id, given.*
  FROM given
  JOIN kyc_relay_deliveries AS delivery ON delivery.delivery_id = given.delivery_id
    AND delivery.lease_token = given.token AND delivery.attempts_made = given.number
  JOIN kyc_relay_endpoint_turns AS turn ON turn.endpoint_id = delivery.endpoint_id
  ORDER BY delivery.endpoint_id, delivery.delivery_id
  FOR NO KEY UPDATE OF turn, delivery
), settled AS (
  UPDATE kyc_relay_deliveries AS delivery
  SET state = leased.state, lease_token = NULL, lease_until = NULL, unsent_since = NULL,
    ended_at = (SELECT now FROM clock), cancel_reason = leased.cancel_reason
  FROM leased WHERE delivery.delivery_id = leased.delivery_id
), ended AS (
  UPDATE kyc_relay_attempts AS attempt
  SET state = leased.attempt_state, ended_at = (SELECT now FROM clock), report = leased.report,
    response_body = leased.response_body
  FROM leased WHERE attempt.delivery_id = leased.delivery_id AND attempt.number = leased.number
), counted AS (
  SELECT endpoint_id, count(*)::int AS ended,
    (array_agg(attempt_state <> 'SUCCEEDED' ORDER BY ordinal DESC))[1] AS failing
  FROM leased GROUP BY endpoint_id
), turned AS (
  UPDATE kyc_relay_endpoint_turns AS turn
  SET in_flight = turn.in_flight - counted.ended, failing = counted.failing
  FROM counted WHERE turn.endpoint_id = counted.endpoint_id
)
SELECT delivery_id AS "deliveryId" FROM leased`,
)

/** Whether each of these ends its delivery by an attempt that was sent, and no delivery is there twice. */
export function areAllEnded(settlements: readonly Settlement[]): boolean {
  const ids = new Set(settlements.map(({ fence }) => fence.deliveryId))
  const isEnded = ({ attempt, next }: Settlement) => attempt.state !== 'UNSENT' && next.state !== 'PENDING'
  return ids.size === settlements.length && settlements.every(isEnded)
}

/** Applies each settlement whose fence is current. Only for what `areAllEnded`. */
export async function settleEnded(
  on: Queryable,
  settlements: readonly Settlement[],
  at: Date | null,
): Promise<{ readonly stale: readonly Fence[] }> {
  const rows = await settleEndedOnes.rows(on, {
    now: at,
    deliveryIds: settlements.map(({ fence }) => fence.deliveryId),
    tokens: settlements.map(({ fence }) => fence.token),
    numbers: settlements.map(({ fence }) => fence.attempt),
    states: settlements.map(({ next }) => next.state),
    cancelReasons: settlements.map(({ next }) => (next.state === 'CANCELLED' ? next.reason : null)),
    attemptStates: settlements.map(({ attempt }) => attempt.state),
    reports: settlements.map(reportText),
    responseBodies: settlements.map(responseBodyOf),
  })
  const settled = new Set(rows.map(({ deliveryId }) => deliveryId))
  return { stale: settlements.flatMap(({ fence }) => (settled.has(fence.deliveryId) ? [] : [fence])) }
}

/** What an attempt saw, without the body of the answer. */
export function reportText({ attempt }: Settlement): string {
  const { responseBody: _apart, ...report } = attempt.report
  return JSON.stringify(report)
}

export function responseBodyOf({ attempt: { report } }: Settlement): Buffer | null {
  return report.responseBody === null ? null : asBuffer(report.responseBody)
}
