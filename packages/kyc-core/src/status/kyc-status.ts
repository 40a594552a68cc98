/** KYC status of a user. Submissions change it at most once, from `UNVERIFIED` to one of the other two (docs/contract.md 3.1). */
export type KycStatus = 'UNVERIFIED' | 'PASS' | 'PASS_INTERNATIONAL'

/** The provider's decision. */
export type Decision = 'PASSED' | 'FAILED'

/** `status` of the response: status set now, an existing status preserved, or `FAILED` recorded. */
export type SubmissionOutcome = 'VERIFIED' | 'ALREADY_VERIFIED' | 'DECLINED'

/** All KYC statuses. */
export const KYC_STATUSES = ['UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL'] as const satisfies readonly KycStatus[]

/** Change of the KYC status by one decision. */
export interface KycStatusTransition {
  readonly next: KycStatus
  readonly changed: boolean
  readonly outcome: SubmissionOutcome
}

/**
 * Computes the effect of a decision on a user's KYC status (docs/contract.md 3.1).
 *
 * `FAILED` never changes the status. `PASSED` sets it once: to `PASS` for a US address, to `PASS_INTERNATIONAL` for any
 * other.
 *
 * @param submission `countryCode` is `person.address.countryCode`, ISO 3166-1 alpha-2, compared exactly.
 *
 * @example
 * ```ts
 * import { transitionKycStatus } from '@kyc-relay/kyc-core'
 *
 * transitionKycStatus('UNVERIFIED', { decision: 'PASSED', countryCode: 'US' })
 * // { next: 'PASS', changed: true, outcome: 'VERIFIED' }
 * ```
 */
export function transitionKycStatus(
  current: KycStatus,
  submission: { readonly decision: Decision; readonly countryCode: string },
): KycStatusTransition {
  if (submission.decision === 'FAILED') return { next: current, changed: false, outcome: 'DECLINED' }
  if (current !== 'UNVERIFIED') return { next: current, changed: false, outcome: 'ALREADY_VERIFIED' }
  return { next: submission.countryCode === 'US' ? 'PASS' : 'PASS_INTERNATIONAL', changed: true, outcome: 'VERIFIED' }
}
