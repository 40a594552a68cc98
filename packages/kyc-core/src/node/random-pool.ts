import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 4096

/**
 * Creates a source of cryptographic random bytes that reads 4 KiB from the system at a time. One system request costs
 * as much as sealing a value.
 *
 * @returns A function like `randomBytes` of `node:crypto`, for a positive integer size. It never returns a byte twice,
 *   and it erases returned bytes from the pool.
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
