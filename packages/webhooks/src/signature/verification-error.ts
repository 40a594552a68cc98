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

const brand = Symbol.for('@kyc-relay/webhooks.WebhookVerificationError')

// [HTTP status to answer with, what is wrong, what to do about it]
const texts: Readonly<Record<WebhookVerificationErrorCode, readonly [number, string, string]>> = {
  SIGNATURE_MISSING: [
    401,
    'The X-HMAC-Signature header is missing.',
    'Pass the headers of the request as they came. If a proxy or gateway stands in front, let it forward X-HMAC-Signature.',
  ],
  SIGNATURE_MALFORMED: [
    401,
    'The X-HMAC-Signature header is not one value of 64 lower-case hexadecimal characters.',
    'Pass the header as it came: once, no prefix, no quotes, no change of case.',
  ],
  SIGNATURE_MISMATCH: [
    401,
    'The signature does not match the body.',
    'Either the body is not what was sent byte for byte, or the secret is not the API key of the application. explainMismatch() tells which.',
  ],
  EVENT_ID_MISSING: [
    400,
    'The X-Event-ID header is missing or not one value.',
    'Pass the headers of the request as they came. If a proxy or gateway stands in front, let it forward X-Event-ID.',
  ],
  BODY_EMPTY: [
    401,
    'The body is empty.',
    'Read the raw body before anything else does. Without a body parser, Express 5 leaves req.body undefined: use express.raw().',
  ],
  BODY_ALREADY_PARSED: [
    500,
    'The body is not a string or bytes: something has already parsed it.',
    "Pass the raw body. Express: express.raw({ type: 'application/json' }) on this route, before express.json(). Fastify: addContentTypeParser with parseAs 'buffer'. Fetch, Hono, Next: await request.text().",
  ],
  PAYLOAD_INVALID: [
    400,
    'The body is signed but is not a JSON object in UTF-8.',
    'Check what signs this body: it is not an event of the service.',
  ],
  SECRET_MISSING: [
    500,
    'No secret was given.',
    'Pass the API key of the application as a non-empty string. Is the environment variable set where this runs?',
  ],
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

  constructor(code: WebhookVerificationErrorCode) {
    const [status, message, hint] = texts[code]
    super(message)
    this.name = 'WebhookVerificationError'
    this.code = code
    this.hint = hint
    this.status = status
    Object.defineProperty(this, brand, { value: true })
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value
  }
}
