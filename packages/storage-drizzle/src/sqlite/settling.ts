import type Database from 'better-sqlite3'
import type { Fence, Settlement } from '@kyc-relay/webhooks/delivery'
import { prepare } from './prepared.js'
import { settlementOutcome, type LeasedDelivery, type SettlementOutcome } from '../webhooks/settlement-outcome.js'

interface LeasedRow {
  readonly position: number
  readonly endpoint: number
  readonly leaseToken: string | null
  readonly attemptsMade: number
  readonly unsentSince: number | null
  readonly cancelRequested: string | null
  readonly endpointRemovedAt: number | null
}

/** The statements of a settlement, without a query builder in between: they run for every delivery. */
export function prepareSettling(client: Database.Database) {
  const endLease = `UPDATE kyc_relay_deliveries
    SET state = ?, attempts_made = ?, due_at = ?, unsent_since = ?, ended_at = ?, cancel_reason = ?,
      lease_token = NULL, lease_until = NULL
    WHERE delivery_id = ? AND lease_token = ? AND attempts_made = ? RETURNING position, endpoint`
  return {
    findLeased: prepare<[deliveryId: string], LeasedRow>(
      client,
      `SELECT delivery.position, delivery.endpoint, lease_token AS leaseToken, attempts_made AS attemptsMade,
        unsent_since AS unsentSince, cancel_requested AS cancelRequested, removed_at AS endpointRemovedAt
      FROM kyc_relay_deliveries AS delivery JOIN kyc_relay_endpoints AS endpoint ON endpoint.position = delivery.endpoint
      WHERE delivery_id = ?`,
    ),
    endLease: prepare<unknown[], { readonly position: number; readonly endpoint: number }>(client, endLease),
    endAttempt: prepare<unknown[]>(
      client,
      `UPDATE kyc_relay_attempts SET state = ?, ended_at = ?, report = ?, response_body = ?
      WHERE delivery = ? AND number = ?`,
    ),
    endTurn: prepare<[failing: number | null, dueAt: number | null, dueAt: number | null, endpoint: number]>(
      client,
      `UPDATE kyc_relay_endpoint_turns
      SET in_flight = in_flight - 1, failing = ifnull(?, failing),
        next_due_at = min(ifnull(next_due_at, ?), ifnull(?, next_due_at))
      WHERE endpoint = ?`,
    ),
  }
}

export type SettlingStatements = ReturnType<typeof prepareSettling>

/** What decides on the outcome of this settlement, or null when its fence is stale. */
function findLeased(statements: SettlingStatements, { fence, attempt, next }: Settlement): LeasedDelivery | null {
  // What was sent and is over is over whatever else the row says: the fence is checked by the write itself.
  if (attempt.state !== 'UNSENT' && next.state !== 'PENDING') {
    return { attemptsMade: fence.attempt, unsentSinceMs: null, cancelRequested: null, endpointRemoved: false }
  }
  const row = statements.findLeased.get(fence.deliveryId)
  if (row?.leaseToken !== fence.token || row.attemptsMade !== fence.attempt) return null
  return {
    attemptsMade: row.attemptsMade,
    unsentSinceMs: row.unsentSince,
    cancelRequested: row.cancelRequested,
    endpointRemoved: row.endpointRemovedAt !== null,
  }
}

/** False when the fence is stale: then nothing is written. */
function write(
  statements: SettlingStatements,
  { fence, attempt }: Settlement,
  outcome: SettlementOutcome,
  now: number,
): boolean {
  const ended = statements.endLease.get(
    outcome.state,
    outcome.attemptsMade,
    outcome.dueAtMs,
    outcome.unsentSinceMs,
    outcome.endedAtMs,
    outcome.cancelReason,
    fence.deliveryId,
    fence.token,
    fence.attempt,
  )
  if (ended === undefined) return false
  const { responseBody, ...report } = attempt.report
  statements.endAttempt.run(attempt.state, now, JSON.stringify(report), responseBody, ended.position, fence.attempt)
  const failing = outcome.endpointFailing === null ? null : Number(outcome.endpointFailing)
  statements.endTurn.run(failing, outcome.dueAtMs, outcome.dueAtMs, ended.endpoint)
  return true
}

/** Applies each settlement whose fence is current, inside a transaction that the caller holds. */
export function settle(
  statements: SettlingStatements,
  settlements: readonly Settlement[],
  now: number,
): { readonly stale: readonly Fence[] } {
  const stale = settlements.filter((settlement) => {
    const leased = findLeased(statements, settlement)
    return leased === null || !write(statements, settlement, settlementOutcome(leased, settlement, now), now)
  })
  return { stale: stale.map(({ fence }) => fence) }
}
