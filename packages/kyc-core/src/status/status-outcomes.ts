import type { IngestionResult, StatusOutcomes } from '../ingestion/verification-store.js'
import { recordedCountry } from '../submission/country-codes.js'
import { transitionKycStatus, type Decision, type KycStatus, type SubmissionOutcome } from './kyc-status.js'

const MESSAGES: Readonly<Record<SubmissionOutcome, string>> = {
  VERIFIED: 'The verification was recorded and the KYC status of the user was set.',
  ALREADY_VERIFIED: 'The verification was recorded. The user was already verified; the existing status was preserved.',
  DECLINED: 'The verification was recorded. The KYC status of the user is unchanged.',
}

/**
 * Computes the effect of a submission on each of the three KYC statuses. The store applies one under the lock that
 * guards the status, so concurrent submissions change it once.
 */
export function statusOutcomes(
  submission: {
    readonly decision: Decision
    readonly person: { readonly address?: { readonly countryCode?: string | undefined } | undefined }
  },
  verificationId: string,
): StatusOutcomes {
  const { decision, person } = submission
  const countryCode = recordedCountry(person.address?.countryCode)
  function outcomeFrom(current: KycStatus): { next: KycStatus; result: IngestionResult } {
    const { next, outcome } = transitionKycStatus(current, { decision, countryCode })
    return { next, result: { status: outcome, verificationId, message: MESSAGES[outcome] } }
  }
  return {
    UNVERIFIED: outcomeFrom('UNVERIFIED'),
    PASS: outcomeFrom('PASS'),
    PASS_INTERNATIONAL: outcomeFrom('PASS_INTERNATIONAL'),
  }
}
