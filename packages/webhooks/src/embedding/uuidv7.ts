/**
 * Creates a UUID of version 7 (RFC 9562 §5.7): 48 bits of time, then random bits. Ids that are created later sort later,
 * to the millisecond, which keeps the indexes of a database compact.
 *
 * Pass it as `newId`. The ids of events must be UUIDs, because `X-Event-ID` is the UUIDv5 of the event's id.
 *
 * @example
 * ```ts
 * import { uuidv7 } from '@kyc-relay/webhooks/delivery'
 *
 * console.log(uuidv7()) // 0198c1c0-5f3a-7c21-9d1e-3f0b7a6c5d4e
 * ```
 */
export function uuidv7(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const time = Date.now().toString(16).padStart(12, '0')
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const random = Array.from(bytes.slice(6), (byte) => byte.toString(16).padStart(2, '0')).join('')
  const hex = time + random
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
