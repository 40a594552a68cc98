import { createHmac } from 'node:crypto'
import type { Token } from '@kyc-relay/kyc-core'
import { StorageError } from '../storage-error.js'

/** Parts of a verification that an erasure of its user blanks: from both of them an SSN can be guessed. */
export interface ErasableParts {
  /** Keyed digest of the submission; null after the erasure. */
  readonly payloadDigest: Uint8Array | null
  /** Ends with the last four digits of the SSN. */
  readonly ssnToken: Token | null
}

/** The parts as a row holds them. */
export interface StoredParts extends ErasableParts {
  /** Key of {@link erasableMac}; null after the erasure, which destroys it. */
  readonly erasableKey: Uint8Array | null
  /** HMAC of the parts. It stays: without the key nothing can be guessed from it. */
  readonly erasableMac: Uint8Array
}

const keyBytes = 32

/**
 * Creates the key that covers the parts of one verification of a user.
 *
 * @throws StorageError `ARGUMENT_INVALID` when the randomness is of another length: a shorter key could be guessed
 */
export function newErasableKey(randomBytes: (size: number) => Uint8Array): Uint8Array {
  const key = new Uint8Array(randomBytes(keyBytes))
  if (key.length !== keyBytes) throw new StorageError('ARGUMENT_INVALID')
  return key
}

/** Computes the HMAC that stands for the parts in the audit log. */
export function erasableMac(key: Uint8Array, { payloadDigest, ssnToken }: ErasableParts): Uint8Array {
  const text = JSON.stringify([payloadDigest && Buffer.from(payloadDigest).toString('hex'), ssnToken])
  return new Uint8Array(createHmac('sha256', key).update(text).digest())
}

/**
 * Returns the HMAC of the parts that a row holds now: that of its erased parts, if all of them are gone. Empty if parts
 * and HMAC do not belong together.
 */
export function storedMac(parts: StoredParts): { readonly mac: Uint8Array; readonly erased: boolean } {
  const { erasableKey, erasableMac: stored, payloadDigest, ssnToken } = parts
  if (erasableKey === null) {
    const isErased = payloadDigest === null && ssnToken === null
    return { mac: isErased ? stored : new Uint8Array(), erased: isErased }
  }
  const computed = erasableMac(erasableKey, parts)
  return { mac: Buffer.compare(computed, stored) === 0 ? computed : new Uint8Array(), erased: false }
}
