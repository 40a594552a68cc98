import type { PiiKeyRotation } from '@kyc-relay/kyc-core'

const batchSize = 200

/**
 * Re-wraps data keys under the current wrapping key, in batches. Every value opens meanwhile, and the job continues
 * after a stop.
 *
 * @param onProgress Called after each batch.
 * @throws KycError `KEY_UNKNOWN` when the key file lacks a wrapping key.
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
