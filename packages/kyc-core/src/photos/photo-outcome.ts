import type { PhotoFailure } from './photo-failure.js'
import type { PhotoOutcome } from './photo-job-store.js'

/** Result of an attempt to fetch a photo. */
export type PhotoAttempt =
  /** The photo was fetched and stored. */
  | { readonly kind: 'stored' }
  /** `gone`: the server answered 410 (RFC 9110, section 15.5.11). Default false. */
  | { readonly kind: 'failed'; readonly failure: PhotoFailure; readonly gone?: boolean }
  /** The process stopped during the attempt. */
  | { readonly kind: 'interrupted' }

/** Failures caused by the URL, a redirect or the content. */
const refusals: ReadonlySet<PhotoFailure> = new Set([
  'URL_NOT_ALLOWED',
  'REDIRECT_NOT_ALLOWED',
  'ADDRESS_NOT_ALLOWED',
  'TOO_MANY_REDIRECTS',
  'TOO_LARGE',
  'NOT_A_PHOTO',
])

/** Failures without a retry: the URL cannot change. A redirect target or an address can. */
const hopeless: ReadonlySet<PhotoFailure> = new Set(['URL_NOT_ALLOWED', 'URL_UNREADABLE'])

const ownFaults: ReadonlySet<PhotoFailure> = new Set([
  'RESOLVER_DOWN',
  'OUT_OF_SOCKETS',
  'PROXY_FAILED',
  'VAULT_UNAVAILABLE',
  'PHOTO_STORE_UNAVAILABLE',
  'INTERNAL_ERROR',
])

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Time to retry a photo: its URL must be fetchable for 24 hours after the submission (docs/contract.md 5.4). */
export const PHOTO_WINDOW_MS = 24 * hourMs

/** Time to retry after a fault of the service: three days. */
export const PHOTO_OWN_FAULT_WINDOW_MS = 3 * PHOTO_WINDOW_MS

/**
 * Decides the next state of a photo job after an attempt.
 *
 * Delays are 1, 2, 4 and more minutes, at most one hour; the last attempt is at the end of the window. A failed attempt
 * at or after the end makes the photo `REFUSED` when its URL or content is not allowed, and `UNAVAILABLE` otherwise.
 * There is no retry for a URL that is not allowed or cannot be decrypted, or after a 410.
 *
 * @param job `attempt` 1 or more; `queuedForMs` when the attempt ended.
 *
 * @example
 * ```ts
 * import { photoOutcome } from '@kyc-relay/kyc-core/internal'
 *
 * const failed = { kind: 'failed', failure: 'TIMEOUT' } as const
 * photoOutcome(failed, { attempt: 1, queuedForMs: 900 }) // { state: 'RETRYING', retryInMs: 60_000, failure: 'TIMEOUT' }
 * photoOutcome(failed, { attempt: 30, queuedForMs: 86_400_000 }) // { state: 'UNAVAILABLE', failure: 'TIMEOUT' }
 * ```
 */
export function photoOutcome(
  attempt: PhotoAttempt,
  job: { readonly attempt: number; readonly queuedForMs: number },
): PhotoOutcome {
  if (attempt.kind === 'stored') return { state: 'STORED' }
  if (attempt.kind === 'interrupted') return { state: 'RETRYING', retryInMs: 0, failure: null }
  const { failure, gone = false } = attempt
  const windowMs = ownFaults.has(failure) ? PHOTO_OWN_FAULT_WINDOW_MS : PHOTO_WINDOW_MS
  const leftMs = windowMs - job.queuedForMs
  if (gone || hopeless.has(failure) || leftMs <= 0) {
    return { state: refusals.has(failure) ? 'REFUSED' : 'UNAVAILABLE', failure }
  }
  // The delay is one hour from the seventh attempt on. The limit on the exponent avoids overflow.
  const waitMs = Math.min(hourMs, minuteMs * 2 ** Math.min(job.attempt - 1, 6))
  return { state: 'RETRYING', retryInMs: Math.min(waitMs, leftMs), failure }
}
