import type * as z from 'zod'

/** One violation of a request: JSON Pointer, stable code and fixed text. Holds no value. */
export interface RequestViolation {
  readonly pointer: string
  readonly code: string
  readonly message: string
}

const messages = {
  REQUIRED: 'This value is required.',
  TYPE: 'This value has the wrong type.',
  ENUM: 'Not an allowed value.',
  FORMAT: 'This value does not have the required format.',
  RANGE: 'This value is outside the allowed range.',
  TOO_LONG: 'This value is longer than allowed.',
  UNKNOWN_FIELD: 'This object has an unknown field.',
  CURSOR_INVALID: 'The cursor does not belong to this list. Start without a cursor.',
  URL_NOT_HTTPS: 'The URL must start with https://.',
  URL_INVALID:
    'Enter a full URL such as https://hooks.example.com/webhooks, at most 2,048 characters. After the host, percent-encode spaces and characters outside ASCII.',
  URL_HAS_CREDENTIALS: 'The URL must not contain a user name or a password.',
  URL_HAS_FRAGMENT: 'The URL must not contain a fragment (#).',
  URL_PORT_NOT_ALLOWED: 'Use port 443, or a port above 1023 that browsers do not block.',
  URL_HOST_NOT_ALLOWED:
    'The host must be a public name: not an IP address, a private or reserved name, or a name of this service.',
  TOO_MANY_HEADERS: 'Give at most five headers.',
  HEADER_NAME_INVALID:
    'A header name has 1 to 100 letters, digits, hyphens, underscores or other characters of an HTTP token.',
  HEADER_NAME_NOT_ALLOWED: 'The service sets one of these headers itself, or HTTP does.',
  HEADER_NAME_REPEATED: 'A header is given twice.',
  HEADER_VALUE_INVALID: 'A header value has 1 to 1,000 visible ASCII characters, with spaces only inside.',
} as const

/** Codes of {@link RequestViolation}. */
export type ViolationCode = keyof typeof messages

/** Creates a violation with the text of its code, and the allowed values of a closed list. */
export function violation(pointer: string, code: ViolationCode, allowed: readonly string[] = []): RequestViolation {
  const message = messages[code]
  return { pointer, code, message: allowed.length === 0 ? message : `${message} Allowed: ${allowed.join(', ')}.` }
}

/** Converts the issues of a schema to violations, in order. `value` is the checked value. */
export function violationsOf(error: z.ZodError, value: unknown): RequestViolation[] {
  return error.issues.map((issue) => {
    const at = pointerOf(issue.path)
    // Points to the object: an unknown key can be the name or number of a person.
    if (issue.code === 'unrecognized_keys') return violation(at, 'UNKNOWN_FIELD')
    const code = codeOf(issue, value)
    return violation(at, code, issue.code === 'invalid_value' && code === 'ENUM' ? issue.values.map(String) : [])
  })
}

function codeOf(issue: z.core.$ZodIssue, value: unknown): ViolationCode {
  switch (issue.code) {
    case 'invalid_type':
      return isAbsent(value, issue.path) ? 'REQUIRED' : 'TYPE'
    case 'invalid_value':
      return isAbsent(value, issue.path) ? 'REQUIRED' : 'ENUM'
    case 'too_big':
      return issue.origin === 'number' ? 'RANGE' : 'TOO_LONG'
    case 'too_small':
      return 'RANGE'
    default:
      return 'FORMAT'
  }
}

function isAbsent(value: unknown, path: readonly PropertyKey[]): boolean {
  let at = value
  for (const part of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return true
    at = (at as Record<PropertyKey, unknown>)[part]
  }
  return at === undefined
}

function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
