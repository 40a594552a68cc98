import { foldText, holdsSpelled } from './spelled-text.js'

/*
 * Finds a known SSN in a text in which it is encoded: base64 or hexadecimal of UTF-8 or UTF-16, or escapes of URLs, HTML,
 * mail and JSON.
 */

/** `%30`, `\x30`, `\u0030`, `&#x30;`, `&#48;`: hexadecimal, except in the last group. */
const ESCAPES = /%([0-9a-f]{2})|\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|&#x([0-9a-f]{1,6});?|&#(\d{1,7});?/gi
/** `=30`, as in mail. */
const MAIL_ESCAPES = /=([0-9a-f]{2})/gi
const ESCAPE = /[%=\\&]/
/** Length of the shortest number in hexadecimal that is searched for. */
const SHORTEST = 6
/** Length of the shortest part of base64 that is searched for. */
const SHORTEST_BASE64 = 11
const HAN_DIGITS = '〇一二三四五六七八九'
const HAN = /[〇零一二三四五六七八九]/

/** An SSN in the encodings that are searched for. */
export interface EncodedSsn {
  readonly digits: string
  /** Returns parts that base64 of any text with the SSN has, whatever comes before it. */
  readonly base64: () => readonly string[]
  /** Hexadecimal of the SSN as it is written: without separators, and with each of them; in UTF-8 and in UTF-16. */
  readonly hex: readonly string[]
  /** The number itself in hexadecimal; null if it is so short that other numbers have it. */
  readonly hexNumber: string | null
}

/** Returns the characters of base64 that only `text` decides, if `before` other bytes stand before it. */
function base64After(before: number, text: string): string {
  const bits = (before + text.length) * 8
  return btoa('\0'.repeat(before) + text).slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6))
}

const HEX_OF_OTHER: Readonly<Record<string, string>> = { '-': '2D', ' ': '20', '.': '2E', '\0': '00' }

/** Writes digits and the characters between them in hexadecimal. */
const hexOf = (text: string): string =>
  [...text].map((character) => HEX_OF_OTHER[character] ?? `3${character}`).join('')

/** Encodes an SSN of nine digits for {@link holdsEncodedSsn}. */
export function encodeSsn(digits: string): EncodedSsn {
  const [area, group, serial] = [digits.slice(0, 3), digits.slice(3, 5), digits.slice(5)]
  const spellings = ['', '-', ' ', '.'].map((separator) => [area, group, serial].join(separator))
  // UTF-16 has a NUL between the digits, in either byte order.
  const bytes = spellings.flatMap((spelling) => [spelling, [...spelling].join('\0')])
  const hexNumber = Number(digits).toString(16).toUpperCase()
  let base64: readonly string[] | undefined
  return {
    digits,
    base64: () => (base64 ??= bytes.flatMap((text) => [0, 1, 2].map((before) => base64After(before, text)))),
    hex: bytes.map(hexOf),
    hexNumber: hexNumber.length >= SHORTEST ? hexNumber : null,
  }
}

function withoutEscapes(text: string, escapes: RegExp): string {
  return text.replace(escapes, (escape, ...groups: readonly unknown[]) => {
    const index = groups.slice(0, 5).findIndex((group) => typeof group === 'string')
    const codePoint = Number.parseInt(String(groups[index]), index === 4 ? 10 : 16)
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : escape
  })
}

const withHanDigits = (text: string): string =>
  text.replaceAll(new RegExp(HAN, 'g'), (digit) => (digit === '零' ? '0' : String(HAN_DIGITS.indexOf(digit))))

/** Checks whether a text holds the SSN in base64, hexadecimal, escapes or Han digits. */
export function holdsEncodedSsn(text: string, ssn: EncodedSsn): boolean {
  if (text.length < SHORTEST) return false
  // In base64 a digit in the first of three places is `M` and one more character.
  if (text.length >= SHORTEST_BASE64 && text.includes('M')) {
    const compact = text.replace(/\s/g, '')
    if (ssn.base64().some((part) => compact.includes(part))) return true
  }
  const upper = foldText(text)
  // Digits are 30 to 39 in hexadecimal.
  const hexDigits = /3\d/.test(upper) ? upper.replace(/0X|\\X|[^0-9A-F]/g, '') : ''
  if (/(?:3\d(?:00)?){3}/.test(hexDigits) && ssn.hex.some((spelling) => hexDigits.includes(spelling))) return true
  if (ssn.hexNumber !== null && upper.includes(ssn.hexNumber) && isWord(upper, ssn.hexNumber)) return true
  // Escapes twice, for a text that was escaped twice.
  if (!ESCAPE.test(text) && !HAN.test(text)) return false
  const unescaped = ESCAPE.test(text)
    ? [withoutEscapes(withoutEscapes(text, ESCAPES), ESCAPES), withoutEscapes(text, MAIL_ESCAPES)]
    : [text]
  return unescaped
    .map(withHanDigits)
    .some((spelling) => spelling !== text && holdsSpelled(foldText(spelling), ssn.digits, 'digits'))
}

/** Checks whether a hexadecimal number stands by itself, with `0X` or zeros before it. */
function isWord(text: string, hex: string): boolean {
  return text.split(/[^0-9A-Z]+/).some((word) => word.replace(/^(?:0X)?0*/, '') === hex)
}
