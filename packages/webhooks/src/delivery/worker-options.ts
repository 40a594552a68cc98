import type { ScopeRule } from '../publishing/grants.js'
import type { UnsentPolicy } from './delivery-state.js'
import { defaultUserAgent } from './request-headers.js'
import type { RetryPolicy } from './retry-schedule.js'

/** Settings of a worker; every one has a default. */
export interface DeliveryWorkerOptions {
  /** Attempts in flight at once that do not yet wait for a slow endpoint, 1 or more. Default 512. */
  readonly concurrency?: number
  /**
   * From this age on at the latest an attempt waits for a slow endpoint, and its place goes to others: from twice the
   * time that answers take of late, but not before 100 ms. Default 2,000.
   */
  readonly slowAfterMs?: number
  /** Attempts in flight at once altogether: open sockets. Default 2,048. */
  readonly maxOpen?: number
  /** Share of `concurrency` that failing endpoints never get, 0 to 1. Default 0.5. */
  readonly shareForHealthy?: number
  /**
   * Attempts in flight at once per endpoint, over all processes. Default 4, and 1 while the endpoint keeps failing. Fewer,
   * down to 1, while many sockets wait for slow endpoints.
   */
  readonly maxInFlightPerEndpoint?: { readonly healthy: number; readonly failing: number }
  /** Most deliveries claimed, and most results written, in one go. Default 256. */
  readonly maxBatch?: number
  /** Whole length of an attempt. Default 30,000 (docs/contract.md 10.1). */
  readonly attemptTimeoutMs?: number
  /** After this another process may take an attempt over. At least 10 s above `attemptTimeoutMs`. Default 45,000. */
  readonly leaseMs?: number
  /** Longest time between two looks at the store. Default 1,000. */
  readonly pollIntervalMs?: number
  /** Time between two looks for attempts whose lease ended. Default 5,000. */
  readonly takeOverIntervalMs?: number
  /** Pause after the store failed, doubled each time up to 1 s. Default 500. */
  readonly errorPauseMs?: number
  /** Longest wait for grants and signing keys. Default 5,000. */
  readonly lookUpTimeoutMs?: number
  /** How long `stop()` waits for attempts in flight. Default 35,000. */
  readonly stopTimeoutMs?: number
  readonly retry?: Partial<RetryPolicy>
  readonly unsent?: Partial<UnsentPolicy>
  readonly scopeRule?: ScopeRule
  /** Value of the `User-Agent` header. */
  readonly userAgent?: string
}

const defaults = {
  concurrency: 512,
  slowAfterMs: 2_000,
  maxOpen: 2_048,
  shareForHealthy: 0.5,
  maxInFlightPerEndpoint: { healthy: 4, failing: 1 },
  maxBatch: 256,
  attemptTimeoutMs: 30_000,
  leaseMs: 45_000,
  pollIntervalMs: 1_000,
  takeOverIntervalMs: 5_000,
  errorPauseMs: 500,
  lookUpTimeoutMs: 5_000,
  stopTimeoutMs: 35_000,
  retry: {},
  unsent: {},
  scopeRule: 'all',
  userAgent: defaultUserAgent,
} as const satisfies Required<DeliveryWorkerOptions>

/** An option that is given as undefined counts as left out. */
export function withDefaults(given: DeliveryWorkerOptions = {}): Required<DeliveryWorkerOptions> {
  const defined = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return { ...defaults, ...defined }
}
