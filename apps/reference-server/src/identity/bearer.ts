import { createHash, timingSafeEqual } from 'node:crypto'

/** The `VERIFY_KYC` scope lets a token submit results (docs/contract.md 1.2). */
export const submissionScope = 'VERIFY_KYC'

// RFC 6750 §2.1: the scheme in any case, then one b64token.
const bearer = /^bearer +([A-Z0-9._~+/-]{1,4096}=*)$/i

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
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return given !== null && timingSafeEqual(digest(given), digest(internalToken))
}
