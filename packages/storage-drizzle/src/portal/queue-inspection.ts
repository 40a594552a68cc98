/** How much the delivery worker has before it. */
export interface QueueState {
  /** Deliveries that wait for an attempt, due now or later. Counted up to 100,000. */
  readonly waiting: number
  /** Attempts in flight, over all processes. Counted up to 100,000. */
  readonly inFlight: number
  /** For how long the oldest due delivery has been due, in milliseconds; 0 when none is. */
  readonly oldestDueMs: number
}

/** The right to look at the queue as a whole, for metrics. */
export interface QueueInspection {
  /** Reads only; its cost does not grow beyond the counting limit. */
  inspectQueue(): Promise<QueueState>
}

/** So many rows are counted at most. */
export const countingLimit = 100_000
