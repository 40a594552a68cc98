import { checkedAgeMs } from '../checked-time.js'
import { StorageError } from '../storage-error.js'

/** Retention times. Each has a default. */
export interface RetentionPolicy {
  /**
   * Age of an event, in milliseconds, after which its body is blanked unless a delivery is pending. What waits longer for
   * the end of a pause is cancelled (`EXPIRED`). Fields of a transaction are blanked when it last moved before this age.
   * Default 30 days.
   */
  readonly bodyAgeMs?: number
  /** Age of an attempt, in milliseconds, after which it is removed unless its delivery is pending. Default 90 days. */
  readonly attemptAgeMs?: number
  /** Time since an access token expired, in milliseconds, after which it is removed. Default 7 days. */
  readonly expiredTokenAgeMs?: number
  /** Age of the counts of an hour, in milliseconds, after which they are removed. Default 31 days. */
  readonly endpointHourAgeMs?: number
  /** Most rows of each kind that one call touches. Integer 1–10,000. Default 1,000. */
  readonly limit?: number
}

/** Counts of removed rows of one call. */
export interface RemovedRows {
  /** Deliveries that waited too long for the end of a pause. */
  readonly deliveriesExpired: number
  readonly bodiesBlanked: number
  /** Transactions whose fields were blanked. Their states are kept. */
  readonly transactionsBlanked: number
  readonly attemptsRemoved: number
  readonly accessTokensRemoved: number
  /** Counts of an endpoint and an hour. */
  readonly endpointHoursRemoved: number
  /** Endpoints and hours whose counts were merged into one row for each cause. */
  readonly endpointHoursMerged: number
  /** True when a kind reached the limit: call again. */
  readonly more: boolean
}

/**
 * Removes old data. Events, deliveries with their states, and verifications are kept. A delivery with a blanked body can
 * no longer be resent.
 */
export interface Retention {
  /**
   * Runs one limited step. Call it until `more` is false, for example once an hour.
   *
   * @throws StorageError `ARGUMENT_INVALID` for an unknown name, an age that is negative or not finite, or a limit outside
   *   its range
   */
  removeOld(policy?: RetentionPolicy): Promise<RemovedRows>
}

const day = 86_400_000

/**
 * Completes the policy with its defaults, also for an age that is undefined. A larger age than 1,000 years keeps as much.
 *
 * @throws StorageError `ARGUMENT_INVALID`: with an age of NaN nothing would ever be old.
 */
export function completePolicy(policy: RetentionPolicy = {}): Required<RetentionPolicy> {
  const { bodyAgeMs = 30 * day, attemptAgeMs = 90 * day, ...rest } = policy
  const { expiredTokenAgeMs = 7 * day, endpointHourAgeMs = 31 * day, limit = 1_000, ...unknown } = rest
  // With a misspelt age, data would be removed at the default age.
  if (Object.keys(unknown).length > 0) throw new StorageError('ARGUMENT_INVALID')
  return {
    bodyAgeMs: checkedAgeMs(bodyAgeMs),
    attemptAgeMs: checkedAgeMs(attemptAgeMs),
    expiredTokenAgeMs: checkedAgeMs(expiredTokenAgeMs),
    endpointHourAgeMs: checkedAgeMs(endpointHourAgeMs),
    limit,
  }
}

/** Checks whether a step reached its limit for any kind. */
export function removedRows(counts: Omit<RemovedRows, 'more'>, limit: number): RemovedRows {
  return { ...counts, more: Object.values(counts).some((count) => count >= limit) }
}
