/** Stable codes of {@link KycError}. */
export type KycErrorCode =
  /** The vault could not be reached or could not write. Retry: nothing was written. */
  | 'VAULT_UNAVAILABLE'
  /** The verification store could not be reached or could not write. Retry with the same `externalVerificationId`. */
  | 'STORE_UNAVAILABLE'
  /** The photo store could not be reached or could not write. Retry. */
  | 'PHOTO_STORE_UNAVAILABLE'
  /** The token is unknown, erased, or belongs to another app or user. */
  | 'TOKEN_UNKNOWN'
  /** Only a keyed hash of the value exists, so it cannot be revealed. */
  | 'NOT_REVEALABLE'
  /** Sealed bytes do not belong to this owner, record and part, were changed, or their key is gone. */
  | 'SEAL_BROKEN'
  /** A data key is sealed under a key that the key file does not hold. */
  | 'KEY_UNKNOWN'
  /** The key file is not valid JSON of the documented shape. */
  | 'KEY_FILE_INVALID'
  /** An argument is missing, has an unknown name or is not as documented: a mistake in the calling code. */
  | 'ARGUMENT_INVALID'
  /** The text is no cursor of this list. */
  | 'CURSOR_INVALID'

const TEXTS: Readonly<Record<KycErrorCode, string>> = {
  VAULT_UNAVAILABLE: 'The vault is not available. Nothing was written.',
  STORE_UNAVAILABLE: 'The verification store is not available.',
  PHOTO_STORE_UNAVAILABLE: 'The photo store is not available.',
  TOKEN_UNKNOWN: 'The token is not known for this app and user.',
  NOT_REVEALABLE: 'Only a keyed hash of this value exists.',
  SEAL_BROKEN: 'The sealed value cannot be opened for this owner, record and part.',
  KEY_UNKNOWN: 'The key that sealed this value is not in the key file.',
  KEY_FILE_INVALID: 'The key file does not have the documented shape.',
  ARGUMENT_INVALID: 'An argument is missing, has an unknown name or is not as documented.',
  CURSOR_INVALID: 'The cursor does not belong to this list.',
}

const RETRYABLE: ReadonlySet<KycErrorCode> = new Set([
  'VAULT_UNAVAILABLE',
  'STORE_UNAVAILABLE',
  'PHOTO_STORE_UNAVAILABLE',
])

const BRAND = Symbol.for('@kyc-relay/kyc-core/KycError')

/**
 * The error of this package and its ports. Carries a code and a fixed text, never a value.
 *
 * `instanceof` works across two installed copies of the package.
 *
 * @example
 * ```ts
 * import { KycError } from '@kyc-relay/kyc-core'
 *
 * function statusOf(error: unknown): number {
 *   return error instanceof KycError && error.retryable ? 503 : 500
 * }
 * ```
 */
export class KycError extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value
  }

  readonly code: KycErrorCode
  /** True when the call had no effect and may succeed later. */
  readonly retryable: boolean

  /** @param options `cause` is for debugging; the text never includes it. */
  constructor(code: KycErrorCode, options?: { readonly cause?: unknown }) {
    super(TEXTS[code], options)
    this.name = 'KycError'
    this.code = code
    this.retryable = RETRYABLE.has(code)
    Object.defineProperty(this, BRAND, { value: true })
  }
}
