import { signWebhook } from '../signature/sign-webhook.js'
import { signStandardWebhook } from '../signature/standard-webhooks.js'
import { requestHeaders } from './request-headers.js'

/** What the headers of one attempt are made from. */
export interface SignedHeadersInput {
  /** Value of `X-Event-ID`. */
  readonly xEventId: string
  /** Whether `X-Test-Event: true` goes along. */
  readonly test: boolean
  /** The exact bytes that are sent. */
  readonly body: Uint8Array
  /** Whether the endpoint opted in to the three Standard Webhooks headers. */
  readonly standardWebhooks: boolean
  /** The API key whose UTF-8 bytes sign. */
  readonly secret: string
  /** Instant that the Standard Webhooks headers sign. */
  readonly now: Date
  /** Default `kyc-relay-webhooks/1`. */
  readonly userAgent?: string
}

/**
 * The headers of one attempt (docs/contract.md 9.1), names in lower case: what the worker sends, and what a preview
 * of it shows. `Host`, `Content-Length` and `Accept-Encoding: identity` are added by the sender.
 *
 * @example
 * ```ts
 * import { signedHeaders } from '@kyc-relay/webhooks/delivery'
 *
 * const headers = await signedHeaders({
 *   xEventId: '0198c1c0-0000-7000-8000-000000000001',
 *   test: true,
 *   body: new TextEncoder().encode('{}'),
 *   standardWebhooks: false,
 *   secret: 'api-key',
 *   now: new Date(0),
 * })
 * headers['x-hmac-signature'] // 64 lower-case hex characters
 * ```
 */
export async function signedHeaders(input: SignedHeadersInput): Promise<Record<string, string>> {
  const { xEventId, test, body, secret } = input
  const signature = await signWebhook(body, secret)
  const standardWebhooks = input.standardWebhooks
    ? { ...(await signStandardWebhook({ id: xEventId, signedAt: input.now, body, secret })) }
    : null
  return requestHeaders({ xEventId, test }, signature, standardWebhooks, input.userAgent)
}
