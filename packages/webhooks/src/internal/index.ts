// For the packages and the server of this repository. No promises: any release may change or remove a name.
export { attemptStateOf } from '../delivery/delivery-state.js'
export {
  checkEndpointHeaders,
  redactEchoes,
  shellVariableOf,
  type HeaderProblem,
  type OpenHeaders,
  type SealedHeaders,
} from '../delivery/endpoint-headers.js'
export type { SendResult } from '../delivery/sender.js'
export { signedHeaders } from '../delivery/signed-headers.js'
export type { SigningKey } from '../delivery/signing-keys.js'
export type {
  AttemptCause,
  AttemptState,
  DeliveryState,
  EndpointHealth,
  EndpointHealthChange,
  Fence,
  InsertedEvent,
  ListDeliveriesRequest,
  NewEndpoint,
  OriginalEvent,
  WithheldReason,
} from '../delivery/webhook-store.js'
export type { DeliveryWorkerObserver } from '../delivery/worker-observer.js'
export type { WebhooksProblem } from '../embedding/webhooks-options.js'
export { eventScopes } from '../events/event-scopes.js'
export type { EventTypes } from '../events/event-type-registry.js'
export { allEventTypes, type EventName } from '../events/event-types.js'
export type { EventViolation } from '../events/parse-event.js'
export type { StandardSchema } from '../events/standard-schema.js'
export type { TransactionStatus } from '../events/transaction-events.js'
export {
  transitionTransactionStatus,
  type TransactionEventType,
  type TransactionState,
} from '../events/transaction-status.js'
export type { FeedItem, FeedPage, ReadFeedDeps } from '../feed/read-feed.js'
export {
  createHttpsDownloader,
  isDownloadUrl,
  type Downloader,
  type DownloadResult,
} from '../https/https-downloader.js'
export { createReceivedBody } from '../receiver/received-body.js'
export { endpointsPerApp } from '../publishing/endpoints-per-app.js'
export type { AppGrant } from '../publishing/grants.js'
export {
  findMove,
  type MovedTransaction,
  type MoveTransactionDeps,
  type TransactionRequest,
} from '../publishing/move-transaction.js'
export type {
  KnownTransactionState,
  PublishedBefore,
  TransactionMove,
  TransactionRecord,
} from '../publishing/transaction-store.js'
export { countRecovery, type RecoverEventsDeps } from '../recovery/recover-events.js'
export type { BodyPlace } from '../sealing/body-sealer.js'
export { openFields } from '../sealing/sealed-fields.js'
export { openStored } from '../sealing/stored-bodies.js'
