import { normaliseDocumentNumber } from './document-number.js'
import { foldText } from './spelled-text.js'
import { readSsn } from './ssn.js'

/** Shortest document number that is searched for, and digits of the shortest number. An issued SSN has 7 or more. */
export const SHORTEST_SEARCHED = 6

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

function searchedSsn(digits: string): SearchedSsn {
  const number = digits.replace(/^0+/, '')
  const spellings = [digits, [...digits].reverse().join(''), number].filter(({ length }) => length >= SHORTEST_SEARCHED)
  return { digits, spellings: [...new Set(spellings)], number, hex: Number(digits).toString(16).toUpperCase() }
}

/** Reads the values to search for from the SSN and the document number of a submission. */
export function searchedValues(ssn: unknown, documentNumber: unknown): SearchedValues {
  const reading = typeof ssn === 'string' ? readSsn(ssn) : null
  const given = typeof documentNumber === 'string' ? documentNumber : ''
  const folded = foldText(normaliseDocumentNumber(given)).replace(/[^\p{L}\p{N}]/gu, '')
  return {
    ssn: reading?.kind === 'ssn' ? searchedSsn(reading.digits) : null,
    documentNumber: folded.length >= SHORTEST_SEARCHED ? folded : null,
  }
}
