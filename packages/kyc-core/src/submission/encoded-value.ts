import { someDecoded } from './decode-text.js'
import { holdsSpelled } from './spelled-text.js'

/*
 * Finds a known SSN or document number in a text in which it is encoded, once or twice: base64 or hexadecimal of UTF-8 or
 * UTF-16, or escapes of URLs, HTML, mail and JSON.
 */

/** Length of the shortest number in hexadecimal, and of the shortest text, that is searched. */
const SHORTEST = 6
/** Length of nine digits in words, at least: six of them may be `O`. */
const SHORTEST_IN_WORDS = 23
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

/**
 * Checks whether a text holds one of the values in base64, hexadecimal or escapes, also of each other, or
 * the SSN in words, in Han digits, in circled digits or as a number in hexadecimal.
 *
 * @param folded The text as `foldText` folds it.
 */
export function holdsEncoded(text: string, folded: string, values: SearchedValues): boolean {
  const { ssn, documentNumber } = values
  if ((ssn === null && documentNumber === null) || text.length < SHORTEST) return false
  // A JSON number has no leading zeros.
  const spellings =
    ssn === null
      ? []
      : [ssn, ssn.replace(/^0+/, ''), [...ssn].reverse().join('')].filter((digits) => digits.length >= SHORTEST)
  const holds = (reading: string): boolean =>
    spellings.some((digits) => holdsSpelled(reading, digits, 'digits')) ||
    (documentNumber !== null && holdsSpelled(reading, documentNumber, 'token'))
  if (someDecoded(text, folded, documentNumber !== null, holds)) return true
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
