import type { PhotoJobStore } from '@kyc-relay/kyc-core/photos'
import type { PhotoFailure, PhotoOutcome, PhotoRecord, PhotoSide } from '@kyc-relay/kyc-core/internal'
import { StorageError } from '../storage-error.js'

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

// The port exports only types, so the list is repeated here; the compiler checks it.
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
  PROXY_FAILED: true,
  VAULT_UNAVAILABLE: true,
  PHOTO_STORE_UNAVAILABLE: true,
  INTERNAL_ERROR: true,
}

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
  if (failure !== null && !Object.hasOwn(failures, failure)) throw new StorageError('ARGUMENT_INVALID')
  if (outcome.state !== 'RETRYING') return { state: outcome.state, failure }
  return { state: 'RETRYING', retryInMs: checkedMs(outcome.retryInMs, 0, 604_800_000), failure }
}

/** Most jobs of one claim. */
export const mostPhotosPerClaim = 100

export type PhotoClaim = Awaited<ReturnType<PhotoJobStore['claimDue']>>

const sides: readonly PhotoSide[] = ['front', 'back', 'selfie']

/** Compares photos in the order of the list. */
export function bySide(one: PhotoRecord, next: PhotoRecord): number {
  return sides.indexOf(one.side) - sides.indexOf(next.side)
}
