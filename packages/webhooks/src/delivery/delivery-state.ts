import { resultOfCause } from './sender.js'
import { defaultRetryPolicy, parseRetryAfter, retryDelayMs, type RetryPolicy } from './retry-schedule.js'
import type { AttemptCause, AttemptReport, AttemptState, Fence, AttemptResult } from './webhook-store.js'

/** Delays of a delivery that the service itself could not send. */
export interface UnsentPolicy {
  /**
   * Longest delay. A worker waits 1 s during an outage of the service. Otherwise the first delay is 1 s, and each
   * further delay equals the total wait so far. Default 30,000 (30 s).
   */
  readonly retryMs: number
  /** Total wait after which the delivery has `FAILED`. Default 86,400,000 (24 h). */
  readonly giveUpAfterMs: number
}

/** 100 years: stores refuse times far away, and a result that is refused is never recorded. */
const longestDelayMs = 36_525 * 86_400_000

/** At most 30 s between attempts, for at most 24 h. */
export const defaultUnsentPolicy: UnsentPolicy = Object.freeze({ retryMs: 30_000, giveUpAfterMs: 86_400_000 })

/** Faults of the service that prove that nothing was sent. The attempt does not count. */
const unsentCauses: ReadonlySet<AttemptCause> = new Set<AttemptCause>([
  'SIGNING_KEY_MISSING',
  'HEADERS_UNAVAILABLE',
  'BODY_UNAVAILABLE',
  'RESOLVER_DOWN',
  'GRANTS_UNAVAILABLE',
  'OUT_OF_SOCKETS',
  'PROXY_FAILED',
  'NO_TIME_LEFT',
])

/** What nobody may be told any more. Nothing was sent, and the delivery ends. */
const cancelCauses: ReadonlySet<AttemptCause> = new Set<AttemptCause>(['GRANT_REVOKED', 'USER_ERASED'])

/**
 * Returns the state of an attempt that ended with this cause (null: a 2xx).
 *
 * @example
 * ```ts
 * import { attemptStateOf } from '@kyc-relay/webhooks/internal'
 *
 * attemptStateOf('TIMEOUT') // 'FAILED'
 * attemptStateOf('RESOLVER_DOWN') // 'UNSENT': our own fault, its number is given back
 * ```
 */
export function attemptStateOf(cause: AttemptCause | null): Exclude<AttemptState, 'STARTED'> {
  if (cause === null) return 'SUCCEEDED'
  if (cause === 'INTERRUPTED') return 'INTERRUPTED'
  if (cancelCauses.has(cause) || unsentCauses.has(cause)) return 'UNSENT'
  return 'FAILED'
}

/** Settings of {@link attemptResultOf}. */
export interface AttemptResultContext {
  readonly now: Date
  /** At least 0 and less than 1, for the jitter of the delay. */
  readonly random: () => number
  readonly retry?: Partial<RetryPolicy>
  readonly unsent?: Partial<UnsentPolicy>
}

/**
 * Decides the next state of a delivery after an attempt. Pure.
 *
 * - a 2xx: `DELIVERED`
 * - grant revoked, or the key of the body destroyed with its user's data: `CANCELLED`
 * - nothing was sent because of a fault of the service: the attempt does not count; due again after `unsent.retryMs`,
 *   `FAILED` after 24 h
 * - any other end, including a crash, counts as an attempt: due again by the retry schedule, `FAILED` after the fifth
 *
 * `Retry-After` can lengthen the delay up to `maxRetryAfterMs`, but never shorten it.
 */
export function attemptResultOf(
  attempt: { readonly fence: Fence; readonly unsentForMs: number },
  report: AttemptReport,
  context: AttemptResultContext,
): AttemptResult {
  const state = attemptStateOf(report.cause)
  return { fence: attempt.fence, attempt: { state, report }, next: nextOf(attempt, state, report, context) }
}

function nextOf(
  attempt: { readonly fence: Fence; readonly unsentForMs: number },
  state: Exclude<AttemptState, 'STARTED'>,
  report: AttemptReport,
  context: AttemptResultContext,
): AttemptResult['next'] {
  if (state === 'SUCCEEDED') return { state: 'DELIVERED' }
  if (report.cause !== null && cancelCauses.has(report.cause)) return { state: 'CANCELLED', reason: report.cause }
  if (state === 'UNSENT') {
    const unsent = { ...defaultUnsentPolicy, ...context.unsent }
    return attempt.unsentForMs >= unsent.giveUpAfterMs
      ? { state: 'FAILED' }
      : { state: 'PENDING', delayMs: Math.min(unsent.retryMs, longestDelayMs) }
  }
  const retry = { ...defaultRetryPolicy, ...context.retry }
  if (attempt.fence.attempt >= retry.maxAttempts) return { state: 'FAILED' }
  const scheduledMs = retryDelayMs(attempt.fence.attempt, retry, context.random)
  const askedMs = parseRetryAfter(report.responseHeaders['retry-after'], context.now) ?? 0
  const delayMs = Math.max(scheduledMs, Math.min(askedMs, retry.maxRetryAfterMs))
  return { state: 'PENDING', delayMs: Math.min(delayMs, longestDelayMs) }
}

/**
 * Creates a report with a cause and no other data, for example for an interrupted attempt.
 *
 * @example
 * ```ts
 * import { reportOfCause } from '@kyc-relay/webhooks/delivery'
 *
 * reportOfCause('INTERRUPTED').status // null: nothing of an answer was seen
 * ```
 */
export function reportOfCause(cause: AttemptCause, keyVersion: number | null = null): AttemptReport {
  return { ...resultOfCause(cause), keyVersion }
}
