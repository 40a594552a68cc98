import { foldText, holdsSpelled } from './spelled-text.js'

/*
 * Finds a known SSN or document number in a text in which it is encoded: base64 or hexadecimal of UTF-8 or UTF-16, or
 * escapes of URLs, HTML, mail and JSON.
 */

/** `%30`, `\x30`, `\u0030`, `&#x30;`, `&#48;`: hexadecimal, except in the last group. */
const ESCAPES = /%([0-9a-f]{2})|\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|&#x([0-9a-f]{1,6});?|&#(\d{1,7});?/gi
/** `=30`, as in mail. */
const MAIL_ESCAPES = /=([0-9a-f]{2})/gi
const ESCAPE = /[%=\\&]/
/** Length of the shortest number in hexadecimal, and of the shortest text, that is searched. */
const SHORTEST = 6
/** Lengths of six characters in base64 and in hexadecimal. */
const [SHORTEST_BASE64, SHORTEST_HEX] = [8, 12]
/** Length of nine digits in words, at least. */
const SHORTEST_IN_WORDS = 35
const HAN_DIGITS = '〇一二三四五六七八九'
const HAN = /[〇零一二三四五六七八九]/

/** Digits in words, as in the transcript of a call. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ ZERO: '0', OH: '0', ONE: '1', TWO: '2', THREE: '3', FOUR: '4' },
  ...{ FIVE: '5', SIX: '6', SEVEN: '7', EIGHT: '8', NINE: '9' },
}
const WORD = new RegExp(String.raw`\b(?:${Object.keys(WORDS).join('|')})\b`, 'g')

/** A value in the encodings that are searched for. */
export interface EncodedValue {
  readonly kind: 'digits' | 'token'
  /** As {@link holdsSpelled} searches for it. */
  readonly target: string
  /** Returns the base64 of any text with the value, whatever comes before it. */
  readonly base64: () => readonly Base64[]
  /** Hexadecimal of each spelling, in UTF-8 and in UTF-16. */
  readonly hex: () => readonly string[]
  /** The number itself in hexadecimal; null if there is none, or if it is so short that other numbers have it. */
  readonly hexNumber: string | null
}

/** Base64 of a value after 0 to 2 other bytes: the characters that only the value decides. */
interface Base64 {
  readonly own: string
  /** Place of the first of them in its group of four. */
  readonly place: number
}

function base64After(before: number, text: string): Base64 {
  const place = Math.ceil((before * 8) / 6)
  const end = Math.floor(((before + text.length) * 8) / 6)
  return { own: btoa('\0'.repeat(before) + text).slice(place, end), place }
}

/** Most places of a text to decode: a text of a provider has one or none. */
const MOST_READINGS = 32
const GROUP = /^[A-Za-z0-9+/]{4}$/
const RUN = /^[A-Za-z0-9+/]*/

/** Decodes each place of base64 that can hold the value, with the characters around it. */
function readBase64(compact: string, { own, place }: Base64): string[] {
  const readings: string[] = []
  for (let at = compact.indexOf(own); at !== -1 && readings.length < MOST_READINGS; at = compact.indexOf(own, at + 1)) {
    const start = at - place
    if (start < 0) continue
    const from = start >= 4 && GROUP.test(compact.slice(start - 4, start)) ? start - 4 : start
    const run = RUN.exec(compact.slice(from, at + own.length + 8))?.[0] ?? ''
    readings.push(atob(run.length % 4 === 1 ? run.slice(0, -1) : run))
  }
  return readings
}

/** Decodes each place of hexadecimal that can hold the value, with the characters around it. */
function readHex(digits: string, own: string): string[] {
  const readings: string[] = []
  for (let at = digits.indexOf(own); at !== -1 && readings.length < MOST_READINGS; at = digits.indexOf(own, at + 1)) {
    const pairs = digits.slice(at >= 2 ? at - 2 : at, at + own.length + 2).match(/../g) ?? []
    readings.push(String.fromCharCode(...pairs.map((pair) => Number.parseInt(pair, 16))))
  }
  return readings
}

