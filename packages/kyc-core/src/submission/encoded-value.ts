import { foldText, holdsSpelled } from './spelled-text.js'

/*
 * Finds a known SSN or document number in a text in which it is encoded: base64 or hexadecimal of UTF-8 or UTF-16, or
 * escapes of URLs, HTML, mail and JSON.
 */

/** `%30`, `\x30`, `\u0030`, `&#x30;`, `&#48;`: hexadecimal, except in the last group. `&nbsp;` is no digit. */
const ESCAPES = /%([0-9a-f]{2})|\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|&#x([0-9a-f]{1,6});?|&#(\d{1,7});?|&[a-z]{2,8};/gi
/** `=30`, as in mail. */
const MAIL_ESCAPES = /=([0-9a-f]{2})/gi
const ESCAPE = /[%=\\&]/
/** Length of the shortest number in hexadecimal, and of the shortest text, that is searched. */
const SHORTEST = 6
/** Lengths of six characters in base64 and in hexadecimal. */
const SHORTEST_BASE64 = 8
const SHORTEST_HEX = 12
/** Length of nine digits in words, at least: six of them may be `O`. */
const SHORTEST_IN_WORDS = 23
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

/** Digits in words, as in the transcript of a call. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ ZERO: '0', OH: '0', O: '0', NOUGHT: '0', ONE: '1', TWO: '2', THREE: '3', FOUR: '4' },
  ...{ FIVE: '5', SIX: '6', SEVEN: '7', EIGHT: '8', NINE: '9' },
}
const WORD = new RegExp(String.raw`\b(?:${Object.keys(WORDS).join('|')})\b`, 'g')

/** The values of a submission that are searched for. */
export interface SearchedValues {
  /** Nine digits. */
  readonly ssn: string | null
  /** Letters and digits, folded. */
  readonly documentNumber: string | null
}

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
    const index = groups.slice(0, 5).findIndex((group) => typeof group === 'string')
    if (index === -1) return ' '
    const codePoint = Number.parseInt(String(groups[index]), index === 4 ? 10 : 16)
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

/** Decodes what a text may hold in other encodings. */
function decode(text: string, folded: string, { documentNumber }: SearchedValues): string[] {
  const isAny = documentNumber !== null
  // In base64 the first of three digits is M, N or O and one more character. In hexadecimal a digit is 3 and itself.
  const mayBeBase64 = text.length >= SHORTEST_BASE64 && (isAny ? /[A-Z]/ : /[MNO]/).test(text)
  const hexDigits = /3\d/.test(folded) ? folded.replace(/0X|\\X|[^0-9A-F]/g, '') : ''
  const mayBeHex = hexDigits.length >= SHORTEST_HEX && (isAny || /(?:3\d(?:00)?){3}/.test(hexDigits))
  const bytes = [...(mayBeBase64 ? decodeBase64(text) : []), ...(mayBeHex ? decodeHex(hexDigits) : [])]
  const texts: string[] = HAS_OTHER_DIGIT.test(text) ? [text] : []
  // Escapes twice, for a text that was escaped twice.
  if (ESCAPE.test(text)) {
    texts.push(withoutEscapes(withoutEscapes(text, ESCAPES), ESCAPES), withoutEscapes(text, MAIL_ESCAPES))
    if (text.includes('%')) texts.push(withoutUrlBytes(withoutUrlBytes(text)))
  }
  return [
    ...bytes.map((reading) => reading.toUpperCase()),
    ...texts.map((reading) => foldText(withDecimalDigits(reading))),
  ]
}

/**
 * Checks whether a text holds one of the values in base64, hexadecimal or escapes, or the SSN in words, in Han digits,
 * in circled digits or as a number in hexadecimal.
 *
 * @param folded Result of {@link foldText}.
 */
export function holdsEncoded(text: string, folded: string, values: SearchedValues): boolean {
  const { ssn, documentNumber } = values
  if ((ssn === null && documentNumber === null) || text.length < SHORTEST) return false
  // A JSON number has no leading zeros.
  const spellings = ssn === null ? [] : [ssn, ssn.replace(/^0+/, '')].filter((digits) => digits.length >= SHORTEST)
  const holds = (reading: string): boolean =>
    spellings.some((digits) => holdsSpelled(reading, digits, 'digits')) ||
    (documentNumber !== null && holdsSpelled(reading, documentNumber, 'token'))
  if (decode(text, folded, values).some(holds)) return true
  return ssn !== null && (holdsSpokenSsn(folded, ssn) || holdsHexNumber(folded, ssn))
}

function holdsSpokenSsn(folded: string, ssn: string): boolean {
  if (folded.length < SHORTEST_IN_WORDS) return false
  const spoken = folded.replace(WORD, (word) => WORDS[word] ?? word)
  return spoken !== folded && holdsSpelled(spoken, ssn, 'digits')
}

/** Checks for the number in hexadecimal by itself, with `0X` or zeros before it. A short one may be another number. */
function holdsHexNumber(folded: string, ssn: string): boolean {
  const hex = Number(ssn).toString(16).toUpperCase()
  if (hex.length < SHORTEST || !folded.includes(hex)) return false
  return folded.split(/[^0-9A-Z]+/).some((word) => word.replace(/^(?:0X)?0*/, '') === hex)
}
