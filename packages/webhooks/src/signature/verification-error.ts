/** Why a webhook was not accepted. */
export type WebhookVerificationErrorCode =
  | 'SIGNATURE_MISSING'
  | 'SIGNATURE_MALFORMED'
  | 'SIGNATURE_MISMATCH'
  | 'EVENT_ID_MISSING'
  | 'BODY_EMPTY'
  | 'BODY_ALREADY_PARSED'
  | 'PAYLOAD_INVALID'
  | 'SECRET_MISSING'
  // of verifyStandardWebhook alone
  | 'TIMESTAMP_INVALID'
  | 'TIMESTAMP_OUTSIDE_TOLERANCE'

const brand = Symbol.for('@kyc-relay/webhooks.WebhookVerificationError')

const passHeaders = 'Pass the headers as they came; a proxy in front must forward '

// [HTTP status to answer with, what is wrong, what to do about it]
const texts: Readonly<Record<string, readonly [number, string, string]>> = {
  SIGNATURE_MISSING: [401, 'X-HMAC-Signature is missing.', `${passHeaders}X-HMAC-Signature.`],
  SIGNATURE_MALFORMED: [
    401,
    'X-HMAC-Signature is not one value of 64 lower-case hexadecimal characters.',
    'Pass the header as it came, once.',
  ],
  SIGNATURE_MISMATCH: [
    401,
    'The signature does not match the body.',
    'The body is not what was sent, byte for byte, or the secret is not the API key: explainMismatch() tells.',
  ],
  EVENT_ID_MISSING: [400, 'X-Event-ID is missing or not one value.', `${passHeaders}X-Event-ID.`],
  BODY_EMPTY: [401, 'The body is empty.', 'Read the raw body before anything else does.'],
  BODY_ALREADY_PARSED: [
    500,
    'The body is not a string or bytes: something has parsed it.',
    "Pass the raw body. Express: express.raw({ type: 'application/json' }) before express.json(). Fastify: parseAs: 'buffer'. Others: await request.text().",
  ],
  PAYLOAD_INVALID: [400, 'The body is not a JSON object in UTF-8.', 'Its signer does not send events.'],
  SECRET_MISSING: [500, 'No secret was given.', 'Pass the API key. Is the environment variable set?'],
}

/**
 * Says that a webhook is not authentic, or that it could not be checked.
 *
 * Recognised across copies of this package (`instanceof` works even when two are loaded). Its texts are fixed: no value
 * of a request, signature or secret is ever part of them.
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
  /** Stable; switch on this. */
  readonly code: WebhookVerificationErrorCode
  /** What to change so that it works. */
  readonly hint: string
  /** HTTP status to answer with: 401 not authentic, 400 bad payload, 500 a mistake in the receiver's own set-up. */
  readonly status: number

  /**
   * @param hint fixed text that replaces the general hint of this code.
   * @param message fixed text of a code that only part of the package knows.
   */
  constructor(code: WebhookVerificationErrorCode, hint?: string, message = '') {
    const [status, generalMessage, generalHint] = texts[code] ?? [401, message, '']
    super(generalMessage)
    this.name = 'WebhookVerificationError'
    this.code = code
    this.hint = hint ?? generalHint
    this.status = status
    // Without a prototype: a polluted one would add members to the descriptor.
    Object.defineProperty(this, brand, { __proto__: null, value: true } as PropertyDescriptor)
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value
  }
}
