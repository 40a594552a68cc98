import type { AuditActor } from '@kyc-relay/kyc-core/audit'

/** Scopes that a user granted to an app, with the identifiers from the OAuth flow. */
export interface Grant {
  readonly appId: string
  readonly userId: string
  readonly accountId: string
  /** Identifier of the user in the app. */
  readonly externalReferenceId: string
  readonly scopes: readonly string[]
}

/** A stored API key: its SHA-256 for look-up, and the sealed key, which signs webhooks. */
export interface ApiKeyRow {
  readonly appId: string
  /** Version of the key, counted per app from 1. */
  readonly version: number
  /** SHA-256 of the key, 32 bytes. */
  readonly hash: Uint8Array
  readonly sealed: Uint8Array
  readonly createdAt: Date
  /** Time from which this version signs. In the future for a key that waits for its activation. */
  readonly signsFrom: Date
  /** Time from which the key is refused; null while it is accepted. */
  readonly retiredAt: Date | null
}

/** The same API key, sealed again. */
export interface SealedApiKeyReplacement {
  readonly appId: string
  readonly version: number
  readonly former: Uint8Array
  readonly fresh: Uint8Array
  readonly now: Date
}

/** A stored access token, identified by its hash. */
export interface AccessTokenRow {
  /** SHA-256 of the token, 32 bytes. */
  readonly hash: Uint8Array
  readonly appId: string
  readonly userId: string
  readonly scopes: readonly string[]
  readonly expiresAt: Date
}

/** A sign-in to a user interface. */
export interface SignIn {
  /** SHA-256 of the session's id, 32 bytes. */
  readonly hash: Uint8Array
  /** The app, with the version of the API key that it showed; null for the operator. */
  readonly app: { readonly appId: string; readonly keyVersion: number } | null
  /** Who signed in, if a person is known. */
  readonly actor?: AuditActor
}

/**
 * Stores apps, API keys, grants and access tokens of the reference server. Every method is atomic. `actor` is who asked
 * for a change; the audit entry names it.
 */
export interface AppDirectory {
  /** Adds an app with its first key. */
  createApp(app: {
    readonly appId: string
    readonly name: string
    readonly firstKey: ApiKeyRow
    readonly actor?: AuditActor
  }): Promise<void>
  /** Finds an app by id; null if unknown. */
  findApp(appId: string): Promise<{ readonly appId: string; readonly name: string } | null>
  /** Finds app and version of a key that is not retired at `now`. */
  findApiKey(hash: Uint8Array, now: Date): Promise<{ readonly appId: string; readonly version: number } | null>
  /** Lists keys of these apps that are not retired at `now`, newest version first. */
  listApiKeys(appIds: readonly string[], now: Date): Promise<readonly ApiKeyRow[]>
  /**
   * Lists keys of all apps that are not retired at `now`, by app and version. `after` is the last key of the previous
   * page.
   *
   * @throws StorageError `ARGUMENT_INVALID` for a limit out of its range, or a value that is not a valid date
   */
  pageApiKeys(request: {
    readonly now: Date
    readonly after?: Pick<ApiKeyRow, 'appId' | 'version'>
    /** Integer 1–10,000. */
    readonly limit: number
  }): Promise<readonly ApiKeyRow[]>
  /** Replaces the sealed key `former` by another sealing of the same key; false when `former` is no longer stored. */
  replaceSealedApiKey(request: SealedApiKeyReplacement): Promise<boolean>
  /** Returns the highest version of the app's keys so far; 0 for an app without keys. Versions are never reused. */
  findNewestApiKeyVersion(appId: string): Promise<number>
  /**
   * Adds a key version, unless another version waits for activation.
   *
   * @returns `version_taken` when the app already had this version or a higher one.
   */
  addApiKey(key: ApiKeyRow): Promise<'added' | 'rotation_pending' | 'version_taken'>
  /** Activates the waiting version at `now`; older ones are retired at `retireOldAt`. False when no version waits. */
  activateApiKey(request: { readonly appId: string; readonly now: Date; readonly retireOldAt: Date }): Promise<boolean>
  /** Discards the waiting version at `now`, so it never signs. False when no version waits. */
  discardApiKey(request: { readonly appId: string; readonly now: Date }): Promise<boolean>
  /**
   * Revokes a version at `now`. Revoking the signing version also revokes all older ones, and a waiting one signs from
   * `now` on. Without a waiting version, no key signs until one is issued.
   *
   * @param request `reason`: the operator's reason; null when the partner revokes.
   * @returns false when the app has no such version that is accepted at `now`.
   */
  revokeApiKey(request: {
    readonly appId: string
    readonly version: number
    readonly now: Date
    readonly reason: string | null
    readonly actor?: AuditActor
  }): Promise<boolean>
  /**
   * Adds a key version for an app that lost its key; it replaces a waiting version. It signs from `key.signsFrom` if
   * another version signs at `key.createdAt`, otherwise at once.
   *
   * @returns the time from which it signs; `version_taken` as for `addApiKey`.
   */
  issueApiKey(request: {
    readonly key: ApiKeyRow
    readonly reason: string
    readonly actor?: AuditActor
  }): Promise<{ readonly signsFrom: Date } | 'version_taken'>

