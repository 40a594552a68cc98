import { hmacSha256Hex } from '../hmac.js'

/** Compares variants of body and key with the signature that was received, a bounded number of times. */
export interface Probe {
  /** How many comparisons were made. */
  readonly count: () => number
  /** False also when the bound is reached or the same comparison was made before. */
  matches(body: string | Uint8Array, key: string | Uint8Array): Promise<boolean>
}

/**
 * @param digest 64 lower-case hexadecimal characters.
 * @param most comparisons in all.
 */
export function createProbe(digest: string, most: number): Probe {
  const tried = new Set<string>()
  return {
    count: () => tried.size,
    async matches(body, key) {
      if (tried.size >= most) return false
      const expected = await hmacSha256Hex(body, key)
      tried.add(expected)
      return expected === digest
    },
  }
}
