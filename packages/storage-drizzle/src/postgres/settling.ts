import { sql } from 'drizzle-orm'
import type { Fence, Settlement } from '@kyc-relay/webhooks/delivery'
import { settlementOutcome, type SettlementOutcome } from '../webhooks/settlement-outcome.js'
import { now } from './now.js'
import { reportText, responseBodyOf } from './settling-ended.js'
import { statement, type Queryable } from './statement.js'

const value = sql.placeholder

/** Locks deliveries with the turns of their endpoints, in one order so that two settlements never wait in a circle. */
const lockLeased = statement<{
  deliveryId: string
  endpointId: string
  leaseToken: string | null
  attemptsMade: number
  unsentSince: Date | null
  cancelRequested: string | null
  endpointRemoved: boolean
  now: Date
}>(
  'lock_leased',
  sql`
SELECT delivery.delivery_id AS "deliveryId", delivery.endpoint_id AS "endpointId", delivery.lease_token AS "leaseToken",
  delivery.attempts_made AS "attemptsMade", delivery.unsent_since AS "unsentSince",
  delivery.cancel_requested AS "cancelRequested", endpoint.removed_at IS NOT NULL AS "endpointRemoved", ${now} AS now
FROM kyc_relay_deliveries AS delivery
JOIN kyc_relay_endpoint_turns AS turn USING (endpoint_id)
JOIN kyc_relay_endpoints AS endpoint USING (endpoint_id)
WHERE delivery.delivery_id = ANY(${value('deliveryIds')}::text[]) AND delivery.lease_token IS NOT NULL
ORDER BY delivery.endpoint_id, delivery.delivery_id
FOR NO KEY UPDATE OF turn, delivery`,
)

const applySettlements = statement(
  'apply_settlements',
  sql`
WITH settled AS (
  UPDATE kyc_relay_deliveries AS delivery
  SET state = s.state, attempts_made = s.attempts_made, due_at = s.due_at, lease_token = NULL, lease_until = NULL,
    unsent_since = s.unsent_since, ended_at = s.ended_at, cancel_reason = s.cancel_reason
  FROM unnest(
    ${value('deliveryIds')}::text[], ${value('states')}::text[], ${value('attemptsMade')}::int[],
    ${value('dueAts')}::timestamptz[], ${value('unsentSinces')}::timestamptz[], ${value('endedAts')}::timestamptz[],
    ${value('cancelReasons')}::text[]
  ) AS s (delivery_id, state, attempts_made, due_at, unsent_since, ended_at, cancel_reason)
  WHERE delivery.delivery_id = s.delivery_id
), ended AS (
  UPDATE kyc_relay_attempts AS attempt
  SET state = a.state, ended_at = ${value('now')}::timestamptz, report = a.report, response_body = a.response_body
  FROM unnest(
    ${value('deliveryIds')}::text[], ${value('numbers')}::int[], ${value('attemptStates')}::text[],
    ${value('reports')}::text[], ${value('responseBodies')}::bytea[]
  ) AS a (delivery_id, number, state, report, response_body)
  WHERE attempt.delivery_id = a.delivery_id AND attempt.number = a.number
)
UPDATE kyc_relay_endpoint_turns AS turn
SET in_flight = turn.in_flight - t.ended, failing = coalesce(t.failing, turn.failing),
  next_due_at = least(turn.next_due_at, t.due_at)
FROM unnest(
  ${value('endpointIds')}::text[], ${value('endedCounts')}::int[], ${value('failings')}::boolean[],
  ${value('earliestDues')}::timestamptz[]
) AS t (endpoint_id, ended, failing, due_at)
WHERE turn.endpoint_id = t.endpoint_id`,
)

interface Applied {
  readonly endpointId: string
  readonly settlement: Settlement
  readonly outcome: SettlementOutcome
}

const instant = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))

/** Applies each settlement whose fence is current, inside a transaction. */
export async function settle(
  on: Queryable,
  settlements: readonly Settlement[],
  at: Date | null,
): Promise<{ readonly stale: readonly Fence[] }> {
  const rows = await lockLeased.rows(on, { deliveryIds: settlements.map(({ fence }) => fence.deliveryId), now: at })
  const leased = new Map(rows.map((row) => [row.deliveryId, row]))
  const stale: Fence[] = []
  const applied: Applied[] = []
  for (const settlement of settlements) {
    const { fence } = settlement
    const row = leased.get(fence.deliveryId)
    if (row?.leaseToken !== fence.token || row.attemptsMade !== fence.attempt) {
      stale.push(fence)
      continue
    }
    // The lease is over: a second settlement of it in the same call is stale.
    leased.delete(fence.deliveryId)
    const delivery = { ...row, unsentSinceMs: row.unsentSince?.getTime() ?? null }
    applied.push({
      endpointId: row.endpointId,
      settlement,
      outcome: settlementOutcome(delivery, settlement, row.now.getTime()),
    })
  }
  const now = rows[0]?.now
  if (now !== undefined && applied.length > 0) await write(on, applied, now)
  return { stale }
}

async function write(on: Queryable, applied: readonly Applied[], now: Date): Promise<void> {
  const turns = turnsAfter(applied)
  await applySettlements.count(on, {
    now,
    deliveryIds: applied.map(({ settlement }) => settlement.fence.deliveryId),
    states: applied.map(({ outcome }) => outcome.state),
    attemptsMade: applied.map(({ outcome }) => outcome.attemptsMade),
    dueAts: applied.map(({ outcome }) => instant(outcome.dueAtMs)),
    unsentSinces: applied.map(({ outcome }) => instant(outcome.unsentSinceMs)),
    endedAts: applied.map(({ outcome }) => instant(outcome.endedAtMs)),
    cancelReasons: applied.map(({ outcome }) => outcome.cancelReason),
    numbers: applied.map(({ settlement }) => settlement.fence.attempt),
    attemptStates: applied.map(({ settlement }) => settlement.attempt.state),
    reports: applied.map(({ settlement }) => reportText(settlement)),
    responseBodies: applied.map(({ settlement }) => responseBodyOf(settlement)),
    endpointIds: turns.map(({ endpointId }) => endpointId),
    endedCounts: turns.map(({ ended }) => ended),
    failings: turns.map(({ failing }) => failing),
    earliestDues: turns.map(({ dueAtMs }) => instant(dueAtMs)),
  })
}

/** What the settlements of one call do to each endpoint: the last attempt that was sent says whether it fails. */
function turnsAfter(applied: readonly Applied[]) {
  const turns = new Map<
    string,
    { endpointId: string; ended: number; failing: boolean | null; dueAtMs: number | null }
  >()
  for (const { endpointId, outcome } of applied) {
    const before = turns.get(endpointId)
    const dues = [before?.dueAtMs ?? null, outcome.dueAtMs].filter((due) => due !== null)
    turns.set(endpointId, {
      endpointId,
      ended: (before?.ended ?? 0) + 1,
      failing: outcome.endpointFailing ?? before?.failing ?? null,
      dueAtMs: dues.length === 0 ? null : Math.min(...dues),
    })
  }
  return [...turns.values()]
}
