import { randomBytes } from 'node:crypto'
import type { AuditActor } from '@kyc-relay/kyc-core/audit'
import type { AppDirectory } from '@kyc-relay/storage-drizzle/apps'
import type { Env } from '../env.js'
import { sha256 } from '../sha256.js'

/** Caller of a user access token. */
export interface AccessTokenHolder {
  readonly appId: string
  readonly userId: string
  readonly scopes: readonly string[]
}

type TokenIssue = Parameters<AppDirectory['issueAccessToken']>[0]
type Grant = Awaited<ReturnType<AppDirectory['issueAccessToken']>>

/** Finds the caller of an access token; null for an unknown, expired or revoked token. */
export interface AccessTokens {
  find(token: string): Promise<AccessTokenHolder | null>
}

/** Prefix of the opaque tokens of the embedded store. */
const opaquePrefix = 'kyc_at_'

/**
 * Looks up opaque tokens in the embedded store, and other tokens as JWTs of the OAuth server, if configured. The JWT
 * code is loaded at the first use, so a start without it is faster.
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
 * Limits tokens of an OAuth server by the grants of this server. A token has only the scopes that are also granted now,
 * and is refused after its grant was revoked. For a user without a grant here, only the token counts.
 */
function withinGrants(tokens: AccessTokens, directory: Pick<AppDirectory, 'findGrantedScopes'>): AccessTokens {
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

/** Opaque tokens of the embedded store, stored as SHA-256: 256 random bits need no slow hash. */
export function createEmbeddedAccessTokens(
  directory: AppDirectory,
  now: () => Date,
): AccessTokens & {
  /** Issues a token and adds its scopes to the grant. The identifiers are those of a new grant. */
  issue(
    holder: AccessTokenHolder,
    identifiers: TokenIssue['identifiers'],
    lifetimeMs: number,
    actor?: AuditActor,
  ): Promise<{ accessToken: string; expiresAt: Date; grant: Grant }>
} {
  return {
    async find(token) {
      const row = await directory.findAccessToken(sha256(token), now())
      return row === null ? null : { appId: row.appId, userId: row.userId, scopes: row.scopes }
    },
    async issue(holder, identifiers, lifetimeMs, actor) {
      const accessToken = `${opaquePrefix}${randomBytes(32).toString('base64url')}`
      const expiresAt = new Date(now().getTime() + lifetimeMs)
      const token = { hash: sha256(accessToken), ...holder, expiresAt }
      const grant = await directory.issueAccessToken({ token, identifiers, ...(actor === undefined ? {} : { actor }) })
      return { accessToken, expiresAt, grant }
    },
  }
}
