import { checkOptions, type OptionCheck } from './check-options.js'
import type { DeliveryWorkerDeps } from './worker-deps.js'
import type { ScopeRule } from '../publishing/grants.js'
import { defaultUnsentPolicy, type UnsentPolicy } from './delivery-state.js'
import { defaultUserAgent } from './signed-headers.js'
import { defaultRetryPolicy, type RetryPolicy } from './retry-schedule.js'

/** Settings of a worker. Each has a default. */
export interface DeliveryWorkerOptions {
  /** Most attempts in flight that are not slow, 1 or more. Default 768. */
  readonly concurrency?: number
  /**
   * Largest age in milliseconds at which an attempt counts as slow and frees its slot. An attempt counts as slow at
   * twice the recent latency, but not before 100 ms. Default 2,000.
   */
  readonly slowAfterMs?: number
  /** Most attempts in flight in total, which is the number of open sockets. Default 2,048. */
  readonly maxOpen?: number
  /** Share of `concurrency` reserved for healthy endpoints, 0 to 1. Default 0.5. */
  readonly shareForHealthy?: number
  /**
   * Most attempts in flight per endpoint, over all processes. Default 4, and 1 while the endpoint fails. The limit
   * falls to 1 while many sockets wait for slow endpoints.
   */
  readonly maxInFlightPerEndpoint?: { readonly healthy: number; readonly failing: number }
  /** Most deliveries in one claim, and most results in one write. Default 256. */
  readonly maxBatch?: number
  /** Time limit of an attempt. Default 30,000 (docs/contract.md 10.1). */
  readonly attemptTimeoutMs?: number
  /**
   * Time after which another process may take an attempt over. At least 10 s above `attemptTimeoutMs`. Default 45,000.
   */
  readonly leaseMs?: number
  /** Longest time between two polls. Default 1,000. */
  readonly pollIntervalMs?: number
  /** Time between two searches for attempts whose lease has ended. Default 5,000. */
  readonly takeOverIntervalMs?: number
  /**
   * Milliseconds to wait after a failure of the store. Default 500. After a failed claim the pause doubles each time, up to
   * 1 s: for claims, each value above 1,000 acts as 1,000. A result that the store refused is written again after
   * this time, on every retry.
   */
  readonly errorPauseMs?: number
  /** Time limit for reading grants and signing keys. Default 5,000. */
  readonly lookUpTimeoutMs?: number
  /** Longest time that `stop()` waits for attempts in flight. Default 35,000. */
  readonly stopTimeoutMs?: number
  readonly retry?: Partial<RetryPolicy>
  readonly unsent?: Partial<UnsentPolicy>
  readonly scopeRule?: ScopeRule
  /** Value of the `User-Agent` header. */
  readonly userAgent?: string
}

