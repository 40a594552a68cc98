import { anyOf } from './any-of.js'
import { foldText } from './spelled-text.js'

/*
 * Decodes what a text may hold: base64 or hexadecimal of UTF-8 or UTF-16, or escapes of URLs, HTML, mail and programs.
 */

/** `%30`, `\x30`, `\u0030`, `&#x30;`, `%u0030`, `\u{30}`, `&#48;`, `\060`. `&nbsp;` is no digit. */
const ESCAPES =
  /%([0-9a-f]{2})|\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|&#x([0-9a-f]{1,8});?|%u([0-9a-f]{4})|\\u\{([0-9a-f]{1,6})\}|&#(\d{1,10});?|\\([0-7]{3})|&[a-z]{2,8};/gi
/** Bases of the groups of the pattern. */
const BASES = [16, 16, 16, 16, 16, 16, 10, 8] as const
/** `=30`, as in mail. */
const MAIL_ESCAPES = /=([0-9a-f]{2})/gi
const ESCAPE = /[%=\\&]/
/** Lengths of six characters in base64 and in hexadecimal. */
const SHORTEST_BASE64 = 8
const SHORTEST_HEX = 12
/** Characters of base64 one after another. */
const BASE64_RUN = /[A-Za-z0-9+/]{8,}/g
const BASE64_ALPHABET = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/']

/**
 * Matches base64 of six bytes of a kind in two whole groups. Eight such bytes always hold two. A group has three bytes in
 * four characters. The first one holds the high six bits of the first byte. The second ends with the high four of the
 * second byte, and the third with the high two of the third byte.
 */
function sixInBase64(isOfKind: (byte: number) => boolean): RegExp {
  const bytes = Array.from({ length: 256 }, (_, byte) => byte).filter(isOfKind)
  const endsWithHigh = (bits: number) => {
    const ends = new Set(bytes.map((byte) => byte >> (8 - bits)))
    return BASE64_ALPHABET.filter((_, value) => ends.has(value % 2 ** bits)).join('')
  }
  return new RegExp(`(?:[${endsWithHigh(6)}][${endsWithHigh(4)}][${endsWithHigh(2)}][A-Za-z0-9+/]){2}`)
}

/** Printable characters of ASCII, with zeros between them in UTF-16. */
const PRINTABLE_IN_BASE64 = sixInBase64((byte) => byte === 0 || (byte >= 0x20 && byte <= 0x7e))
/** Characters other than ASCII in UTF-8. */
const UTF8_IN_BASE64 = sixInBase64((byte) => byte >= 0x80)
/**
 * One of three digits in a row begins a group: the high six bits of `0` to `9`. A fourth digit, a zero of UTF-16 or the end
 * of a line is next to it, whose high four bits end the second character.
 */
const DIGITS_IN_BASE64 = /[MNO][ADQTgjwz]/
const isReadableInBase64 = anyOf([DIGITS_IN_BASE64, PRINTABLE_IN_BASE64, UTF8_IN_BASE64])
/**
 * Three digits, and eight printable characters of ASCII, with zeros between them in UTF-16. Then the bytes of `UTF8_DIGITS`
 * and `UTF8_BETWEEN_DIGITS`: a sentence has many letters from A to F, but they are no UTF-8.
 */
const isReadableInHex = anyOf([
  /(?:3\d(?:00)?){3}/,
  /(?:[2-7][0-9A-F](?:00)?){8}/,
  /(?:[C-F][0-9A-F](?:[89AB][0-9A-F]){1,3}(?:[2-7][0-9A-F]){0,8}){6}/,
  /3\d(?:2[0-9A-F])?[C-F][0-9A-F](?:[89AB][0-9A-F]){1,3}(?:2[0-9A-F])?3\d/,
])
/** Base64 of letters and digits has one. */
const CAPITAL = /[A-Z]/
/** Hexadecimal of letters and digits has one. */
const HEX_PAIR = /[2-9A-F][0-9A-F]/
const NO_HEX = /0X|\\X|[^0-9A-F]/g

