/*
 * Normalization sorts the combining marks behind a letter. Its time grows with the square of their number. Unicode calls
 * a text with at most 30 in a row stream-safe (UAX #15). No language needs more than a few.
 */

/** More than 30 marks in a row. NFKC makes marks of the half-width voiced sound marks of Japanese. */
const SURPLUS_MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu
const HAS_SURPLUS_MARKS = new RegExp(SURPLUS_MARKS, 'u')
const SHORTEST = 31

/** Checks for more combining marks in a row than a text may have that is normalized. */
export function hasSurplusMarks(text: string): boolean {
  return text.length >= SHORTEST && HAS_SURPLUS_MARKS.test(text)
}

/** Removes from each row of combining marks all but the first 30, for a text that is only searched. */
export function withoutSurplusMarks(text: string): string {
  return text.length < SHORTEST ? text : text.replace(SURPLUS_MARKS, '$1')
}