const defaults = {
  concurrency: 768,
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

/** The part of a lease in which a result is written. */
export const leaseMarginMs = 10_000

const callbackNames = ['openHeaders', 'onResultWritten', 'onClaimed', 'onEndpointHealthChanged', 'onProblem'] as const

const depNames = {
  store: true,
  grants: true,
  signingKeys: true,
  send: true,
  openHeaders: true,
  bodySealer: true,
  eventTypes: true,
  now: true,
  random: true,
  timers: true,
  options: true,
  onResultWritten: true,
  onClaimed: true,
  onEndpointHealthChanged: true,
  onProblem: true,
} as const satisfies Record<keyof DeliveryWorkerDeps, true>

/**
 * Checks what a worker gets, so that a mistake is found at the start and not at the first delivery.
 *
 * @throws WebhookError `OPTIONS_INVALID`
 */
export function checkWorkerDeps(given: DeliveryWorkerDeps | null | undefined): void {
  const deps = given ?? ({} as DeliveryWorkerDeps)
  const check = checkOptions()
  const { port, callback, clock, only, rule, end } = check
  port('store', deps.store, ['claimDue', 'claimExpired', 'recordAttemptResults'])
  port('grants', deps.grants, ['find'])
  port('signingKeys', deps.signingKeys, ['current'])
  callback('send', deps.send)
  clock('now', deps.now)
  callback('random', deps.random)
  for (const name of callbackNames) if (deps[name] !== undefined) callback(name, deps[name])
  if (deps.bodySealer !== undefined) port('bodySealer', deps.bodySealer, ['open'])
  if (deps.eventTypes !== undefined) port('eventTypes', deps.eventTypes, ['find'])
  // A list has a `find` too, which is another one.
  rule('eventTypes', !Array.isArray(deps.eventTypes))
  if (deps.timers !== undefined) port('timers', deps.timers, ['monotonicMs', 'schedule'])
  only(null, deps, Object.keys(depNames))
  checkWorkerOptions(check, 'options', deps.options)
  end()
}

/** Adds what is wrong with settings of a worker. @param name Name under which the caller gave them */
export function checkWorkerOptions(check: OptionCheck, name: string, given: DeliveryWorkerOptions | undefined): void {
  const { range, count, timer, rule, settings } = check
  const options = settings(name, given, Object.keys(defaults))
  for (const each of ['concurrency', 'maxOpen', 'maxBatch'] as const) count(`${name}.${each}`, options[each], 1)
  for (const each of ['attemptTimeoutMs', 'leaseMs', 'lookUpTimeoutMs', 'pollIntervalMs'] as const)
    timer(`${name}.${each}`, options[each], 1)
  for (const each of ['takeOverIntervalMs', 'errorPauseMs', 'slowAfterMs'] as const)
    timer(`${name}.${each}`, options[each], 1)
  timer(`${name}.stopTimeoutMs`, options.stopTimeoutMs, 0)
  range(`${name}.shareForHealthy`, options.shareForHealthy, 0, 1)
  const inFlight = settings(`${name}.maxInFlightPerEndpoint`, options.maxInFlightPerEndpoint, ['healthy', 'failing'])
  if (options.maxInFlightPerEndpoint)
    for (const each of ['healthy', 'failing'] as const)
      count(`${name}.maxInFlightPerEndpoint.${each}`, inFlight[each] ?? null, 0)
  const retry = settings(`${name}.retry`, options.retry, Object.keys(defaultRetryPolicy))
  count(`${name}.retry.maxAttempts`, retry.maxAttempts, 1)
  for (const each of ['baseMs', 'factor', 'maxRetryAfterMs'] as const) range(`${name}.retry.${each}`, retry[each], 0)
  range(`${name}.retry.jitter`, retry.jitter, 0, 1)
  const unsent = settings(`${name}.unsent`, options.unsent, Object.keys(defaultUnsentPolicy))
  for (const each of ['retryMs', 'giveUpAfterMs'] as const) range(`${name}.unsent.${each}`, unsent[each], 0)
  const { leaseMs, attemptTimeoutMs, scopeRule, userAgent } = withDefaults(options)
  rule(`${name}.scopeRule`, scopeRule === 'all' || scopeRule === 'any')
  rule(`${name}.userAgent`, typeof userAgent === 'string' && /^[\x20-\x7e]+$/.test(userAgent))
  rule(`${name}.leaseMs`, !(leaseMs < attemptTimeoutMs + leaseMarginMs))
}

/** An option, or a part of a schedule, that is undefined gets its default. */
export function withDefaults(given: DeliveryWorkerOptions = {}): Required<DeliveryWorkerOptions> {
  const { retry = {}, unsent = {}, ...options } = withoutUndefined(given)
  return { ...defaults, ...options, retry: withoutUndefined(retry), unsent: withoutUndefined(unsent) }
}

const withoutUndefined = <Options extends object>(given: Options): Options =>
  Object.fromEntries(Object.entries({ ...given }).filter(([, value]) => value !== undefined)) as Options
