/**
 * Reasons why an attempt to fetch a photo failed. `KycPhotoFailure` of the GraphQL schema explains each. They are
 * codes, so no URL, response or library message is stored.
 */
export const PHOTO_FAILURES = [
  // The URL or its content is not allowed.
  'URL_NOT_ALLOWED',
  'REDIRECT_NOT_ALLOWED',
  'ADDRESS_NOT_ALLOWED',
  'TOO_MANY_REDIRECTS',
  'TOO_LARGE',
  'NOT_A_PHOTO',
  // The photo cannot be fetched.
  'HTTP_STATUS',
  'DNS_FAILED',
  'CONNECT_FAILED',
  'TLS_FAILED',
  'TIMEOUT',
  'CONNECTION_LOST',
  'INVALID_RESPONSE',
  'URL_UNREADABLE',
  // Faults of the service.
  'RESOLVER_DOWN',
  'OUT_OF_SOCKETS',
  'PROXY_FAILED',
  'VAULT_UNAVAILABLE',
  'PHOTO_STORE_UNAVAILABLE',
  'INTERNAL_ERROR',
] as const

/** Why a photo is not stored. */
export type PhotoFailure = (typeof PHOTO_FAILURES)[number]

const failures: ReadonlySet<unknown> = new Set(PHOTO_FAILURES)

/**
 * Checks whether a value is a {@link PhotoFailure}. Every `PhotoJobStore` checks before it stores one.
 *
 * @example
 * ```ts
 * import { isPhotoFailure } from '@kyc-relay/kyc-core/internal'
 *
 * isPhotoFailure('NOT_A_PHOTO') // true
 * isPhotoFailure('connect ECONNREFUSED 203.0.113.7:443') // false
 * ```
 */
export function isPhotoFailure(value: unknown): value is PhotoFailure {
  return failures.has(value)
}
