import type { KycStatus } from '../status/kyc-status.js'

/** A change of a user's KYC status. */
export interface KycStatusChange {
  /** Id of the verification, or of the correction. */
  readonly changeId: string
  readonly userId: string
  /** `SUBMISSION`, or `OPERATOR` for a correction. */
  readonly source: 'SUBMISSION' | 'OPERATOR'
  /** App whose submission changed it; null for a correction. */
  readonly appId: string | null
  /** Null for a correction. */
  readonly verificationId: string | null
  readonly previous: KycStatus
  readonly next: KycStatus
  readonly changedAt: Date
}

/**
 * The changes of KYC statuses whose events are not published yet. `record` of the `VerificationStore` and
 * `correctKycStatus` of `KycStatusCorrections` add each in their own transaction, so that none is lost in a crash.
 */
export interface KycStatusOutbox {
  /** Lists unpublished changes, oldest first. `limit` 1–200. */
  listUnpublished(request: { readonly limit: number }): Promise<readonly KycStatusChange[]>
  /** Notes that the events of a change are published. A second call changes nothing. */
  markPublished(change: Pick<KycStatusChange, 'userId' | 'changeId'>): Promise<void>
}
