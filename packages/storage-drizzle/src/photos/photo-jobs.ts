import type { PhotoJobStore } from '@kyc-relay/kyc-core/photos'
import { isPhotoFailure, type PhotoFailure, type PhotoOutcome, type PhotoRecord } from '@kyc-relay/kyc-core/internal'
import { StorageError } from '../storage-error.js'
import { photoSides } from './values.js'

/** Checks a delay or a lease in whole milliseconds. */
function checkedMs(ms: number, least: number, most: number): number {
  if (!Number.isSafeInteger(ms) || ms < least || ms > most) throw new StorageError('ARGUMENT_INVALID')
  return ms
}

/**
 * Checks a lease.
 *
 * @throws `ARGUMENT_INVALID` unless it is 1 ms to 1 h.
 */
export function checkedLeaseMs(leaseMs: number): number {
  return checkedMs(leaseMs, 1, 3_600_000)
}

/** Computes the visible state of a row, for both engines: `RETRYING` is not stored. */
export const seenState = `CASE
    WHEN state = 'PENDING' AND attempts_made > CASE WHEN lease_token IS NULL THEN 0 ELSE 1 END THEN 'RETRYING'
    ELSE state
  END`

/**
 * Converts an outcome to column values.
 *
 * @throws `ARGUMENT_INVALID` for a delay below 0 or above 7 days, and for an unknown failure code.
 */
export function outcomeColumns(
  outcome: PhotoOutcome,
):
  | { readonly state: 'RETRYING'; readonly retryInMs: number; readonly failure: PhotoFailure | null }
  | { readonly state: Exclude<PhotoOutcome['state'], 'RETRYING'>; readonly failure: PhotoFailure | null } {
  const failure = outcome.state === 'STORED' ? null : outcome.failure
  if (failure !== null && !isPhotoFailure(failure)) throw new StorageError('ARGUMENT_INVALID')
  if (outcome.state !== 'RETRYING') return { state: outcome.state, failure }
  return { state: 'RETRYING', retryInMs: checkedMs(outcome.retryInMs, 0, 604_800_000), failure }
}

/** Most jobs of one claim. */
export const mostPhotosPerClaim = 100

export type PhotoClaim = Awaited<ReturnType<PhotoJobStore['claimDue']>>

/** Compares photos in the order of the list. */
export function bySide(one: PhotoRecord, next: PhotoRecord): number {
  return photoSides.indexOf(one.side) - photoSides.indexOf(next.side)
}
