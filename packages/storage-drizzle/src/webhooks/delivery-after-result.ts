import type { DeliveryState, AttemptResult } from '@kyc-relay/webhooks/delivery'

/** What a store knows of a delivery in flight when its attempt ends. */
export interface LeasedDelivery {
  readonly attemptsMade: number
  readonly unsentSinceMs: number | null
  /** Reason to cancel as soon as the attempt has ended without success. */
  readonly cancelRequested: string | null
  readonly endpointRemoved: boolean
}

/** What a result makes of it. */
export interface DeliveryAfterResult {
  readonly state: DeliveryState
  readonly attemptsMade: number
  readonly dueAtMs: number | null
  readonly unsentSinceMs: number | null
  readonly endedAtMs: number | null
  readonly cancelReason: string | null
  /** What the attempt says about its endpoint; null when it was never sent. */
  readonly endpointFailing: boolean | null
}

/** Decides what a result makes of a delivery. Pure, and the same for every engine. */
export function deliveryAfterResult(
  delivery: LeasedDelivery,
  result: AttemptResult,
  nowMs: number,
): DeliveryAfterResult {
  const { attempt, next } = result
  const unsent = attempt.state === 'UNSENT'
  // What was cancelled meanwhile, or has nowhere to go any more, is never due again.
  const cancel = delivery.cancelRequested ?? (delivery.endpointRemoved ? 'ENDPOINT_REMOVED' : null)
  const again = next.state === 'PENDING' && cancel === null
  const cancelled = next.state === 'PENDING' ? cancel : next.state === 'CANCELLED' ? next.reason : null
  return {
    state: next.state === 'PENDING' && cancel !== null ? 'CANCELLED' : next.state,
    attemptsMade: unsent ? delivery.attemptsMade - 1 : delivery.attemptsMade,
    dueAtMs: again ? nowMs + next.delayMs : null,
    unsentSinceMs: unsent ? (delivery.unsentSinceMs ?? nowMs) : null,
    endedAtMs: again ? null : nowMs,
    cancelReason: cancelled,
    endpointFailing: unsent ? null : attempt.state !== 'SUCCEEDED',
  }
}
