import type { AttemptResult } from '@kyc-relay/webhooks/delivery'
import type { DeliveryState } from '@kyc-relay/webhooks/internal'
import { checkedDurationMs } from '../checked-time.js'
import type { GoneReason } from './lineage.js'

/** Stored state of a delivery in flight at the end of its attempt. */
export interface LeasedDelivery {
  readonly attemptsMade: number
  readonly unsentSinceMs: number | null
  /** Reason to cancel after the attempt, unless it succeeds. */
  readonly cancelRequested: string | null
  /** Why no endpoint takes a retry; null if one does. */
  readonly gone: GoneReason | null
}

/** State of the delivery after a result. */
export interface DeliveryAfterResult {
  readonly state: DeliveryState
  readonly attemptsMade: number
  readonly dueAtMs: number | null
  readonly unsentSinceMs: number | null
  readonly cancelReason: string | null
  /** True if the attempt failed; null when it was not sent. */
  readonly endpointFailing: boolean | null
}

/**
 * Decides the next state of a delivery after a result. Pure, and the same for every engine.
 *
 * @throws `ARGUMENT_INVALID` for a delay that is none
 */
export function deliveryAfterResult(
  delivery: LeasedDelivery,
  result: AttemptResult,
  nowMs: number,
): DeliveryAfterResult {
  const { attempt, next } = result
  const unsent = attempt.state === 'UNSENT'
  // A delivery that was cancelled or lost its endpoint meanwhile is never due again.
  const cancel = delivery.cancelRequested ?? delivery.gone
  const again = next.state === 'PENDING' && cancel === null
  const cancelled = next.state === 'PENDING' ? cancel : next.state === 'CANCELLED' ? next.reason : null
  return {
    state: next.state === 'PENDING' && cancel !== null ? 'CANCELLED' : next.state,
    attemptsMade: unsent ? delivery.attemptsMade - 1 : delivery.attemptsMade,
    dueAtMs: again ? nowMs + checkedDurationMs(next.delayMs) : null,
    unsentSinceMs: unsent ? (delivery.unsentSinceMs ?? nowMs) : null,
    cancelReason: cancelled,
    endpointFailing: unsent ? null : attempt.state !== 'SUCCEEDED',
  }
}
