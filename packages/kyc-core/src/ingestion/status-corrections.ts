import type { KycStatus } from '../status/kyc-status.js'

/** A correction of a user's KYC status by an operator: a row of the status log without a verification. */
export interface KycStatusCorrection {
  /** UUID. */
  readonly correctionId: string
  readonly userId: string
  readonly previous: KycStatus
  readonly next: KycStatus
  readonly at: Date
  /** Who corrected, as in the audit log. */
  readonly actor: string
  /** Reason of the operator. It is never shown to partners. */
  readonly reason: string
}

/** Corrects KYC statuses. Every method is atomic. */
export interface KycStatusCorrections {
  /**
   * Sets the status of a user, if it still is `expected`. The status is read under the lock that guards its change, so of
   * racing corrections and submissions each sees the one before it. A later submission follows `transitionKycStatus` from
   * the corrected status; replays keep their answer.
   *
   * @returns `changed` with the current status when it is not `expected`; nothing is written then.
   */
  correctKycStatus(
    correction: Omit<KycStatusCorrection, 'previous'> & { readonly expected: KycStatus },
  ): Promise<
    | { readonly kind: 'corrected'; readonly correction: KycStatusCorrection }
    | { readonly kind: 'changed'; readonly current: KycStatus }
  >
  /** Lists the corrections of a user, oldest first. */
  listCorrections(userId: string): Promise<readonly KycStatusCorrection[]>
}
