/** Where a transaction stands; `NONE` before it was initiated. */
export type TransactionState = 'NONE' | 'PENDING' | 'SETTLED' | 'DECLINED'

/** The event that tells about an allowed move. */
export type TransactionEventType = 'TRANSACTION_CREATE' | 'TRANSACTION_UPDATE' | 'TRANSACTION_DECLINE'

const moves: Readonly<Record<TransactionState, Partial<Readonly<Record<TransactionState, TransactionEventType>>>>> = {
  NONE: { PENDING: 'TRANSACTION_CREATE', DECLINED: 'TRANSACTION_DECLINE' },
  PENDING: { PENDING: 'TRANSACTION_UPDATE', SETTLED: 'TRANSACTION_UPDATE', DECLINED: 'TRANSACTION_DECLINE' },
  SETTLED: { SETTLED: 'TRANSACTION_UPDATE', DECLINED: 'TRANSACTION_DECLINE' },
  DECLINED: {},
}

/**
 * Decides whether a transaction may move, and which event tells about it (docs/contract.md 8.5).
 *
 * @param current where it stands; `NONE` for a transaction that is not known yet.
 * @param next where it is asked to go; the same state means that other fields changed.
 * @returns the event type to publish, or `TRANSITION_NOT_ALLOWED`.
 *
 * @example
 * ```ts
 * import { transitionTransactionStatus } from '@kyc-relay/webhooks/events'
 *
 * transitionTransactionStatus('PENDING', 'SETTLED') // { ok: true, eventType: 'TRANSACTION_UPDATE' }
 * transitionTransactionStatus('SETTLED', 'PENDING') // { ok: false, code: 'TRANSITION_NOT_ALLOWED' }
 * ```
 */
export function transitionTransactionStatus(
  current: TransactionState,
  next: Exclude<TransactionState, 'NONE'>,
):
  | { readonly ok: true; readonly eventType: TransactionEventType }
  | { readonly ok: false; readonly code: 'TRANSITION_NOT_ALLOWED' } {
  const eventType = moves[current][next]
  return eventType ? { ok: true, eventType } : { ok: false, code: 'TRANSITION_NOT_ALLOWED' }
}
