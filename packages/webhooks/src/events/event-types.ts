/** The standard event types (docs/contract.md 8.1). */
export const eventTypes = [
  'WIDGET_KYC_INITIATION',
  'WIDGET_DEPOSIT_COMPLETE',
  'WIDGET_WITHDRAW_COMPLETE',
  'TRANSACTION_CREATE',
  'TRANSACTION_UPDATE',
  'TRANSACTION_DECLINE',
] as const

/** Optional event types: sent only where the operator turned them on, and only to endpoints that name them. */
export const optionalEventTypes = ['KYC_STATUS_CHANGED'] as const

/** All event types. */
export const allEventTypes = [...eventTypes, ...optionalEventTypes] as const

/** An event type of the service. */
export type EventType = (typeof allEventTypes)[number]

/** Name of an event type: of the service, or of an event type of your own. */
export type EventName = EventType | (string & {})
