/** Every top-level error code with its fixed text. No error holds data from a request. */
export const errorCatalogue = {
  UNAUTHENTICATED: { status: 401, retryable: false, message: 'A valid access token is required.' },
  FORBIDDEN: { status: 403, retryable: false, message: 'The access token does not have the required scope.' },
  BAD_REQUEST: { status: 400, retryable: false, message: 'The request is malformed.' },
  NOT_FOUND: { status: 404, retryable: false, message: 'This address does not exist.' },
  METHOD_NOT_ALLOWED: { status: 405, retryable: false, message: 'This address does not accept this method.' },
  NOT_ACCEPTABLE: {
    status: 406,
    retryable: false,
    message: 'The service can respond with application/json or application/graphql-response+json only.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    retryable: false,
    message: 'The body must be application/json in UTF-8, without a content encoding.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, retryable: false, message: 'The body is larger than the limit.' },
  UNKNOWN_PARAMETER: { status: 400, retryable: false, message: 'The query has a parameter that does not exist.' },
  ENDPOINT_URL_IN_USE: {
    status: 409,
    retryable: false,
    message: 'This app already uses the URL, or used it, for another endpoint.',
  },
  RECOVERY_RUNNING: { status: 409, retryable: false, message: 'This endpoint has a recovery that is running.' },
  PAUSED_BY_OPERATOR: { status: 409, retryable: false, message: 'The operator paused this endpoint.' },
  SOURCE_EVENT_ID_CONFLICT: {
    status: 409,
    retryable: false,
    message: 'This sourceEventId was already used for another event.',
  },
  STATUS_CHANGED: {
    status: 409,
    retryable: false,
    message: 'The KYC status is not the expected one. Read it again.',
  },
  USER_ERASED: {
    status: 410,
    retryable: false,
    message: 'The user was erased. What stays holds no personal data.',
  },
  LEGAL_HOLD: { status: 409, retryable: false, message: 'The user is under a legal hold. Nothing was erased.' },
  ERASURE_IN_PROGRESS: {
    status: 409,
    retryable: false,
    message: 'An erasure of the user has started and not finished. Repeat the erasure.',
  },
  CURSOR_INVALID: { status: 400, retryable: false, message: 'The cursor does not belong to this list.' },
  CURSOR_EXPIRED: { status: 410, retryable: false, message: 'Events after this cursor are no longer kept.' },
  CURSOR_UNKNOWN: { status: 410, retryable: false, message: 'The cursor is ahead of the service.' },
  LIMIT_EXCEEDED: { status: 400, retryable: false, message: 'The request exceeds a limit.' },
  GRAPHQL_PARSE_FAILED: { status: 200, retryable: false, message: 'The document is not valid GraphQL.' },
  GRAPHQL_VALIDATION_FAILED: {
    status: 200,
    retryable: false,
    message: 'The document or its variables do not match the schema.',
  },
  ARGUMENTS_MUST_BE_VARIABLES: {
    status: 200,
    retryable: false,
    message:
      'Every argument of a submission must be a GraphQL variable without a default. Inlined values cannot be tokenized.',
  },
  UNDECLARED_VARIABLE: {
    status: 200,
    retryable: false,
    message: 'The operation does not declare a variable of the request.',
  },
  MULTIPLE_SUBMISSIONS: {
    status: 200,
    retryable: false,
    message: 'A request must have exactly one operation with one submission.',
  },
  PII_NOT_TOKENIZED: {
    status: 200,
    retryable: false,
    message:
      'This host accepts only tokens, but the request has clear personal data. Send submissions to the secure endpoint.',
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
    message: 'person.ssnLast4 must equal the last four digits of person.ssn.',
  },
  EXTERNAL_VERIFICATION_ID_CONFLICT: {
    status: 200,
    retryable: false,
    message: 'This externalVerificationId is already in use. Use a new identifier for a new verification.',
  },
  RATE_LIMITED: { status: 429, retryable: true, message: 'Too many requests.' },
  UNAVAILABLE: {
    status: 503,
    retryable: true,
    message: 'The service is temporarily unavailable. Retrying is safe.',
  },
  INTERNAL: { status: 500, retryable: true, message: 'The service failed. Retrying is safe.' },
} as const

/** One code of {@link errorCatalogue}. */
export type ErrorCode = keyof typeof errorCatalogue

/** Texts for other missing credentials than an access token. */
const credentials: Readonly<Record<string, string>> = {
  API_KEY_REQUIRED: 'A valid API key is required.',
  API_KEY_RETIRING: 'This API key is being retired. It allows only reading. Use the new key.',
  INTERNAL_TOKEN_REQUIRED: 'The internal token or the token of an operator is required.',
  METRICS_TOKEN_REQUIRED:
    'METRICS_TOKEN or INTERNAL_TOKEN is required. The token of an operator does not open metrics.',
  RIGHT_REQUIRED: 'The operator does not have the required right.',
}

/** Returns the fixed text of a refusal. */
export function messageOf({ code, detail, status, unrouted }: Refusal): string {
  if (code === 'BAD_REQUEST' && status === 409) return 'The request conflicts with the current state. See detail.'
  if (code === 'NOT_FOUND' && unrouted !== true) return 'There is no object with this id.'
  return credentials[detail ?? ''] ?? errorCatalogue[code].message
}

/** Reason of a refusal: a code and, for malformed requests, the broken rule. */
export interface Refusal {
  readonly code: ErrorCode
  readonly detail?: string
  /** HTTP status, if it is not the default of the code. */
  readonly status?: number
  /** With `NOT_FOUND`, true if the address itself does not exist. */
  readonly unrouted?: true
  /** What is wrong with a GraphQL document: a reason in the words of our schema, and the position. */
  readonly problem?: {
    readonly reason?: string
    readonly locations: readonly { readonly line: number; readonly column: number }[]
  }
  /** With `CURSOR_EXPIRED`, the cursor to go on with. */
  readonly oldest?: string
  /** With `USER_ERASED`, what stays. It holds no personal data. */
  readonly kept?: object
}
