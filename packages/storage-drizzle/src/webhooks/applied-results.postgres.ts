import type { AttemptResult } from '@kyc-relay/webhooks/delivery'
import type { DeliveryAfterResult } from './delivery-after-result.js'
import { endpointKey } from './row-keys.js'

/** A delivery in flight. */
export interface LeasedRow {
  readonly appId: string
  readonly deliveryId: string
  readonly position: number
  readonly endpointId: string
  readonly leaseToken: string
  readonly attemptsMade: number
  readonly startedAt: Date | null
  readonly unsentSince: Date | null
  readonly cancelRequested: string | null
  readonly eventType: string
  readonly class: number
}

/** A result that is written. */
export interface Applied {
  readonly row: LeasedRow
  readonly result: AttemptResult
  readonly outcome: DeliveryAfterResult
  /** Endpoint that takes the retry over; null if its own one does. */
  readonly movesTo: string | null
  /** True if a retry waits for the end of a pause. */
  readonly isHeld: boolean
}

/** What the results change of an endpoint's schedule. */
export interface ScheduleAfter {
  readonly appId: string
  readonly endpointId: string
  readonly failing: boolean | null
  /** True if any of its attempts succeeded. */
  readonly succeeded: boolean
  readonly dueAtMs: number | null
}

/** Computes the effect of the results on each endpoint: its last sent attempt decides whether it is failing. */
export function schedulesAfter(applied: readonly Applied[]): readonly ScheduleAfter[] {
  const schedules = new Map<string, ScheduleAfter>()
  for (const { row, outcome, movesTo, isHeld } of applied) {
    const { appId, endpointId } = row
    const dueAtMs = movesTo === null && !isHeld ? outcome.dueAtMs : null
    const key = endpointKey(row)
    const before = schedules.get(key)
    const dues = [before?.dueAtMs ?? null, dueAtMs].filter((due) => due !== null)
    schedules.set(key, {
      appId,
      endpointId,
      failing: outcome.endpointFailing ?? before?.failing ?? null,
      succeeded: outcome.endpointFailing === false || before?.succeeded === true,
      dueAtMs: dues.length === 0 ? null : Math.min(...dues),
    })
  }
  return [...schedules.values()]
}
