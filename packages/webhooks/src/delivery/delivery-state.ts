import { defaultRetryPolicy, parseRetryAfter, retryDelayMs, type RetryPolicy } from './retry-schedule.js'
import type { AttemptCause, AttemptReport, AttemptState, DeliveryState, Fence, AttemptResult } from './webhook-store.js'

/** How long a delivery that could not be sent for a reason of ours waits, and for how long altogether. */
export interface UnsentPolicy {
  /**
   * Longest wait. A worker waits 1 s during an outage of ours; else 1 s, then as long as the delivery has waited so far.
   * Default 30,000 (30 s).
   */
  readonly retryMs: number
  /** After this the delivery has `FAILED`. Default 86,400,000 (24 h). */
  readonly giveUpAfterMs: number
}

/** At least every 30 s, for 24 h at most. */
export const defaultUnsentPolicy: UnsentPolicy = Object.freeze({ retryMs: 30_000, giveUpAfterMs: 86_400_000 })

/** The moves of a delivery; a final state has none. */
export const deliveryTransitions: Readonly<Record<DeliveryState, readonly DeliveryState[]>> = Object.freeze({
  PENDING: ['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED'],
  DELIVERED: [],
  FAILED: [],
  CANCELLED: [],
})

/**
 * True for `DELIVERED`, `FAILED` and `CANCELLED`, which nothing leaves.
 */
export function isFinalDeliveryState(state: DeliveryState): boolean {
  return deliveryTransitions[state].length === 0
}

/** Causes that lie with us and prove that nothing was sent: the attempt's number is given back. */
const unsentCauses: ReadonlySet<AttemptCause> = new Set<AttemptCause>([
  'SIGNING_KEY_MISSING',
  'RESOLVER_DOWN',
  'GRANTS_UNAVAILABLE',
  'OUT_OF_SOCKETS',
])

/**
 * State of an attempt that ended with this cause (null: a 2xx).
 *
 * @example
 * ```ts
 * import { attemptStateOf } from '@kyc-relay/webhooks/delivery'
 *
 * attemptStateOf('TIMEOUT') // 'FAILED'
 * attemptStateOf('RESOLVER_DOWN') // 'UNSENT': our own fault, its number is given back
 * ```
 */
export function attemptStateOf(cause: AttemptCause | null): Exclude<AttemptState, 'STARTED'> {
  if (cause === null) return 'SUCCEEDED'
  if (cause === 'INTERRUPTED') return 'INTERRUPTED'
  if (cause === 'GRANT_REVOKED' || unsentCauses.has(cause)) return 'UNSENT'
  return 'FAILED'
}

/** What {@link attemptResultOf} needs beside the attempt itself. */
export interface AttemptResultContext {
  readonly now: Date
  /** At least 0 and less than 1, for the jitter of the delay. */
  readonly random: () => number
  readonly retry?: Partial<RetryPolicy>
  readonly unsent?: Partial<UnsentPolicy>
}

/**
 * Decides what an ended attempt means for its delivery. Pure.
 *
 * - a 2xx: `DELIVERED`
 * - grant revoked: `CANCELLED`
 * - nothing was sent for a reason of ours: the number is given back, due again after `unsent.retryMs`, `FAILED` after 24 h
 * - anything else, interruption by a crash included, counts: due again by the retry schedule, `FAILED` after the fifth
 *
 * A `Retry-After` may lengthen the delay up to `maxRetryAfterMs`, never shorten it.
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
  if (report.cause === 'GRANT_REVOKED') return { state: 'CANCELLED', reason: 'GRANT_REVOKED' }
  if (state === 'UNSENT') {
    const unsent = { ...defaultUnsentPolicy, ...context.unsent }
    return attempt.unsentForMs >= unsent.giveUpAfterMs
      ? { state: 'FAILED' }
      : { state: 'PENDING', delayMs: unsent.retryMs }
  }
  const retry = { ...defaultRetryPolicy, ...context.retry }
  if (attempt.fence.attempt >= retry.maxAttempts) return { state: 'FAILED' }
  const scheduledMs = retryDelayMs(attempt.fence.attempt, retry, context.random)
  const askedMs = parseRetryAfter(report.responseHeaders['retry-after'], context.now) ?? 0
  return { state: 'PENDING', delayMs: Math.max(scheduledMs, Math.min(askedMs, retry.maxRetryAfterMs)) }
}

/**
 * A report in which nothing was seen but the cause, as of an interrupted attempt.
 *
 * @example
 * ```ts
 * import { reportOfCause } from '@kyc-relay/webhooks/delivery'
 *
 * reportOfCause('INTERRUPTED').status // null: nothing of an answer was seen
 * ```
 */
export function reportOfCause(cause: AttemptCause, keyVersion: number | null = null): AttemptReport {
  return {
    cause,
    status: null,
    address: null,
    timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: null },
    responseHeaders: {},
    responseBody: null,
    keyVersion,
  }
}
