import { WebhookError } from '../delivery/webhook-error.js'

/**
 * Computes `X-Event-ID` (docs/contract.md 8): the UUIDv5 of the event and the lineage of its endpoint (RFC 9562 §5.5). It
 * is the same on every attempt, on a resend, and after its endpoint was replaced, or removed and registered again.
 *
 * @param eventId UUID, the namespace
 * @param lineageId the name
 * @throws WebhookError `ID_INVALID` for an event id that is not a UUID
 */
export async function xEventIdOf(eventId: string, lineageId: string): Promise<string> {
  const octets = /^[0-9a-f]{32}$/i.exec(eventId.replaceAll('-', ''))?.[0].match(/../g)
  if (!octets) throw new WebhookError('ID_INVALID')
  const namespace = Uint8Array.from(octets, (hex) => Number.parseInt(hex, 16))
  const name = new TextEncoder().encode(lineageId)
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-1', Uint8Array.of(...namespace, ...name))).slice(0, 16)
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
