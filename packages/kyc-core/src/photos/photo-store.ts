import type { AppUser } from '../tokenization/pii-vault.js'

/** Identifies a photo by its owner and the job that fetched it. */
export interface PhotoAddress {
  readonly owner: AppUser
  readonly photoJobId: string
}

/**
 * Stores sealed photos. It cannot open them.
 *
 * Every method throws `PHOTO_STORE_UNAVAILABLE` (retryable) when the storage is unreachable. No error holds a name or a
 * byte.
 */
export interface PhotoStore {
  /**
   * Stores or replaces the bytes. A concurrent reader gets the former bytes or the new ones, never a mixture. Resolves
   * only when the bytes are durable.
   */
  put(address: PhotoAddress, sealed: Uint8Array): Promise<void>

  /** Returns the stored bytes; null when there are none. */
  get(address: PhotoAddress): Promise<Uint8Array | null>

  /** Removes these photos of one owner. Ignores missing ones. */
  erase(owner: AppUser, photoJobIds: readonly string[]): Promise<void>
}
