/** Result of a claim. */
export type ClaimAnswer =
  /** The caller may process the event until its lease ends. `fence` grows with every claim of one event. */
  | { readonly kind: 'claimed'; readonly fence: number }
  /** The event was already processed: respond with 2xx and do nothing. */
  | { readonly kind: 'completed' }
  /** Another caller is processing the event. Do not respond with 2xx: that caller may fail. */
  | { readonly kind: 'in_progress'; readonly leaseEndsInMs: number }

/** Right to record how processing of one event ended. A later claim of the event makes it stale. */
export interface Claim {
  /** The value of `X-Event-ID`. */
  readonly eventId: string
  readonly fence: number
}

/**
 * Records processed events by `X-Event-ID`, so that a repeated event has no effect.
 *
 * It does not order events: an update may arrive before the event that it updates. Compare `updatedAt` and status, not
 * the order of arrival.
 *
 * Every method is atomic. A claim is a lease: when a process crashes, the lease ends and a later attempt processes the
 * event. Callers pass durations; the store's clock converts them to instants.
 */
export interface DeduplicationStore {
  /**
   * Claims an event. Exactly one of several concurrent calls for one event returns `claimed`.
   *
   * @param request `leaseMs`: milliseconds until another caller may claim the event, unless it was completed.
   */
  claim(request: { readonly eventId: string; readonly leaseMs: number }): Promise<ClaimAnswer>

  /**
   * Marks the event as processed. Returns `stale` when a later claim has taken over or `fail` has ended the claim. A
   * second call for the same claim succeeds.
   */
  complete(claim: Claim): Promise<'completed' | 'stale'>

  /** Releases the event for the next attempt. Returns `stale` and changes nothing when the claim has ended. */
  fail(claim: Claim): Promise<'released' | 'stale'>

  /**
   * Deletes at most `limit` events that were completed or released, or whose lease ended, more than `olderThanMs`
   * milliseconds ago. Keep events for at least 30 days: a partner can resend an event weeks later.
   *
   * @returns the number of deleted events.
   */
  forget(request: { readonly olderThanMs: number; readonly limit: number }): Promise<number>
}

/**
 * Marks an event as processed inside the caller's database transaction. The mark and the caller's writes commit
 * together.
 *
 * @param transaction the caller's open transaction.
 * @param mark the event. With the `fence` of a claim, it is marked only while that claim is current.
 * @returns true when this transaction must process the event; on false do nothing, or roll back. Synchronous for
 *   engines with synchronous transactions (better-sqlite3), otherwise asynchronous.
 */
export type MarkProcessed<Transaction, Marked extends boolean | Promise<boolean> = boolean | Promise<boolean>> = (
  transaction: Transaction,
  mark: { readonly eventId: string; readonly fence?: number },
) => Marked
