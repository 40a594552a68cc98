import type { ClaimedDelivery } from './webhook-store.js'

/** Default of the header `User-Agent`. */
export const defaultUserAgent = 'kyc-relay-webhooks/1'

/**
 * Creates the headers of one attempt (docs/contract.md 9.1), names in lower case.
 *
 * @param signature - `X-HMAC-Signature`, 64 lower-case hex characters
 * @param standardWebhooks - Standard Webhooks headers, for an endpoint that opted in
 */
export function requestHeaders(
  delivery: Pick<ClaimedDelivery, 'xEventId' | 'test'>,
  signature: string,
  standardWebhooks: Readonly<Record<string, string>> | null,
  userAgent: string = defaultUserAgent,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'x-hmac-signature': signature,
    'x-event-id': delivery.xEventId,
    'user-agent': userAgent,
    ...(delivery.test ? { 'x-test-event': 'true' } : {}),
    ...(standardWebhooks ?? {}),
  }
}
