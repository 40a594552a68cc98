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
/** Bytes of UTF-8 in the encoding of URLs. */
const URL_BYTES = /(?:%[0-9a-f]{2})+/gi

/** Decodes base64 wherever its groups of four characters may begin. */
function decodeBase64(text: string): string[] {
  const runs = text.replace(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/').match(BASE64_RUN) ?? []
  const readings = runs.flatMap((run) => [0, 1, 2, 3].map((start) => run.slice(start)))
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
    if (index === -1) return ' '
    const codePoint = Number.parseInt(String(groups[index]), BASES[index])
    return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : escape
  })
}

const withDecimalDigits = (text: string): string =>
  text.replace(OTHER_DIGIT, (digit) => OTHER_DIGITS.get(digit) ?? digit)

/** Decodes UTF-8, such as full-width digits. Other bytes stay as they are. */
function withoutUrlBytes(text: string): string {
  return text.replace(URL_BYTES, (bytes) => {
    try {
      return decodeURIComponent(bytes)
    } catch {
      return bytes
    }
  })
}

/** UTF-8 of six characters other than ASCII, with separators: the digits of the shortest number. Rare in other bytes. */
const UTF8 = /(?:[\xc2-\xf4][\x80-\xbf]{1,3}[ -~]{0,8}){6}/

/** Reads bytes as UTF-8. */
function readUtf8(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)))
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

function decodeOnce(text: string, folded: string, isAny: boolean): Decoded {
  // In base64 the first of three digits is M, N or O and one more character. In hexadecimal a digit is 3 and itself.
  const mayBeBase64 = text.length >= SHORTEST_BASE64 && (isAny ? /[A-Z]/ : /[MNO]/).test(text)
  const hexDigits = /3\d/.test(folded) ? folded.replace(/0X|\\X|[^0-9A-F]/g, '') : ''
  const mayBeHex = hexDigits.length >= SHORTEST_HEX && (isAny || /(?:3\d(?:00)?){3}/.test(hexDigits))
  const bytes = [...(mayBeBase64 ? decodeBase64(text) : []), ...(mayBeHex ? decodeHex(hexDigits) : [])]
  const texts: string[] = HAS_OTHER_DIGIT.test(text) ? [withDecimalDigits(text)] : []
  // Escapes twice, for a text that was escaped twice.
  if (ESCAPE.test(text)) {
    texts.push(withoutEscapes(withoutEscapes(text, ESCAPES), ESCAPES), withoutEscapes(text, MAIL_ESCAPES))
    if (text.includes('%')) texts.push(withoutUrlBytes(withoutUrlBytes(text)))
  }
  return { bytes, texts }
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
  ...[...texts, ...bytes.filter((reading) => UTF8.test(reading)).map(readUtf8)].map((reading) =>
    foldText(withDecimalDigits(reading)),
  ),
]

/**
 * Checks whether one of the readings of a text that is decoded, once or twice, fulfils a condition. Readings are folded.
 *
 * @param folded Result of {@link foldText}.
 * @param isAny Whether the condition is about other characters than digits, too.
 */
export function someDecoded(
  text: string,
  folded: string,
  isAny: boolean,
  holds: (reading: string) => boolean,
): boolean {
  const once = decodeOnce(text, folded, isAny)
  // Most texts end here.
  if (once.bytes.length === 0 && once.texts.length === 0) return false
  if (foldDecoded(once).some(holds)) return true
  return textsToDecode(once, text).some((inner) => foldDecoded(decodeOnce(inner, foldText(inner), isAny)).some(holds))
}
