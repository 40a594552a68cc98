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

/** Signatures that are accepted: public keys only, so that a key set can never verify what anyone could have signed. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** Clocks of two machines may differ by so much. */
const clockSkewSeconds = 30

const tokenTypes = new Set(['at+jwt', 'application/at+jwt'])

/** What JWT access tokens are checked by. */
export interface JwtAccessTokensDeps {
  /** Exactly the `iss` of its tokens. */
  readonly issuer: string
  /** Our name at the OAuth server: one of a token's `aud`. */
  readonly audience: string
  /** Keys that the issuer publishes. Its fetch throws {@link OauthServerError}. */
  readonly keys: RemoteJWKSet
  readonly now: () => Date
}

/**
 * JWT access tokens of an OAuth server (RFC 9068): `client_id` is the app, `sub` the user, `scope` the scopes.
 *
 * @throws OauthServerError from `find` when the OAuth server's keys are needed and cannot be had.
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
      // jose fetches the keys again when one is missing. When one cannot be used, the issuer may have mended it.
      if (isAnswer(error) || keys.coolingDown) throw error
      await keys.reload()
      return verify(token)
    }
  }

  return {
    async find(token) {
      // Checked before any key is looked for: no stranger's token makes us ask the OAuth server.
      if (!claimsToBeOurs(token, issuer)) return null
      try {
        return holderOf(await verifyByPublishedKeys(token), issuer, now())
      } catch (error) {
        if (error instanceof OauthServerError) throw error
        // Whatever else the library throws, the token was not verified.
        return null
      }
    },
  }
}

/** False for what the import of an unusable key threw, which is no error of jose's own. */
function isAnswer(error: unknown): boolean {
  return error instanceof errors.JOSEError || error instanceof OauthServerError
}

/** A token that names no key is tried with each that fits. */
async function verifyByAnyKey(
  token: string,
  candidates: AsyncIterable<CryptoKey>,
  rules: JWTVerifyOptions,
): Promise<JWTPayload> {
  for await (const key of candidates) {
    try {
      return (await jwtVerify(token, key, rules)).payload
    } catch (error) {
      // The claims are checked after the signature, so of them only the right key tells. A key that is too short is passed over.
      if (error instanceof errors.JOSEError && !(error instanceof errors.JWSSignatureVerificationFailed)) throw error
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

/** Null for a token that speaks for no user, or for an app itself (RFC 9068 §2.2: `sub` of a client's own token). */
function holderOf(claims: JWTPayload, issuer: string, now: Date): AccessTokenHolder | null {
  const { sub, exp, iat, jti, scope, client_id: clientId } = claims
  if (typeof sub !== 'string' || sub === '' || typeof clientId !== 'string' || clientId === '') return null
  if (typeof jti !== 'string' || jti === '' || sub === clientId) return null
  // JSON can hold 1e400, which is read as infinity: a token for ever.
  if (!Number.isFinite(exp) || !Number.isFinite(iat)) return null
  if (typeof iat !== 'number' || iat > now.getTime() / 1000 + clockSkewSeconds) return null
  return {
    appId: issuedId(issuer, 'client_id', clientId),
    userId: issuedId(issuer, 'sub', sub),
    // RFC 6749 §3.3: separated by single spaces; anything else is not a scope of ours.
    scopes: typeof scope === 'string' ? scope.split(' ').filter((name) => name !== '') : [],
  }
}
