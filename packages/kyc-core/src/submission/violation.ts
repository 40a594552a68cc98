/** Why a value refuses a submission. A value has one violation, the most specific. */
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

/** One reason why a submission is refused. */
export interface Violation {
  /**
   * JSON Pointer (RFC 6901) into the arguments, for example `/person/ssnLast4`; empty for the whole. The name of an
   * unknown field is not repeated: the pointer is that of the object around it.
   */
  readonly pointer: string
  readonly code: ViolationCode
  /** A fixed text for the code. Holds no value of the submission. */
  readonly message: string
}

/** The fixed text of every violation code. */
export const VIOLATION_MESSAGES: Readonly<Record<ViolationCode, string>> = {
  REQUIRED: 'A value is required here.',
  TYPE: 'The value has the wrong JSON type.',
  FORMAT: 'The value does not have the documented format.',
  ENUM: 'The value is not one of the documented values.',
  RANGE: 'The number is outside the documented range.',
  TOO_LONG: 'The value is longer, larger or deeper than the documented limit.',
  UNKNOWN_FIELD: 'This object has a field that is not part of the contract. Provider data belongs in the open objects.',
  UNSUPPORTED_SCHEMA_VERSION: 'This schema version is not supported. Supported: 1.0.',
  SSN_INVALID: 'Not a US Social Security number: nine digits, with optional dashes after the third and the fifth.',
  SSN_MASKED_OR_PARTIAL: 'A masked or partial SSN must never be sent. Send all nine digits, or leave the field out.',
  SSN_REQUIRED: 'verifications.ssn needs the verified value in person.ssn.',
  SSN_LAST4_REQUIRED: 'ssnLast4 is required whenever ssn or verifications.ssn is sent.',
  SSN_LAST4_MISMATCH: 'ssnLast4 must equal the last four digits of ssn.',
  PO_BOX: 'A street address is required, not a PO box or private mailbox.',
  COUNTRY_INVALID: 'Not an assigned ISO 3166-1 alpha-2 code in upper case.',
  SUBDIVISION_INVALID: 'Not a US state, district, territory or military code of two letters.',
  POSTAL_CODE_INVALID: 'Not a postal code; for US addresses the five-digit ZIP.',
  DATE_INVALID: 'Not a date of the calendar in the documented RFC 3339 format.',
  DATE_IN_FUTURE: 'The date lies in the future.',
  DATE_IMPLAUSIBLE: 'The date lies implausibly far in the past.',
  INCONSISTENT_DATES: 'This date contradicts another date of the submission.',
  NO_VERIFICATION_SECTION: 'At least one of document, ssn and database is required.',
  PHOTO_URL_INVALID:
    'A photo must be an HTTPS URL with a public host name, at port 443 or one above 1023, without user information.',
  CLEAR_PII_IN_FREE_FORM:
    'Free-form data must not hold clear personal data such as an SSN, a document number or an image.',
  CONTROL_CHARACTER: 'The text holds a control or invisible character.',
  ILL_FORMED_UNICODE: 'The text is not well-formed Unicode.',
  UNSAFE_NUMBER: 'The number cannot be kept exactly. Send it as a string.',
  TOKEN_INVALID: 'Not a token of this field that was issued for this app and user in the last 24 hours.',
}

/** Makes the violation of a code at a place. */
export function createViolation(pointer: string, code: ViolationCode): Violation {
  return { pointer, code, message: VIOLATION_MESSAGES[code] }
}

/** Our code in the message of a zod issue; `FORMAT` for anything else, so that no text of a library leaves the package. */
export function parseViolationCode(message: string): ViolationCode {
  return Object.hasOwn(VIOLATION_MESSAGES, message) ? (message as ViolationCode) : 'FORMAT'
}
