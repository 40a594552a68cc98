/** Allowed values in columns of verifications, on both engines. */
export const decisions = ['PASSED', 'FAILED'] as const
export const resultStatuses = ['VERIFIED', 'ALREADY_VERIFIED', 'DECLINED'] as const
export const ssnStates = ['COLLECTED', 'VALIDATED'] as const
export const kycStatusValues = ['UNVERIFIED', 'PASS', 'PASS_INTERNATIONAL'] as const
