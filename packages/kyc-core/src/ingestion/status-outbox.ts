import type { KycStatus } from '../status/kyc-status.js'

/** A change of a user's KYC status. */
export interface KycStatusChange {
  readonly userId: string
  /** App whose submission changed it. */
  readonly appId: string
  readonly verificationId: string
  readonly previous: KycStatus
  readonly next: KycStatus
  readonly changedAt: Date
}

/**
 * The changes of KYC statuses whose events are not published yet. `record` of the `VerificationStore` adds each in its own
 * transaction, so that none is lost in a crash.
 */
export interface KycStatusOutbox {
  /** Lists unpublished changes, oldest first. `limit` 1–200. */
  listUnpublished(request: { readonly limit: number }): Promise<readonly KycStatusChange[]>
  /** Notes that the events of a change are published. A second call changes nothing. */
  markPublished(change: Pick<KycStatusChange, 'userId' | 'verificationId'>): Promise<void>
}
