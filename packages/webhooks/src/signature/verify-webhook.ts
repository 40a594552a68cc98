import { headerValue, type HeadersLike } from './headers.js'
import { matchesHmac } from './hmac.js'
import type { NoEventTypes, ReceivedEventType } from '../events/own-event-types.js'
import { readEvent, type VerifiedWebhook } from './read-event.js'
import { isEventId, isHexDigest, signedBytes, usableSecrets, type Secrets, type WebhookBody } from './signed-request.js'
import { WebhookVerificationError } from './verification-error.js'

/** Input of a verification: the request as received, and the application's API key or keys. */
export interface SignedRequest<Own extends readonly ReceivedEventType[] = NoEventTypes> {
  readonly body: WebhookBody
  readonly headers: HeadersLike
  readonly secrets: Secrets
  /**
   * Event types beyond those of the service, each with its `name`. `event` has the type of the schema. The schema does not
   * run: the signature proves the origin. Default none.
   */
  readonly eventTypes?: Own | undefined
}

/**
 * Verifies that a webhook is authentic and returns its event.
 *
 * Verifies bytes, not text, in constant time, on Node, Bun, Deno, Workers and browsers. Unknown fields are kept. An
 * unknown `eventType` gives `type: 'UNKNOWN'`: respond with 2xx to these events too. The fields of a known type are not
 * validated because the signature proves their origin; `parseEvent` of `@kyc-relay/webhooks/events` validates them.
 *
 * It does not detect replays. Events may arrive more than once and in any order (docs/contract.md 10.4), and
 * `X-Event-ID` is not signed.
 *
 * @throws WebhookVerificationError `SECRET_MISSING`, `BODY_ALREADY_PARSED` (a mistake in the receiver), `BODY_EMPTY`,
 *   `SIGNATURE_MISSING`, `SIGNATURE_MALFORMED`, `SIGNATURE_MISMATCH` (not authentic), `EVENT_ID_MISSING`,
 *   `PAYLOAD_INVALID` (authentic, but not an event).
 *
 * @example
 * ```ts
 * import { verifyWebhook } from '@kyc-relay/webhooks'
 *
 * export async function POST(request: Request) {
 *   const { type, event } = await verifyWebhook({
 *     body: await request.text(),
 *     headers: request.headers,
 *     secrets: process.env.KYC_RELAY_API_KEY,
 *   })
 *   if (type === 'TRANSACTION_UPDATE') console.log(event.transactionId, event.status)
 *   return new Response(null, { status: 204 })
 * }
 * ```
 */
export async function verifyWebhook<const Own extends readonly ReceivedEventType[] = NoEventTypes>(
  request: SignedRequest<Own>,
): Promise<VerifiedWebhook<Own>> {
  const { body, headers, secrets, eventTypes } = request ?? {}
  const keys = usableSecrets(secrets)
  const bytes = signedBytes(body)
  if (bytes.length === 0) throw new WebhookVerificationError('BODY_EMPTY')

  const signature = headerValue(headers, 'x-hmac-signature')
  if (!signature) throw new WebhookVerificationError('SIGNATURE_MISSING')
  const matches = matchesHmac(bytes, signature, keys)
  // Awaiting a boolean would cost a turn of the event loop.
  if (!(typeof matches === 'boolean' ? matches : await matches))
    throw new WebhookVerificationError(isHexDigest(signature) ? 'SIGNATURE_MISMATCH' : 'SIGNATURE_MALFORMED')

  const eventId = headerValue(headers, 'x-event-id')
  if (!eventId || !isEventId(eventId)) throw new WebhookVerificationError('EVENT_ID_MISSING')
  return readEvent(eventId, bytes, eventTypes)
}
