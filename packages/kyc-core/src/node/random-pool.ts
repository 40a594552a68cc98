import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 4096

/**
 * Cryptographic randomness in small pieces: asks the system for 4 KiB at a time, since one request costs as much as
 * sealing a value.
 *
 * @returns A function like `randomBytes` of `node:crypto` for a size that is a positive integer. No byte is handed out
 *   twice, and none stays behind in the pool.
 *
 * @example
 * ```ts
 * import { createRandomPool } from '@kyc-relay/kyc-core/node'
 *
 * const randomBytes = createRandomPool()
 * const nonce = randomBytes(12)
 * ```
 */
export function createRandomPool(): (size: number) => Uint8Array {
  const pool = new Uint8Array(POOL_BYTES)
  let used = POOL_BYTES
  return (size) => {
    if (size > POOL_BYTES) return randomFillSync(new Uint8Array(size))
    if (used + size > POOL_BYTES) {
      randomFillSync(pool)
      used = 0
    }
    const bytes = pool.slice(used, used + size)
    pool.fill(0, used, used + size)
    used += size
    return bytes
  }
}
