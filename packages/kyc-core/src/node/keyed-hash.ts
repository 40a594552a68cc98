import { createHmac, type KeyObject } from 'node:crypto'

/**
 * Computes the HMAC-SHA-256 of `value` for a purpose. Equal values under different purposes give unrelated hashes.
 *
 * @param key 32 bytes, kept outside the database. The key prevents finding an SSN or a document number by trying all
 *   values. A `KeyObject` is faster for repeated use.
 * @returns 32 bytes.
 */
export function keyedHash(key: Uint8Array | KeyObject, purpose: string, value: string): Uint8Array {
  const hash = createHmac('sha256', key).update(keyedText(purpose, value), 'utf8').digest()
  return new Uint8Array(hash.buffer, hash.byteOffset, hash.byteLength)
}

/** Returns the hashed text. Two different pairs of purpose and value never give the same text. */
export function keyedText(purpose: string, value: string): string {
  return JSON.stringify([purpose, value])
}
