/** Codes of a refused webhook. */
export type WebhookVerificationErrorCode =
  | 'SIGNATURE_MISSING'
  | 'SIGNATURE_MALFORMED'
  | 'SIGNATURE_MISMATCH'
  | 'EVENT_ID_MISSING'
  | 'BODY_EMPTY'
  | 'BODY_ALREADY_PARSED'
  | 'PAYLOAD_INVALID'
  | 'SECRET_MISSING'
  // only from verifyStandardWebhook
  | 'TIMESTAMP_INVALID'
  | 'TIMESTAMP_OUTSIDE_TOLERANCE'

const brand = Symbol.for('@kyc-relay/webhooks.WebhookVerificationError')

const passHeaders = 'Pass the headers unchanged. A proxy must forward '

// [HTTP status of the response, message, hint]
const texts: Readonly<Record<string, readonly [number, string, string]>> = {
  SIGNATURE_MISSING: [401, 'X-HMAC-Signature is missing.', `${passHeaders}X-HMAC-Signature.`],
  SIGNATURE_MALFORMED: [
    401,
    'X-HMAC-Signature is not one value of 64 lower-case hexadecimal characters.',
    'Pass the header unchanged, once.',
  ],
  SIGNATURE_MISMATCH: [
    401,
    'The signature does not match the body.',
    'The body differs from the sent bytes, or the secret is not the API key. Call explainMismatch().',
  ],
  EVENT_ID_MISSING: [400, 'X-Event-ID is missing or not one value.', `${passHeaders}X-Event-ID.`],
  BODY_EMPTY: [401, 'The body is empty.', 'Read the raw body before other code does.'],
  BODY_ALREADY_PARSED: [
    500,
    'The body is not a string or bytes: it was parsed.',
    "Pass the raw body. Express: express.raw({ type: 'application/json' }) before express.json(). Fastify: parseAs: 'buffer'. Others: await request.text().",
  ],
  PAYLOAD_INVALID: [400, 'The body is not a JSON object in UTF-8.', 'The signed body is not an event of this service.'],
  SECRET_MISSING: [500, 'No secret was given.', 'Pass the API key. Check the environment variable.'],
}

/**
 * Error for a webhook that is not authentic or could not be verified.
 *
 * `instanceof` works across two loaded copies of this package. Its texts are fixed and hold no value of a request,
 * signature or secret.
 *
 * @example
 * ```ts
 * import { verifyWebhook, WebhookVerificationError } from '@kyc-relay/webhooks'
 *
 * try {
 *   await verifyWebhook({ body: '{}', headers: {}, secrets: 'api-key' })
 * } catch (error) {
 *   if (error instanceof WebhookVerificationError) console.log(error.code, error.status) // SIGNATURE_MISSING 401
 * }
 * ```
 */
export class WebhookVerificationError extends Error {
  /** Stable code. Switch on it. */
  readonly code: WebhookVerificationErrorCode
  /** Change that fixes the cause. */
  readonly hint: string
  /** HTTP status of the response: 401 not authentic, 400 invalid payload, 500 wrong configuration of the receiver. */
  readonly status: number

  /**
   * @param hint fixed text that replaces the default hint of this code.
   * @param message fixed text that replaces the default text of this code.
   */
  constructor(code: WebhookVerificationErrorCode, hint?: string, message?: string) {
    const [status, generalMessage, generalHint] = texts[code] ?? [401, '', '']
    super(message ?? generalMessage)
    this.name = 'WebhookVerificationError'
    this.code = code
    this.hint = hint ?? generalHint
    this.status = status
    // No prototype: a polluted one would add members to the descriptor.
    Object.defineProperty(this, brand, { __proto__: null, value: true } as PropertyDescriptor)
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value
  }
}
