/** The user's standing. Moves once at most: from `UNVERIFIED` to one of the others (spec, "User KYC status"). */
export type KycStatus = 'UNVERIFIED' | 'PASS' | 'PASS_INTERNATIONAL'

/** The provider's decision. */
export type Decision = 'PASSED' | 'FAILED'

/** `status` of the response (decision 3). */
export type SubmissionOutcome = 'VERIFIED' | 'ALREADY_VERIFIED' | 'DECLINED'
