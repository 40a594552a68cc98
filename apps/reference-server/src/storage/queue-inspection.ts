/** Size of the delivery queue. */
export interface QueueState {
  /** Deliveries waiting for an attempt, due now or later. Counted up to 100,000. */
  readonly waiting: number
  /** Attempts in flight, over all processes. Counted up to 100,000. */
  readonly inFlight: number
  /**
   * Milliseconds for which a due delivery has waited for a worker, the longest of all endpoints; 0 when none is due. While an
   * endpoint is sent other deliveries, they count from the last of these: a slow receiver is not a lack of workers.
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
