import { someDecoded } from './decode-text.js'
import { withDigitsForWords } from './digit-words.js'
import { SHORTEST_SEARCHED, SIX_DIGITS, type SearchedSsn, type SearchedValues } from './searched-values.js'
import { holdsSpelled } from './spelled-text.js'

/*
 * Finds a known SSN or document number in a text in which it is encoded, once or twice: base64 or hexadecimal of UTF-8 or
 * UTF-16, or escapes of URLs, HTML, mail and JSON.
 */

/** Length of nine digits in words without spaces, at least: six of them may be `O`. */
const SHORTEST_IN_WORDS = 15

/**
 * Checks whether a text holds one of the values in base64, hexadecimal or escapes, also of each other, or
 * the SSN in words, in Han digits, in circled digits or as a number in hexadecimal.
 *
 * @param folded The text as `foldText` folds it.
 */
export function holdsEncoded(text: string, folded: string, { ssn, documentNumber }: SearchedValues): boolean {
  if ((ssn === null && documentNumber === null) || text.length < SHORTEST_SEARCHED) return false
  const holds = (reading: string): boolean =>
    (ssn !== null && holdsSsnDigits(reading, ssn)) ||
    (documentNumber !== null && holdsSpelled(reading, documentNumber, 'token'))
  const hasDigits = documentNumber === null || /\d{4}/.test(documentNumber)
  if (someDecoded(text, folded, hasDigits, holds)) return true
  return ssn !== null && (holdsSpokenSsn(folded, ssn) || holdsHexNumber(folded, ssn))
}

/** Checks for the digits of an SSN in one of their spellings. */
export function holdsSsnDigits(folded: string, { spellings }: SearchedSsn): boolean {
  return SIX_DIGITS.test(folded) && spellings.some((digits) => holdsSpelled(folded, digits, 'digits'))
}

/** Checks for the digits of an SSN in English or Spanish words. */
export function holdsSpokenSsn(folded: string, ssn: SearchedSsn): boolean {
  if (folded.length < SHORTEST_IN_WORDS && !/\d/.test(folded)) return false
  const spoken = withDigitsForWords(folded)
  return spoken !== folded && holdsSsnDigits(spoken, ssn)
}

/** Checks for the number in hexadecimal by itself, with `0X` or zeros before it. A short one may be another number. */
function holdsHexNumber(folded: string, { hex }: SearchedSsn): boolean {
  if (hex.length < SHORTEST_SEARCHED || !folded.includes(hex)) return false
  return folded.split(/[^0-9A-Z]+/).some((word) => word.replace(/^(?:0X)?0*/, '') === hex)
}
