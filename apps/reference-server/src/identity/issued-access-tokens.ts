import type { OauthServer } from '../env.js'
import type { AccessTokens } from './access-tokens.js'
import { createJwtAccessTokens } from './jwt-access-tokens.js'
import { createKeySetCache } from './key-set-cache.js'
import { createOauthDocuments } from './oauth-documents.js'

/** JWT access tokens of an OAuth server, by the keys that it publishes. */
export function createIssuedAccessTokens({ issuer, audience }: OauthServer, production: boolean): AccessTokens {
  const nowMs = () => performance.now()
  const documents = createOauthDocuments({ issuer, allowLoopbackHttp: !production, nowMs })
  return createJwtAccessTokens({ issuer, audience, keys: createKeySetCache(documents, nowMs), now: () => new Date() })
}
