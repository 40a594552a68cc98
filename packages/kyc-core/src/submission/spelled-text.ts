/*
 * Finds a known value in a text in any spelling: with spaces, dashes or invisible characters between its parts, or with
 * wide or other decimal digits. One pass without backtracking.
 */

const INVISIBLE = /\p{Cf}/gu
/** Text in which folding changes only letter case: most text. */
const PLAIN = /^[\t\n\r -~]*$/
const DECIMAL_DIGIT = /\p{Nd}/u
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u
const MAX_SEPARATORS = 8

/** Returns the value 0–9 of a decimal digit of any script: its distance from the zero of its block of ten. */
function digitValue(character: string): number {
  const codePoint = Number(character.codePointAt(0))
  let before = 0
  while (before < 9 && DECIMAL_DIGIT.test(String.fromCodePoint(codePoint - before - 1))) before += 1
  return before
}

/** Folds a text: NFKC, upper case, no invisible characters, decimal digits in ASCII. */
export function foldText(text: string): string {
  if (PLAIN.test(text)) return text.toUpperCase()
  return text
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(/[^\P{Nd}\d]/gu, (digit) => String(digitValue(digit)))
    .toUpperCase()
}

/**
 * Checks whether `folded` holds `target` with at most eight separators between two characters. A character of the same
 * kind directly before or after prevents a match.
 *
 * @param folded Result of {@link foldText}.
 * @param target Letters and digits only, folded.
 * @param kind `digits`: an adjacent digit prevents a match; `token`: an adjacent letter or digit prevents a match.
 */
export function holdsSpelled(folded: string, target: string, kind: 'digits' | 'token'): boolean {
  const touches = (character: string | undefined): boolean =>
    character !== undefined && (kind === 'digits' ? /\d/ : LETTER_OR_DIGIT).test(character)
  for (
    let start = folded.indexOf(target.charAt(0));
    start !== -1;
    start = folded.indexOf(target.charAt(0), start + 1)
  ) {
    if (touches(folded[start - 1])) continue
    const end = endOfSpelled(folded, target, start)
    if (end !== -1 && !touches(folded[end])) return true
  }
  return false
}

function endOfSpelled(folded: string, target: string, start: number): number {
  let position = start
  let separators = 0
  let matched = 0
  while (matched < target.length) {
    const character = folded[position]
    if (character === undefined) return -1
    if (character === target[matched]) {
      matched += 1
      separators = 0
    } else if (LETTER_OR_DIGIT.test(character) || ++separators > MAX_SEPARATORS) return -1
    position += 1
  }
  return position
}
