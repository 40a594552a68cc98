/** Every top-level error code with its fixed text. Nothing that a client sent is ever part of an error. */
export const errorCatalogue = {
  UNAUTHENTICATED: { status: 401, retryable: false, message: 'A valid access token is required.' },
  FORBIDDEN: { status: 403, retryable: false, message: 'The access token does not carry the required scope.' },
  BAD_REQUEST: { status: 400, retryable: false, message: 'The request is malformed.' },
  NOT_FOUND: { status: 404, retryable: false, message: 'There is nothing at this address.' },
  METHOD_NOT_ALLOWED: { status: 405, retryable: false, message: 'This address does not accept this method.' },
  NOT_ACCEPTABLE: {
    status: 406,
    retryable: false,
    message: 'Answers are application/json or application/graphql-response+json.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    retryable: false,
    message: 'The body must be application/json in UTF-8, without a content encoding.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, retryable: false, message: 'The body is larger than the limit.' },
  LIMIT_EXCEEDED: { status: 400, retryable: false, message: 'The request exceeds a limit.' },
  GRAPHQL_PARSE_FAILED: { status: 200, retryable: false, message: 'The document is not valid GraphQL.' },
  GRAPHQL_VALIDATION_FAILED: {
    status: 200,
    retryable: false,
    message: 'The document or its variables do not fit the schema.',
  },
  ARGUMENTS_MUST_BE_VARIABLES: {
    status: 200,
    retryable: false,
    message:
      'Every argument of a submission must be a GraphQL variable without a default: inlined values cannot be tokenized.',
  },
  UNDECLARED_VARIABLE: {
    status: 200,
    retryable: false,
    message: 'A variable was sent that the operation does not declare.',
  },
  MULTIPLE_SUBMISSIONS: {
    status: 200,
    retryable: false,
    message: 'A request holds one operation with one submission.',
  },
  PII_NOT_TOKENIZED: {
    status: 200,
    retryable: false,
    message: 'Clear personal data was sent to a host that only takes tokens. Send submissions to the secure endpoint.',
  },
  SECURE_ENDPOINT_REQUIRED: { status: 200, retryable: false, message: 'Send submissions to the secure endpoint.' },
  VALIDATION_FAILED: {
    status: 200,
    retryable: false,
    message: 'The submission breaks one or more rules. See violations.',
  },
  SSN_LAST4_MISMATCH: {
    status: 200,
    retryable: false,
    message: 'person.ssnLast4 does not equal the last four digits of person.ssn.',
  },
  EXTERNAL_VERIFICATION_ID_CONFLICT: {
    status: 200,
    retryable: false,
    message: 'This externalVerificationId is already in use. A new verification needs a new identifier.',
  },
  RATE_LIMITED: { status: 429, retryable: true, message: 'Too many requests.' },
  UNAVAILABLE: {
    status: 503,
    retryable: true,
    message: 'The service cannot answer now. Nothing was written that a retry would repeat.',
  },
  INTERNAL: { status: 500, retryable: true, message: 'The service failed. A retry is safe.' },
} as const

/** One code of {@link errorCatalogue}. */
export type ErrorCode = keyof typeof errorCatalogue

/** What is missing where it is no access token. */
const credentials: Readonly<Record<string, string>> = {
  API_KEY_REQUIRED: 'A valid API key is required.',
  API_KEY_RETIRING: 'This API key is being retired: it may read, and change nothing. Use the new key.',
  INTERNAL_TOKEN_REQUIRED: 'The internal token is required.',
}

/** The fixed text of a refusal. */
export function messageOf({ code, detail, status }: Refusal): string {
  if (code === 'BAD_REQUEST' && status === 409) return 'The request does not fit the present state. See detail.'
  return credentials[detail ?? ''] ?? errorCatalogue[code].message
}

/** Why a request was refused: a code, and for malformed requests which rule it broke. */
export interface Refusal {
  readonly code: ErrorCode
  readonly detail?: string
  /** HTTP status, where it is not the usual one of the code. */
  readonly status?: number
}
