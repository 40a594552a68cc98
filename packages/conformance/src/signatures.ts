import { createHmac } from 'node:crypto'

/** `X-HMAC-Signature` of a body: lower-case hex of the HMAC-SHA-256 under the bytes of the API key. */
export function hexSignature(body: string | Uint8Array, apiKey: string): string {
  return createHmac('sha256', apiKey).update(body).digest('hex')
}

/** The three headers of Standard Webhooks 1.0. */
export function standardWebhooksHeaders(request: {
  readonly id: string
  readonly body: string | Uint8Array
  readonly signedAt: Date
  readonly apiKey: string
}): Record<string, string> {
  const { id, body, signedAt, apiKey } = request
  const timestamp = String(Math.floor(signedAt.getTime() / 1000))
  const signature = createHmac('sha256', apiKey).update(`${id}.${timestamp}.`).update(body).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
