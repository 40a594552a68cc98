import type { Decision, KycStatus, SubmissionOutcome } from '../status/kyc-status.js'
import type { AppUser } from '../tokenization/pii-vault.js'
import type { Token } from '../tokenization/token.js'

/** Identifies one submission: unique per app, without a time limit. `userId` is who submits it now. */
export interface SubmissionKey extends AppUser {
  readonly externalVerificationId: string
}

/** The three response fields, exactly as they are answered and replayed. */
export interface IngestionResult {
  readonly status: SubmissionOutcome
  /** UUID (v7) of the verification. */
  readonly verificationId: string
  readonly message: string
}

/** What is already recorded under a key: the original of a replay, or another user's submission. */
export type ExistingSubmission =
  | { readonly kind: 'replayed'; readonly result: IngestionResult; readonly payloadDigest: Uint8Array }
  | { readonly kind: 'conflict' }

/** Names of the three sections of `verifications`. */
export type SectionName = 'document' | 'ssn' | 'database'

/** One check outcome as recorded for audit. Its reasons are free text and live in the sealed part. */
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

/** A submission as it may be stored: no clear PII in it. In clear are only the columns the service works with. */
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
  readonly ssn: { readonly token: Token; readonly standing: 'COLLECTED' | 'VALIDATED' } | null
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

/** What one decision does to each standing a user can have. The store picks under its own lock. */
export type StatusOutcomes = Readonly<Record<KycStatus, { readonly next: KycStatus; readonly result: IngestionResult }>>

/** A verification as read back. */
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
  /** The status log entry this verification made: one each, also when the status was kept. */
  readonly statusLog: { readonly previous: KycStatus; readonly next: KycStatus; readonly at: Date }
  readonly sealedDetails: Uint8Array
}

/** One page, newest first. `nextCursor` is opaque; null on the last page. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor: string | null
}

/**
 * Keeps verifications, checks, decline codes, the KYC status of users and its log.
 *
 * Every method is one atomic unit of work. Errors carry a code and never a stored value.
 */
export interface VerificationStore {
  /**
   * What is already recorded under the key: null, the original result, or a conflict; never another user's data.
   * Writes nothing.
   */
  findExisting(key: SubmissionKey): Promise<ExistingSubmission | null>

  /**
   * Writes verification, checks, decline codes, status, status log and photo jobs, or nothing.
   *
   * Of any number of concurrent calls with one key exactly one records; the others get the {@link ExistingSubmission}. The user's
   * present status is read under the same lock that guards its change, and picks one of `outcomes`. Resolves only when
   * the write is durable.
   */
  record(submission: {
    readonly key: SubmissionKey
    readonly verification: TokenizedVerification
    readonly payloadDigest: Uint8Array
    readonly recordedAt: Date
    readonly outcomes: StatusOutcomes
  }): Promise<{ readonly kind: 'recorded'; readonly result: IngestionResult } | ExistingSubmission>

  /** Which of these tokens a verification refers to. */
  findReferencedTokens(tokens: readonly Token[]): Promise<ReadonlySet<Token>>

  /** `UNVERIFIED` for a user nothing is known of. */
  findKycStatus(userId: string): Promise<KycStatus>

  /** Null also for a verification of another app or user. */
  findVerification(owner: AppUser, verificationId: string): Promise<VerificationRecord | null>

  /** Newest first. `limit` 1–200. A cursor of another owner gives an empty page or that owner's own rows, never others'. */
  listVerifications(
    owner: AppUser,
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<Page<VerificationRecord>>
}
