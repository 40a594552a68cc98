export { eventCatalogue, type CatalogueEntry } from './catalogue.js'
export type { TransactionDeclineEvent } from './decline-event.js'
export { eventScopes, type EventScope } from './event-scopes.js'
export { eventTypes, type EventType } from './event-types.js'
export { eventExample, parseEvent, type EventViolation, type EventViolationCode } from './parse-event.js'
export type { TransactionCreateEvent, TransactionStatus, TransactionUpdateEvent } from './transaction-events.js'
export { transitionTransactionStatus, type TransactionEventType, type TransactionState } from './transaction-status.js'
export type { EventPayloads, UnknownEvent, WebhookEvent } from './webhook-event.js'
export type {
  WidgetDepositCompleteEvent,
  WidgetKycInitiationEvent,
  WidgetWithdrawCompleteEvent,
} from './widget-events.js'
