import type { Fingerprint, PiiField } from './pii-vault.js'

/**
 * Identifies the place of a sealed value, for example `{ appId, userId, recordId, part }`. It is authenticated with the
 * value (AEAD additional data) and not stored in it, so bytes copied to another row do not open there.
 */
export type SealContext = Readonly<Record<string, string>>

/** A data key, encrypted under a key outside the database. */
export interface WrappedDataKey {
  /** Id of the wrapping key. Store it in a separate column: rotation searches for data keys with a former id. */
  readonly keyId: string
  readonly bytes: Uint8Array
}

/** Purposes of fingerprints. Equal values under different purposes give unrelated fingerprints. */
export type FingerprintPurpose = PiiField | 'payload'

/**
 * Cryptography of a vault. Every method is asynchronous, so a KMS or an HSM can implement it. `createLocalCipher` of
 * `@kyc-relay/kyc-core/node` takes its keys from a key file.
 *
 * No error of any method holds a key or a clear value.
 */
export interface PiiCipher {
  /** Id of the key that wraps new data keys. */
  currentKeyId(): Promise<string>

  /** Creates a random data key and wraps it. `context` names its owner; every use of the key needs the same context. */
  createDataKey(context: SealContext): Promise<WrappedDataKey>

  /**
   * Seals `clear` under a data key.
   *
   * @param request `context` is bound to the sealed bytes; `keyContext` is the context that the data key was created
   *   with.
   * @throws `SEAL_BROKEN` when the data key does not unwrap for `keyContext`; `KEY_UNKNOWN`; `VAULT_UNAVAILABLE`.
   */
  seal(request: {
    readonly dataKey: WrappedDataKey
    readonly keyContext: SealContext
    readonly context: SealContext
    readonly clear: Uint8Array
  }): Promise<Uint8Array>

  /**
   * Opens sealed bytes.
   *
   * @throws `SEAL_BROKEN` when the bytes were not sealed with this key and context; `KEY_UNKNOWN`; `VAULT_UNAVAILABLE`.
   */
  open(request: {
    readonly dataKey: WrappedDataKey
    readonly keyContext: SealContext
    readonly context: SealContext
    readonly sealed: Uint8Array
  }): Promise<Uint8Array>

  /** Computes a keyed hash, 32 bytes (HMAC-SHA-256). Rotation of the wrapping key does not change its key. */
  fingerprint(purpose: FingerprintPurpose, value: string): Promise<Fingerprint>

  /** Wraps the same data key under the current wrapping key. Values sealed under it need no change. */
  rewrapDataKey(dataKey: WrappedDataKey, keyContext: SealContext): Promise<WrappedDataKey>

  /** Removes the cached copy of a destroyed data key. */
  evictDataKey(dataKey: WrappedDataKey): void
}
