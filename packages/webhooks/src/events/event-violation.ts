import type { SchemaIssue } from './standard-schema.js'

/** Codes of violations of an event payload. */
export type EventViolationCode = 'REQUIRED' | 'TYPE' | 'FORMAT' | 'ENUM' | 'RANGE' | 'UNKNOWN_FIELD'

/** One reason why a payload is refused. */
export interface EventViolation {
  /** JSON Pointer (RFC 6901) into the payload; empty for the payload itself. */
  readonly pointer: string
  readonly code: EventViolationCode
  /** Fixed text; with `ENUM` also the values that the schema allows. Never holds a value of the payload. */
  readonly message: string
}

const messages: Readonly<Record<EventViolationCode, string>> = {
  REQUIRED: 'This field is required and must not be null.',
  TYPE: 'This value has the wrong type.',
  FORMAT: 'This value has the wrong format.',
  ENUM: 'Not an allowed value.',
  RANGE: 'This value, or its length, is outside the allowed range.',
  UNKNOWN_FIELD: 'This object has an unknown field.',
}

/** Codes of issues of zod. Of another library only the path is known. */
const codes: ReadonlyMap<unknown, EventViolationCode> = new Map([
  ['too_small', 'RANGE'],
  ['too_big', 'RANGE'],
  ['not_multiple_of', 'RANGE'],
  ['invalid_format', 'FORMAT'],
  ['custom', 'FORMAT'],
])

const mostViolations = 50

/** An issue of zod says more than the standard asks for. */
type Issue = SchemaIssue & { readonly code?: unknown; readonly values?: unknown }

/** Converts the issues of a schema. Their own messages may hold values and are dropped. */
export function issuesOf(issues: readonly Issue[], payload: unknown): readonly EventViolation[] {
  return issues.slice(0, mostViolations).map((issue) => toViolation(issue, payload))
}

function toViolation(issue: Issue, payload: unknown): EventViolation {
  const path = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part))
  // Points to the object: the name of an unknown field may be personal data.
  const code = issue.code === 'unrecognized_keys' ? 'UNKNOWN_FIELD' : codeOf(issue, valueAt(payload, path))
  const pointer = path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  const allowed = code === 'ENUM' && Array.isArray(issue.values) ? issue.values.map(String) : []
  const message = messages[code]
  return { pointer, code, message: allowed.length === 0 ? message : `${message} Allowed: ${allowed.join(', ')}.` }
}

function codeOf(issue: Issue, value: unknown): EventViolationCode {
  if (value === undefined || value === null) return 'REQUIRED'
  if (issue.code === 'invalid_value') return typeof value === 'string' ? 'ENUM' : 'TYPE'
  return codes.get(issue.code) ?? 'TYPE'
}

function valueAt(payload: unknown, path: readonly PropertyKey[]): unknown {
  let value = payload
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}
