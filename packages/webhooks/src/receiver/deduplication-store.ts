/** The answer to a claim. */
export type ClaimAnswer =
  /** The caller may process the event until its lease ends. `fence` grows with every claim of one event. */
  | { readonly kind: 'claimed'; readonly fence: number }
  /** The event was processed earlier: answer 2xx and do nothing. */
  | { readonly kind: 'completed' }
  /** Somebody else is processing it: do not answer 2xx, for they may fail. */
  | { readonly kind: 'in_progress'; readonly leaseEndsInMs: number }

/** A right to say how processing one event ended. A later claim of the event makes it stale. */
export interface Claim {
  /** The value of `X-Event-ID`. */
  readonly eventId: string
  readonly fence: number
}

/**
 * Remembers which events were processed, by `X-Event-ID`, so that a repeated one has no effect.
 *
 * It says nothing about order, which is not promised: an update may come before the event that it updates. Compare
 * `updatedAt` and status, not the order of arrival.
 *
 * Every method is one atomic unit of work. A claim is a lease and not a mark: when the process dies in the middle, the
 * lease ends and a later attempt processes the event. Durations cross the port; the store's own clock makes them
 * instants.
 */
export interface DeduplicationStore {
  /**
   * Claims an event. Of any number of concurrent calls for one event exactly one is answered `claimed`.
   *
   * @param request `leaseMs`: after how many milliseconds another caller may claim it, unless it was completed.
   */
  claim(request: { readonly eventId: string; readonly leaseMs: number }): Promise<ClaimAnswer>

  /**
   * Marks the event as processed, for good. `stale` when the claim is over: a later one has taken over, or it was given
   * up by `fail`. Completing twice is fine.
   */
  complete(claim: Claim): Promise<'completed' | 'stale'>

  /** Gives the event free at once for the next attempt. `stale` when the claim is over; then nothing changes. */
  fail(claim: Claim): Promise<'released' | 'stale'>

  /**
   * Forgets at most `limit` events that were completed, given free, or whose lease ended longer ago than `olderThanMs`.
   * Keep them longer than the sender may repeat them: a person can resend an event weeks later, so 30 days is a sensible
   * least.
   *
   * @returns how many were forgotten.
   */
  forget(request: { readonly olderThanMs: number; readonly limit: number }): Promise<number>
}

/**
 * Marks an event as processed inside the caller's own database transaction, so that what the event caused and the mark
 * commit together or not at all.
 *
 * @param transaction the caller's open transaction.
 * @param mark the event; with the `fence` of a claim, only while that claim is current.
 * @returns true when this transaction is the one to process the event; on false do nothing, or roll back.
 *   Synchronous for engines whose transactions are (better-sqlite3), asynchronous for the others.
 */
export type MarkProcessed<Transaction, Marked extends boolean | Promise<boolean> = boolean | Promise<boolean>> = (
  transaction: Transaction,
  mark: { readonly eventId: string; readonly fence?: number },
) => Marked
