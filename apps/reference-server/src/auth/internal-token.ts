import { createHash, timingSafeEqual } from 'node:crypto'
import { parseBearer } from './bearer.js'

/** Compares the bearer token of a request with the internal token, in constant time whatever its length. */
export function isInternalCaller(authorization: string | undefined, internalToken: string): boolean {
  const given = parseBearer(authorization)
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return given !== null && timingSafeEqual(digest(given), digest(internalToken))
}
