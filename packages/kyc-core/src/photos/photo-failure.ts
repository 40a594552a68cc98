/**
 * Why an attempt to fetch a photo failed; `KycPhotoFailure` of the GraphQL schema says of each what it means. Codes only,
 * so that no URL, no answer and no message of a library is ever kept.
 */
export const PHOTO_FAILURES = [
  // What the URL leads to is not taken.
  'URL_NOT_ALLOWED',
  'REDIRECT_NOT_ALLOWED',
  'ADDRESS_NOT_ALLOWED',
  'TOO_MANY_REDIRECTS',
  'TOO_LARGE',
  'NOT_A_PHOTO',
  // It cannot be had.
  'HTTP_STATUS',
  'DNS_FAILED',
  'CONNECT_FAILED',
  'TLS_FAILED',
  'TIMEOUT',
  'CONNECTION_LOST',
  'INVALID_RESPONSE',
  'URL_UNREADABLE',
  // By our own fault.
  'RESOLVER_DOWN',
  'OUT_OF_SOCKETS',
  'VAULT_UNAVAILABLE',
  'PHOTO_STORE_UNAVAILABLE',
  'INTERNAL_ERROR',
] as const

/** One of {@link PHOTO_FAILURES}. */
export type PhotoFailure = (typeof PHOTO_FAILURES)[number]

const failures: ReadonlySet<unknown> = new Set(PHOTO_FAILURES)

/**
 * Whether a value is one of {@link PHOTO_FAILURES}; every `PhotoJobStore` asks before it keeps one.
 *
 * @example
 * ```ts
 * import { isPhotoFailure } from '@kyc-relay/kyc-core'
 *
 * isPhotoFailure('NOT_A_PHOTO') // true
 * isPhotoFailure('connect ECONNREFUSED 203.0.113.7:443') // false
 * ```
 */
export function isPhotoFailure(value: unknown): value is PhotoFailure {
  return failures.has(value)
}
