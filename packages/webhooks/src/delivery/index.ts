export { createWebhooks } from '../embedding/create-webhooks.js'
export { uuidv7 } from '../embedding/uuidv7.js'
export type {
  Published,
  SendingStorage,
  Webhooks,
  WebhooksOptions,
  WebhooksProblem,
} from '../embedding/webhooks-options.js'
export { isSameEvent } from '../publishing/same-event.js'
export { prepareEvent, prepareTestEvent, type EventInput, type PrepareEventDeps } from '../publishing/prepare-event.js'
export {
  findMove,
  moveTransaction,
  type MovedTransaction,
  type MoveTransactionDeps,
  type TransactionRequest,
} from '../publishing/move-transaction.js'
export type {
  KnownTransactionState,
  PublishedBefore,
  TransactionMove,
  TransactionRecord,
  TransactionStore,
} from '../publishing/transaction-store.js'
export type { AppGrant, GrantLookup } from '../publishing/grants.js'
export type { FeedStore } from '../feed/feed-store.js'
export { readFeed, type FeedItem, type FeedPage, type ReadFeedDeps } from '../feed/read-feed.js'
export { countRecovery, recoverEvents, type RecoverEventsDeps } from '../recovery/recover-events.js'
export type { RecoveryStore } from '../recovery/recovery-store.js'
export { attemptStateOf, reportOfCause } from './delivery-state.js'
export { createDeliveryWorker, type DeliveryWorker, type DeliveryWorkerDeps } from './delivery-worker.js'
export type { DeliveryWorkerObserver } from './worker-observer.js'
export {
  checkEndpointHeaders,
  redactEchoes,
  shellVariableOf,
  type HeaderProblem,
  type OpenHeaders,
  type SealedHeaders,
} from './endpoint-headers.js'
export { openDelivery } from './open-delivery.js'
export { openStored } from '../sealing/stored-bodies.js'
export { openFields } from '../sealing/sealed-fields.js'
export type { BodyPlace, BodySealer } from '../sealing/body-sealer.js'
export { explainAttempt } from './explain-attempt.js'
export { reproducibleCurl } from './reproducible-curl.js'
export type { Sender, SendResult } from './sender.js'
export { signedHeaders } from './signed-headers.js'
export type { SigningKey, SigningKeys } from './signing-keys.js'
export { WebhookError, type WebhookErrorCode } from './webhook-error.js'
export type {
  AttemptCause,
  AttemptRecord,
  AttemptReport,
  AttemptState,
  ClaimedDelivery,
  DeliveryRecord,
  DeliveryState,
  Endpoint,
  EndpointHealth,
  EndpointHour,
  EndpointTurn,
  Fence,
  InsertedEvent,
  NewEndpoint,
  OriginalEvent,
  PreparedEvent,
  AttemptResult,
  WebhookStore,
  WithheldReason,
} from './webhook-store.js'
export type { DeliveryWorkerOptions } from './worker-options.js'
