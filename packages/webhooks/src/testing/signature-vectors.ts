import document from './vectors.json' with { type: 'json' }

/** One request with the outcome that a receiver must come to. */
export interface SignatureVector {
  readonly id: string
  /** Why it is accepted or refused. */
  readonly reason: string
  /** The exact bytes of the body. */
  readonly bodyBase64: string
  readonly headers: Readonly<Record<string, string>>
  /** What the receiver holds. */
  readonly secrets: readonly string[]
  readonly accepted: boolean
  /** A `WebhookVerificationErrorCode`; null when accepted. */
  readonly code: string | null
  /** An event type or `UNKNOWN`; null when refused. */
  readonly type: string | null
  readonly test: boolean
}

/**
 * Signature vectors for receivers in any language, made by Python's `hmac`. Also as `vectors.json` beside this module.
 *
 * @example
 * ```ts
 * import { signatureVectors } from '@kyc-relay/webhooks/testing'
 *
 * for (const { id, bodyBase64, headers, secrets, accepted } of signatureVectors) {
 *   console.log(id, accepted, Buffer.from(bodyBase64, 'base64').length, headers, secrets.length)
 * }
 * ```
 */
export const signatureVectors: readonly SignatureVector[] = document.vectors.map((vector) => ({
  ...vector,
  // Different vectors carry different headers; to TypeScript the missing ones are undefined.
  headers: Object.fromEntries(Object.entries(vector.headers).filter(([, value]) => value !== undefined)),
}))
