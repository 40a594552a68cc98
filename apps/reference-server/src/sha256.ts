import { hash, timingSafeEqual } from 'node:crypto'

/** Returns the SHA-256 of bytes, or of a text in UTF-8. */
export const sha256 = (data: string | Uint8Array): Buffer => hash('sha256', data, 'buffer')

/** Compares secrets in constant time, of any length. */
export const equalSecrets = (given: string, expected: string): boolean =>
  timingSafeEqual(sha256(given), sha256(expected))
