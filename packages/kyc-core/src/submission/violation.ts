/** Codes of violations. Each value has at most one violation, the most specific. */
export type ViolationCode =
  | 'REQUIRED'
  | 'TYPE'
  | 'FORMAT'
  | 'ENUM'
  | 'RANGE'
  | 'TOO_LONG'
  | 'UNKNOWN_FIELD'
  | 'UNSUPPORTED_SCHEMA_VERSION'
  | 'SSN_INVALID'
  | 'SSN_MASKED_OR_PARTIAL'
  | 'SSN_REQUIRED'
  | 'SSN_LAST4_REQUIRED'
  | 'SSN_LAST4_MISMATCH'
  | 'PO_BOX'
  | 'COUNTRY_INVALID'
  | 'SUBDIVISION_INVALID'
  | 'POSTAL_CODE_INVALID'
  | 'DATE_INVALID'
  | 'DATE_IN_FUTURE'
  | 'DATE_IMPLAUSIBLE'
  | 'INCONSISTENT_DATES'
  | 'NO_VERIFICATION_SECTION'
  | 'PHOTO_URL_INVALID'
  | 'CLEAR_PII_IN_FREE_FORM'
  | 'CONTROL_CHARACTER'
  | 'ILL_FORMED_UNICODE'
  | 'UNSAFE_NUMBER'
  | 'TOKEN_INVALID'
  | 'EXTERNAL_VERIFICATION_ID_CONFLICT'

/** One reason why a submission is refused. */
export interface Violation {
  /**
   * JSON Pointer (RFC 6901) into the arguments, for example `/person/ssnLast4`; empty for the whole submission. For an
   * unknown field it points to the object around the field, because the field name can hold personal data.
   */
  readonly pointer: string
  readonly code: ViolationCode
  /** A fixed text for the code; with `ENUM` also the allowed values. Holds no value of the submission. */
  readonly message: string
}

/** The fixed text of every violation code. */
export const VIOLATION_MESSAGES: Readonly<Record<ViolationCode, string>> = {
  REQUIRED: 'This value is required.',
  TYPE: 'The value has the wrong JSON type.',
  FORMAT: 'The value does not have the documented format.',
  ENUM: 'Not an allowed value.',
  RANGE: 'The number is outside the documented range.',
  TOO_LONG: 'The value exceeds the documented limit of length, size or depth.',
  UNKNOWN_FIELD:
    'This object has an unknown field. Send provider data in the open objects. No field may be named __proto__, constructor or prototype.',
  UNSUPPORTED_SCHEMA_VERSION: 'This schema version is not supported. Supported: 1.0.',
  SSN_INVALID:
    'Not a US Social Security number: nine digits, with optional dashes after the third and the fifth. Area 000, 666 and 9xx, group 00 and serial 0000 do not exist. A known sample may be refused.',
  SSN_MASKED_OR_PARTIAL: 'Never send a masked or partial SSN. Send all nine digits, or omit the field.',
  SSN_REQUIRED: 'person.ssn is required when verifications.ssn is sent.',
  SSN_LAST4_REQUIRED: 'ssnLast4 is required whenever ssn or verifications.ssn is sent.',
  SSN_LAST4_MISMATCH: 'ssnLast4 must equal the last four digits of ssn.',
  PO_BOX: 'A street address is required, not a PO box or private mailbox.',
  COUNTRY_INVALID: 'Not an assigned ISO 3166-1 alpha-2 code in upper case.',
  SUBDIVISION_INVALID: 'Not a two-letter code of a US state, district, territory or military region.',
  POSTAL_CODE_INVALID: 'Not a postal code. A US address needs a five-digit ZIP code.',
  DATE_INVALID: 'Not an existing date in the documented RFC 3339 format.',
  DATE_IN_FUTURE: 'The date is in the future.',
  DATE_IMPLAUSIBLE: 'The date is implausibly far in the past.',
  INCONSISTENT_DATES: 'This date contradicts another date of the submission.',
  NO_VERIFICATION_SECTION: 'At least one of document, ssn and database is required.',
  PHOTO_URL_INVALID:
    'A photo must be an HTTPS URL with a public host name, port 443 or above 1023, and no user information.',
  CLEAR_PII_IN_FREE_FORM:
    'Free-form data must not hold clear personal data such as an SSN, a document number or an image.',
  CONTROL_CHARACTER: 'The text contains a control character or an invisible character.',
  ILL_FORMED_UNICODE: 'The text is not well-formed Unicode.',
  UNSAFE_NUMBER: 'The number cannot be stored exactly. Send it as a string.',
  EXTERNAL_VERIFICATION_ID_CONFLICT: 'This externalVerificationId belongs to another submission.',
  TOKEN_INVALID: 'Not a token that was issued for this field, app and user in the last 24 hours.',
}

/** Creates a violation with the text of its code, and the allowed values of a closed list. */
export function createViolation(pointer: string, code: ViolationCode, allowed: readonly string[] = []): Violation {
  const message = VIOLATION_MESSAGES[code]
  return { pointer, code, message: allowed.length === 0 ? message : `${message} Allowed: ${allowed.join(', ')}.` }
}

/**
 * Reads our code from the message of a zod issue; `FORMAT` for any other text, so no text of a library leaves the
 * package.
 */
export function parseViolationCode(message: string): ViolationCode {
  return Object.hasOwn(VIOLATION_MESSAGES, message) ? (message as ViolationCode) : 'FORMAT'
}