/** Digits from zero to nine that Unicode does not count as decimal digits: Han, of cheques, Suzhou, and in circles. */
const DIGIT_ROWS = [
  ...[
    '〇一二三四五六七八九',
    '零壹贰叁肆伍陆柒捌玖',
    '○壱貳參肆伍陸柒捌玖',
    '零壱弐参四五六七八九',
    '〇〡〢〣〤〥〦〧〨〩',
  ],
  ...['⓿❶❷❸❹❺❻❼❽❾', '🄋➀➁➂➃➄➅➆➇➈', '🄌➊➋➌➍➎➏➐➑➒', '⓪⓵⓶⓷⓸⓹⓺⓻⓼⓽'],
]
const OTHER_DIGITS: ReadonlyMap<string, string> = new Map(
  DIGIT_ROWS.flatMap((row) => [...row].map((digit, value) => [digit, String(value)] as const)),
)
const OTHER_DIGIT = new RegExp(`[${[...OTHER_DIGITS.keys()].join('')}]`, 'gu')
const HAS_OTHER_DIGIT = new RegExp(OTHER_DIGIT, 'u')
/** Well-formed UTF-8 in the encoding of URLs (Unicode, table 3-7). `decodeURIComponent` throws for other bytes. */
const URL_BYTES =
  /(?:%[0-7][\da-f]|(?:%c[2-9a-f]|%d[\da-f]|(?:%e0%[ab]|%e[1-9a-cef]%[89ab]|%ed%[89]|(?:%f0%[9ab]|%f[1-3]%[89ab]|%f4%8)[\da-f]%[89ab])[\da-f])%[89ab][\da-f])+/gi

/** Removes line breaks, and writes the alphabet of URLs as the usual one. */
const asUsualBase64 = (text: string): string => text.replace(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/')

/** Decodes base64 wherever its groups of four characters may begin. */
function decodeBase64(base64: string): string[] {
  const readings = (base64.match(BASE64_RUN) ?? []).flatMap((run) => [0, 1, 2, 3].map((start) => run.slice(start)))
  // One character alone holds no byte.
  return readings.map((reading) => atob(reading.length % 4 === 1 ? reading.slice(0, -1) : reading))
}

/** Decodes hexadecimal wherever its pairs may begin. */
function decodeHex(digits: string): string[] {
  return [digits, digits.slice(1)].map((reading) =>
    reading.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))),
  )
}

function withoutEscapes(text: string, escapes: RegExp): string {
  return text.replace(escapes, (escape, ...groups: readonly unknown[]) => {
    const index = groups.slice(0, BASES.length).findIndex((group) => typeof group === 'string')
    // Of a reference that was escaped itself: `&amp;#48;`.
    if (index === -1) return escape.toLowerCase() === '&amp;' ? '&' : ' '
    const codePoint = Number.parseInt(String(groups[index]), BASES[index])
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : escape
  })
}

const withDecimalDigits = (text: string): string =>
  text.replace(OTHER_DIGIT, (digit) => OTHER_DIGITS.get(digit) ?? digit)

/** Decodes UTF-8, such as full-width digits. Other bytes stay as they are. */
function withoutUrlBytes(text: string): string {
  return text.replace(URL_BYTES, (bytes) => decodeURIComponent(bytes))
}

/** UTF-8 of six characters other than ASCII, with separators: the digits of the shortest number. Rare in other bytes. */
const UTF8_DIGITS = /(?:[\xc2-\xf4][\x80-\xbf]{1,3}[ -~]{0,8}){6}/
/** UTF-8 of one character other than ASCII between digits, such as a dash. */
const UTF8_BETWEEN_DIGITS = /\d[ -/]?[\xc2-\xf4][\x80-\xbf]{1,3}[ -/]?\d/
/** The same before or after a part of a number: `„X1234567“`, `АВ123456`. As Latin-1 some of its bytes are letters. */
const UTF8_BESIDE_NUMBER =
  /(?:[\dA-Za-z][ -/]?){3}[\xc2-\xf4][\x80-\xbf]|[\xc2-\xf4][\x80-\xbf]{1,3}[ -/]?(?:[\dA-Za-z][ -/]?){3}/
