import type { PhotoJobStore, PhotoOutcome, PhotoRecord, PhotoSide } from '@kyc-relay/kyc-core'
import { StorageError } from './storage-error.js'

/** A wait or a lease in whole milliseconds. */
function checkedMs(ms: number, least: number, most: number): number {
  if (!Number.isSafeInteger(ms) || ms < least || ms > most) throw new StorageError('ARGUMENT_INVALID')
  return ms
}

/** @throws `ARGUMENT_INVALID` unless it is 1 ms to an hour. */
export function checkedLeaseMs(leaseMs: number): number {
  return checkedMs(leaseMs, 1, 3_600_000)
}

/** The outcome as columns take it. @throws `ARGUMENT_INVALID` for a wait that is negative or longer than 7 days. */
export function outcomeColumns(outcome: PhotoOutcome): {
  readonly state: PhotoOutcome['state']
  readonly retryInMs: number | null
} {
  const retryInMs = outcome.state === 'PENDING' ? checkedMs(outcome.retryInMs, 0, 604_800_000) : null
  return { state: outcome.state, retryInMs }
}

/** Most jobs of one claim. */
export const mostPhotosPerClaim = 100

export type PhotoClaim = Awaited<ReturnType<PhotoJobStore['claimDue']>>

const sides: readonly PhotoSide[] = ['front', 'back', 'selfie']

/** Orders photos as they are listed. */
export function bySide(one: PhotoRecord, next: PhotoRecord): number {
  return sides.indexOf(one.side) - sides.indexOf(next.side)
}
