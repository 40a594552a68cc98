/** KYC status of a user. */
export type KycStatusValue = 'UNVERIFIED' | 'PASS' | 'PASS_INTERNATIONAL'

/** The KYC status of a user changed. Needs the scope `VERIFY_KYC`, and an endpoint that names the type. */
export interface KycStatusChangedEvent {
  readonly eventType: 'KYC_STATUS_CHANGED'
  /** The service's user id, a UUID. */
  readonly userId: string
  /** The service's account id, a UUID. */
  readonly accountId: string
  /** The partner application's own user identifier, as supplied in the OAuth flow. */
  readonly externalReferenceId: string
  /** The partner application's id, a UUID. */
  readonly appId: string
  /** Status before the change. */
  readonly previous: KycStatusValue
  /** Status after the change. */
  readonly next: KycStatusValue
  /** Time of the change, RFC 3339 in UTC. */
  readonly changedAt: string
  /** What changed it: a submission, or the operator of the service. */
  readonly source: 'SUBMISSION' | 'OPERATOR'
  /** Verification of this app that changed it, a UUID; null if another app's did. */
  readonly verificationId: string | null
}
