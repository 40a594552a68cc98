import { hmacSha256Hex } from '../hmac.js'

/** Compares variants of body and key with the received signature, a limited number of times. */
export interface Probe {
  /** Number of comparisons so far. */
  readonly count: () => number
  /** Compares one variant. Also false at the limit or for a repeated comparison. */
  matches(body: string | Uint8Array, key: string | Uint8Array): Promise<boolean>
}

/**
 * @param digest 64 lower-case hexadecimal characters.
 * @param most largest number of comparisons.
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
