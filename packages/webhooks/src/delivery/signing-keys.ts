/** Current signing key of an app. */
export interface SigningKey {
  /** App of the key. The worker refuses a key that names another app than the one it asked for. */
  readonly appId: string
  /** API key of the partner; its UTF-8 bytes are the HMAC key. */
  readonly key: string
  /** Version of the key, recorded with each attempt. */
  readonly version: number
}

/** Looks up the current signing keys of apps, possibly in another system. */
export interface SigningKeys {
  /**
   * Returns keys in the order of the request; null for an app without a key. A key of another app than the one asked for
   * is an error (`KEYS_MISMATCH`), and nothing is sent.
   */
  current(appIds: readonly string[]): Promise<readonly (SigningKey | null)[]>
}
