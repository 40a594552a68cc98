import type { PiiKeyRotation } from '@kyc-relay/kyc-core'

const batchSize = 200

/**
 * Moves data keys under the current wrapping key, batch by batch: after a rotation of the key file every value opens at
 * any moment, and a stop in between is gone on from.
 *
 * @param onProgress Told after each batch.
 * @throws KycError `KEY_UNKNOWN` when the key file lacks a key that wraps one of them.
 */
export async function rewrapDataKeys(
  rotation: PiiKeyRotation,
  onProgress: (progress: { readonly rewrapped: number; readonly remaining: number }) => void = () => undefined,
  shouldContinue: () => boolean = () => true,
): Promise<number> {
  let total = 0
  while (shouldContinue()) {
    const { rewrapped, remaining } = await rotation.rewrapDataKeys({ limit: batchSize })
    total += rewrapped
    if (rewrapped > 0) onProgress({ rewrapped: total, remaining })
    if (remaining === 0 || rewrapped === 0) break
  }
  return total
}
