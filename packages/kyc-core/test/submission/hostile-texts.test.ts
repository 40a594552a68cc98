import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { parseSubmission } from '@kyc-relay/kyc-core'
import type { JsonValue } from '../../src/submission/json-value.js'
import { applyChange, CASES_NOW } from './cases/case-row.js'

/*
 * One submission must not stop the server. These tests count the work that a text costs: a busy machine does not change
 * the counts.
 */

const DATA = '/externalProviderData'
const CLEAR = 'CLEAR_PII_IN_FREE_FORM'

function codesOf(change: Parameters<typeof applyChange>[0]): string[] {
  const parsed = parseSubmission(applyChange(change), { now: new Date(CASES_NOW) })
  return parsed.ok ? [] : parsed.violations.map(({ pointer, code }) => `${pointer} ${code}`)
}

afterEach(() => {
  vi.restoreAllMocks()
})

/** The texts that are normalized for a submission. */
function normalized(change: Parameters<typeof applyChange>[0]): string[] {
  const normalize = vi.spyOn(String.prototype, 'normalize')
  codesOf(change)
  const texts = normalize.mock.contexts.map(String)
  normalize.mockRestore()
  return texts
}

/** How often a submission tests a pattern, and the characters that it tests. */
function tested(change: Parameters<typeof applyChange>[0]): { readonly calls: number; readonly characters: number } {
  const test = vi.spyOn(RegExp.prototype, 'test')
  codesOf(change)
  const texts = test.mock.calls.map(([text]) => text)
  test.mockRestore()
  return { calls: texts.length, characters: texts.reduce((sum, { length }) => sum + length, 0) }
}

describe('combining marks', () => {
  const marks = '\u0301'.repeat(4000) + '\u0316'.repeat(4000)
  const text = `a${marks}`
  const kana = `カ${'\uff9e\u0301'.repeat(4000)}`

  it.each([
    ['/person/firstName', text],
    ['/person/emailAddress', `${text}@example.com`],
    ['/person/address/streetLine1', text],
    ['/verifications/document/documentNumber', text],
    ['/verifications/document/photos', { front: `https://photos.example/${text}` }],
    ['/decisionReason', text],
    [DATA, { address: text }],
    [DATA, { address: kana }],
    [DATA, { address: `1${text} ${text}@example.com` }],
    [DATA, { [`ssn${text}`]: 1 }],
    [DATA, { x: Buffer.from(text).toString('base64') }],
    [DATA, { x: encodeURIComponent(text.slice(0, 5000)) }],
    [DATA, { x: JSON.stringify([text]) }],
  ])('of %s are sorted at most 30 in a row: case %#', (pointer, value: JsonValue) => {
    expect(normalized({ [pointer]: value }).filter((each) => /[\p{M}\uff9e\uff9f]{31}/u.test(each))).toEqual([])
  })

  it('hide no SSN', () => {
    const spellings = [
      `${marks}078-05-1120`,
      `078-05-1120${marks}`,
      `0${'\u0301'.repeat(8)}78051120${text}`,
      `${text} SSN 219099999`,
    ]
    for (const value of spellings) expect(codesOf({ [`${DATA}/x`]: value })).toEqual([`${DATA}/x ${CLEAR}`])
  })

  it('are refused in a field if more than 30 are in a row', () => {
    const name = (count: number) => ({ '/person/firstName': `a${'\u0316'.repeat(count)}` })
    expect(codesOf(name(30))).toEqual([])
    expect(codesOf(name(31))).toEqual(['/person/firstName FORMAT'])
  })
})

