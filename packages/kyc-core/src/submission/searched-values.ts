import { normaliseDocumentNumber } from './document-number.js'
import { foldText } from './spelled-text.js'
import { readSsn } from './ssn.js'

/**
 * Shortest document number that is searched for, and digits of the smallest SSN without leading zeros. An issued SSN has
 * 7 or more.
 */
export const SHORTEST_SEARCHED = 6

/** As many digits as the smallest SSN has, with anything between them. Few texts have them. */
export const SIX_DIGITS = /\d(?:\D*\d){5}/

/** Longest document number that is searched for: 64 characters of at most six UTF-16 units. A longer one is refused. */
const LONGEST_DOCUMENT_NUMBER = 64 * 6

/** The submitted SSN. */
export interface SearchedSsn {
  /** Nine digits. */
  readonly digits: string
  /** The digits, the digits backwards, and the digits as a number of JSON, which has no leading zeros. */
  readonly spellings: readonly string[]
  /** The digits without leading zeros. */
  readonly number: string
  /** The number in hexadecimal. */
  readonly hex: string
}

/** Clear values of a submission that its free-form parts must not hold. */
export interface SearchedValues {
  readonly ssn: SearchedSsn | null
  /** Letters and digits, folded. */
  readonly documentNumber: string | null
}

function searchedSsn(digits: string): SearchedSsn | null {
  const number = digits.replace(/^0+/, '')
  // Times, scores and counts hold the zeros of 000-00-0000.
  if (number.length < SHORTEST_SEARCHED) return null
  const spellings = [digits, [...digits].reverse().join(''), number]
  return { digits, spellings: [...new Set(spellings)], number, hex: Number(digits).toString(16).toUpperCase() }
}

function searchedDocumentNumber(text: string): string | null {
  if (text.length > LONGEST_DOCUMENT_NUMBER) return null
  // The sign is not part of the number: `№ 123456`.
  const folded = foldText(normaliseDocumentNumber(text.replaceAll('№', ''))).replace(/[^\p{L}\p{N}]/gu, '')
  // Zeros alone stand for no number: `2026-01-05 00:00:00` holds six.
  return folded.length >= SHORTEST_SEARCHED && /[^0]/.test(folded) ? folded : null
}

/** Reads the values to search for from the SSN and the document number of a submission. */
export function searchedValues(ssn: unknown, documentNumber: unknown): SearchedValues {
  const reading = typeof ssn === 'string' ? readSsn(ssn) : null
  return {
    ssn: reading?.kind === 'ssn' ? searchedSsn(reading.digits) : null,
    documentNumber: typeof documentNumber === 'string' ? searchedDocumentNumber(documentNumber) : null,
  }
}
