export { createWebhooks } from '../embedding/create-webhooks.js'
export { uuidv7 } from '../embedding/uuidv7.js'
export type { Published, SendingStorage, Webhooks, WebhooksOptions } from '../embedding/webhooks-options.js'
export { isSameEvent } from '../publishing/same-event.js'
export { prepareEvent, prepareTestEvent, type EventInput, type PrepareEventDeps } from '../publishing/prepare-event.js'
export { moveTransaction } from '../publishing/move-transaction.js'
export type { TransactionStore } from '../publishing/transaction-store.js'
export type { GrantLookup } from '../publishing/grants.js'
export type { FeedStore } from '../feed/feed-store.js'
export { readFeed } from '../feed/read-feed.js'
export { recoverEvents } from '../recovery/recover-events.js'
export type { RecoveryStore } from '../recovery/recovery-store.js'
export { reportOfCause } from './delivery-state.js'
export { createDeliveryWorker, type DeliveryWorker } from './delivery-worker.js'
export type { DeliveryWorkerDeps } from './worker-deps.js'
export { openDelivery } from './open-delivery.js'
export type { BodySealer } from '../sealing/body-sealer.js'
export { explainAttempt } from './explain-attempt.js'
export { reproducibleCurl } from './reproducible-curl.js'
export type { Sender } from './sender.js'
export type { SigningKeys } from './signing-keys.js'
export { WebhookError, type WebhookErrorCode } from './webhook-error.js'
export type {
  AttemptRecord,
  AttemptReport,
  ClaimedDelivery,
  DeliveryRecord,
  Endpoint,
  EndpointHour,
  PreparedEvent,
  AttemptResult,
  WebhookStore,
} from './webhook-store.js'
export type { DeliveryWorkerOptions } from './worker-options.js'
