import type { EventViolation, EventViolationCode } from '../events/parse-event.js'

const messages = {
  EVENT_INVALID: 'The event does not have the shape of its type; see violations.',
  EVENT_TYPE_UNKNOWN: 'There is no such event type.',
  ENDPOINT_NOT_FOUND: 'This app has no such endpoint.',
  GRANTS_MISMATCH: 'The grant look-up gave another number of answers than it was asked for.',
  TRANSACTION_UNKNOWN: 'There is no such transaction of this app and user.',
  TRANSACTION_EXISTS: 'There is already a transaction with this id.',
  TRANSITION_NOT_ALLOWED: 'The transaction may not move this way, or nothing of it would change.',
  SOURCE_EVENT_ID_CONFLICT: 'This sourceEventId was used for another fact.',
  TRANSACTION_BUSY: 'The transaction was moved by others again and again. Nothing was written; try again.',
} as const

/** Stable code of a {@link WebhookError}. */
export type WebhookErrorCode = keyof typeof messages

/** One reason why an event was refused. `pointer` is a JSON Pointer into its data; no value is ever repeated. */
export interface PreparationViolation extends Omit<EventViolation, 'code'> {
  /** `IDENTIFIER_MISMATCH`: an identifier was given, and it is not the one of the grant. */
  readonly code: EventViolationCode | 'IDENTIFIER_MISMATCH'
}

const brand = Symbol.for('@kyc-relay/webhooks/WebhookError')

/**
 * An event could not be prepared. Recognise it by `code`, or by `instanceof`, which also holds across two loaded copies
 * of the package.
 *
 * @example
 * ```ts
 * import { WebhookError } from '@kyc-relay/webhooks/delivery'
 *
 * const pointers = (error: unknown) =>
 *   error instanceof WebhookError ? error.violations.map((violation) => violation.pointer) : []
 * ```
 */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly code: WebhookErrorCode
  /** Filled for `EVENT_INVALID`, empty otherwise. At most 50. */
  readonly violations: readonly PreparationViolation[]
  /** True when the same call may succeed later and nothing was written. */
  readonly retryable: boolean

  constructor(code: WebhookErrorCode, violations: readonly PreparationViolation[] = []) {
    super(messages[code])
    this.code = code
    this.violations = violations.slice(0, 50)
    this.retryable = code === 'TRANSACTION_BUSY'
    Object.defineProperty(this, brand, { value: true })
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value
  }
}
