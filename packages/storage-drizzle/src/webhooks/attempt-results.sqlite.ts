import type Database from 'better-sqlite3'
import type { AttemptResult } from '@kyc-relay/webhooks/delivery'
import type { EndpointHealthChange, Fence } from '@kyc-relay/webhooks/internal'
import { prepare, prepareRows, type DrizzleDatabase } from '../engine/sqlite/statement.js'
import { deliveryAfterResult } from './delivery-after-result.js'
import { prepareLineage } from './endpoints.sqlite.js'
import { countAttempts } from './endpoint-hours.js'
import { prepareCounting } from './endpoint-hours.sqlite.js'
import { goneReason, heirOf } from './lineage.js'
import { prepareAdvanceNextDue } from './publishing.sqlite.js'

type FoundLease = readonly [
  position: number,
  endpoint: number,
  unsentSince: number | null,
  cancelRequested: string | null,
  eventType: string,
  ofClass: number,
  failing: number,
]

/** Prepares the statements that run for every result, without the query builder. */
export function prepareResultStatements(client: Database.Database, db: DrizzleDatabase) {
  return {
    /** Only while the fence is current. What was claimed has a schedule: claims are made from it. */
    findLeased: prepareRows<[deliveryId: string, token: string, attempt: number, appId: string], FoundLease>(
      client,
      `SELECT position, endpoint, unsent_since, cancel_requested, event_type, class, failing
      FROM kyc_relay_deliveries JOIN kyc_relay_endpoint_schedules USING (endpoint)
      WHERE delivery_id = ? AND lease_token = ? AND attempts_made = ? AND app_id = ?`,
    ),
    findRemoved: prepareRows<[endpoint: number], readonly [lineageId: string]>(
      client,
      'SELECT lineage_id FROM kyc_relay_endpoints WHERE position = ? AND removed_at IS NOT NULL',
    ),
    moveRetry: prepare<[endpoint: number, position: number]>(
      client,
      'UPDATE kyc_relay_deliveries SET endpoint = ? WHERE position = ?',
    ),
    listLineage: prepareLineage(db),
    advanceNextDue: prepareAdvanceNextDue(db),
    endLease: prepare<unknown[]>(
      client,
      `UPDATE kyc_relay_deliveries
      SET state = ?, attempts_made = ?, due_at = ?, unsent_since = ?, ended_at = ?, cancel_reason = ?,
        http_status = iif(?, http_status, ?), latency_ms = iif(?, latency_ms, ?), lease_token = NULL, lease_until = NULL
      WHERE position = ?`,
    ),
    endAttempt: prepare<unknown[]>(
      client,
      `UPDATE kyc_relay_attempts SET state = ?, ended_at = ?, report = ?, response_body = ?
      WHERE delivery = ? AND number = ?`,
    ),
    releaseSlot: prepare<[lastSuccessAt: number | null, endpoint: number]>(
      client,
      `UPDATE kyc_relay_endpoint_schedules
      SET in_flight = in_flight - 1, last_success_at = ifnull(?, last_success_at) WHERE endpoint = ?`,
    ),
    setFailing: prepare<[failing: number, failingSince: number | null, endpoint: number]>(
      client,
      'UPDATE kyc_relay_endpoint_schedules SET failing = ?, failing_since = ? WHERE endpoint = ?',
    ),
    countHour: prepareCounting(client),
    findEndpointId: prepareRows<[endpoint: number], readonly [endpointId: string]>(
      client,
      'SELECT endpoint_id FROM kyc_relay_endpoints WHERE position = ?',
    ),
  }
}

export type ResultStatements = ReturnType<typeof prepareResultStatements>

interface Recorded {
  readonly endpoint: number
  readonly result: AttemptResult
  /** Null unless the health of the endpoint changed. */
  readonly healthChange: EndpointHealthChange | null
}

/** Writes the result to its delivery. Null, and no write, when its fence is stale. */
function recordOne(statements: ResultStatements, result: AttemptResult, now: number): Recorded | null {
  const { fence, attempt, next } = result
  const row = statements.findLeased.get(fence.deliveryId, fence.token, fence.attempt, fence.appId)
  if (row === undefined) return null
  const [position, endpoint, unsentSinceMs, cancelRequested, eventType, ofClass, wasFailing] = row
  // The endpoint does not matter for a finished delivery.
  const removed = next.state === 'PENDING' ? statements.findRemoved.get(endpoint)?.[0] : undefined
  const lineage = removed === undefined ? [] : statements.listLineage.all({ appId: fence.appId, lineageId: removed })
  const heir = heirOf(lineage, eventType)
  const gone = removed === undefined || heir !== undefined ? null : goneReason(lineage)
  const leased = { attemptsMade: fence.attempt, unsentSinceMs, cancelRequested, gone }
  const outcome = deliveryAfterResult(leased, result, now)
  const { report } = attempt
  // An erasure has blanked the answers that were there: a later one may repeat the user's data too.
  const answer = cancelRequested === null ? report.responseBody : null
  const withoutBody = JSON.stringify({ ...report, responseBody: undefined })
  const isUnsent = Number(attempt.state === 'UNSENT')
  statements.endLease.run(
    outcome.state,
    outcome.attemptsMade,
    outcome.dueAtMs,
    outcome.unsentSinceMs,
    outcome.state === 'PENDING' ? null : now,
    outcome.cancelReason,
    isUnsent,
    report.status,
    isUnsent,
    report.timings.totalMs,
    position,
  )
  statements.endAttempt.run(attempt.state, now, withoutBody, answer, position, fence.attempt)
  const failing = outcome.endpointFailing
  statements.releaseSlot.run(failing === false ? now : null, endpoint)
  if (outcome.dueAtMs !== null) {
    const next = heir?.position ?? endpoint
    if (heir !== undefined) statements.moveRetry.run(next, position)
    statements.advanceNextDue.run({ endpoint: next, class: ofClass, dueAt: outcome.dueAtMs })
  }
  if (failing === null || failing === (wasFailing === 1)) return { endpoint, result, healthChange: null }
  statements.setFailing.run(Number(failing), failing ? now : null, endpoint)
  const [endpointId] = statements.findEndpointId.get(endpoint) ?? []
  return {
    endpoint,
    result,
    healthChange: endpointId === undefined ? null : { appId: fence.appId, endpointId, failing },
  }
}

/** Applies each result whose fence is current, inside a transaction of the caller. */
export function recordAttemptResults(
  statements: ResultStatements,
  results: readonly AttemptResult[],
  now: number,
): { readonly stale: readonly Fence[]; readonly healthChanges: readonly EndpointHealthChange[] } {
  const stale: Fence[] = []
  const recorded: Recorded[] = []
  const healthChanges = new Map<string, EndpointHealthChange>()
  for (const result of results) {
    const one = recordOne(statements, result, now)
    if (one === null) {
      stale.push(result.fence)
      continue
    }
    recorded.push(one)
    const { healthChange } = one
    // Two changes of one endpoint in one call cancel each other.
    if (healthChange !== null && !healthChanges.delete(healthChange.endpointId))
      healthChanges.set(healthChange.endpointId, healthChange)
  }
  statements.countHour(countAttempts(recorded, String), now)
  return { stale, healthChanges: [...healthChanges.values()] }
}
