/**
 * Settings of the validation. The defaults refuse unsafe and ambiguous values, but no value that a legitimate partner
 * may send.
 */
export interface SubmissionPolicy {
  /** Names of accepted external verification providers besides `CUSTOM`. Default none. */
  readonly providers: readonly string[]
  /**
   * Accept an ITIN (9xx with group 50–65, 70–88, 90–92, 94–99) as `person.ssn`. Default false: the contract requires an
   * SSN, and an ITIN is not an SSN.
   */
  readonly acceptItin: boolean
  /**
   * Refuse SSNs known from advertising and documentation, for example 078-05-1120. Default false because test systems
   * use them. Set it to true in production.
   */
  readonly rejectKnownSampleSsns: boolean
  /** Refuse private mailboxes, and PO boxes in `streetLine2`, instead of warning. Default false. */
  readonly strictAddresses: boolean
  /**
   * Age in days after which a decision gets the warning `STALE_DECISION`. Integer of 1 or more. Default 730 (two
   * years).
   */
  readonly maxDecisionAgeDays: number
  /**
   * User-assigned country codes (`AA`, `QM`–`QZ`, `XA`–`XZ`, `ZZ`) that are accepted with the warning
   * `COUNTRY_USER_ASSIGNED`, for example `XK` for Kosovo. Default none. Other codes in the list have no effect.
   */
  readonly extraCountries: readonly string[]
  /** Accept a person without `lastName`, with the warning `SINGLE_NAME`. Default false. */
  readonly allowAbsentLastName: boolean
  /**
   * With decision `FAILED`, accept an address that breaks a rule or is absent, a document without a valid number, and an
   * `ssn` section without SSN, with the warning `ACCEPTED_ON_FAILED`: each may be the reason of the decision. Default
   * false.
   */
  readonly lenientOnFailed: boolean
  /** Accept photo URLs on `localhost`, for local development. Default false. */
  readonly allowLoopbackPhotos: boolean
}

/** Defaults of the policy. */
export const DEFAULT_SUBMISSION_POLICY: SubmissionPolicy = {
  providers: [],
  acceptItin: false,
  rejectKnownSampleSsns: false,
  strictAddresses: false,
  maxDecisionAgeDays: 730,
  extraCountries: [],
  allowAbsentLastName: false,
  lenientOnFailed: false,
  allowLoopbackPhotos: false,
}

/** Completes given settings with the defaults. */
export function completePolicy(policy: Partial<SubmissionPolicy> = {}): SubmissionPolicy {
  const given = Object.fromEntries(Object.entries(policy).filter(([, value]) => value !== undefined))
  return { ...DEFAULT_SUBMISSION_POLICY, ...given }
}
