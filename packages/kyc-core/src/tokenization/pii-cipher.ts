import type { Fingerprint, PiiField } from './pii-vault.js'

/**
 * What a sealed value belongs to, for example `{ appId, userId, recordId, part }`. It is authenticated together with
 * the value (AEAD additional data), never stored in it: sealed bytes moved to another row do not open there.
 */
export type SealContext = Readonly<Record<string, string>>

/** A data key under the lock of a key that lives outside the database. */
export interface WrappedDataKey {
  /** Id of the key that wraps it. Store it in a column of its own: rotation looks for the ones that are not current. */
  readonly keyId: string
  readonly bytes: Uint8Array
}

/** What is told apart by a keyed hash. Equal values under different purposes give unrelated fingerprints. */
export type FingerprintPurpose = PiiField | 'payload'

/**
 * The cryptography behind a vault. Everything is asynchronous, so that a KMS or an HSM can stand behind it;
 * `createLocalCipher` of `@kyc-relay/kyc-core/node` keeps its keys in a key file.
 *
 * No method ever answers or throws a key or a clear value in an error.
 */
export interface PiiCipher {
  /** Id of the key under which new data keys are wrapped. */
  currentKeyId(): Promise<string>

  /** A fresh random data key, wrapped. `context` names its owner and is needed again wherever the key is used. */
  createDataKey(context: SealContext): Promise<WrappedDataKey>

  /**
   * Seals `clear` under a data key.
   *
   * @param request `context` is bound to the sealed bytes; `keyContext` is what the data key was created with.
   * @throws `SEAL_BROKEN` when the data key does not unwrap for `keyContext`; `KEY_UNKNOWN`; `VAULT_UNAVAILABLE`.
   */
  seal(request: {
    readonly dataKey: WrappedDataKey
    readonly keyContext: SealContext
    readonly context: SealContext
    readonly clear: Uint8Array
  }): Promise<Uint8Array>

  /** @throws `SEAL_BROKEN` when the bytes were not sealed with this key and context; `KEY_UNKNOWN`; `VAULT_UNAVAILABLE`. */
  open(request: {
    readonly dataKey: WrappedDataKey
    readonly keyContext: SealContext
    readonly context: SealContext
    readonly sealed: Uint8Array
  }): Promise<Uint8Array>

  /** A keyed hash, 32 bytes (HMAC-SHA-256). Its key survives the rotation of the wrapping key. */
  fingerprint(purpose: FingerprintPurpose, value: string): Promise<Fingerprint>

  /** The same data key under the current wrapping key. What it sealed stays readable, unchanged. */
  rewrapDataKey(dataKey: WrappedDataKey, keyContext: SealContext): Promise<WrappedDataKey>

  /** Forgets an unwrapped copy of a data key that was just destroyed. */
  evictDataKey(dataKey: WrappedDataKey): void
}
