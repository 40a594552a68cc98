import { KycError } from '../kyc-error.js'
import type { PiiField } from './pii-vault.js'

/**
 * An opaque reference to one value in the vault: `tok_<field>_<26 or more base62>`, for an SSN followed by `_<last4>`.
 * Those that {@link createToken} makes begin with the second they were made in, then come 26 random characters.
 * Contains letters and underscores, so it can never be mistaken for an SSN.
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
/** Enough for 1,800 years of seconds. */
const SECOND_CHARACTERS = 6
const SSN_TOKEN = /^tok_ssn_[0-9A-Za-z]{26,64}_\d{4}$/
const DOCUMENT_NUMBER_TOKEN = /^tok_document_number_[0-9A-Za-z]{26,64}$/

/** Random bytes that {@link createToken} asks for: enough that 26 of them survive the rejection of uneven ones. */
export const TOKEN_RANDOM_BYTES = 64

/** What a token is made of. */
export type NewToken = {
  /** When it is made. Tokens sort by it, to the second; before 1970 counts as 1970. */
  readonly madeAt: Date
  /**
   * At least 26 usable bytes from a cryptographic source; pass {@link TOKEN_RANDOM_BYTES} of them. Bytes of 248 and above
   * are passed over, so that every character is equally likely.
   */
  readonly random: Uint8Array
} & (
  | {
      readonly field: 'ssn'
      /** Last four digits of the SSN. */
      readonly lastFour: string
    }
  | { readonly field: 'document_number' }
)

/**
 * Makes a token: six base62 characters for the second, then 26 random ones (154 bits).
 *
 * The second comes first so that tokens made one after another stand beside each other in an index: with millions of
 * them, a wholly random token costs a database a page of its own in every index that holds it.
 *
 * @throws `ARGUMENT_INVALID` when there is too little randomness, or `lastFour` is not four digits.
 *
 * @example
 * ```ts
 * import { createToken, TOKEN_RANDOM_BYTES } from '@kyc-relay/kyc-core'
 *
 * const random = crypto.getRandomValues(new Uint8Array(TOKEN_RANDOM_BYTES))
 * const token = createToken({ field: 'ssn', lastFour: '1120', madeAt: new Date(), random })
 * ```
 */
export function createToken(token: NewToken): Token {
  const characters = `${secondOf(token.madeAt)}${randomCharacters(token.random)}`
  if (token.field === 'document_number') return `tok_document_number_${characters}`
  if (!/^\d{4}$/.test(token.lastFour)) throw new KycError('ARGUMENT_INVALID')
  return `tok_ssn_${characters}_${token.lastFour}`
}

/** As base62 of one length and in the order of the alphabet, which is that of the bytes. */
function secondOf(at: Date): string {
  let rest = Math.max(0, Math.floor(at.getTime() / 1_000))
  if (Number.isNaN(rest)) throw new KycError('ARGUMENT_INVALID')
  let characters = ''
  for (let place = 0; place < SECOND_CHARACTERS; place++) {
    characters = BASE62.charAt(rest % 62) + characters
    rest = Math.floor(rest / 62)
  }
  return characters
}

function randomCharacters(random: Uint8Array): string {
  let characters = ''
  for (const byte of random) {
    if (characters.length === RANDOM_CHARACTERS) break
    if (byte < 248) characters += BASE62.charAt(byte % 62)
  }
  if (characters.length < RANDOM_CHARACTERS) throw new KycError('ARGUMENT_INVALID')
  return characters
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
