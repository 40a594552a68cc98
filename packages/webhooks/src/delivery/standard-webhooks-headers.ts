import { hmacSha256Hex } from '../signature/hmac.js'

/**
 * The three headers of Standard Webhooks 1.0, for endpoints that opted in. They sign id, time and body together, so a
 * receiver can refuse a replay.
 *
 * The HMAC key is the API key's UTF-8 bytes; a Standard Webhooks library takes it as `whsec_` + base64 of those bytes.
 *
 * @param message.timestamp - whole seconds since 1970
 */
export async function standardWebhooksHeaders(message: {
  readonly id: string
  readonly timestamp: number
  readonly body: Uint8Array
  readonly secret: string
}): Promise<Record<string, string>> {
  const prefix = new TextEncoder().encode(`${message.id}.${message.timestamp}.`)
  const signed = new Uint8Array(prefix.length + message.body.length)
  signed.set(prefix)
  signed.set(message.body, prefix.length)
  const hex = await hmacSha256Hex(signed, message.secret)
  const bytes = (hex.match(/../g) ?? []).map((pair) => String.fromCharCode(Number.parseInt(pair, 16)))
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': `v1,${btoa(bytes.join(''))}`,
  }
}
