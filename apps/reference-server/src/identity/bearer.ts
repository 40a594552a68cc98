import { equalSecrets } from '../sha256.js'

/** The `VERIFY_KYC` scope lets a token submit results (docs/contract.md 1.2). */
export const submissionScope = 'VERIFY_KYC'

/** A b64token of RFC 6750 §2.1. The length counts no `=` at the end. */
const tokenOfLength = (least: number) => `[A-Za-z0-9._~+/-]{${least},4096}=*`

// The scheme is accepted in any case.
const bearer = new RegExp(`^bearer +(${tokenOfLength(1)})$`, 'i')

/** A configured token: long enough not to be guessed, and of a form that {@link parseBearer} reads. */
export const configuredToken = new RegExp(`^${tokenOfLength(16)}$`)

/** Reads the token of an `Authorization: Bearer` header; null for a missing or malformed header. */
export function parseBearer(header: string | undefined): string | null {
  return header === undefined ? null : (bearer.exec(header)?.[1] ?? null)
}

/**
 * Compares the bearer token of a request with the internal token, in constant time for any length. Without an internal
 * token (null), every request is refused.
 */
export function isInternalCaller(authorization: string | undefined, internalToken: string | null): boolean {
  if (internalToken === null) return false
  const given = parseBearer(authorization)
  return given !== null && equalSecrets(given, internalToken)
}
