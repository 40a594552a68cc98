import type { NoEventTypes, ReceivedEventType } from '../events/own-event-types.js'
import { checkNames } from './check-names.js'
import { headerValue, type HeadersLike } from './headers.js'
import { hmacSha256Hex, matchesHmac } from './hmac.js'
import { readEvent, type VerifiedWebhook } from './read-event.js'
import { isEventId, signedBytes, usableSecrets, type Secrets, type WebhookBody } from './signed-request.js'
import { WebhookVerificationError } from './verification-error.js'

/** The three headers of Standard Webhooks 1.0. */
export interface StandardWebhooksHeaders {
  readonly 'webhook-id': string
  /** Whole seconds since 1970. */
  readonly 'webhook-timestamp': string
  /** `v1,` and the base64 of an HMAC-SHA-256. */
  readonly 'webhook-signature': string
}

/** Signatures of one request that are compared. Each one costs one HMAC of the body and secret. */
const mostSignatures = 16

/** An authentic webhook with signed id and time. */
export type VerifiedStandardWebhook<Own extends readonly ReceivedEventType[] = NoEventTypes> = VerifiedWebhook<Own> & {
  /** Signing time of this attempt. */
  readonly signedAt: Date
}

/**
 * Creates the three headers of Standard Webhooks 1.0. The service adds them for endpoints that opted in.
 *
 * It signs `id.timestamp.body`, so a receiver can refuse replays. The key is the UTF-8 bytes of the API key. Other
 * Standard Webhooks libraries take it as `whsec_` followed by the base64 of those bytes.
 *
 * @param message `id`: the `X-Event-ID`. `signedAt`: the time of this attempt, not of the event.
 * @throws WebhookVerificationError `SECRET_MISSING`, `BODY_ALREADY_PARSED`, `BODY_EMPTY` (null or undefined),
 *   `TIMESTAMP_INVALID` (`signedAt` is an invalid date, or before 1970).
 *
 * @example
 * ```ts
 * import { signStandardWebhook } from '@kyc-relay/webhooks'
 *
 * const headers = await signStandardWebhook({
 *   id: '0198c0de-0000-7000-8000-000000000001',
 *   signedAt: new Date(),
 *   body: '{}',
 *   secret: 'the API key',
 * })
 * console.log(headers['webhook-signature']) // v1,…
 * ```
 */
