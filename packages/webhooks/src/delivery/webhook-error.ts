import type { EventViolation, EventViolationCode } from '../events/event-violation.js'

const messages = {
  EVENT_INVALID: 'The event does not match its type. See violations.',
  EVENT_NOT_PREPARED: 'The transactions of this storage are synchronous. Call prepare(event) before the transaction.',
  EVENT_TYPE_UNKNOWN: 'This event type does not exist.',
  EVENT_TYPES_INVALID: 'An event type of your own is described wrongly.',
  ID_INVALID: 'newId must return UUIDs.',
  ENDPOINT_NOT_FOUND: 'This endpoint does not exist for this app.',
  GRANTS_MISMATCH:
    'The look-up of grants must return one grant or null for each question, in its order, of the app and user asked for.',
  KEYS_MISMATCH:
    'The look-up of signing keys must return one key or null for each app, in its order, and name the app asked for.',
  LOOK_UP_TIMED_OUT: 'A look-up did not answer within lookUpTimeoutMs.',
  EVERYTHING_WITHHELD:
    'Nothing was sent: every event of the first minute was withheld. NO_ENDPOINT: no endpoint of the app takes the type. NO_GRANT: the look-up of grants returned null. SCOPE_NOT_GRANTED: the grant lacks scopes of the type. Counted:',
  SEND_RESULT_INVALID: 'The option send must return an object, such as { status: 200 }.',
  SENDER_UNAVAILABLE: 'The HTTPS sender could not be loaded: it needs the modules of Node. Pass the option send.',
  ENDPOINT_LIMIT_REACHED: 'This app has 50 endpoints, the largest number.',
  URL_NOT_HTTPS: 'The URL of the endpoint must begin with https://.',
  URL_INVALID: 'The URL of the endpoint is not a full URL in plain notation, or it is too long.',
  URL_HAS_CREDENTIALS: 'The URL of the endpoint must not contain a user name or password.',
  URL_HAS_FRAGMENT: 'The URL of the endpoint must not contain a fragment.',
  URL_PORT_NOT_ALLOWED: 'The port of the endpoint must be 443, or above 1023 and not one that browsers refuse.',
  URL_HOST_NOT_ALLOWED:
    'The host of the endpoint must be a public name: not an IP address, a private or reserved name, or a name of this service.',
  OPTIONS_INVALID: 'Options are missing, unknown or have a wrong value:',
  TRANSACTION_UNKNOWN: 'This transaction does not exist for this app and user.',
  TRANSACTION_EXISTS: 'A transaction with this id already exists.',
  TRANSITION_NOT_ALLOWED: 'This status change is not allowed, or nothing would change.',
  SOURCE_EVENT_ID_CONFLICT: 'This sourceEventId was already used for another event.',
  BODIES_UNAVAILABLE: 'The sealed bodies of events cannot be sealed or opened now. Nothing was written. Retry.',
  TRANSACTION_BUSY: 'Concurrent requests changed the transaction several times. Nothing was written. Retry.',
} as const

/** Stable code of a {@link WebhookError}. */
export type WebhookErrorCode = keyof typeof messages

/** One reason why an event or a call was refused. `pointer` is a JSON Pointer into its data or options. It holds no value. */
export interface PreparationViolation extends Omit<EventViolation, 'code'> {
  /** `IDENTIFIER_MISMATCH`: a given identifier differs from the one of the grant. */
  readonly code: EventViolationCode | 'IDENTIFIER_MISMATCH'
}

const brand = Symbol.for('@kyc-relay/webhooks/WebhookError')

/**
 * Error of preparing an event, or of wrong options. Check its `code`. `instanceof` works across two loaded copies of the package.
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
  /** Filled for `EVENT_INVALID`, `EVENT_TYPES_INVALID` and `OPTIONS_INVALID`, empty otherwise. At most 50. */
  readonly violations: readonly PreparationViolation[]
  /** True when the same call may succeed later and nothing was written. */
  readonly retryable: boolean

  /** @param detail Fixed names that complete the text of the code. */
  constructor(code: WebhookErrorCode, violations: readonly PreparationViolation[] = [], detail = '') {
    super(detail === '' ? messages[code] : `${messages[code]} ${detail}`)
    this.code = code
    this.violations = violations.slice(0, 50)
    this.retryable = code === 'TRANSACTION_BUSY' || code === 'BODIES_UNAVAILABLE'
    Object.defineProperty(this, brand, { value: true })
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value
  }
}
