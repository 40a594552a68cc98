import type { z } from 'zod'

/** One thing that is wrong with a request: where (JSON Pointer), a stable code, a fixed text. Never a value. */
export interface RequestViolation {
  readonly pointer: string
  readonly code: string
  readonly message: string
}

const messages = {
  REQUIRED: 'This value is required.',
  TYPE: 'This value has the wrong type.',
  ENUM: 'This value is not one of the allowed ones.',
  FORMAT: 'This value does not have the required form.',
  RANGE: 'This value is outside its range.',
  TOO_LONG: 'This value is longer than allowed.',
  UNKNOWN_FIELD: 'This object has a field that is not documented.',
  CURSOR_INVALID: 'The cursor was not made by this list. Begin without one.',
  URL_NOT_HTTPS: 'The URL must begin with https://.',
  URL_INVALID: 'This is not a URL in plain spelling of at most 2,048 characters.',
  URL_HAS_CREDENTIALS: 'The URL must not hold a user name or a password.',
  URL_HAS_FRAGMENT: 'The URL must not hold a fragment (#).',
  URL_PORT_NOT_ALLOWED: 'Use port 443, or one above 1023 that browsers do not block.',
  URL_HOST_NOT_ALLOWED: 'The host must be a public name: no IP address, no private name, none of this service.',
} as const

/** Codes of {@link RequestViolation}. */
export type ViolationCode = keyof typeof messages

/** A violation with the text of its code. */
export function violation(pointer: string, code: ViolationCode): RequestViolation {
  return { pointer, code, message: messages[code] }
}

/** What a schema found, as violations: at most 50, in the order found. `value` is what was checked. */
export function violationsOf(error: z.ZodError, value: unknown): RequestViolation[] {
  return error.issues
    .map((issue) => {
      const at = pointerOf(issue.path)
      // The object around it: a key is the caller's own and can be the name or number of a person.
      return violation(at, issue.code === 'unrecognized_keys' ? 'UNKNOWN_FIELD' : codeOf(issue, value))
    })
    .slice(0, 50)
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
