import type { WriteOutcome } from './result-batcher.js'
import type { AttemptResult, ClaimedDelivery, EndpointTurn } from './webhook-store.js'

/** Codes of faults inside the worker. The worker continues after each. */
export type DeliveryWorkerProblem = 'CLAIM_FAILED' | 'TAKE_OVER_FAILED' | 'RECORD_FAILED' | 'SUBSCRIBE_FAILED'

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
   * An endpoint began to fail, or succeeded again. Each turn is told once, by the worker that recorded it; a worker that
   * ends between the two tells nothing. `listEndpointHealth` has the state at any time.
   */
  onEndpointTurned?(turn: EndpointTurn): void
  /** A fault stopped the worker for a short time. It continues by itself. */
  onProblem?(problem: DeliveryWorkerProblem): void
}
