import type { EventType } from './event-types.js'

/** A scope that an event type may need. */
export type EventScope = 'VERIFY_KYC' | 'MAKE_PAYOUT_SEND' | 'MAKE_PAYOUT_RECEIVE' | 'LIST_PAYMENT' | 'LIST_PURCHASES'

/** The scopes that a user must have granted for an event of each type to be sent (docs/contract.md 8.1). */
export const eventScopes: Readonly<Record<EventType, readonly EventScope[]>> = {
  WIDGET_KYC_INITIATION: ['VERIFY_KYC'],
  WIDGET_DEPOSIT_COMPLETE: ['MAKE_PAYOUT_SEND'],
  WIDGET_WITHDRAW_COMPLETE: ['MAKE_PAYOUT_RECEIVE'],
  TRANSACTION_CREATE: ['LIST_PAYMENT', 'LIST_PURCHASES'],
  TRANSACTION_UPDATE: ['LIST_PAYMENT', 'LIST_PURCHASES'],
  TRANSACTION_DECLINE: ['LIST_PAYMENT', 'LIST_PURCHASES'],
  KYC_STATUS_CHANGED: ['VERIFY_KYC'],
}
