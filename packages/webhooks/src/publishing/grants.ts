/** Scopes that a user granted to an app, with the identifiers that were agreed in the OAuth flow. */
export interface AppGrant {
  readonly appId: string
  /** Display name of the app, `connectedAppName` in payloads. */
  readonly appName: string
  readonly userId: string
  readonly accountId: string
  /** The app's own identifier of the user. */
  readonly externalReferenceId: string
  readonly scopes: readonly string[]
}

/** Knows which user granted what to which app. May live in another system. */
export interface GrantLookup {
  /** In the order asked; null where there is no grant (any more). */
  find(pairs: readonly { readonly appId: string; readonly userId: string }[]): Promise<readonly (AppGrant | null)[]>
}

/** `all`: an event needs every scope that is listed for its type. `any`: one of them is enough. */
export type ScopeRule = 'all' | 'any'

/**
 * Whether granted scopes suffice for the required ones. Scopes compare exactly.
 */
export function scopesSuffice(
  required: readonly string[],
  granted: readonly string[],
  rule: ScopeRule = 'all',
): boolean {
  return rule === 'all'
    ? required.every((scope) => granted.includes(scope))
    : required.some((scope) => granted.includes(scope))
}
