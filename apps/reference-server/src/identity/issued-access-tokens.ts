import { createRemoteJWKSet, customFetch, type RemoteJWKSet } from 'jose'
import type { OauthServer } from '../env.js'
import type { AccessTokens } from './access-tokens.js'
import { createJwtAccessTokens } from './jwt-access-tokens.js'
import { createOauthDocuments, type OauthDocuments } from './oauth-documents.js'

/** Creates the check of JWT access tokens with the published keys of an OAuth server. */
export function createIssuedAccessTokens({ issuer, audience }: OauthServer, production: boolean): AccessTokens {
  const nowMs = () => performance.now()
  const documents = createOauthDocuments({ issuer, allowLoopbackHttp: !production, nowMs })
  return createJwtAccessTokens({ issuer, audience, keys: publishedKeys(issuer, documents), now: () => new Date() })
}

/**
 * Key set of an OAuth server. jose caches it for 10 minutes, so a withdrawn key is valid for at most 10 more minutes.
 * For a token with an unknown key, jose fetches the set again, at most every 30 s.
 */
export function publishedKeys(issuer: string, documents: OauthDocuments): RemoteJWKSet {
  const fetchKeySet = async () => Response.json(await documents.fetchKeySet())
  // `documents` reads the address of the key set from the metadata. jose needs some URL, so it gets the issuer's.
  return createRemoteJWKSet(new URL(issuer), { [customFetch]: fetchKeySet })
}