describe('parts of an SSN', () => {
  const nested = (value: JsonValue, levels: number): JsonValue => (levels === 0 ? value : nested([value], levels - 1))

  it('are folded as often in a deep list as in a flat one', () => {
    const list = Array.from({ length: 100 }, () => '٩')
    expect(normalized({ [DATA]: { x: nested(list, 25) } })).toHaveLength(normalized({ [DATA]: { x: list } }).length)
  })

  it('are found however they are nested, and between any others', () => {
    const other = fc.array(fc.constantFrom<JsonValue>('x', '-', 1, '12', null, true), { maxLength: 90 })
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { minLength: 2, maxLength: 8 })
    const depths = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 9, maxLength: 9 })
    const isSplit = (before: JsonValue[], after: JsonValue[], places: number[], levels: number[]): boolean => {
      const ends = [...places.sort((a, b) => a - b), 9]
      const parts = ends.map((end, index) => '078051120'.slice(ends[index - 1] ?? 0, end))
      const inLists = parts.map((part, index) =>
        index === 0
          ? nested([...before, 'x', part], levels[0] ?? 0)
          : index === parts.length - 1
            ? nested([part, 'x', ...after], levels[8] ?? 0)
            : nested(part, levels[index] ?? 0),
      )
      return codesOf({ [DATA]: { x: inLists } }).some((code) => code.endsWith(CLEAR))
    }
    fc.assert(fc.property(other, other, cuts, depths, isSplit), { numRuns: 100 })
  })
})

it('the words of a long key are read once, not for each item of its list', () => {
  const items = Array.from({ length: 200 }, () => 'Ab 1230')
  const withKey = (key: string) => tested({ [DATA]: { [key]: items } }).characters
  expect(withKey('a '.repeat(8000)) - withKey('a')).toBeLessThan(30 * 16_000)
})

it('nine digits under a key that is too long to read are refused', () => {
  const codesUnder = (key: string) => codesOf({ [DATA]: { [key]: '219099999' } })
  expect(codesUnder(`${'é '.repeat(800)}social security`)).toEqual([`${DATA} ${CLEAR}`])
  expect(codesUnder('é '.repeat(800))).toEqual([`${DATA} ${CLEAR}`])
  expect(codesUnder('é '.repeat(400))).toEqual([])
})

it('a long key names what its end names', () => {
  const parsed = parseSubmission(applyChange({ [DATA]: { [`${'response.'.repeat(50)}phone`]: '5550123 44' } }), {
    now: new Date(CASES_NOW),
  })
  expect(parsed).toMatchObject({ ok: true, warnings: [{ code: 'PII_BEYOND_TYPED_FIELDS' }] })
})

it('percent signs before bytes that are no UTF-8 throw nothing', () => {
  const decode = vi.spyOn(globalThis, 'decodeURIComponent')
  expect(codesOf({ [`${DATA}/x`]: '.%25D1O%D1%ED%A0%80%F5%80%80%80%C0%80'.repeat(20) })).toEqual([])
  expect(decode.mock.results.filter(({ type }) => type === 'throw')).toEqual([])
})

it('an SSN between percent signs before bytes that are no UTF-8 is found', () => {
  expect(codesOf({ [`${DATA}/x`]: '%D1%EF%BC%90%37%38%30%35%31%31%32%30%D1' })).toEqual([`${DATA}/x ${CLEAR}`])
})

it('a document number that repeats itself is searched for in one pass', () => {
  const callsWith = (length: number) =>
    tested({
      '/verifications/document/documentNumber': `${'A'.repeat(length)}B`,
      [`${DATA}/x`]: 'A-'.repeat(1000),
    }).calls
  expect(callsWith(60)).toBeLessThan(1.1 * callsWith(15))
})

it.each([
  ['ABABABAC', 'AB-AB-AB-AB-AC'],
  ['AAAAAAAB', 'A A A A A A A A A A B'],
  ['ABCABD1', 'X ABC-ABC-ABD1'],
])('%s is not found inside another number, %s', (documentNumber, text) => {
  const codes = (x: string) => codesOf({ '/verifications/document/documentNumber': documentNumber, [DATA]: { x } })
  expect(codes(`no. ${text.replaceAll(/[ -]/g, '')}`)).toEqual([])
  expect(codes(`no. ${documentNumber.split('').join('-')}`)).toEqual([`${DATA}/x ${CLEAR}`])
  expect(codes(`no. ${text}`)).toEqual([`${DATA}/x ${CLEAR}`])
})
