import document from './vectors.json' with { type: 'json' }

/** One request with the expected result of a receiver. */
export interface SignatureVector {
  readonly id: string
  /** Reason why it is accepted or refused. */
  readonly reason: string
  /** The exact bytes of the body. */
  readonly bodyBase64: string
  readonly headers: Readonly<Record<string, string>>
  /** Secrets of the receiver. */
  readonly secrets: readonly string[]
  readonly accepted: boolean
  /** A `WebhookVerificationErrorCode`; null when accepted. */
  readonly code: string | null
  /** An event type or `UNKNOWN`; null when refused. */
  readonly type: string | null
  readonly test: boolean
}

/**
 * Signature vectors for receivers in any language, created with Python's `hmac`. `vectors.json` in this folder has the
 * same vectors.
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
  // Vectors have different headers; for TypeScript, missing ones are undefined.
  headers: Object.fromEntries(Object.entries(vector.headers).filter(([, value]) => value !== undefined)),
}))
