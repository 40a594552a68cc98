import type { PhotoJob } from '../ingestion/verification-store.js'
import type { AppUser } from '../tokenization/pii-vault.js'
import type { PhotoFailure } from './photo-failure.js'

/** Which photo of a document it is. */
export type PhotoSide = PhotoJob['side']

/** Where a photo stands. All but `PENDING` and `RETRYING` are final. */
export type PhotoState =
  /** Its first attempt is to come or under way. */
  | 'PENDING'
  /** An attempt ended without it: the next one is to come or under way. */
  | 'RETRYING'
  /** Fetched and kept. */
  | 'STORED'
  /** What its URL leads to is not taken: no photo, too large, or a place where nothing is fetched from. */
  | 'REFUSED'
  /** It could not be had within its time, or its server says that it is gone. */
  | 'UNAVAILABLE'
  /** Its user was erased. */
  | 'ERASED'

/** Shows that a job is still the claimer's: another claim makes another token. */
export interface PhotoFence {
  readonly photoJobId: string
  readonly token: string
}

/** A photo to fetch now, held under a lease. */
export interface ClaimedPhotoJob {
  readonly fence: PhotoFence
  readonly owner: AppUser
  readonly verificationId: string
  readonly side: PhotoSide
  /** As it was recorded: sealed for the verification id and part `photo_<side>`. */
  readonly sealedUrl: Uint8Array
  /** 1 for the first. Attempts whose worker died count. */
  readonly attempt: number
  /** Milliseconds since the job was queued, by the store's clock; never negative. */
  readonly queuedForMs: number
}

/** What becomes of a claimed job. `failure` is why the attempt failed. */
export type PhotoOutcome =
  | { readonly state: 'STORED' }
  | { readonly state: 'REFUSED' | 'UNAVAILABLE'; readonly failure: PhotoFailure }
  /**
   * To be fetched again. `retryInMs`: integer 0–604,800,000 (7 days). `failure` is null for an attempt that was broken
   * off and taught nothing; an earlier failure then stays the last one.
   */
  | { readonly state: 'RETRYING'; readonly retryInMs: number; readonly failure: PhotoFailure | null }

/** One photo of a verification as it may be shown. */
export interface PhotoRecord {
  readonly photoJobId: string
  readonly side: PhotoSide
  readonly state: PhotoState
  /** Attempts so far, the one under way and those whose worker died included. */
  readonly attemptsMade: number
  /** When the next attempt is due; null while one is under way and in a final state. */
  readonly nextAttemptAt: Date | null
  /** Why the last attempt that failed did; it stays when a later one succeeds. Null when none failed. */
  readonly lastFailure: PhotoFailure | null
  /** When it came to a final state; an erasure leaves an earlier end as it is. Null before. */
  readonly endedAt: Date | null
}

/**
 * Keeps the jobs that `VerificationStore.record` queues in the same write as the verification.
 *
 * Every method is one atomic unit of work. One clock, the store's, decides what is due and when a lease ends. A backend
 * for those who take no photos leaves this port out.
 */
export interface PhotoJobStore {
  /**
   * Claims jobs that are due or whose lease ended, oldest first, each under a fresh token. Of any number of concurrent
   * claims one gets a job.
   *
   * @param request `limit` 1–100. `leaseMs` 1–3,600,000: afterwards another claim may take the job over.
   * @returns `nextDueInMs`: until the next job can be claimed; 0 when one can be now; null when none is pending.
   */
  claimDue(request: {
    readonly limit: number
    readonly leaseMs: number
  }): Promise<{ readonly claimed: readonly ClaimedPhotoJob[]; readonly nextDueInMs: number | null }>

  /**
   * Lengthens a lease to `leaseMs` from now. False when the job is no longer the claimer's: it was taken over, recorded
   * or erased. Ask between sealing and storing: what was sealed before a true answer cannot be opened once the user is
   * erased, because an erasure ends jobs before it destroys the data key.
   */
  renewLease(fence: PhotoFence, leaseMs: number): Promise<boolean>

  /**
   * Ends the claim, and keeps the failure. A final state forgets the URL. When the job is no longer the claimer's nothing is
   * written, and `recorded` is false.
   *
   * @returns the state of the job afterwards; null for a job that never was.
   * @throws `ARGUMENT_INVALID` for a wait out of range or a failure that is none of `PHOTO_FAILURES`.
   */
  recordOutcome(
    fence: PhotoFence,
    outcome: PhotoOutcome,
  ): Promise<{ readonly recorded: boolean; readonly state: PhotoState | null }>

  /** Photos of one verification: front, back, selfie. Empty also for a verification of another app or user. */
  listPhotos(owner: AppUser, verificationId: string): Promise<readonly PhotoRecord[]>

  /**
   * Ends every job of the owner as `ERASED` and forgets the URLs. Harmless when repeated: every job is named again, so
   * that an erasure that broke off can be finished.
   *
   * @returns all jobs of the owner, and how many of them had a stored photo until now.
   */
  eraseOwner(owner: AppUser): Promise<{ readonly photoJobIds: readonly string[]; readonly photosErased: number }>
}
