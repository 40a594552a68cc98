import type { EventType } from '../events/event-types.js'
import { isTestEvent, recogniseEventType } from '../events/recognise-event.js'
import type { EventPayloads, UnknownEvent } from '../events/webhook-event.js'
import { headerValues, type HeadersLike } from './headers.js'
import { matchesHmac } from './hmac.js'
import { WebhookVerificationError } from './verification-error.js'

/** What a receiver holds: the request as it came, and the application's API key or keys. */
export interface SignedRequest {
  /** The raw body: the bytes, or the text they decode to. Never a parsed object. */
  readonly body: string | Uint8Array
  readonly headers: HeadersLike
  /** The API key; several while a key is being rotated. Empty entries are left out. */
  readonly secrets: string | readonly (string | undefined)[]
}

/** An authentic webhook. Switch on `type` to have `event` typed. */
export type VerifiedWebhook =
  | {
      [Type in EventType]: VerifiedFields & { readonly type: Type; readonly event: EventPayloads[Type] }
    }[EventType]
  | (VerifiedFields & { readonly type: 'UNKNOWN'; readonly event: UnknownEvent })

interface VerifiedFields {
  /** The value of `X-Event-ID`: the same on every attempt and on a resend. Detect duplicates by it. */
  readonly eventId: string
  /** True for an event that somebody sent to try the endpoint: do not act on it. */
  readonly test: boolean
}

/**
 * Checks that a webhook is authentic, and gives its event.
 *
 * Verifies bytes, not text, in constant time, on Node, Bun, Deno, Workers and browsers. Fields that this version does
 * not know are kept, and an unknown `eventType` gives `type: 'UNKNOWN'`: answer 2xx to those too. The fields of a known
 * type are not validated one by one, since the signature says who wrote them; `parseEvent` of
 * `@kyc-relay/webhooks/events` does that.
 *
 * What it cannot tell: whether the request is new. Events may come more than once and in any order (spec, "Delivery
 * rules"), and `X-Event-ID` is not part of what is signed.
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
  const keys = (typeof secrets === 'string' ? [secrets] : (secrets ?? [])).filter(isSecret)
  if (keys.length === 0) throw new WebhookVerificationError('SECRET_MISSING')
  if (body === undefined || body === null) throw new WebhookVerificationError('BODY_EMPTY')
  if (typeof body !== 'string' && !ArrayBuffer.isView(body)) throw new WebhookVerificationError('BODY_ALREADY_PARSED')
  if (body.length === 0) throw new WebhookVerificationError('BODY_EMPTY')

  const [signature, ...moreSignatures] = headerValues(headers, 'x-hmac-signature')
  if (!signature) throw new WebhookVerificationError('SIGNATURE_MISSING')
  // Before decoding: decoders of hexadecimal text stop silently at the first character they do not know.
  if (moreSignatures.length > 0 || !/^[0-9a-f]{64}$/.test(signature))
    throw new WebhookVerificationError('SIGNATURE_MALFORMED')
  if (!(await matchesHmac(body, signature, keys))) throw new WebhookVerificationError('SIGNATURE_MISMATCH')

  const [eventId, ...moreEventIds] = headerValues(headers, 'x-event-id')
  if (!eventId || moreEventIds.length > 0 || !/^[!-+\--~]{1,200}$/.test(eventId)) {
    throw new WebhookVerificationError('EVENT_ID_MISSING')
  }
  const event = parsePayload(body)
  return { eventId, type: recogniseEventType(event), event, test: isTestEvent(event) } as VerifiedWebhook
}

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function parsePayload(body: string | Uint8Array): Record<string, unknown> {
  try {
    const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body)
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // What the parser says may quote the body.
  }
  throw new WebhookVerificationError('PAYLOAD_INVALID')
}
