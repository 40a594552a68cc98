/** How much may pass: `burst` at once, `perMinute` in the long run. */
export interface RatePolicy {
  readonly perMinute: number
  /** Default: the same number as `perMinute`. */
  readonly burst?: number
}

/** What a bucket says to one request. */
export interface RateVerdict {
  readonly allowed: boolean
  /** Whole requests that would pass right now. */
  readonly remaining: number
  /** Milliseconds until one more would pass; 0 while one would now. */
  readonly retryAfterMs: number
  /** Milliseconds until the bucket is full again. */
  readonly fullInMs: number
}

/**
 * A token bucket without tokens (GCRA): all it keeps is the instant at which the bucket will be full again.
 *
 * Pure. `fullAtMs` is what the last call gave back, 0 for a bucket never used.
 */
export function takeToken(
  fullAtMs: number,
  nowMs: number,
  policy: RatePolicy,
): { readonly verdict: RateVerdict; readonly fullAtMs: number } {
  const intervalMs = 60_000 / policy.perMinute
  const burstMs = intervalMs * (policy.burst ?? policy.perMinute)
  // A clock that was set back must not lock anyone out for longer than a full refill.
  const debtMs = Math.min(Math.max(0, fullAtMs - nowMs), burstMs)
  const allowed = debtMs + intervalMs <= burstMs + tolerance
  const laterDebtMs = allowed ? debtMs + intervalMs : debtMs
  return {
    verdict: {
      allowed,
      remaining: Math.max(0, Math.floor((burstMs - laterDebtMs) / intervalMs + tolerance)),
      retryAfterMs: Math.max(0, Math.ceil(laterDebtMs + intervalMs - burstMs - tolerance)),
      fullInMs: Math.ceil(laterDebtMs),
    },
    fullAtMs: nowMs + laterDebtMs,
  }
}

// Sums of intervals that are no whole milliseconds must not cost the last token of a burst.
const tolerance = 1e-6
