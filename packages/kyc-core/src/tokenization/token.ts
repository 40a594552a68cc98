import { KycError } from '../kyc-error.js'
import type { PiiField } from './pii-vault.js'

/**
 * An opaque reference to one value in the vault: `tok_<field>_<26 or more base62>`, for an SSN followed by `_<last4>`.
 * Contains letters and underscores, so it can never be mistaken for an SSN (decision 14).
 */
export type Token = `tok_${string}`

/** What the text of a token says. Whether it exists, and whose it is, only the vault knows. */
export interface ParsedToken {
  readonly token: Token
  readonly field: PiiField
  /** Last four digits, for an SSN. */
  readonly lastFour: string | null
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_CHARACTERS = 26
const SSN_TOKEN = /^tok_ssn_[0-9A-Za-z]{26,64}_\d{4}$/
const DOCUMENT_NUMBER_TOKEN = /^tok_document_number_[0-9A-Za-z]{26,64}$/

/** Random bytes that {@link createToken} asks for: enough that 26 of them survive the rejection of uneven ones. */
export const TOKEN_RANDOM_BYTES = 64

/**
 * Makes a token of 26 random base62 characters (154 bits).
 *
 * @param random At least 26 usable bytes from a cryptographic source; pass {@link TOKEN_RANDOM_BYTES} of them. Bytes of
 *   248 and above are passed over, so that every character is equally likely.
 * @param lastFour Last four digits; required for an SSN, not allowed for a document number.
 * @throws `ARGUMENT_INVALID` when there is too little randomness or `lastFour` does not fit the field.
 *
 * @example
 * ```ts
 * import { createToken, TOKEN_RANDOM_BYTES } from '@kyc-relay/kyc-core'
 *
 * const token = createToken('ssn', crypto.getRandomValues(new Uint8Array(TOKEN_RANDOM_BYTES)), '1120')
 * ```
 */
export function createToken(field: PiiField, random: Uint8Array, lastFour?: string): Token {
  let characters = ''
  for (const byte of random) {
    if (characters.length === RANDOM_CHARACTERS) break
    if (byte < 248) characters += BASE62.charAt(byte % 62)
  }
  if (characters.length < RANDOM_CHARACTERS) throw new KycError('ARGUMENT_INVALID')
  if (field === 'document_number') {
    if (lastFour !== undefined) throw new KycError('ARGUMENT_INVALID')
    return `tok_document_number_${characters}`
  }
  if (lastFour === undefined || !/^\d{4}$/.test(lastFour)) throw new KycError('ARGUMENT_INVALID')
  return `tok_ssn_${characters}_${lastFour}`
}

/**
 * Reads the format of a token, or null when the value does not have it.
 *
 * @example
 * ```ts
 * import { parseToken } from '@kyc-relay/kyc-core'
 *
 * parseToken('tok_ssn_0123456789abcdefghij0123456789ab_1120')?.lastFour // '1120'
 * parseToken('078-05-1120') // null
 * ```
 */
export function parseToken(value: unknown): ParsedToken | null {
  if (typeof value !== 'string') return null
  if (SSN_TOKEN.test(value)) return { token: value as Token, field: 'ssn', lastFour: value.slice(-4) }
  if (DOCUMENT_NUMBER_TOKEN.test(value)) return { token: value as Token, field: 'document_number', lastFour: null }
  return null
}

/**
 * True when the value has the format of a token.
 *
 * @example
 * ```ts
 * import { isToken } from '@kyc-relay/kyc-core'
 *
 * isToken('078-05-1120') // false
 * ```
 */
export function isToken(value: unknown): value is Token {
  return parseToken(value) !== null
}
