/**
 * Every switch of the validation. The defaults refuse what is unsafe or ambiguous and nothing that a legitimate partner
 * may send.
 */
export interface SubmissionPolicy {
  /** Names of external verification providers that are accepted beside `CUSTOM`. Default none. */
  readonly providers: readonly string[]
  /**
   * Accept an ITIN (9xx with group 50–65, 70–88, 90–92, 94–99) as `person.ssn`. Default false: the contract asks for an
   * SSN, and 9xx was never one.
   */
  readonly acceptItin: boolean
  /**
   * Refuse SSNs known from advertising and documentation, for example 078-05-1120. Default false, because test systems
   * use them; switch it on in production.
   */
  readonly rejectKnownSampleSsns: boolean
  /** Refuse private mailboxes, and PO boxes in `streetLine2`, instead of warning. Default false. */
  readonly strictAddresses: boolean
  /** Older decisions get the warning `STALE_DECISION`. Days, integer of 1 or more. Default 730 (two years). */
  readonly maxDecisionAgeDays: number
  /** Accept photo URLs on `localhost`, for local development. Default false. */
  readonly allowLoopbackPhotos: boolean
}

/** The policy that applies where an option is not given. */
export const DEFAULT_SUBMISSION_POLICY: SubmissionPolicy = {
  providers: [],
  acceptItin: false,
  rejectKnownSampleSsns: false,
  strictAddresses: false,
  maxDecisionAgeDays: 730,
  allowLoopbackPhotos: false,
}

/** The given switches, and the default of every other. */
export function completePolicy(policy: Partial<SubmissionPolicy> = {}): SubmissionPolicy {
  const given = Object.fromEntries(Object.entries(policy).filter(([, value]) => value !== undefined))
  return { ...DEFAULT_SUBMISSION_POLICY, ...given }
}
