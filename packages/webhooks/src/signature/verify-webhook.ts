import { headerValue, type HeadersLike } from './headers.js'
import { matchesHmac } from './hmac.js'
import { readEvent, type VerifiedWebhook } from './read-event.js'
import { isHexDigest, signedBytes, usableSecrets, type Secrets, type WebhookBody } from './signed-request.js'
import { WebhookVerificationError } from './verification-error.js'

/** What a receiver holds: the request as it came, and the application's API key or keys. */
export interface SignedRequest {
  readonly body: WebhookBody
  readonly headers: HeadersLike
  readonly secrets: Secrets
}

/**
 * Checks that a webhook is authentic, and gives its event.
 *
 * Verifies bytes, not text, in constant time, on Node, Bun, Deno, Workers and browsers. Fields that this version does
 * not know are kept, and an unknown `eventType` gives `type: 'UNKNOWN'`: answer 2xx to those too. The fields of a known
 * type are not validated one by one, since the signature says who wrote them; `parseEvent` of
 * `@kyc-relay/webhooks/events` does that.
 *
 * What it cannot tell: whether the request is new. Events may come more than once and in any order (docs/contract.md
 * 10.4), and `X-Event-ID` is not part of what is signed.
 *
 * @throws WebhookVerificationError
 *   `SECRET_MISSING`, `BODY_ALREADY_PARSED` (a mistake in the receiver), `BODY_EMPTY`, `SIGNATURE_MISSING`,
 *   `SIGNATURE_MALFORMED`, `SIGNATURE_MISMATCH` (not authentic), `EVENT_ID_MISSING`, `PAYLOAD_INVALID` (authentic, but no
 *   event).
 *
 * @example
 * ```ts
 * import { verifyWebhook } from '@kyc-relay/webhooks'
 *
 * export async function POST(request: Request) {
 *   const { type, event } = await verifyWebhook({
 *     body: await request.text(),
 *     headers: request.headers,
 *     secrets: process.env.KYC_RELAY_API_KEY ?? '',
 *   })
 *   if (type === 'TRANSACTION_UPDATE') console.log(event.transactionId, event.status)
 *   return new Response(null, { status: 204 })
 * }
 * ```
 */
export async function verifyWebhook({ body, headers, secrets }: SignedRequest): Promise<VerifiedWebhook> {
  const keys = usableSecrets(secrets)
  const bytes = signedBytes(body)
  if (bytes.length === 0) throw new WebhookVerificationError('BODY_EMPTY')

  const signature = headerValue(headers, 'x-hmac-signature')
  if (!signature) throw new WebhookVerificationError('SIGNATURE_MISSING')
  if (!isHexDigest(signature)) throw new WebhookVerificationError('SIGNATURE_MALFORMED')
  const matches = matchesHmac(bytes, signature, keys)
  // Waiting for a plain boolean would cost a turn of the event loop.
  if (!(typeof matches === 'boolean' ? matches : await matches))
    throw new WebhookVerificationError('SIGNATURE_MISMATCH')

  const eventId = headerValue(headers, 'x-event-id')
  if (!eventId || !/^[!-+\--~]{1,200}$/.test(eventId)) throw new WebhookVerificationError('EVENT_ID_MISSING')
  return readEvent(eventId, bytes)
}
