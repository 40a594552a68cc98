export { retryDelayMs, type RetryPolicy } from './delivery/retry-schedule.js'
export type { TransactionDeclineEvent } from './events/decline-event.js'
export { eventScopes } from './events/event-scopes.js'
export { allEventTypes, eventTypes, type EventName, type EventType } from './events/event-types.js'
export type { KycStatusChangedEvent } from './events/kyc-status-event.js'
export type { TransactionCreateEvent, TransactionStatus, TransactionUpdateEvent } from './events/transaction-events.js'
export type { EventPayloads, UnknownEvent, WebhookEvent } from './events/webhook-event.js'
export type {
  WidgetDepositCompleteEvent,
  WidgetKycInitiationEvent,
  WidgetWithdrawCompleteEvent,
} from './events/widget-events.js'
export type { Claim, ClaimAnswer, DeduplicationStore, MarkProcessed } from './receiver/deduplication-store.js'
export { createMemoryDeduplicationStore } from './receiver/memory-deduplication-store.js'
export { receiveWebhook, type WebhookAnswer } from './receiver/receive-webhook.js'
export { createWebhookHandler } from './receiver/webhook-handler.js'
export { explainMismatch, type Diagnosis } from './signature/explain-mismatch.js'
export type { HeadersLike } from './signature/headers.js'
export { signWebhook } from './signature/sign-webhook.js'
export { WebhookVerificationError, type WebhookVerificationErrorCode } from './signature/verification-error.js'
export { verifySignature } from './signature/verify-signature.js'
export type { VerifiedWebhook } from './signature/read-event.js'
export { signStandardWebhook, verifyStandardWebhook } from './signature/standard-webhooks.js'
export { verifyWebhook } from './signature/verify-webhook.js'
