import { describe, expect, test } from 'vitest'
import { parseSubmission } from '@kyc-relay/kyc-core'
import { isFullDate, parseDateTime, utcDay, yearsBefore } from '../../src/submission/calendar-date.js'
import { holdsCardNumber } from '../../src/submission/card-number.js'
import { isDocumentNumber, normaliseDocumentNumber } from '../../src/submission/document-number.js'
import { isIssuableSsn, isItin, isKnownSampleSsn, readSsn } from '../../src/submission/ssn.js'
import { applyChange, CASES_NOW, REMOVED } from './cases/case-row.js'

// The ends of each range, and the spellings that the cases of whole submissions do not have.

describe('a date-time', () => {
  test.each([
    ['2026-01-05T10:00:00Z', Date.UTC(2026, 0, 5, 10)],
    ['2026-01-05 10:00:00Z', Date.UTC(2026, 0, 5, 10)],
    ['2026-01-05t10:00:00z', Date.UTC(2026, 0, 5, 10)],
    ['20260105T100000Z', Date.UTC(2026, 0, 5, 10)],
    ['2026-01-05T10Z', Date.UTC(2026, 0, 5, 10)],
    ['2026-01-05T10:07Z', Date.UTC(2026, 0, 5, 10, 7)],
    ['2026-01-05T10:00:00.5Z', Date.UTC(2026, 0, 5, 10, 0, 0, 500)],
    ['2026-01-05T10:00:00,0429Z', Date.UTC(2026, 0, 5, 10, 0, 0, 42)],
    ['2026-01-05T10:00:60Z', Date.UTC(2026, 0, 5, 10, 1)],
    ['2026-01-05T23:59:59Z', Date.UTC(2026, 0, 5, 23, 59, 59)],
    ['2026-01-05T10:00:00+05:30', Date.UTC(2026, 0, 5, 4, 30)],
    ['2026-01-05 10:00:00 UTC', Date.UTC(2026, 0, 5, 10)],
    ['2026-01-05T10:00:00 +05:30', Date.UTC(2026, 0, 5, 4, 30)],
    ['2026-01-05T10:00:00-0530', Date.UTC(2026, 0, 5, 15, 30)],
    ['2026-01-05T10:00:00−05:30', Date.UTC(2026, 0, 5, 15, 30)],
    ['2026-01-05T10:00:00+23:59:59', Date.UTC(2026, 0, 4, 10, 0, 1)],
    ['2026-01-05T10:00:00+00:00:07', Date.UTC(2026, 0, 5, 9, 59, 53)],
    ['2026-01-05T10:00:00+05[Asia/Karachi]', Date.UTC(2026, 0, 5, 5)],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29)],
    ['0050-03-01T00:00:00Z', Date.parse('0050-03-01T00:00:00Z')],
  ])('%s is read to the millisecond', (text, epochMs) => {
    expect(parseDateTime(text)).toEqual({ epochMs, hasOffset: true })
  })

  test('without an offset is read as UTC, and says so', () => {
    expect(parseDateTime('2026-01-05T10:00:00')).toEqual({ epochMs: Date.UTC(2026, 0, 5, 10), hasOffset: false })
  })

  test.each([
    ['hour 24', '2026-01-05T24:00:00Z'],
    ['minute 60', '2026-01-05T10:60:00Z'],
    ['second 61', '2026-01-05T10:00:61Z'],
    ['day 0', '2026-01-00T10:00:00Z'],
    ['day 32', '2026-01-32T10:00:00Z'],
    ['month 0', '2026-00-05T10:00:00Z'],
    ['month 13', '2026-13-05T10:00:00Z'],
    ['29 February of a year that is no leap year', '2026-02-29T10:00:00Z'],
    ['29 February of 1900', '1900-02-29T10:00:00Z'],
    ['an offset of 24 hours', '2026-01-05T10:00:00+24:00'],
    ['an offset of 60 minutes', '2026-01-05T10:00:00+05:60'],
    ['an offset of 60 seconds', '2026-01-05T10:00:00+05:00:60'],
    ['a date alone', '2026-01-05'],
    ['text', 'yesterday'],
  ])('%s is refused', (_what, text) => {
    expect(parseDateTime(text)).toBeNull()
  })
})

