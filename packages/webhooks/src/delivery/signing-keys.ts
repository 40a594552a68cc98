/** The API key that signs an app's webhooks now. */
export interface SigningKey {
  /** The API key as the partner knows it; its UTF-8 bytes are the HMAC key. */
  readonly key: string
  /** Recorded with each attempt. */
  readonly version: number
}

/** Knows which key signs for an app at this moment. May live in another system. */
export interface SigningKeys {
  /** In the order asked; null where there is no key. */
  current(appIds: readonly string[]): Promise<readonly (SigningKey | null)[]>
}
