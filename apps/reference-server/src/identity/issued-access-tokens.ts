import { createRemoteJWKSet, customFetch, type RemoteJWKSet } from 'jose'
import type { OauthServer } from '../env.js'
import type { AccessTokens } from './access-tokens.js'
import { createJwtAccessTokens } from './jwt-access-tokens.js'
import { createOauthDocuments, type OauthDocuments } from './oauth-documents.js'

/** JWT access tokens of an OAuth server, by the keys that it publishes. */
export function createIssuedAccessTokens({ issuer, audience }: OauthServer, production: boolean): AccessTokens {
  const nowMs = () => performance.now()
  const documents = createOauthDocuments({ issuer, allowLoopbackHttp: !production, nowMs })
  return createJwtAccessTokens({ issuer, audience, keys: publishedKeys(issuer, documents), now: () => new Date() })
}

/**
 * The keys of an OAuth server as jose caches them: for 10 minutes, so a withdrawn key signs nothing for longer. A token that
 * names an unknown key makes jose fetch them again, at most every 30 s.
 */
export function publishedKeys(issuer: string, documents: OauthDocuments): RemoteJWKSet {
  const fetchKeySet = async () => Response.json(await documents.fetchKeySet())
  // The address of the key set is in the metadata, which `documents` reads: jose is given the issuer's instead.
  return createRemoteJWKSet(new URL(issuer), { [customFetch]: fetchKeySet })
}
