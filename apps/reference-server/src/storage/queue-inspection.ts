/** Size of the delivery queue. */
export interface QueueState {
  /** Deliveries waiting for an attempt, due now or later. Counted up to 100,000. */
  readonly waiting: number
  /** Attempts in flight, over all processes. Counted up to 100,000. */
  readonly inFlight: number
  /**
   * Milliseconds since the oldest due delivery became due, or since the oldest lease ended; 0 when there is none.
   * Endpoints with an attempt in flight do not count: what waits for a slow receiver does not wait for a worker.
   */
  readonly oldestDueMs: number
}

/** Right to inspect the queue of all apps, for metrics. */
export interface QueueInspection {
  /** Reads the size of the queue. The counting limit bounds its cost. */
  inspectQueue(): Promise<QueueState>
}

/** Counts at most 100,000 rows. */
export const countingLimit = 100_000