const isUtf8 = anyOf([UTF8_DIGITS, UTF8_BETWEEN_DIGITS, UTF8_BESIDE_NUMBER])

/** Reads bytes as UTF-8, one character a byte. */
export function readUtf8(bytes: string): string {
  // A loop, because `Uint8Array.from` takes ten times as long.
  const buffer = new Uint8Array(bytes.length)
  for (let index = 0; index < bytes.length; index += 1) buffer[index] = bytes.charCodeAt(index)
  return new TextDecoder().decode(buffer)
}

/** Text inside bytes, also of UTF-16. The shortest that is encoded itself has eight characters. */
const TEXT_IN_BYTES = /[\t\n\r -~]{8,}/g
/** Characters of one text that are decoded a second time, at most. */
const MOST_DECODED_TWICE = 64 * 1024

/** What a text may hold in other encodings. */
interface Decoded {
  /** One character a byte. */
  readonly bytes: readonly string[]
  readonly texts: readonly string[]
}

/** Most texts can be neither base64 nor hexadecimal of something readable. They are not decoded. */
function decodeBytes(text: string, folded: string, hasDigits: boolean): string[] {
  const base64 = text.length >= SHORTEST_BASE64 && CAPITAL.test(text) ? asUsualBase64(text) : ''
  const hex = folded.length >= SHORTEST_HEX && HEX_PAIR.test(folded) ? folded.replace(NO_HEX, '') : ''
  const isBase64 = base64 !== '' && (!hasDigits || isReadableInBase64(base64))
  const isHex = hex.length >= SHORTEST_HEX && (!hasDigits || isReadableInHex(hex))
  // Most texts end here.
  if (!isBase64 && !isHex) return []
  return [...(isBase64 ? decodeBase64(base64) : []), ...(isHex ? decodeHex(hex) : [])]
}

function decodeOnce(text: string, folded: string, hasDigits: boolean): Decoded {
  const texts: string[] = HAS_OTHER_DIGIT.test(text) ? [withDecimalDigits(text)] : []
  // Escapes twice, for a text that was escaped twice.
  if (ESCAPE.test(text)) {
    texts.push(withoutEscapes(withoutEscapes(text, ESCAPES), ESCAPES), withoutEscapes(text, MAIL_ESCAPES))
    if (text.includes('%')) texts.push(withoutUrlBytes(withoutUrlBytes(text)))
  }
  return { bytes: decodeBytes(text, folded, hasDigits), texts }
}

/** The texts inside bytes that may be encoded once more, as many as are decoded a second time. */
function textsToDecode({ bytes, texts }: Decoded, text: string): string[] {
  let rest = MOST_DECODED_TWICE
  const inBytes = bytes.flatMap((reading) => reading.replaceAll('\0', '').match(TEXT_IN_BYTES) ?? [])
  return [...new Set([...texts, ...inBytes])]
    .filter((reading) => reading !== text)
    .filter(({ length }) => {
      rest -= length
      return rest >= 0
    })
}

const foldDecoded = ({ bytes, texts }: Decoded): string[] => [
  ...bytes.map((reading) => reading.toUpperCase()),
  ...[...texts, ...bytes.filter(isUtf8).map(readUtf8)].map((reading) => foldText(withDecimalDigits(reading))),
]

/**
 * Checks whether one of the readings of a text that is decoded, once or twice, fulfils a condition. Readings are folded.
 *
 * @param folded Result of {@link foldText}.
 * @param hasDigits Whether the searched values hold four digits one after another. Without them all is decoded that may be
 *   base64 or hexadecimal.
 */
export function someDecoded(
  text: string,
  folded: string,
  hasDigits: boolean,
  holds: (reading: string) => boolean,
): boolean {
  const once = decodeOnce(text, folded, hasDigits)
  // Most texts end here.
  if (once.bytes.length === 0 && once.texts.length === 0) return false
  if (foldDecoded(once).some(holds)) return true
  return textsToDecode(once, text).some((inner) =>
    foldDecoded(decodeOnce(inner, foldText(inner), hasDigits)).some(holds),
  )
}
