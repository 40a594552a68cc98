import { matchesHmac } from './hmac.js'
import { signedBytes, usableSecrets, type Secrets, type WebhookBody } from './signed-request.js'

/**
 * Checks only a signature, for a receiver with its own JSON parser, for example one that keeps decimals exact.
 * Otherwise use {@link verifyWebhook}.
 *
 * @param request `signature`: the value of `X-HMAC-Signature`.
 * @returns false for a signature that is missing, malformed or does not match; compared in constant time.
 * @throws WebhookVerificationError `SECRET_MISSING`, `BODY_EMPTY` (null or undefined), `BODY_ALREADY_PARSED`.
 *
 * @example
 * ```ts
 * import { signWebhook, verifySignature } from '@kyc-relay/webhooks'
 *
 * const signature = await signWebhook('{}', 'the API key')
 * console.log(await verifySignature({ body: '{}', signature, secrets: 'the API key' })) // true
 * ```
 */
export async function verifySignature(request: {
  readonly body: WebhookBody
  readonly signature: string | null | undefined
  readonly secrets: Secrets
}): Promise<boolean> {
  const { body, signature, secrets } = request ?? {}
  const keys = usableSecrets(secrets)
  const bytes = signedBytes(body)
  return typeof signature === 'string' && matchesHmac(bytes, signature, keys)
}