/** Writes the bytes of a text in hexadecimal. */
const hexOf = (text: string): string =>
  [...text].map((character) => character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')).join('')

const base64Of = (texts: readonly string[]): readonly Base64[] =>
  texts.flatMap((text) => [0, 1, 2].map((before) => base64After(before, text)))

function once<T>(compute: () => T): () => T {
  let value: T | undefined
  return () => (value ??= compute())
}

/** Encodes an SSN of nine digits for {@link holdsEncoded}: without separators, and with each of them. */
export function encodeSsn(digits: string): EncodedValue {
  const [area, group, serial] = [digits.slice(0, 3), digits.slice(3, 5), digits.slice(5)]
  const spellings = ['', '-', ' ', '.'].map((separator) => [area, group, serial].join(separator))
  const hexNumber = Number(digits).toString(16).toUpperCase()
  // UTF-16 has a NUL between the digits, in either byte order.
  const texts = spellings.flatMap((spelling) => [spelling, [...spelling].join('\0')])
  return {
    ...{ kind: 'digits', target: digits },
    base64: once(() => base64Of(texts)),
    hex: once(() => texts.map(hexOf)),
    hexNumber: hexNumber.length >= SHORTEST ? hexNumber : null,
  }
}

/**
 * Encodes a document number for {@link holdsEncoded}, as given and without separators, in either letter case.
 *
 * @param target The number folded, without separators.
 */
export function encodeDocumentNumber(given: string, target: string): EncodedValue {
  // Other characters have more bytes, and are not searched for.
  const upper = [given.trim().toUpperCase(), target].filter((spelling) => /^[ -~]+$/.test(spelling))
  const spellings = [...new Set([...upper, ...upper.map((spelling) => spelling.toLowerCase())])]
  return {
    ...{ kind: 'token', target },
    base64: once(() => base64Of(spellings)),
    hex: once(() => spellings.map(hexOf)),
    hexNumber: null,
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

/**
 * Checks whether a text holds one of the values in base64, hexadecimal or escapes, or an SSN in words or Han digits.
 *
 * @param folded Result of {@link foldText}.
 */
export function holdsEncoded(text: string, folded: string, values: readonly EncodedValue[]): boolean {
  if (values.length === 0 || text.length < SHORTEST) return false
  const compact = text.length >= SHORTEST_BASE64 && /[A-Z]/.test(text) ? text.replace(/\s/g, '') : ''
  // Digits are 30 to 39 in hexadecimal.
  const hexDigits = /3\d/.test(folded) ? folded.replace(/0X|\\X|[^0-9A-F]/g, '') : ''
  const readings = [
    // Escapes twice, for a text that was escaped twice.
    ...(ESCAPE.test(text)
      ? [withoutEscapes(withoutEscapes(text, ESCAPES), ESCAPES), withoutEscapes(text, MAIL_ESCAPES)]
      : []),
    ...(HAN.test(text) ? [text] : []),
  ].map((reading) => foldText(withHanDigits(reading)))
  return values.some(({ kind, target, base64, hex, hexNumber }) => {
    // In base64 the first of three digits is M, N or O and one more character. In hexadecimal a digit is 3 and itself.
    const mayBeBase64 = compact !== '' && (kind === 'token' || /[MNO]/.test(compact))
    const mayBeHex = hexDigits.length >= SHORTEST_HEX && (kind === 'token' || /(?:3\d(?:00)?){3}/.test(hexDigits))
    const decoded = [
      ...(!mayBeBase64 ? [] : base64().flatMap((own) => readBase64(compact, own))),
      ...(!mayBeHex ? [] : hex().flatMap((own) => readHex(hexDigits, own))),
    ].map(foldText)
    if (hexNumber !== null && folded.includes(hexNumber) && isWord(folded, hexNumber)) return true
    const mayBeSpoken = kind === 'digits' && folded.length >= SHORTEST_IN_WORDS
    const spoken = mayBeSpoken ? folded.replace(WORD, (word) => WORDS[word] ?? word) : folded
    const all = [...readings, ...decoded, ...(spoken === folded ? [] : [spoken])]
    return all.some((reading) => holdsSpelled(reading, target, kind))
  })
}

/** Checks whether a hexadecimal number stands by itself, with `0X` or zeros before it. */
function isWord(text: string, hex: string): boolean {
  return text.split(/[^0-9A-Z]+/).some((word) => word.replace(/^(?:0X)?0*/, '') === hex)
}