export async function signStandardWebhook(message: {
  readonly id: string
  readonly signedAt: Date
  readonly body: WebhookBody
  readonly secret: string
}): Promise<StandardWebhooksHeaders> {
  const [secret = ''] = usableSecrets(message?.secret)
  const timestamp = String(Math.floor(message.signedAt?.getTime?.() / 1000))
  if (!isTimestamp(timestamp)) throw signedAtInvalid()
  const signature = await signatureOf(message.id, timestamp, signedBytes(message.body), secret)
  return { 'webhook-id': message.id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}

/**
 * Verifies the Standard Webhooks headers of a webhook and returns its event. Unlike with {@link verifyWebhook}, id and
 * time are signed: the id cannot be changed, and a recorded request is refused when it is older than the tolerance.
 * Deduplicate by `eventId` for longer than the tolerance, and replays have no effect.
 *
 * @param request `now`: the current time. `toleranceMs`: largest difference from the signed time in either direction,
 *   in milliseconds; default 300,000 (5 minutes).
 * @returns as {@link verifyWebhook}; `eventId` is the signed `webhook-id`. Only the first 16 signatures count.
 * @throws WebhookVerificationError as {@link verifyWebhook}, with `EVENT_ID_MISSING` for a missing `webhook-id`, and
 *   `TIMESTAMP_INVALID` or `TIMESTAMP_OUTSIDE_TOLERANCE` for the time. `SIGNATURE_MISSING` names `webhook-signature`.
 * @throws TypeError for an unknown option
 *
 * @example
 * ```ts
 * import { verifyStandardWebhook } from '@kyc-relay/webhooks'
 *
 * export async function POST(request: Request) {
 *   const { eventId, type } = await verifyStandardWebhook({
 *     body: await request.text(),
 *     headers: request.headers,
 *     secrets: process.env.KYC_RELAY_API_KEY,
 *     now: new Date(),
 *   })
 *   console.log(eventId, type)
 *   return new Response(null, { status: 204 })
 * }
 * ```
 */
export async function verifyStandardWebhook<const Own extends readonly ReceivedEventType[] = NoEventTypes>(request: {
  readonly body: WebhookBody
  readonly headers: HeadersLike
  readonly secrets: Secrets
  readonly now: Date
  readonly toleranceMs?: number | undefined
  readonly eventTypes?: Own | undefined
}): Promise<VerifiedStandardWebhook<Own>> {
  const { body: given, headers, secrets, now, toleranceMs = 300_000, eventTypes, ...unknown } = request ?? {}
  const keys = usableSecrets(secrets)
  checkNames(unknown, [])
  const body = signedBytes(given)
  if (body.length === 0) throw new WebhookVerificationError('BODY_EMPTY')

  const signature = headerValue(headers, 'webhook-signature')
  if (!signature) throw signatureMissing()
  const signatures = signature.split(' ').filter((part) => /^v1,[A-Za-z0-9+/]{43}=$/.test(part))
  if (signatures.length === 0) throw new WebhookVerificationError('SIGNATURE_MALFORMED')
  const id = headerValue(headers, 'webhook-id')
  if (!id || !isEventId(id)) throw new WebhookVerificationError('EVENT_ID_MISSING')
  const timestamp = headerValue(headers, 'webhook-timestamp')
  if (!timestamp || !isTimestamp(timestamp)) throw timestampInvalid()

  const content = signedContent(id, timestamp, body)
  let matches = false
  for (const part of signatures.slice(0, mostSignatures)) {
    matches = (await matchesHmac(content, hexOfBase64(part.slice(3)), keys)) || matches
  }
  if (!matches) throw new WebhookVerificationError('SIGNATURE_MISMATCH')

  const signedAt = new Date(Number(timestamp) * 1000)
  // NaN, from an invalid date in `now`, must fail too.
  if (!(Math.abs(now?.getTime?.() - signedAt.getTime()) <= toleranceMs)) {
    throw timestampOutsideTolerance()
  }
  return { ...readEvent(id, body, eventTypes), signedAt }
}

const isTimestamp = (text: string) => /^\d{1,12}$/.test(text)

function signedAtInvalid(): WebhookVerificationError {
  const hint = 'Pass a valid Date, 1970 or later. Check the clock.'
  return new WebhookVerificationError('TIMESTAMP_INVALID', hint, 'The signing time is not a time that can be signed.')
}

function signatureMissing(): WebhookVerificationError {
  const hint = 'Register the endpoint with standardWebhooks. A proxy must forward the three webhook headers.'
  return new WebhookVerificationError('SIGNATURE_MISSING', hint, 'webhook-signature is missing.')
}

function timestampInvalid(): WebhookVerificationError {
  const hint = 'Pass the headers unchanged. A proxy must forward webhook-timestamp.'
  return new WebhookVerificationError('TIMESTAMP_INVALID', hint, 'webhook-timestamp is missing or not whole seconds.')
}

function timestampOutsideTolerance(): WebhookVerificationError {
  const hint = 'This is a replay, the clock of one side is wrong, or the request was delayed too long.'
  const message = 'The webhook was signed too long ago, or in the future.'
  return new WebhookVerificationError('TIMESTAMP_OUTSIDE_TOLERANCE', hint, message)
}

async function signatureOf(id: string, timestamp: string, body: string | Uint8Array, secret: string): Promise<string> {
  const hex = await hmacSha256Hex(signedContent(id, timestamp, body), secret)
  return `v1,${btoa(hex.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))))}`
}

function hexOfBase64(text: string): string {
  return Array.from(atob(text), (character) => character.charCodeAt(0).toString(16).padStart(2, '0')).join('')
}

function signedContent(id: string, timestamp: string, body: string | Uint8Array): string | Uint8Array {
  const prefix = `${id}.${timestamp}.`
  return typeof body === 'string' ? prefix + body : prepend(prefix, body)
}

function prepend(ascii: string, bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(ascii.length + bytes.length)
  for (let i = 0; i < ascii.length; i++) whole[i] = ascii.charCodeAt(i)
  whole.set(bytes, ascii.length)
  return whole
}
