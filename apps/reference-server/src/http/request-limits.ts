import { LRUCache } from 'lru-cache'
import { takeToken, type RatePolicy, type RateVerdict } from './token-bucket.js'

/** Names of the limits; they appear in the `RateLimit` headers. */
export type LimitName = 'app' | 'token' | 'failed-authentication' | 'sign-in'

/** Limits of one process, by name. */
export type LimitPolicies = Readonly<Record<LimitName, RatePolicy>>

/**
 * Requests per minute that pass, with as many at once: generous, because a refused KYC result is a customer who cannot
 * be served. `token` holds for GraphQL and is above what one process can answer.
 */
export const defaultLimitPolicies: LimitPolicies = {
  app: { perMinute: 60_000 },
  token: { perMinute: 1_200_000 },
  'failed-authentication': { perMinute: 1_200 },
  'sign-in': { perMinute: 30 },
}

/** Counts requests per caller. */
export interface RequestLimits {
  /** Takes one from the bucket of this caller. */
  take(name: LimitName, caller: string): { readonly verdict: RateVerdict; readonly headers: Record<string, string> }
}

/** Most callers that are remembered; the one seen longest ago is forgotten, which only ever favours it. */
const maxCallers = 100_000

/** Limits in the memory of this process. */
export function createRequestLimits(options: {
  readonly policies?: Partial<LimitPolicies>
  /** Milliseconds that never run backwards. */
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

/** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers), and `Retry-After` on a refusal. */
export function rateLimitHeaders(name: LimitName, policy: RatePolicy, verdict: RateVerdict): Record<string, string> {
  const quota = policy.burst ?? policy.perMinute
  const windowSeconds = Math.ceil((quota * 60) / policy.perMinute)
  return {
    'ratelimit-policy': `"${name}";q=${quota};w=${windowSeconds}`,
    ratelimit: `"${name}";r=${verdict.remaining};t=${Math.ceil(verdict.fullInMs / 1000)}`,
    ...(verdict.allowed ? {} : { 'retry-after': String(Math.max(1, Math.ceil(verdict.retryAfterMs / 1000))) }),
  }
}
