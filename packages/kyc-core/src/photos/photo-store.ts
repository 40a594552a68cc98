import type { AppUser } from '../tokenization/pii-vault.js'

/** Which photo: the job that fetched it, and whose it is. */
export interface PhotoAddress {
  readonly owner: AppUser
  readonly photoJobId: string
}

/**
 * Keeps sealed photos. It sees sealed bytes only and cannot open them.
 *
 * Every method throws `PHOTO_STORE_UNAVAILABLE` (retryable) when it cannot be done now; no error holds a name or a byte.
 */
export interface PhotoStore {
  /**
   * Keeps the bytes, or replaces what is there: a reader gets the former bytes or the new ones, never a mixture.
   * Resolves only when they are durable.
   */
  put(address: PhotoAddress, sealed: Uint8Array): Promise<void>

  /** The bytes as they were put; null when there are none. */
  get(address: PhotoAddress): Promise<Uint8Array | null>

  /** Removes these photos of one owner. Those that are not there are passed over. */
  erase(owner: AppUser, photoJobIds: readonly string[]): Promise<void>
}
