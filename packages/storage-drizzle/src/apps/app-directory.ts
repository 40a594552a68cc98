/** Scopes that a user granted to an app, with the identifiers that were agreed in the OAuth flow. */
export interface Grant {
  readonly appId: string
  readonly userId: string
  readonly accountId: string
  /** The app's own identifier of the user. */
  readonly externalReferenceId: string
  readonly scopes: readonly string[]
}

/** An API key as stored: its SHA-256 for look-up, and the key itself sealed, since it signs webhooks. */
export interface ApiKeyRow {
  readonly appId: string
  /** 1, 2, … per app. */
  readonly version: number
  /** SHA-256 of the key, 32 bytes. */
  readonly hash: Uint8Array
  readonly sealed: Uint8Array
  readonly createdAt: Date
  /** From when on this version signs. In the future for a key that waits for its activation. */
  readonly signsFrom: Date
  /** From when on it is no longer accepted; null while it is. */
  readonly retiredAt: Date | null
}

/** The same API key, sealed anew. */
export interface SealedApiKeyReplacement {
  readonly appId: string
  readonly version: number
  readonly former: Uint8Array
  readonly fresh: Uint8Array
  readonly now: Date
}

/** An access token of the embedded store, by its hash. */
export interface AccessTokenRow {
  /** SHA-256 of the token, 32 bytes. */
  readonly hash: Uint8Array
  readonly appId: string
  readonly userId: string
  readonly scopes: readonly string[]
  readonly expiresAt: Date
}

/** The reference server's embedded record of apps, API keys, grants and access tokens. One method, one atomic write. */
export interface AppDirectory {
  /** Adds an app with its first key. */
  createApp(app: { readonly appId: string; readonly name: string; readonly firstKey: ApiKeyRow }): Promise<void>
  /** The app of this id, or null. */
  findApp(appId: string): Promise<{ readonly appId: string; readonly name: string } | null>
  /** The app and key version of a key that is not retired at `now`. */
  findApiKey(hash: Uint8Array, now: Date): Promise<{ readonly appId: string; readonly version: number } | null>
  /** Keys of these apps that are not retired at `now`, newest version first. */
  listApiKeys(appIds: readonly string[], now: Date): Promise<readonly ApiKeyRow[]>
  /** Keys of all apps that are not retired at `now`, by app and version; `after` is the last one of the page before. */
  pageApiKeys(request: {
    readonly now: Date
    readonly after?: Pick<ApiKeyRow, 'appId' | 'version'>
    /** Integer 1–10,000. */
    readonly limit: number
  }): Promise<readonly ApiKeyRow[]>
  /** Another sealing of the same key takes the place of `former`; false when `former` is not what is stored any more. */
  replaceSealedApiKey(request: SealedApiKeyReplacement): Promise<boolean>
  /** The highest version that the app's keys ever had; 0 for an app without keys. Versions are never used twice. */
  findNewestApiKeyVersion(appId: string): Promise<number>
  /**
   * Adds a key version, unless a version waits for activation already.
   *
   * @returns `version_taken` when the app's keys had this version or a higher one already.
   */
  addApiKey(key: ApiKeyRow): Promise<'added' | 'rotation_pending' | 'version_taken'>
  /** The waiting version signs from `now`; older ones are retired at `retireOldAt`. False when none waits. */
  activateApiKey(request: { readonly appId: string; readonly now: Date; readonly retireOldAt: Date }): Promise<boolean>
  /** Ends the waiting version at `now`: it never signs. False when none waits. */
  discardApiKey(request: { readonly appId: string; readonly now: Date }): Promise<boolean>
  /**
   * Ends a version at `now`. With the version that signs, all older ones end too, so that none of them signs again, and a
   * waiting one signs from `now` on. Without a waiting one nothing signs until a key is issued.
   *
   * @param request `reason`: what the operator gives as the reason; null where the partner revokes.
   * @returns false when the app has no such version that is accepted at `now`.
   */
  revokeApiKey(request: {
    readonly appId: string
    readonly version: number
    readonly now: Date
    readonly reason: string | null
  }): Promise<boolean>
  /**
   * Adds a key version for an app that lost its key, in place of a version that waits. It signs from `key.signsFrom` on
   * while another version signs at `key.createdAt`, else at once.
   *
   * @returns from when on it signs; `version_taken` as for `addApiKey`.
   */
  issueApiKey(request: {
    readonly key: ApiKeyRow
    readonly reason: string
  }): Promise<{ readonly signsFrom: Date } | 'version_taken'>

  /** Adds or replaces the grant of a user to an app. It limits tokens that were issued before, from now on. */
  putGrant(grant: Grant): Promise<void>
  /** In the order asked; null where there is no grant (any more). */
  findGrants(pairs: readonly { readonly appId: string; readonly userId: string }[]): Promise<readonly (Grant | null)[]>
  /**
   * The scopes that a user grants to an app now: none once the grant was revoked, until it is given again. Null for a user
   * who never granted the app anything.
   */
  findGrantedScopes(pair: { readonly appId: string; readonly userId: string }): Promise<readonly string[] | null>
  /** Removes the grant and the access tokens made under it; false when there was none. */
  revokeGrant(request: { readonly appId: string; readonly userId: string }): Promise<boolean>
  /** Apps that this user granted anything to. */
  listGrantsOfUser(userId: string): Promise<readonly Grant[]>

  /** Keeps an access token that was issued, by its hash. */
  addAccessToken(token: AccessTokenRow): Promise<void>
  /**
   * Null for an unknown token, one that expired at `now`, or one whose grant was revoked. Its scopes are those that the
   * grant still holds.
   */
  findAccessToken(hash: Uint8Array, now: Date): Promise<AccessTokenRow | null>
}

/** Those of a token's scopes that were granted and still are. */
export function scopesWithin(scopes: readonly string[], granted: readonly string[]): string[] {
  return scopes.filter((scope) => granted.includes(scope))
}
