import { hash, randomBytes } from 'node:crypto'
import type { AppDirectory } from '@kyc-relay/storage-drizzle/sqlite'
import type { Env } from '../env.js'

/** Who calls, by a user access token. */
export interface AccessTokenHolder {
  readonly appId: string
  readonly userId: string
  readonly scopes: readonly string[]
}

/** Finds out whose access token it is: null for one that is unknown, expired or revoked. */
export interface AccessTokens {
  find(token: string): Promise<AccessTokenHolder | null>
}

/** Every opaque token of the embedded store begins so. */
const opaquePrefix = 'kyc_at_'

/**
 * Opaque tokens are looked up in the embedded store; all others are those of the OAuth server, where there is one. What
 * verifies JWTs is loaded then: a start without waits for none of it.
 */
export async function withIssuedTokens(
  embedded: AccessTokens,
  directory: Pick<AppDirectory, 'findGrantedScopes'>,
  { oauth, production }: Pick<Env, 'oauth' | 'production'>,
): Promise<AccessTokens> {
  if (oauth === null) return embedded
  const { createIssuedAccessTokens } = await import('./issued-access-tokens.js')
  const issued = withinGrants(createIssuedAccessTokens(oauth, production), directory)
  return { find: (token) => (token.startsWith(opaquePrefix) ? embedded : issued).find(token) }
}

/**
 * Tokens of an OAuth server, limited by the grants that this server keeps: a token has the scopes that are both in it and
 * granted now, and is refused once the grant was revoked. A user without a grant here is checked by the token alone.
 */
export function withinGrants(tokens: AccessTokens, directory: Pick<AppDirectory, 'findGrantedScopes'>): AccessTokens {
  return {
    async find(token) {
      const holder = await tokens.find(token)
      const granted = holder && (await directory.findGrantedScopes(holder))
      if (holder === null || granted === null) return holder
      if (granted.length === 0) return null
      return { ...holder, scopes: holder.scopes.filter((scope) => granted.includes(scope)) }
    },
  }
}

const sha256 = (text: string) => hash('sha256', text, 'buffer')

/** Opaque tokens of the embedded store, kept as SHA-256: 256 random bits need no slow hash. */
export function createEmbeddedAccessTokens(
  directory: AppDirectory,
  now: () => Date,
): AccessTokens & {
  issue(holder: AccessTokenHolder, lifetimeMs: number): Promise<{ accessToken: string; expiresAt: Date }>
} {
  return {
    async find(token) {
      const row = await directory.findAccessToken(sha256(token), now())
      return row === null ? null : { appId: row.appId, userId: row.userId, scopes: row.scopes }
    },
    async issue(holder, lifetimeMs) {
      const accessToken = `${opaquePrefix}${randomBytes(32).toString('base64url')}`
      const expiresAt = new Date(now().getTime() + lifetimeMs)
      await directory.addAccessToken({ hash: sha256(accessToken), ...holder, expiresAt })
      return { accessToken, expiresAt }
    },
  }
}
