import { createHmac, type KeyObject } from 'node:crypto'

/**
 * HMAC-SHA-256 of `value`, separated by `purpose`: equal values under different purposes give unrelated hashes.
 *
 * @param key 32 bytes that live outside the database. A plain hash of an SSN or a document number is reversed by trying
 *   them all; the key is what prevents it. As a `KeyObject` it is cheaper to use often.
 * @returns 32 bytes.
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { keyedHash } from '@kyc-relay/kyc-core/node'
 *
 * keyedHash(randomBytes(32), 'document_number', 'C01X00T47').length // 32
 * ```
 */
export function keyedHash(key: Uint8Array | KeyObject, purpose: string, value: string): Uint8Array {
  const hash = createHmac('sha256', key).update(keyedText(purpose, value), 'utf8').digest()
  return new Uint8Array(hash.buffer, hash.byteOffset, hash.byteLength)
}

/** What is hashed. Injective: no two pairs of purpose and value give the same text. */
export function keyedText(purpose: string, value: string): string {
  return JSON.stringify([purpose, value])
}
