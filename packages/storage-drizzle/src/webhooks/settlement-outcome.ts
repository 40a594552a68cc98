import type { DeliveryState, Settlement } from '@kyc-relay/webhooks/delivery'

/** What a store knows of a delivery in flight when it is settled. */
export interface LeasedDelivery {
  readonly attemptsMade: number
  readonly unsentSinceMs: number | null
  /** Reason to cancel as soon as the attempt has ended without success. */
  readonly cancelRequested: string | null
  readonly endpointRemoved: boolean
}

/** What a settlement makes of it. */
export interface SettlementOutcome {
  readonly state: DeliveryState
  readonly attemptsMade: number
  readonly dueAtMs: number | null
  readonly unsentSinceMs: number | null
  readonly endedAtMs: number | null
  readonly cancelReason: string | null
  /** What the attempt says about its endpoint; null when it was never sent. */
  readonly endpointFailing: boolean | null
}

/** Decides what a settlement makes of a delivery. Pure, and the same for every engine. */
export function settlementOutcome(delivery: LeasedDelivery, settlement: Settlement, nowMs: number): SettlementOutcome {
  const { attempt, next } = settlement
  const unsent = attempt.state === 'UNSENT'
  const counted = {
    attemptsMade: unsent ? delivery.attemptsMade - 1 : delivery.attemptsMade,
    unsentSinceMs: unsent ? (delivery.unsentSinceMs ?? nowMs) : null,
    endpointFailing: unsent ? null : attempt.state !== 'SUCCEEDED',
  }
  // What was cancelled meanwhile, or has nowhere to go any more, is never due again.
  const cancel = delivery.cancelRequested ?? (delivery.endpointRemoved ? 'ENDPOINT_REMOVED' : null)
  if (next.state === 'PENDING' && cancel === null) {
    return { ...counted, state: 'PENDING', dueAtMs: nowMs + next.delayMs, endedAtMs: null, cancelReason: null }
  }
  const state = next.state === 'PENDING' ? 'CANCELLED' : next.state
  const cancelReason = next.state === 'PENDING' ? cancel : next.state === 'CANCELLED' ? next.reason : null
  return { ...counted, state, dueAtMs: null, endedAtMs: nowMs, cancelReason }
}
