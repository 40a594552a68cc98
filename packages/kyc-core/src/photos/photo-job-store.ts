import type { AuditActor } from '../audit/audit-entry.js'
import type { PhotoJob } from '../ingestion/verification-store.js'
import type { AppUser } from '../tokenization/pii-vault.js'
import type { PhotoFailure } from './photo-failure.js'

/** Side of a document photo, or the selfie. */
export type PhotoSide = PhotoJob['side']

/** States of a photo. Attempts follow only in `PENDING` and `RETRYING`, or after a new URL for `REFUSED` and `UNAVAILABLE`. */
export type PhotoState =
  /** The first attempt has not ended. */
  | 'PENDING'
  /** An attempt failed; the next one is scheduled or in progress. */
  | 'RETRYING'
  /** The photo was fetched and stored. */
  | 'STORED'
  /** The content is not a photo or too large, or the URL leads to an address that is not allowed. */
  | 'REFUSED'
  /** The photo could not be fetched in time, or its server answered 410. */
  | 'UNAVAILABLE'
  /** The user was erased. */
  | 'ERASED'

/** Fence of a claim: each claim of the job gets another token. */
export interface PhotoFence {
  /** User of the job: rows about a person are found by the user first. */
  readonly userId: string
  readonly photoJobId: string
  readonly token: string
}

/** A claimed photo job, held under a lease. */
export interface ClaimedPhotoJob {
  readonly fence: PhotoFence
  readonly owner: AppUser
  readonly verificationId: string
  readonly side: PhotoSide
  /** URL as recorded, sealed for the verification id and part `photo_<side>`. */
  readonly sealedUrl: Uint8Array
  /** Number of the attempt, from 1. Attempts of crashed workers count. */
  readonly attempt: number
  /** Milliseconds since the job was queued, by the store's clock; never negative. */
  readonly queuedForMs: number
}

/** Result of a claimed job. `failure` is the reason of a failed attempt. */
export type PhotoOutcome =
  | { readonly state: 'STORED' }
  | { readonly state: 'REFUSED' | 'UNAVAILABLE'; readonly failure: PhotoFailure }
  /**
   * Schedules the next attempt. `retryInMs`: integer 0–604,800,000 (7 days). `failure` is null for an interrupted
   * attempt; the last failure is then unchanged.
   */
  | { readonly state: 'RETRYING'; readonly retryInMs: number; readonly failure: PhotoFailure | null }

/** State of one photo, for display. */
export interface PhotoRecord {
  readonly photoJobId: string
  readonly side: PhotoSide
  readonly state: PhotoState
  /** Attempts so far, including one in progress and those of crashed workers. */
  readonly attemptsMade: number
  /** Time of the next attempt; null while one is in progress and in a final state. */
  readonly nextAttemptAt: Date | null
  /** Reason of the last failed attempt, kept when a later attempt succeeds. Null when no attempt failed. */
  readonly lastFailure: PhotoFailure | null
  /** Time of the final state; null before. Erasing the user does not change an earlier time. */
  readonly endedAt: Date | null
}

/**
 * Keeps the jobs that `VerificationStore.record` queues in the same write as the verification.
 *
 * Every method is atomic. The store's clock decides which jobs are due and when a lease ends. This port is optional:
 * leave it out when you fetch no photos.
 */
export interface PhotoJobStore {
  /**
   * Claims jobs that are due or whose lease has ended, oldest first, each under a fresh token. Only one of several
   * concurrent claims gets a job.
   *
   * @param request `limit` 1–100. `leaseMs` 1–3,600,000: another claim may take the job afterwards.
   * @returns `nextDueInMs`: milliseconds until the next job can be claimed; 0 when one can be claimed now; null when no
   *   job is pending.
   */
  claimDue(request: {
    readonly limit: number
    readonly leaseMs: number
  }): Promise<{ readonly claimed: readonly ClaimedPhotoJob[]; readonly nextDueInMs: number | null }>

  /**
   * Extends a lease to `leaseMs` from now. Returns false when the claim has ended: another claim took the job, or it
   * was finished or erased. Call it between sealing and storing a photo. Erasing a user ends the jobs before it
   * destroys the data key, so a photo sealed before a true result cannot be opened after the erasure.
   */
  renewLease(fence: PhotoFence, leaseMs: number): Promise<boolean>

  /**
   * Ends the claim and stores the failure. A final state deletes the URL. When the claim has already ended, it writes
   * nothing and `recorded` is false.
   *
   * @returns the state of the job afterwards; null for an unknown job.
   * @throws `ARGUMENT_INVALID` for a delay out of range or a failure that is not one of `PHOTO_FAILURES`.
   */
  recordOutcome(
    fence: PhotoFence,
    outcome: PhotoOutcome,
  ): Promise<{ readonly recorded: boolean; readonly state: PhotoState | null }>

  /**
   * Gives a photo that is `UNAVAILABLE` or `REFUSED` a new URL, sealed like the first one, and queues it as if it were new:
   * no attempts, no failure, due now.
   *
   * @returns `not_replaceable` for a photo in another state, `not_found` for an unknown one; nothing is written then.
   */
  replaceUrl(request: {
    readonly owner: AppUser
    readonly verificationId: string
    readonly side: PhotoSide
    readonly sealedUrl: Uint8Array
    /** Who asked for it, and why, for an audit log. */
    readonly actor?: AuditActor
  }): Promise<'replaced' | 'not_replaceable' | 'not_found'>

  /** Lists the photos of one verification: front, back, selfie. Empty for a verification of another app or user. */
  listPhotos(owner: AppUser, verificationId: string): Promise<readonly PhotoRecord[]>

  /**
   * Ends every job of the owner as `ERASED` and deletes the URLs. A repeated call returns every job again, so an
   * interrupted erasure can be finished.
   *
   * @returns all jobs of the owner, and the number of jobs that had a stored photo before this call.
   */
  eraseOwner(owner: AppUser): Promise<{ readonly photoJobIds: readonly string[]; readonly photosErased: number }>
}
