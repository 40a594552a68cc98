import { LRUCache } from 'lru-cache'

/** Rate of a bucket: that many requests at once, and a minute on average. */
export interface RatePolicy {
  readonly perMinute: number
}

/** Time in which an empty bucket becomes full, in milliseconds. */
const burstMs = 60_000

/** Decision of a bucket for one request. */
export interface RateVerdict {
  readonly allowed: boolean
  /** Number of requests that would pass now. */
  readonly remaining: number
  /** Milliseconds until the next request would pass; 0 if one would pass now. */
  readonly retryAfterMs: number
  /** Milliseconds until the bucket is full again. */
  readonly fullInMs: number
}

/**
 * Decides one request with the generic cell rate algorithm (GCRA). Its only state is the time at which the bucket is
 * full again.
 *
 * Pure. `fullAtMs` is the result of the last call; 0 for an unused bucket.
 */
export function takeToken(
  fullAtMs: number,
  nowMs: number,
  policy: RatePolicy,
): { readonly verdict: RateVerdict; readonly fullAtMs: number } {
  const intervalMs = burstMs / policy.perMinute
  // After the clock was set back, callers wait at most for one full refill.
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

// Rounding errors of fractional milliseconds must not cost the last request of a burst.
const tolerance = 1e-6

/** Names of the limits, as in the `RateLimit` headers. */
export type LimitName = 'app' | 'token' | 'failed-authentication' | 'sign-in' | 'evidence'

/** Limits of one process, by name. */
export type LimitPolicies = Readonly<Record<LimitName, RatePolicy>>

/**
 * Default limits: requests per minute. They are high because each refused KYC result affects a
 * customer. `token` applies to GraphQL and exceeds the capacity of one process.
 */
const defaultLimitPolicies: LimitPolicies = {
  app: { perMinute: 60_000 },
  token: { perMinute: 1_200_000 },
  'failed-authentication': { perMinute: 1_200 },
  'sign-in': { perMinute: 30 },
  evidence: { perMinute: 120 },
}

/** Counts requests per caller. */
export interface RequestLimits {
  /** Takes one request from the bucket of this caller. */
  take(name: LimitName, caller: string): { readonly verdict: RateVerdict; readonly headers: Record<string, string> }
}

/** Most remembered callers. Beyond it the caller seen longest ago is forgotten, and so starts with a full bucket. */
const maxCallers = 100_000

/** Creates the limits in the memory of this process. */
export function createRequestLimits(options: {
  readonly policies?: Partial<LimitPolicies>
  /** Monotonic clock, in milliseconds. */
  readonly nowMs: () => number
}): RequestLimits {
  const policies = { ...defaultLimitPolicies, ...options.policies }
  const buckets = new LRUCache<string, number>({ max: maxCallers })
  return {
    take(name, caller) {
      const policy = policies[name]
      const key = `${name} ${caller}`
      const { verdict, fullAtMs } = takeToken(buckets.get(key) ?? 0, options.nowMs(), policy)
      buckets.set(key, fullAtMs)
      return { verdict, headers: rateLimitHeaders(name, policy, verdict) }
    },
  }
}

/**
 * Creates the headers `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers), and `Retry-After` on a
 * refusal.
 */
function rateLimitHeaders(name: LimitName, policy: RatePolicy, verdict: RateVerdict): Record<string, string> {
  return {
    'ratelimit-policy': `"${name}";q=${policy.perMinute};w=60`,
    ratelimit: `"${name}";r=${verdict.remaining};t=${Math.ceil(verdict.fullInMs / 1000)}`,
    ...(verdict.allowed ? {} : { 'retry-after': String(Math.max(1, Math.ceil(verdict.retryAfterMs / 1000))) }),
  }
}
