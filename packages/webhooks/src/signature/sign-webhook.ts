import { hmacSha256Hex } from './hmac.js'
import { signedBytes, type WebhookBody } from './signed-request.js'
import { WebhookVerificationError } from './verification-error.js'

/**
 * Signs a webhook body. Returns the value of `X-HMAC-Signature`.
 *
 * It is the HMAC-SHA-256 of these bytes (for a string, its UTF-8 bytes) under the UTF-8 bytes of the secret
 * (docs/contract.md 9.2). Serialise once, and send the signed bytes.
 *
 * @param body the request body.
 * @param secret the application's API key.
 * @returns 64 lower-case hexadecimal characters.
 * @throws WebhookVerificationError `SECRET_MISSING` for an empty secret, `BODY_ALREADY_PARSED` for an object, `BODY_EMPTY` for
 *   null or undefined.
 *
 * @example
 * ```ts
 * import { signWebhook } from '@kyc-relay/webhooks'
 *
 * const body = JSON.stringify({ eventType: 'WIDGET_KYC_INITIATION' })
 * const headers = { 'X-HMAC-Signature': await signWebhook(body, 'the API key') }
 * ```
 */
export async function signWebhook(body: WebhookBody, secret: string): Promise<string> {
  if (typeof secret !== 'string' || secret.trim() === '') throw new WebhookVerificationError('SECRET_MISSING')
  return hmacSha256Hex(signedBytes(body), secret)
}
