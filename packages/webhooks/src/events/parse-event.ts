import type { z } from 'zod'
import { eventCatalogue } from './catalogue.js'
import type { EventType } from './event-types.js'
import type { EventPayloads } from './webhook-event.js'

/** Codes of violations of an event payload. */
export type EventViolationCode = 'REQUIRED' | 'TYPE' | 'FORMAT' | 'ENUM' | 'UNKNOWN_FIELD'

/** One reason why a payload is refused. */
export interface EventViolation {
  /** JSON Pointer (RFC 6901) into the payload; empty for the payload itself. */
  readonly pointer: string
  readonly code: EventViolationCode
  /** Fixed text. Never holds a value of the payload. */
  readonly message: string
}

const messages: Readonly<Record<EventViolationCode, string>> = {
  REQUIRED: 'This field is required and must not be null.',
  TYPE: 'This value has the wrong type.',
  FORMAT: 'This value has the wrong format.',
  ENUM: 'Not an allowed value.',
  UNKNOWN_FIELD: 'This object has an unknown field.',
}

/**
 * Validates an event payload strictly: every field follows the contract, and unknown fields are violations. The service
 * validates each event before it sends it. A receiver can use it too, but should not refuse events because of fields
 * from a later version.
 *
 * @returns the payload, or at most 50 violations in the order of the schema.
 *
 * @example
 * ```ts
 * import { parseEvent } from '@kyc-relay/webhooks/events'
 *
 * const parsed = parseEvent('WIDGET_DEPOSIT_COMPLETE', { eventType: 'WIDGET_DEPOSIT_COMPLETE', amount: '100' })
 * if (!parsed.ok) console.log(parsed.violations) // [{ pointer: '/userId', code: 'REQUIRED', … }, …]
 * ```
 */
export function parseEvent<Type extends EventType>(
  type: Type,
  payload: unknown,
):
  | { readonly ok: true; readonly event: EventPayloads[Type] }
  | { readonly ok: false; readonly violations: readonly EventViolation[] } {
  const parsed = eventCatalogue[type].schema.safeParse(payload)
  if (parsed.success) return { ok: true, event: parsed.data }
  const violations = parsed.error.issues.map((issue) => toViolation(issue, payload))
  return { ok: false, violations: violations.slice(0, 50) }
}

function toViolation(issue: z.core.$ZodIssue, payload: unknown): EventViolation {
  // Points to the object: the name of an unknown field may be personal data.
  if (issue.code === 'unrecognized_keys') return violation(issue.path, 'UNKNOWN_FIELD')
  const code = codeOf(issue, valueAt(payload, issue.path))
  const { pointer, message } = violation(issue.path, code)
  const isClosedList = issue.code === 'invalid_value' && code === 'ENUM'
  return {
    pointer,
    code,
    message: isClosedList ? `${message} Allowed: ${issue.values.map(String).join(', ')}.` : message,
  }
}

function codeOf(issue: z.core.$ZodIssue, value: unknown): EventViolationCode {
  if (value === undefined || value === null) return 'REQUIRED'
  if (issue.code === 'invalid_value') return typeof value === 'string' ? 'ENUM' : 'TYPE'
  return issue.code === 'invalid_format' ? 'FORMAT' : 'TYPE'
}

function violation(path: readonly PropertyKey[], code: EventViolationCode): EventViolation {
  const pointer = path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  return { pointer, code, message: messages[code] }
}

function valueAt(payload: unknown, path: readonly PropertyKey[]): unknown {
  let value = payload
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}

/**
 * Returns a fresh copy of the example payload of an event type.
 *
 * @example
 * ```ts
 * import { eventExample } from '@kyc-relay/webhooks/events'
 *
 * const body = JSON.stringify(eventExample('TRANSACTION_CREATE'))
 * ```
 */
export function eventExample<Type extends EventType>(type: Type): EventPayloads[Type] {
  return structuredClone(eventCatalogue[type].example)
}