describe('a calendar day', () => {
  test.each([
    ['2024-02-29', true],
    ['2000-02-29', true],
    ['1900-02-29', false],
    ['2023-02-29', false],
    ['2024-04-31', false],
    ['2024-12-31', true],
    ['2024-13-01', false],
    ['2024-00-01', false],
    ['2024-01-00', false],
  ])('%s exists: %s', (text, exists) => {
    expect(isFullDate(text)).toBe(exists)
  })

  test('of an instant is that of UTC, in whatever order the instants come', () => {
    const day = 86_400_000
    const instants = Array.from({ length: 40 }, (_, index) => Date.UTC(2026, 0, 1) + index * day)
    for (const start of [...instants, ...instants.toReversed()]) {
      const expected = new Date(start).toISOString().slice(0, 10)
      expect(utcDay(start)).toBe(expected)
      expect(utcDay(start + day - 1)).toBe(expected)
    }
    expect(utcDay(-1)).toBe('1969-12-31')
  })

  test('some years before keeps month and day, and four digits', () => {
    expect(yearsBefore('2026-01-06', 130)).toBe('1896-01-06')
    expect(yearsBefore('1050-02-28', 130)).toBe('0920-02-28')
  })
})

describe('an SSN', () => {
  test.each([
    ['078-05-1120', { kind: 'ssn', digits: '078051120', lastFour: '1120' }],
    ['078051120', { kind: 'ssn', digits: '078051120', lastFour: '1120' }],
    ['078-051120', { kind: 'ssn', digits: '078051120', lastFour: '1120' }],
    ['***-**-1120', { kind: 'masked' }],
    ['1120', { kind: 'masked' }],
    ['07805112', { kind: 'masked' }],
    ['*07805112', { kind: 'masked' }],
    ['*078051120', { kind: 'invalid' }],
    ['078 05 1120', { kind: 'invalid' }],
    ['none', { kind: 'invalid' }],
    ['', { kind: 'invalid' }],
  ])('%j is read by its shape', (text, reading) => {
    expect(readSsn(text)).toEqual(reading)
  })

  test.each([
    ['001010001', true],
    ['665010001', true],
    ['667010001', true],
    ['899999999', true],
    ['000010001', false],
    ['666010001', false],
    ['900010001', false],
    ['999010001', false],
    ['001000001', false],
    ['001010000', false],
  ])('%s can have been issued: %s', (digits, expected) => {
    expect(isIssuableSsn(digits)).toBe(expected)
  })

  test('is an ITIN by its area and group', () => {
    const groups = Array.from({ length: 100 }, (_, group) => String(group).padStart(2, '0'))
    const itins = groups.filter((group) => isItin(`912${group}1234`)).map(Number)
    const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
    expect(itins).toEqual([...range(50, 65), ...range(70, 88), ...range(90, 92), ...range(94, 99)])
    expect(groups.some((group) => isItin(`812${group}1234`))).toBe(false)
  })

  test('is a sample when it is a known one', () => {
    expect(isKnownSampleSsn('078051120')).toBe(true)
    expect(isKnownSampleSsn('078051121')).toBe(false)
  })
})

describe('the last four digits', () => {
  const token = (field: string, end: string) => `tok_${field}_${'0aZ9'.repeat(7)}${end}`
  const lastFour = '/person/ssnLast4'
  const tokens = {
    '/person/ssn': token('ssn', '_1120'),
    '/verifications/document/documentNumber': token('document_number', ''),
  }

  test.each([
    ['are those of the token', tokens, 'tokens', []],
    ['are not those of the token', { ...tokens, [lastFour]: '1121' }, 'tokens', ['SSN_LAST4_MISMATCH']],
    ['are absent beside the token', { ...tokens, [lastFour]: REMOVED }, 'tokens', ['SSN_LAST4_REQUIRED']],
    ['are those of the SSN', {}, 'clear', []],
    ['are not those of the SSN', { [lastFour]: '1121' }, 'clear', ['SSN_LAST4_MISMATCH']],
    ['are absent beside the SSN', { [lastFour]: REMOVED }, 'clear', ['SSN_LAST4_REQUIRED']],
  ] as const)('%s', (_what, change, pii, expected) => {
    const parsed = parseSubmission(applyChange(change), { now: new Date(CASES_NOW), pii })
    expect(parsed.ok ? [] : parsed.violations.map(({ code }) => code)).toEqual(expected)
  })
})

