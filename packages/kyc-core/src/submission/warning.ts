/** Codes of warnings about an accepted submission. */
export type WarningCode =
  | 'US_TERRITORY_AS_COUNTRY'
  | 'PRIVATE_MAILBOX'
  | 'PO_BOX_IN_LINE_2'
  | 'TIME_ZONE_ASSUMED_UTC'
  | 'STALE_DECISION'
  | 'DECISION_EVIDENCE_MISMATCH'
  | 'DOCUMENT_EXPIRED'
  | 'CONFIDENCE_SCALE_SUSPECT'
  | 'SSN_IMPLAUSIBLE'
  | 'DATES_IMPLAUSIBLE'
  | 'SINGLE_NAME'
  | 'COUNTRY_USER_ASSIGNED'
  | 'ACCEPTED_ON_FAILED'
  | 'PII_BEYOND_TYPED_FIELDS'
  | 'ID_KEPT_IN_CLEAR'

/** One warning about an accepted submission. */
export interface Warning {
  /** JSON Pointer (RFC 6901) into the arguments. */
  readonly pointer: string
  readonly code: WarningCode
  /** A fixed text for the code. Holds no value of the submission. */
  readonly message: string
}

/** The fixed text of every warning code. */
export const WARNING_MESSAGES: Readonly<Record<WarningCode, string>> = {
  US_TERRITORY_AS_COUNTRY:
    'A US territory as countryCode counts as international. For a US address, send countryCode US and the territory as subdivision.',
  PRIVATE_MAILBOX: 'The address names a private mailbox (PMB).',
  PO_BOX_IN_LINE_2: 'streetLine2 names a PO box.',
  TIME_ZONE_ASSUMED_UTC: 'The time has no offset and was read as UTC.',
  STALE_DECISION: 'The decision is older than the configured age.',
  DECISION_EVIDENCE_MISMATCH: 'The decision is PASSED although a section or a check is FAILED. Recorded as sent.',
  DOCUMENT_EXPIRED: 'The document had expired when the decision was made.',
  CONFIDENCE_SCALE_SUSPECT: 'The score is between 0 and 1. The scale is 0 to 100.',
  SSN_IMPLAUSIBLE: 'This SSN cannot have been issued: its area, group or serial number is impossible.',
  DATES_IMPLAUSIBLE: 'A date is implausible or contradicts another date.',
  SINGLE_NAME: 'The person has one name only.',
  ACCEPTED_ON_FAILED: 'Not as the contract states. Accepted because the decision is FAILED.',
  PII_BEYOND_TYPED_FIELDS:
    'The data of the provider holds an email address, phone number, passport number or address that the typed fields do not carry.',
  ID_KEPT_IN_CLEAR: 'This id holds an email address. Ids are kept in clear.',
  COUNTRY_USER_ASSIGNED: 'A user-assigned country code, which ISO 3166-1 does not define.',
}

/** Creates a warning with the text of its code. */
export function createWarning(pointer: string, code: WarningCode): Warning {
  return { pointer, code, message: WARNING_MESSAGES[code] }
}
