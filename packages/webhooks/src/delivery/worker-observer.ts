import type { WriteOutcome } from './result-batcher.js'
import type { AttemptResult, ClaimedDelivery, EndpointHealthChange } from './webhook-store.js'

/**
 * Codes of faults inside the worker. The worker continues after each.
 *
 * `EVENT_TYPE_UNKNOWN`: a delivery waits whose event type `eventTypes` does not have. `GRANTS_MISMATCH` and
 * `KEYS_MISMATCH`: a look-up did not return one answer for each question, in the order of the questions.
 */
export type DeliveryWorkerProblem =
  | 'CLAIM_FAILED'
  | 'RECORD_FAILED'
  | 'SUBSCRIBE_FAILED'
  | 'GRANTS_FAILED'
  | 'GRANTS_MISMATCH'
  | 'KEYS_FAILED'
  | 'KEYS_MISMATCH'
  | 'BODIES_FAILED'
  | 'EVENT_TYPE_UNKNOWN'
  | 'HEADERS_FAILED'
  | 'ATTEMPT_FAILED'

/** Callbacks of a worker for metrics and logs. Errors of an observer are ignored. */
export interface DeliveryWorkerObserver {
  /** An attempt ended. Its result was written, found stale, or abandoned at shutdown. */
  onResultWritten?(event: {
    readonly delivery: ClaimedDelivery
    readonly result: AttemptResult
    readonly outcome: WriteOutcome
  }): void
  /**
   * Deliveries were claimed and their attempts start. `takenOver`: attempts of a worker whose lease has ended; they are
   * recorded as interrupted.
   */
  onClaimed?(event: {
    readonly count: number
    readonly takenOver: boolean
    readonly deliveries: readonly ClaimedDelivery[]
  }): void
  /**
   * The health of an endpoint changed: it began to fail, or succeeded again. Each change is reported once, by the worker
   * that recorded it. If that worker ends before the report, nothing is reported. `listEndpointHealth` has the state at
   * any time.
   */
  onEndpointHealthChanged?(change: EndpointHealthChange): void
  /**
   * Something that the worker needs failed. It continues by itself.
   *
   * Default: prints both with `console.error`, each code at most once a minute.
   *
   * @param error What was thrown; undefined if nothing was, for example after a time limit
   */
  onProblem?(problem: DeliveryWorkerProblem, error: unknown): void
}
