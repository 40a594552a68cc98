import type { Decision, KycStatus, SubmissionOutcome } from '../status/kyc-status.js'
import type { AppUser, OwnedToken } from '../tokenization/pii-vault.js'
import type { Token } from '../tokenization/token.js'

/** Identifies one submission: unique per app, without a time limit. `userId` is the user of the current submission. */
export interface SubmissionKey extends AppUser {
  readonly externalVerificationId: string
}

/** The three response fields, identical in the first response and in replays. */
export interface IngestionResult {
  readonly status: SubmissionOutcome
  /** UUID (v7) of the verification. */
  readonly verificationId: string
  readonly message: string
}

/** The existing submission under a key: the original of a replay, or another user's submission. */
export type ExistingSubmission =
  | {
      readonly kind: 'replayed'
      readonly result: IngestionResult
      /** Null after the user was erased. */
      readonly payloadDigest: Uint8Array | null
    }
  | { readonly kind: 'conflict' }

/** Names of the three sections of `verifications`. */
export type SectionName = 'document' | 'ssn' | 'database'

/** One check outcome in clear. Its reasons are free text and are stored in the sealed part. */
export interface RecordedCheck {
  readonly section: SectionName
  readonly name: string
  readonly status: 'PASSED' | 'FAILED' | 'NOT_APPLICABLE'
}

/** A photo to fetch after the commit. The URL is sealed: it can carry credentials and PII. */
export interface PhotoJob {
  readonly photoJobId: string
  readonly side: 'front' | 'back' | 'selfie'
  readonly sealedUrl: Uint8Array
}

/** A submission without clear PII, ready to store. Only the columns that the service uses are in clear. */
export interface TokenizedVerification {
  /** UUID (v7). */
  readonly verificationId: string
  readonly schemaVersion: string
  readonly externalVerificationProvider: string
  readonly decision: Decision
  readonly decisionedAt: Date
  /** `person.address.countryCode`, ISO 3166-1 alpha-2. */
  readonly countryCode: string
  /** `VALIDATED` when `verifications.ssn` is present, else `COLLECTED`. */
  readonly ssn: { readonly token: Token; readonly state: 'COLLECTED' | 'VALIDATED' } | null
  readonly documentNumber: { readonly token: Token } | null
  readonly sections: readonly {
    readonly section: SectionName
    readonly verificationId: string
    readonly status: Decision
  }[]
  /** All outcomes in order of appearance, repeated names included. */
  readonly checks: readonly RecordedCheck[]
  /** Names of FAILED checks, in order of appearance, without repetition. */
  readonly declineCodes: readonly string[]
  /** The person and every free-form part, sealed for this verification id and part `details`. */
  readonly sealedDetails: Uint8Array
  readonly photoJobs: readonly PhotoJob[]
}

/** Effect of the decision on each KYC status. The store picks one under its own lock. */
export type StatusOutcomes = Readonly<Record<KycStatus, { readonly next: KycStatus; readonly result: IngestionResult }>>

/** A stored verification. */
export interface VerificationRecord {
  readonly verificationId: string
  readonly appId: string
  readonly userId: string
  readonly externalVerificationId: string
  readonly externalVerificationProvider: string
  readonly schemaVersion: string
  readonly decision: Decision
  readonly decisionedAt: Date
  readonly recordedAt: Date
  readonly countryCode: string
  readonly result: IngestionResult
  readonly ssn: TokenizedVerification['ssn']
  readonly documentNumber: TokenizedVerification['documentNumber']
  readonly sections: TokenizedVerification['sections']
  readonly checks: readonly RecordedCheck[]
  readonly declineCodes: readonly string[]
  /** The status log entry of this verification. Each verification has one, also when the status did not change. */
  readonly statusLog: { readonly previous: KycStatus; readonly next: KycStatus; readonly at: Date }
  readonly sealedDetails: Uint8Array
}

/** One page, newest first. Cursors are opaque. */
export interface Page<T> {
  readonly items: readonly T[]
  /** For each item, the cursor of what follows it. Newer rows do not move it. */
  readonly cursors: readonly string[]
  /** The last of `cursors`; null on the last page. */
  readonly nextCursor: string | null
}

/**
 * Stores verifications, checks, decline codes, the KYC status of users and its log.
 *
 * Every method is atomic. Errors carry a code and never a stored value.
 */
export interface VerificationStore {
  /**
   * Finds the existing submission under the key: null, the original result, or a conflict. Never returns another user's
   * data. Writes nothing.
   */
  findExisting(key: SubmissionKey): Promise<ExistingSubmission | null>

  /**
   * Writes verification, checks, decline codes, status, status log and photo jobs in one transaction.
   *
   * Of any number of concurrent calls with one key exactly one records; the others get the {@link ExistingSubmission}.
   * The store reads the current status under the lock that guards its change, and applies the matching one of
   * `outcomes`. Resolves only when the write is durable.
   *
   * A store that can erase users refuses a submission that arrived before the end of an erasure, with an error whose
   * `retryable` is true: its tokens may be of a destroyed key.
   */
  record(submission: {
    readonly key: SubmissionKey
    readonly verification: TokenizedVerification
    readonly payloadDigest: Uint8Array
    readonly recordedAt: Date
    readonly outcomes: StatusOutcomes
  }): Promise<{ readonly kind: 'recorded'; readonly result: IngestionResult } | ExistingSubmission>

  /** Returns those of these tokens that a verification of their owner refers to. */
  findReferencedTokens(tokens: readonly OwnedToken[]): Promise<ReadonlySet<Token>>

  /** Returns the KYC status; `UNVERIFIED` for an unknown user. */
  findKycStatus(userId: string): Promise<KycStatus>

  /** Returns a verification; null for one that is unknown or belongs to another app or user. */
  findVerification(owner: AppUser, verificationId: string): Promise<VerificationRecord | null>

  /**
   * Lists verifications, newest first. `limit` 1–200. With a cursor of another owner, the page is empty or holds rows
   * of `owner` only.
   *
   * @throws An error with code `CURSOR_INVALID` for a text that is no cursor.
   */
  listVerifications(
    owner: AppUser,
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<Page<VerificationRecord>>
}

/** One verification to record, with its outcomes for each status. */
export type Recording = Parameters<VerificationStore['record']>[0]
