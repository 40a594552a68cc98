import { signWebhook } from '../signature/sign-webhook.js'
import { signStandardWebhook } from '../signature/standard-webhooks.js'

/** Input of {@link createSignedRequest}. */
export interface SignedRequestInput {
  /** API key that the receiver verifies with. */
  readonly secret: string
  /** The event: an object is sent as JSON, a string as it is. */
  readonly event: object | string
  /** URL of the receiver. Default `https://receiver.example/webhooks`. */
  readonly url?: string
  /** Value of `X-Event-ID`. Default: a random UUID. Give one twice to test a duplicate. */
  readonly eventId?: string
  /** Adds the three Standard Webhooks headers, signed at this time. Default: without them. */
  readonly signedAt?: Date
  /** True to add `X-Test-Event: true`. Default false. */
  readonly test?: boolean
}

/**
 * Makes a signed webhook for the tests of a receiver, as the service would send it. Pass it to a Fetch handler, or to
 * `fetch`.
 *
 * @throws WebhookVerificationError `SECRET_MISSING`
 *
 * @example
 * ```ts
 * import { createWebhookHandler } from '@kyc-relay/webhooks'
 * import { eventExample } from '@kyc-relay/webhooks/events'
 * import { createSignedRequest } from '@kyc-relay/webhooks/testing'
 *
 * const handler = createWebhookHandler({ secrets: 'key', onEvent: ({ type }) => console.log(type) })
 * const request = await createSignedRequest({ secret: 'key', event: eventExample('TRANSACTION_CREATE') })
 * console.log((await handler(request)).status) // 200
 * ```
 */
export async function createSignedRequest(input: SignedRequestInput): Promise<Request> {
  const { secret, event, url = 'https://receiver.example/webhooks', eventId = crypto.randomUUID(), signedAt } = input
  const body = typeof event === 'string' ? event : JSON.stringify(event)
  const headers = {
    'content-type': 'application/json',
    'x-hmac-signature': await signWebhook(body, secret),
    'x-event-id': eventId,
    ...(input.test === true ? { 'x-test-event': 'true' } : {}),
    ...(signedAt === undefined ? {} : await signStandardWebhook({ id: eventId, signedAt, body, secret })),
  }
  return new Request(url, { method: 'POST', headers, body })
}
