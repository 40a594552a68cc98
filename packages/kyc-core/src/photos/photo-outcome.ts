import type { PhotoFailure } from './photo-failure.js'
import type { PhotoOutcome } from './photo-job-store.js'

/** What an attempt to fetch a photo came to. */
export type PhotoAttempt =
  /** A photo was fetched and stored. */
  | { readonly kind: 'stored' }
  /** `gone`: the photo's server says that it will not come back (RFC 9110, 15.5.11). Default false. */
  | { readonly kind: 'failed'; readonly failure: PhotoFailure; readonly gone?: boolean }
  /** The process stops: nothing was learned. */
  | { readonly kind: 'interrupted' }

/** The way to the photo or what came of it is not taken. */
const refusals: ReadonlySet<PhotoFailure> = new Set([
  'URL_NOT_ALLOWED',
  'REDIRECT_NOT_ALLOWED',
  'ADDRESS_NOT_ALLOWED',
  'TOO_MANY_REDIRECTS',
  'TOO_LARGE',
  'NOT_A_PHOTO',
])

/** No later attempt can mend these. A redirect or an address can change, what the partner wrote cannot. */
const hopeless: ReadonlySet<PhotoFailure> = new Set(['URL_NOT_ALLOWED', 'URL_UNREADABLE'])

const ownFaults: ReadonlySet<PhotoFailure> = new Set([
  'RESOLVER_DOWN',
  'OUT_OF_SOCKETS',
  'VAULT_UNAVAILABLE',
  'PHOTO_STORE_UNAVAILABLE',
  'INTERNAL_ERROR',
])

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** For so long a photo is tried: its URL must be fetchable for 24 hours after delivery (docs/contract.md 5.4). */
export const PHOTO_WINDOW_MS = 24 * hourMs

/** For so long when the last attempt failed by our own fault: three days. */
export const PHOTO_OWN_FAULT_WINDOW_MS = 3 * PHOTO_WINDOW_MS

/**
 * What becomes of a photo job after an attempt.
 *
 * Waits of 1, 2, 4 … minutes, at most an hour, with the last attempt exactly when the window ends. An attempt that
 * failed at or after the end makes the photo `REFUSED` where something was there that is not taken, and `UNAVAILABLE`
 * otherwise. At once end: a URL that may not be fetched or cannot be opened any more, and a photo that is gone.
 *
 * @param job `attempt` 1 or more; `queuedForMs` when the attempt ended.
 *
 * @example
 * ```ts
 * import { photoOutcome } from '@kyc-relay/kyc-core'
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
  // From the seventh attempt on an hour; a larger exponent would only overflow.
  const waitMs = Math.min(hourMs, minuteMs * 2 ** Math.min(job.attempt - 1, 6))
  return { state: 'RETRYING', retryInMs: Math.min(waitMs, leftMs), failure }
}
