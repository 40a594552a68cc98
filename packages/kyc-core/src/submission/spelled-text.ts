import { withoutSurplusMarks } from './combining-marks.js'

/*
 * Finds a known value in a text in any spelling: with spaces, dashes or invisible characters between its parts, or with
 * wide or other decimal digits. One pass.
 */

const INVISIBLE = /\p{Cf}/gu
/** Signs for "number". NFKC makes letters of them, which would touch the number behind: `№X1234567`, `NºX1234567`. */
const NUMBER_SIGN = /[№º]/g
/** Text in which folding changes only letter case: most text. */
const PLAIN = /^[\t\n\r -~]*$/
const DECIMAL_DIGIT = /\p{Nd}/u
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u
const HALF_OF_PAIR = /[\ud800-\udfff]/
const MAX_SEPARATORS = 8

/** Cache: Unicode has about 700 decimal digits. */
const asciiDigits = new Map<string, string>()

/** Returns the digit 0–9 of a decimal digit of any script: its distance from the zero of its block of ten. */
function asciiDigit(character: string): string {
  const known = asciiDigits.get(character)
  if (known !== undefined) return known
  const codePoint = Number(character.codePointAt(0))
  let before = 0
  while (before < 9 && DECIMAL_DIGIT.test(String.fromCodePoint(codePoint - before - 1))) before += 1
  asciiDigits.set(character, String(before))
  return String(before)
}

function inAscii(digits: string): string {
  let ascii = ''
  for (const digit of digits) ascii += asciiDigit(digit)
  return ascii
}

/**
 * Folds a text: at most 30 combining marks in a row, NFKC, upper case, no invisible characters, decimal digits in ASCII, a
 * space behind `№` and `º`.
 */
export function foldText(text: string): string {
  if (PLAIN.test(text)) return text.toUpperCase()
  return withoutSurplusMarks(text)
    .replace(NUMBER_SIGN, '$& ')
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(/[^\P{Nd}\d]+/gu, inAscii)
    .toUpperCase()
}

/**
 * Checks whether `folded` holds `target` with at most eight separators between two characters. A character of the same
 * kind directly before or after prevents a match. One pass, as Knuth, Morris and Pratt search.
 *
 * @param folded Result of {@link foldText}.
 * @param target Letters and digits only, folded.
 * @param kind `digits`: an adjacent digit prevents a match; `token`: an adjacent letter or digit prevents a match.
 */
export function holdsSpelled(folded: string, target: string, kind: 'digits' | 'token'): boolean {
  if (!folded.includes(target.charAt(0)) || !folded.includes(target.charAt(target.length - 1))) return false
  // Few values have letters of two UTF-16 units.
  if (HALF_OF_PAIR.test(target)) return holdsInOrder(Array.from(folded), Array.from(target), kind)
  return holdsInOrder(folded, target, kind)
}

function holdsInOrder<Text extends string | readonly string[]>(text: Text, value: Text, kind: 'digits' | 'token') {
  const touches = (character: string | undefined): boolean =>
    character !== undefined && (kind === 'digits' ? /\d/ : LETTER_OR_DIGIT).test(character)
  const first = value[0] ?? ''
  const borders = bordersOf(value)
  /** Positions of the letters and digits since the last new beginning; the last `matched` of them are the match so far. */
  const places: number[] = []
  let matched = 0
  let separators = 0
  for (let at = text.indexOf(first); at !== -1 && at < text.length;) {
    const character = text[at] ?? ''
    if (character === value[matched] || LETTER_OR_DIGIT.test(character)) {
      separators = 0
      while (matched > 0 && character !== value[matched]) matched = borders[matched - 1] ?? 0
      if (character === value[matched]) matched += 1
      places.push(at)
      if (matched === value.length) {
        if (!touches(text[(places.at(-matched) ?? 0) - 1]) && !touches(text[at + 1])) return true
        matched = borders[matched - 1] ?? 0
      }
    } else if (++separators > MAX_SEPARATORS) matched = 0
    if (matched > 0) at += 1
    else {
      places.length = 0
      separators = 0
      at = text.indexOf(first, at + 1)
    }
  }
  return false
}

/** Returns for each beginning of a text the length of its longest shorter beginning that it also ends with. */
function bordersOf(text: string | readonly string[]): number[] {
  const borders = [0]
  for (let length = 0, index = 1; index < text.length; index += 1) {
    while (length > 0 && text[index] !== text[length]) length = borders[length - 1] ?? 0
    if (text[index] === text[length]) length += 1
    borders.push(length)
  }
  return borders
}
