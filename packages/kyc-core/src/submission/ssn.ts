/** Result of reading an SSN. */
export type SsnReading =
  | { readonly kind: 'ssn'; readonly digits: string; readonly lastFour: string }
  | { readonly kind: 'masked' }
  | { readonly kind: 'invalid' }

const SSN = /^\d{3}-?\d{2}-?\d{4}$/
/** Mask characters used in practice, with digits and separators. */
const MASKED = /^(?=.*[Xx*#•●∗_?.])[\dXx*#•●∗_?. -]{3,20}$/u
const FEWER_DIGITS = /^[ -]*\d[\d -]*$/

/**
 * Reads an SSN by its shape alone (docs/contract.md 2.2: digits with optional dashes).
 *
 * `masked` is a value with mask characters or fewer than nine digits; partners must never send one.
 */
export function readSsn(text: string): SsnReading {
  const digits = text.replace(/\D/g, '')
  if (SSN.test(text)) return { kind: 'ssn', digits, lastFour: digits.slice(5) }
  if (digits.length < 9 && (MASKED.test(text) || FEWER_DIGITS.test(text))) return { kind: 'masked' }
  return { kind: 'invalid' }
}

/**
 * Checks whether the Social Security Administration can have issued this number: area not 000, 666 or 9xx, group not
 * 00, serial not 0000 (SSA, POMS RM 10201.035).
 *
 * @param digits Nine digits.
 */
export function isIssuableSsn(digits: string): boolean {
  const area = digits.slice(0, 3)
  return (
    area !== '000' &&
    area !== '666' &&
    !area.startsWith('9') &&
    digits.slice(3, 5) !== '00' &&
    digits.slice(5) !== '0000'
  )
}

/** Checks for an Individual Taxpayer Identification Number: 9xx with group 50–65, 70–88, 90–92 or 94–99 (IRS). */
export function isItin(digits: string): boolean {
  const group = Number(digits.slice(3, 5))
  const inRange = (from: number, to: number): boolean => group >= from && group <= to
  return digits.startsWith('9') && (inRange(50, 65) || inRange(70, 88) || inRange(90, 92) || inRange(94, 99))
}

/** Numbers printed in advertising and documentation. They are invalid as SSNs. */
const KNOWN_SAMPLES: ReadonlySet<string> = new Set([
  '078051120',
  '219099999',
  '457555462',
  '123456789',
  '111111111',
  '222222222',
  '333333333',
  '444444444',
  '555555555',
  '777777777',
  '888888888',
  '112223333',
])

/** Checks for a well-known sample number. */
export function isKnownSampleSsn(digits: string): boolean {
  return KNOWN_SAMPLES.has(digits)
}
