import type { PhotoFailure, PhotoJobStore, PhotoOutcome, PhotoRecord, PhotoSide, PhotoState } from '@kyc-relay/kyc-core/photos'
import { StorageError } from '../storage-error.js'

/** A wait or a lease in whole milliseconds. */
function checkedMs(ms: number, least: number, most: number): number {
  if (!Number.isSafeInteger(ms) || ms < least || ms > most) throw new StorageError('ARGUMENT_INVALID')
  return ms
}

/** @throws `ARGUMENT_INVALID` unless it is 1 ms to an hour. */
export function checkedLeaseMs(leaseMs: number): number {
  return checkedMs(leaseMs, 1, 3_600_000)
}

/** A state as its column holds it: one that is retried is told from one that is not by its attempts and its lease. */
export type StoredPhotoState = Exclude<PhotoState, 'RETRYING'>

/** The state of a row as it is seen from outside, on both engines. */
export const seenState = `CASE
    WHEN state = 'PENDING' AND attempts_made > CASE WHEN lease_token IS NULL THEN 0 ELSE 1 END THEN 'RETRYING'
    ELSE state
  END`

// Types alone come from the port; the compiler holds this to its list.
const failures: Readonly<Record<PhotoFailure, true>> = {
  URL_NOT_ALLOWED: true,
  REDIRECT_NOT_ALLOWED: true,
  ADDRESS_NOT_ALLOWED: true,
  TOO_MANY_REDIRECTS: true,
  TOO_LARGE: true,
  NOT_A_PHOTO: true,
  HTTP_STATUS: true,
  DNS_FAILED: true,
  CONNECT_FAILED: true,
  TLS_FAILED: true,
  TIMEOUT: true,
  CONNECTION_LOST: true,
  INVALID_RESPONSE: true,
  URL_UNREADABLE: true,
  RESOLVER_DOWN: true,
  OUT_OF_SOCKETS: true,
  VAULT_UNAVAILABLE: true,
  PHOTO_STORE_UNAVAILABLE: true,
  INTERNAL_ERROR: true,
}

/**
 * The outcome as columns take it.
 *
 * @throws `ARGUMENT_INVALID` for a wait that is negative or longer than 7 days, and for a failure that is no code.
 */
export function outcomeColumns(
  outcome: PhotoOutcome,
):
  | { readonly state: 'RETRYING'; readonly retryInMs: number; readonly failure: PhotoFailure | null }
  | { readonly state: Exclude<PhotoOutcome['state'], 'RETRYING'>; readonly failure: PhotoFailure | null } {
  const failure = outcome.state === 'STORED' ? null : outcome.failure
  if (failure !== null && !Object.hasOwn(failures, failure)) throw new StorageError('ARGUMENT_INVALID')
  if (outcome.state !== 'RETRYING') return { state: outcome.state, failure }
  return { state: 'RETRYING', retryInMs: checkedMs(outcome.retryInMs, 0, 604_800_000), failure }
}

/** Most jobs of one claim. */
export const mostPhotosPerClaim = 100

export type PhotoClaim = Awaited<ReturnType<PhotoJobStore['claimDue']>>

const sides: readonly PhotoSide[] = ['front', 'back', 'selfie']

/** Orders photos as they are listed. */
export function bySide(one: PhotoRecord, next: PhotoRecord): number {
  return sides.indexOf(one.side) - sides.indexOf(next.side)
}
