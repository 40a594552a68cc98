import type { EventViolation, EventViolationCode } from '../events/parse-event.js'

const messages = {
  EVENT_INVALID: 'The event does not match its type. See violations.',
  EVENT_TYPE_UNKNOWN: 'This event type does not exist.',
  ID_INVALID: 'newId must return UUIDs.',
  ENDPOINT_NOT_FOUND: 'This endpoint does not exist for this app.',
  GRANTS_MISMATCH: 'The grant look-up returned a wrong number of results.',
  TRANSACTION_UNKNOWN: 'This transaction does not exist for this app and user.',
  TRANSACTION_EXISTS: 'A transaction with this id already exists.',
  TRANSITION_NOT_ALLOWED: 'This status change is not allowed, or nothing would change.',
  SOURCE_EVENT_ID_CONFLICT: 'This sourceEventId was already used for another event.',
  TRANSACTION_BUSY: 'Concurrent requests changed the transaction several times. Nothing was written. Retry.',
} as const

/** Stable code of a {@link WebhookError}. */
export type WebhookErrorCode = keyof typeof messages

/** One reason why an event was refused. `pointer` is a JSON Pointer into its data. It holds no value. */
export interface PreparationViolation extends Omit<EventViolation, 'code'> {
  /** `IDENTIFIER_MISMATCH`: a given identifier differs from the one of the grant. */
  readonly code: EventViolationCode | 'IDENTIFIER_MISMATCH'
}

const brand = Symbol.for('@kyc-relay/webhooks/WebhookError')

/**
 * Error of preparing an event. Check its `code`. `instanceof` works across two loaded copies of the package.
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