  /** Adds or replaces the grant of a user to an app. It also limits tokens issued earlier. */
  putGrant(grant: Grant, actor?: AuditActor): Promise<void>
  /** Returns grants in the order of the request; null for a missing or revoked grant. */
  findGrants(pairs: readonly { readonly appId: string; readonly userId: string }[]): Promise<readonly (Grant | null)[]>
  /**
   * Returns the current scopes of a user's grant to an app: empty after a revocation, null if there never was a grant.
   */
  findGrantedScopes(pair: { readonly appId: string; readonly userId: string }): Promise<readonly string[] | null>
  /** Removes the grant and its access tokens; false when there was none. */
  revokeGrant(request: {
    readonly appId: string
    readonly userId: string
    readonly actor?: AuditActor
  }): Promise<boolean>
  /** Lists the apps with a grant of this user. */
  listGrantsOfUser(userId: string): Promise<readonly Grant[]>

  /**
   * Stores an issued access token by its hash, and adds its scopes to the user's grant to the app. A user without a grant
   * gets one with these identifiers. A revocation at the same time comes before or after both.
   *
   * @returns the grant as it is stored.
   */
  issueAccessToken(request: {
    readonly token: AccessTokenRow
    readonly identifiers: Pick<Grant, 'accountId' | 'externalReferenceId'>
    readonly actor?: AuditActor
  }): Promise<Grant>
  /** Stores an issued access token by its hash. Its user must have a grant to the app. */
  addAccessToken(token: AccessTokenRow, actor?: AuditActor): Promise<void>
  /**
   * Finds an access token; null if it is unknown, expired at `now`, or its grant was revoked. Its scopes are limited to
   * those of the current grant.
   */
  findAccessToken(hash: Uint8Array, now: Date): Promise<AccessTokenRow | null>

  /**
   * Records a sign-in in the audit log, if there is one. Call it before the session is stored, so that no session exists
   * without its entry.
   */
  recordSignIn(signIn: SignIn): Promise<void>
}

/** Adds the scopes of an issued token to the grant of its user, or makes a new grant. */
export function grantWithToken(
  former: Grant | null,
  { token, identifiers }: Pick<Parameters<AppDirectory['issueAccessToken']>[0], 'token' | 'identifiers'>,
): Grant {
  const { appId, userId, scopes } = token
  return { appId, userId, ...identifiers, ...former, scopes: [...new Set([...(former?.scopes ?? []), ...scopes])] }
}

/**
 * Returns the scopes of a token that are still granted, in the token's order. For a directory on another store.
 *
 * @example
 * ```ts
 * import { scopesWithin } from '@kyc-relay/storage-drizzle/apps'
 *
 * const scopes = scopesWithin(['VERIFY_KYC', 'MAKE_PAYOUT_SEND'], ['VERIFY_KYC'])
 * ```
 */
export function scopesWithin(scopes: readonly string[], granted: readonly string[]): string[] {
  return scopes.filter((scope) => granted.includes(scope))
}
