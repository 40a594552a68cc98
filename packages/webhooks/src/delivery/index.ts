export { prepareEvent, prepareTestEvent, type EventInput, type PrepareEventDeps } from '../publishing/prepare-event.js'
export {
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
export { matchEndpoints } from '../publishing/match-endpoints.js'
export { scopesSuffice, type AppGrant, type GrantLookup, type ScopeRule } from '../publishing/grants.js'
export { classifyResponse } from './classify-response.js'
export {
  attemptStateOf,
  defaultUnsentPolicy,
  deliveryTransitions,
  isFinalDeliveryState,
  reportOfCause,
  attemptResultOf,
  type AttemptResultContext,
  type UnsentPolicy,
} from './delivery-state.js'
export {
  createDeliveryWorker,
  type DeliveryWorker,
  type DeliveryWorkerDeps,
  type DeliveryWorkerObserver,
  type DeliveryWorkerProblem,
} from './delivery-worker.js'
export { explainAttempt, type AttemptExplanation } from './explain-attempt.js'
export { reproducibleCurl, type CurlDelivery } from './reproducible-curl.js'
export { defaultRetryPolicy, parseRetryAfter, retryDelayMs, type RetryPolicy } from './retry-schedule.js'
export type { Sender, SendRequest, SendResult } from './sender.js'
export { signedHeaders, type SignedHeadersInput } from './signed-headers.js'
export type { WriteOutcome } from './result-batcher.js'
export type { SigningKey, SigningKeys } from './signing-keys.js'
export { WebhookError, type PreparationViolation, type WebhookErrorCode } from './webhook-error.js'
export type {
  AttemptCause,
  AttemptRecord,
  AttemptReport,
  AttemptState,
  ClaimedDelivery,
  DeliveryRecord,
  DeliveryState,
  Endpoint,
  Fence,
  InsertedEvent,
  PreparedEvent,
  AttemptResult,
  WebhookStore,
  WithheldReason,
} from './webhook-store.js'
export type { DeliveryWorkerOptions } from './worker-options.js'
export type { WorkerTimers } from './worker-timers.js'