describe('a card number', () => {
  test.each([
    ['the shortest one', '30569309025904', true],
    ['a wrong check digit', '30569309025905', false],
    ['a check digit that is right only when 5 doubled is 1', '4111111111111152', true],
    ['no check digit of Luhn', '4111111111111112', false],
    ['no card network', '9111111111111111', false],
    ['behind another number', '4111111111111112 and 5555555555554444', true],
    ['13 digits', '4222222222222', false],
    ['no number', 'not a number at all', false],
  ])('%s', (_what, text, expected) => {
    expect(holdsCardNumber(text)).toBe(expected)
  })
})

describe('a document number', () => {
  test.each([
    ['E1', true],
    ['E', false],
    ['1-', false],
    // One character each, though two UTF-16 units, or two letters before composition.
    ['𝟟', false],
    ['𝟟𝟟', true],
    ['\u1100\u1161', false],
    ['e\u0301 1', true],
    ['E1234567', true],
    ['-E1', false],
    ['E1_2', false],
    ['№ 123456', true],
    ['Ｅ１２－３', true],
    ['E1‐2', true],
    ['E1\u20112', true],
    ['＊＊＊4567', false],
    // One sign, though more letters in its normal form.
    ['Ⅷ', false],
    ['№', false],
    // One letter each, whose normal form has other signs.
    ['1\u0140', true],
  ])('%j has the shape of one: %s', (text, expected) => {
    expect(isDocumentNumber(text)).toBe(expected)
  })

  test('has one form for all its spellings', () => {
    for (const text of ['E12-345 67', 'e1234567', 'E1234–567', 'Ｅ１２３４５６７', 'E1 2 3 4‐567'])
      expect(normaliseDocumentNumber(text)).toBe('E1234567')
  })
})

describe('the dates of a submission', () => {
  const decided = '/decisionedAt'
  const born = '/person/dateOfBirth'
  const withoutDocumentDates = {
    '/verifications/document/issueDate': REMOVED,
    '/verifications/document/expirationDate': REMOVED,
  }

  test.each([
    ['five minutes ahead', { [decided]: '2026-01-06T12:05:00.000Z' }, []],
    ['more than five minutes ahead', { [decided]: '2026-01-06T12:05:00.001Z' }, [`${decided} DATE_IN_FUTURE`]],
    ['730 days ago', { [decided]: '2024-01-07T12:00:00.000Z' }, []],
    ['more than 730 days ago', { [decided]: '2024-01-07T11:59:59.999Z' }, [`${decided} STALE_DECISION`]],
    [
      'on the day 130 years ago, where it begins first',
      { [decided]: '1896-01-05T10:00:00.000Z', [born]: '1896-01-06' },
      [`${decided} STALE_DECISION`],
    ],
    [
      'before the day 130 years ago anywhere',
      { [decided]: '1896-01-05T09:59:59.999Z', [born]: '1896-01-06' },
      [`${decided} DATE_IMPLAUSIBLE`],
    ],
    [
      'on the day of birth, where it begins first',
      { [decided]: '1985-04-11T10:00:00.000Z' },
      [`${decided} STALE_DECISION`],
    ],
    ['before the day of birth anywhere', { [decided]: '1985-04-11T09:59:59.999Z' }, [`${decided} INCONSISTENT_DATES`]],
  ])('decided %s', (_what, change, expected) => {
    const parsed = parseSubmission(applyChange({ ...withoutDocumentDates, ...change }), { now: new Date(CASES_NOW) })
    const remarks = parsed.ok ? parsed.warnings : parsed.violations
    expect(remarks.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(expected)
  })
})
