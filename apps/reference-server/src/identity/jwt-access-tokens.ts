import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyOptions,
  type RemoteJWKSet,
} from 'jose'
import type { AccessTokenHolder, AccessTokens } from './access-tokens.js'
import { issuedId } from './issued-ids.js'
import { OauthServerError } from './oauth-server-error.js'

/** Accepted signature algorithms. All use public keys: a published symmetric key would let anyone sign. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** Accepted difference between the clocks of two machines. */
const clockSkewSeconds = 30

const tokenTypes = new Set(['at+jwt', 'application/at+jwt'])

/** Options for checking JWT access tokens. */
export interface JwtAccessTokensDeps {
  /** Exact `iss` of the tokens. */
  readonly issuer: string
  /** Name of this service at the OAuth server; the `aud` of a token must include it. */
  readonly audience: string
  /** Published keys of the issuer. Its fetch throws {@link OauthServerError}. */
  readonly keys: RemoteJWKSet
  readonly now: () => Date
}

/**
 * Creates the check of JWT access tokens (RFC 9068): `client_id` is the app, `sub` the user, `scope` the scopes.
 *
 * @throws OauthServerError from `find` when the keys of the OAuth server cannot be fetched.
 */
export function createJwtAccessTokens(deps: JwtAccessTokensDeps): AccessTokens {
  const { issuer, audience, keys, now } = deps

  async function verify(token: string): Promise<JWTPayload> {
    const rules: JWTVerifyOptions = {
      algorithms,
      issuer,
      audience,
      typ: 'at+jwt',
      clockTolerance: clockSkewSeconds,
      currentDate: now(),
      requiredClaims: ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'],
    }
    try {
      return (await jwtVerify(token, keys, rules)).payload
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
      return verifyByAnyKey(token, error, rules)
    }
  }

  async function verifyByPublishedKeys(token: string): Promise<JWTPayload> {
    try {
      return await verify(token)
    } catch (error) {
      // jose fetches the keys again when one is missing. This code does so when a key is unusable: the issuer may have
      // corrected it.
      if (isJoseError(error) || error instanceof OauthServerError || keys.coolingDown) throw error
      await keys.reload()
      return verify(token)
    }
  }

  return {
    async find(token) {
      // Checked before the key look-up, so that foreign tokens cause no request to the OAuth server.
      if (!claimsToBeOurs(token, issuer)) return null
      try {
        return holderOf(await verifyByPublishedKeys(token), issuer, now())
      } catch (error) {
        if (error instanceof OauthServerError) throw error
        // Any other error of the library means that the token is not valid.
        return null
      }
    },
  }
}

/** Checks for an error of jose. Importing an unusable key throws other errors. */
function isJoseError(error: unknown): boolean {
  return error instanceof errors.JOSEError
}

/** A token without a key id is tried with each matching key. */
async function verifyByAnyKey(
  token: string,
  candidates: AsyncIterable<CryptoKey>,
  rules: JWTVerifyOptions,
): Promise<JWTPayload> {
  for await (const key of candidates) {
    try {
      return (await jwtVerify(token, key, rules)).payload
    } catch (error) {
      // Claims are checked after the signature, so an error of a claim means that the key is right. A key that is too
      // short is skipped.
      if (isJoseError(error) && !(error instanceof errors.JWSSignatureVerificationFailed)) throw error
    }
  }
  throw new errors.JWSSignatureVerificationFailed()
}

function claimsToBeOurs(token: string, issuer: string): boolean {
  try {
    const { alg, typ, kid } = decodeProtectedHeader(token)
    if (typeof typ !== 'string' || !tokenTypes.has(typ.toLowerCase())) return false
    if (alg === undefined || !algorithms.includes(alg)) return false
    if (kid !== undefined && (typeof kid !== 'string' || kid.length > 256)) return false
    return decodeJwt(token).iss === issuer
  } catch {
    return false
  }
}

/** Returns null for a token without a user, or for an app itself (RFC 9068 §2.2: `sub` of a client's own token). */
function holderOf(claims: JWTPayload, issuer: string, now: Date): AccessTokenHolder | null {
  const { sub, exp, iat, jti, scope, client_id: clientId } = claims
  if (typeof sub !== 'string' || sub === '' || typeof clientId !== 'string' || clientId === '') return null
  if (typeof jti !== 'string' || jti === '' || sub === clientId) return null
  // JSON can hold 1e400, which is read as infinity: the token would never expire.
  if (!Number.isFinite(exp) || !Number.isFinite(iat)) return null
  if (typeof iat !== 'number' || iat > now.getTime() / 1000 + clockSkewSeconds) return null
  return {
    appId: issuedId(issuer, 'client_id', clientId),
    userId: issuedId(issuer, 'sub', sub),
    // RFC 6749 §3.3: scopes are separated by single spaces.
    scopes: typeof scope === 'string' ? scope.split(' ').filter((name) => name !== '') : [],
  }
}
