/** Current signing key of an app. */
export interface SigningKey {
  /** API key of the partner; its UTF-8 bytes are the HMAC key. */
  readonly key: string
  /** Version of the key, recorded with each attempt. */
  readonly version: number
}

/** Looks up the current signing keys of apps, possibly in another system. */
export interface SigningKeys {
  /** Returns keys in the order of the request; null for an app without a key. */
  current(appIds: readonly string[]): Promise<readonly (SigningKey | null)[]>
}
