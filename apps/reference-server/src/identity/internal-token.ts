import { createHash, timingSafeEqual } from 'node:crypto'
import { parseBearer } from './bearer.js'

/**
 * Compares the bearer token of a request with the internal token, in constant time whatever its length. Without an
 * internal token (null) nobody is let in.
 */
export function isInternalCaller(authorization: string | undefined, internalToken: string | null): boolean {
  if (internalToken === null) return false
  const given = parseBearer(authorization)
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return given !== null && timingSafeEqual(digest(given), digest(internalToken))
}
