import { signWebhook } from '../signature/sign-webhook.js'
import { signStandardWebhook } from '../signature/standard-webhooks.js'

/** Default of the header `User-Agent`. */
export const defaultUserAgent = 'kyc-relay-webhooks/1'

/** Input for the headers of one attempt. */
export interface SignedHeadersInput {
  /** Value of `X-Event-ID`. */
  readonly xEventId: string
  /** True to add `X-Test-Event: true`. */
  readonly test: boolean
  /** Exact bytes of the request body. */
  readonly body: Uint8Array
  /** True to add the three Standard Webhooks headers, for an endpoint that opted in. */
  readonly standardWebhooks: boolean
  /** API key; its UTF-8 bytes are the HMAC key. */
  readonly secret: string
  /** Signing time in the Standard Webhooks headers. */
  readonly now: Date
  /** Static headers of the endpoint. Default none. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default `kyc-relay-webhooks/1`. */
  readonly userAgent?: string
}

/**
 * Creates the headers of one attempt (docs/contract.md 9.1), names in lower case. The worker, the preview of a
 * delivery and the command line use it. The sender adds `Host`, `Content-Length` and `Accept-Encoding: identity`.
 *
 * @example
 * ```ts
 * import { signedHeaders } from '@kyc-relay/webhooks/internal'
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
  const { xEventId, body, secret } = input
  const own = Object.entries(input.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const)
  return {
    ...Object.fromEntries(own),
    'content-type': 'application/json',
    'x-hmac-signature': await signWebhook(body, secret),
    'x-event-id': xEventId,
    'user-agent': input.userAgent ?? defaultUserAgent,
    ...(input.test ? { 'x-test-event': 'true' } : {}),
    ...(input.standardWebhooks ? await signStandardWebhook({ id: xEventId, signedAt: input.now, body, secret }) : {}),
  }
}
