import { checkArgument, hasMethods, isTime } from '../check-argument.js'
import type { PiiField } from './pii-vault.js'

/**
 * An opaque reference to one value in the vault: `tok_<field>_<26 or more base62>`, for an SSN followed by `_<last4>`.
 * Tokens of {@link createToken} start with the millisecond of their creation, followed by 26 random characters. A token has
 * letters and underscores, so it never looks like an SSN.
 */
export type Token = `tok_${string}`

/** Data in the text of a token. Only the vault knows whether the token exists, and its owner. */
export interface ParsedToken {
  readonly token: Token
  readonly field: PiiField
  /** Last four digits, for an SSN. */
  readonly lastFour: string | null
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_CHARACTERS = 26
/** Characters for the millisecond; enough for 6,900 years. */
const TIME_CHARACTERS = 8
const SSN_TOKEN = /^tok_ssn_[0-9A-Za-z]{26,64}_\d{4}$/
const DOCUMENT_NUMBER_TOKEN = /^tok_document_number_[0-9A-Za-z]{26,64}$/

/** Random bytes of a token: at least 26 of them remain after bytes of 248 and above are dropped. */
const RANDOM_BYTES = 64

/** Input of {@link createToken}. */
export type NewToken = {
  /** Time of creation. Tokens sort by it; a time before 1970 counts as 1970. */
  readonly madeAt: Date
  /** Returns bytes from a cryptographic source, as `randomBytes` of `node:crypto` does. Called once, for 64 bytes. */
  readonly randomBytes: (count: number) => Uint8Array
} & (
  | {
      readonly field: 'ssn'
      /** Last four digits of the SSN. */
      readonly lastFour: string
    }
  | { readonly field: 'document_number' }
)

/**
 * Creates a token: eight base62 characters for the millisecond, then 26 random ones (154 bits).
 *
 * The time comes first, so tokens created one after another are adjacent in an index. With millions of rows, a fully
 * random token would touch one page of every index.
 *
 * @throws `ARGUMENT_INVALID` for too few random bytes, a `lastFour` that is not four digits, or another wrong argument.
 *
 * @example
 * ```ts
 * import { createToken } from '@kyc-relay/kyc-core'
 *
 * const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count))
 * const token = createToken({ field: 'ssn', lastFour: '1120', madeAt: new Date(), randomBytes })
 * ```
 */
export function createToken(token: NewToken): Token {
  checkArgument(hasMethods(token, 'randomBytes') && isTime(token.madeAt))
  const characters = `${timeOf(token.madeAt)}${randomCharacters(token.randomBytes(RANDOM_BYTES))}`
  if (token.field === 'document_number') return `tok_document_number_${characters}`
  checkArgument(token.field === 'ssn' && /^\d{4}$/.test(token.lastFour))
  return `tok_ssn_${characters}_${token.lastFour}`
}

/** Writes the milliseconds as base62 of fixed length, so that the texts sort by time. */
function timeOf(at: Date): string {
  let rest = Math.max(0, at.getTime())
  let characters = ''
  for (let place = 0; place < TIME_CHARACTERS; place++) {
    characters = BASE62.charAt(rest % 62) + characters
    rest = Math.floor(rest / 62)
  }
  return characters
}

function randomCharacters(random: Uint8Array): string {
  let characters = ''
  for (const byte of random) {
    if (characters.length === RANDOM_CHARACTERS) break
    // A byte of 248 or above would make the first characters of the alphabet more likely.
    if (byte < 248) characters += BASE62.charAt(byte % 62)
  }
  checkArgument(characters.length >= RANDOM_CHARACTERS)
  return characters
}

/**
 * Parses a token; null for a value without the format of a token.
 *
 * @example
 * ```ts
 * import { parseToken } from '@kyc-relay/kyc-core/internal'
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
 * Returns the text that identifies a token, without the last four digits of an SSN. It is no token.
 *
 * @example
 * ```ts
 * import { tokenWithoutDigits } from '@kyc-relay/kyc-core/internal'
 *
 * tokenWithoutDigits('tok_ssn_0123456789abcdefghij0123456789ab_1120') // 'tok_ssn_0123456789abcdefghij0123456789ab'
 * ```
 */
export function tokenWithoutDigits(token: Token): string {
  return parseToken(token)?.lastFour == null ? token : token.slice(0, -5)
}

/**
 * Checks whether a value has the format of a token.
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
