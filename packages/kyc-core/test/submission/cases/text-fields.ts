import type { CaseGroup } from './case-row.js'

interface LimitedText {
  readonly pointer: string
  /** Most characters, counted after NFC composition. */
  readonly atMost: number
  /** An optional text may be empty. A required one that is blank counts as missing. */
  readonly optional?: true
}

const A = '/person/address'
const D = '/verifications/document'

/** Every text with a limit, unless it needs a value of a certain form. Each has the rows below. */
const limitedTexts: readonly LimitedText[] = [
  { pointer: '/person/firstName', atMost: 100 },
  { pointer: '/person/middleName', atMost: 100, optional: true },
  { pointer: '/person/lastName', atMost: 100 },
  { pointer: `${A}/streetLine1`, atMost: 255 },
  { pointer: `${A}/streetLine2`, atMost: 255, optional: true },
  { pointer: `${A}/city`, atMost: 255 },
  { pointer: `${D}/verificationId`, atMost: 255 },
  { pointer: `${D}/documentNumber`, atMost: 64 },
  { pointer: `${D}/issuingSubdivision`, atMost: 255, optional: true },
  { pointer: '/verifications/ssn/verificationId', atMost: 255 },
  { pointer: '/verifications/ssn/source', atMost: 100 },
]

/** Texts of the person itself are parts of a name. */
const names = limitedTexts.filter(({ pointer }) => /^\/person\/\w+$/.test(pointer))

/** One character of four code points, which NFC composes to one. */
const decomposed = '\u03b1\u0313\u0300\u0345'

/** What each limited text accepts. */
export const acceptedTexts: readonly CaseGroup[] = [
  {
    heading: 'As many characters as the limit, composed and decomposed',
    rows: limitedTexts.flatMap(({ pointer, atMost }) => [
      { what: `${pointer}, composed`, change: { [pointer]: 'é'.repeat(atMost) } },
      { what: `${pointer}, decomposed`, change: { [pointer]: decomposed.repeat(atMost) } },
    ]),
  },
  {
    heading: 'Optional texts that are empty or null',
    rows: limitedTexts
      .filter(({ optional }) => optional === true)
      .flatMap(({ pointer }) => [
        { what: `${pointer} empty`, change: { [pointer]: '' } },
        { what: `${pointer} null`, change: { [pointer]: null } },
      ]),
  },
  {
    heading: 'Direction marks before and after a part of a name',
    rows: names.map(({ pointer }) => ({ what: pointer, change: { [pointer]: '\u200fרות\u061c' } })),
  },
]

/** The submitted SSN as no text may hold it. */
const spellings = [
  'Maria 078-05-1120',
  'Maria 078051120',
  'MDc4MDUxMTIw',
  'zero seven eight zero five one one two zero',
  'cero siete ocho cero cinco uno uno dos cero',
  '〇七八〇五一一二〇',
  'Maria 0211 50 870',
]

/** What each limited text refuses. */
export const refusedTexts: readonly CaseGroup[] = [
  {
    heading: 'One character too many',
    rows: limitedTexts.map(({ pointer, atMost }) => ({
      what: `${pointer}: ${atMost + 1} characters`,
      change: { [pointer]: 'é'.repeat(atMost + 1) },
      refused: [`${pointer} TOO_LONG`],
    })),
  },
  {
    heading: 'The submitted SSN',
    rows: limitedTexts
      .filter(({ pointer }) => pointer !== `${D}/documentNumber`)
      .flatMap(({ pointer }) =>
        spellings.map((text) => ({
          what: `${pointer}: ${text}`,
          change: { [pointer]: text },
          refused: [`${pointer} CLEAR_PII_IN_FREE_FORM`],
        })),
      ),
  },
  {
    heading: 'Blank texts',
    rows: limitedTexts.map(({ pointer, optional }) => ({
      what: pointer,
      change: { [pointer]: ' ' },
      refused: [`${pointer} ${optional ? 'FORMAT' : 'REQUIRED'}`],
    })),
  },
  {
    heading: 'No part of a name',
    rows: names.map(({ pointer }) => ({
      what: pointer,
      change: { [pointer]: 'a@b.co' },
      refused: [`${pointer} FORMAT`],
    })),
  },
  {
    heading: 'A number for a text',
    rows: limitedTexts.map(({ pointer }) => ({
      what: pointer,
      change: { [pointer]: 7 },
      refused: [`${pointer} TYPE`],
    })),
  },
]
