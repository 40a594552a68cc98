/** The six event types (docs/contract.md 8.1). */
export const eventTypes = [
  'WIDGET_KYC_INITIATION',
  'WIDGET_DEPOSIT_COMPLETE',
  'WIDGET_WITHDRAW_COMPLETE',
  'TRANSACTION_CREATE',
  'TRANSACTION_UPDATE',
  'TRANSACTION_DECLINE',
] as const

/** One of the six event types. */
export type EventType = (typeof eventTypes)[number]
