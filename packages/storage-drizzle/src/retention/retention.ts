/** What is kept how long. Every age has a default. */
export interface RetentionPolicy {
  /** Age of an event, in milliseconds, after which its body is blanked unless a delivery is pending. Default 30 days. */
  readonly bodyAgeMs?: number
  /** Age of an attempt, in milliseconds, after which it is removed unless its delivery is pending. Default 90 days. */
  readonly attemptAgeMs?: number
  /** Time since an access token expired, in milliseconds, after which it is removed. Default 7 days. */
  readonly expiredTokenAgeMs?: number
  /** Most rows of each kind that one call touches. Integer 1–10,000. Default 1,000. */
  readonly limit?: number
}

/** What one call removed. */
export interface RemovedRows {
  readonly bodiesBlanked: number
  readonly attemptsRemoved: number
  readonly accessTokensRemoved: number
  /** Sessions of the portal that had ended. */
  readonly sessionsRemoved: number
  /** True when a kind reached the limit: call again. */
  readonly more: boolean
}

/**
 * Removes what has served its purpose, sessions of the portal as soon as they ended. Events, deliveries with their states,
 * and everything about verifications stay; a delivery whose body is blanked can no longer be resent.
 */
export interface Retention {
  /** One bounded step; call it until `more` is false, say once an hour. */
  removeOld(policy?: RetentionPolicy): Promise<RemovedRows>
}

const day = 86_400_000

/** The policy with its defaults. */
export function completePolicy(policy: RetentionPolicy = {}): Required<RetentionPolicy> {
  return { bodyAgeMs: 30 * day, attemptAgeMs: 90 * day, expiredTokenAgeMs: 7 * day, limit: 1_000, ...policy }
}

/** Whether a step that touched so many rows of each kind reached its limit. */
export function removedRows(counts: Omit<RemovedRows, 'more'>, limit: number): RemovedRows {
  return { ...counts, more: Object.values(counts).some((count) => count >= limit) }
}
