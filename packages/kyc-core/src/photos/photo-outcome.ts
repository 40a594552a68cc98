import type { PhotoOutcome } from './photo-job-store.js'

/** What an attempt to fetch a photo came to. */
export type PhotoAttempt =
  /** A photo was fetched and stored. */
  | { readonly kind: 'stored' }
  /** The photo's server, its name or what it sent was at fault: it may be better later. */
  | { readonly kind: 'refused' }
  /** It will never be had: the URL may not be fetched or cannot be opened, or the server says that the photo is gone. */
  | { readonly kind: 'hopeless' }
  /** We were at fault: our name resolution, our store, our vault. */
  | { readonly kind: 'own_fault' }
  /** The process stops: nothing was learned. */
  | { readonly kind: 'interrupted' }

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** For so long a photo is tried: its URL must be fetchable for 24 hours after delivery (spec, photo rules). */
export const PHOTO_WINDOW_MS = 24 * hourMs

/** For so long when the last attempt failed by our own fault: three days. */
export const PHOTO_OWN_FAULT_WINDOW_MS = 3 * PHOTO_WINDOW_MS

/**
 * What becomes of a photo job after an attempt.
 *
 * Waits of 1, 2, 4 … minutes, at most an hour, with the last attempt exactly when the window ends. An attempt that
 * failed at or after the end makes the photo `UNAVAILABLE`.
 *
 * @param job `attempt` 1 or more; `queuedForMs` when the attempt ended.
 *
 * @example
 * ```ts
 * import { photoOutcome } from '@kyc-relay/kyc-core'
 *
 * photoOutcome({ kind: 'refused' }, { attempt: 1, queuedForMs: 900 }) // { state: 'PENDING', retryInMs: 60_000 }
 * photoOutcome({ kind: 'refused' }, { attempt: 30, queuedForMs: 86_400_000 }) // { state: 'UNAVAILABLE' }
 * ```
 */
export function photoOutcome(
  attempt: PhotoAttempt,
  job: { readonly attempt: number; readonly queuedForMs: number },
): PhotoOutcome {
  if (attempt.kind === 'stored') return { state: 'STORED' }
  if (attempt.kind === 'hopeless') return { state: 'UNAVAILABLE' }
  if (attempt.kind === 'interrupted') return { state: 'PENDING', retryInMs: 0 }
  const windowMs = attempt.kind === 'own_fault' ? PHOTO_OWN_FAULT_WINDOW_MS : PHOTO_WINDOW_MS
  const leftMs = windowMs - job.queuedForMs
  if (leftMs <= 0) return { state: 'UNAVAILABLE' }
  // From the seventh attempt on an hour; a larger exponent would only overflow.
  const waitMs = Math.min(hourMs, minuteMs * 2 ** Math.min(job.attempt - 1, 6))
  return { state: 'PENDING', retryInMs: Math.min(waitMs, leftMs) }
}
