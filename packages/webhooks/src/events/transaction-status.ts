/** States of a transaction; `NONE` before it was initiated. */
export type TransactionState = 'NONE' | 'PENDING' | 'SETTLED' | 'DECLINED'

/** Event type for an allowed status change. */
export type TransactionEventType = 'TRANSACTION_CREATE' | 'TRANSACTION_UPDATE' | 'TRANSACTION_DECLINE'

const moves: Readonly<Record<TransactionState, Partial<Readonly<Record<TransactionState, TransactionEventType>>>>> = {
  NONE: { PENDING: 'TRANSACTION_CREATE', DECLINED: 'TRANSACTION_DECLINE' },
  PENDING: { PENDING: 'TRANSACTION_UPDATE', SETTLED: 'TRANSACTION_UPDATE', DECLINED: 'TRANSACTION_DECLINE' },
  SETTLED: { SETTLED: 'TRANSACTION_UPDATE', DECLINED: 'TRANSACTION_DECLINE' },
  DECLINED: {},
}

/**
 * Decides whether a status change is allowed, and which event reports it (docs/contract.md 8.5).
 *
 * @param current current state; `NONE` for an unknown transaction.
 * @param next requested state; the current state means that other fields changed.
 * @returns the event type to publish, or `TRANSITION_NOT_ALLOWED`.
 *
 * @example
 * ```ts
 * import { transitionTransactionStatus } from '@kyc-relay/webhooks/internal'
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
