import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSubmission } from '@kyc-relay/kyc-core'
import type { JsonValue } from '../../src/submission/json-value.js'
import { propertyRuns } from '../../../../scripts/test-sizes.js'
import { applyChange, CASES_NOW, REMOVED, type CaseRow } from './cases/case-row.js'

/*
 * For each format: whatever is generated as valid passes, and every one-character damage of the right kind fails with
 * the code of that format.
 */

const now = new Date(CASES_NOW)
const RUNS = propertyRuns(20260106, 200)

function codesAt(pointer: string, value: JsonValue, around: CaseRow['change'] = {}): string[] {
  const parsed = parseSubmission(applyChange({ ...around, [pointer]: value }), { now })
  return parsed.ok ? [] : parsed.violations.filter((violation) => violation.pointer === pointer).map(({ code }) => code)
}

const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`))
const dash = fc.constantFrom('', '-')
const area = digits(3).filter((text) => text !== '000' && text !== '666' && !text.startsWith('9'))
const group = digits(2).filter((text) => text !== '00')
const serial = digits(4).filter((text) => text !== '0000')

/** The text with the character at `index` replaced. */
const replaceAt = (text: string, index: number, character: string): string =>
  `${text.slice(0, index)}${character}${text.slice(index + 1)}`
const place = fc.nat({ max: 1000 })

describe('SSN', () => {
  const pointer = '/person/ssn'
  const ssn = fc.tuple(area, dash, group, dash, serial).map((parts) => parts.join(''))
  const around = { '/externalProviderData': REMOVED }

  it('accepts every number that can have been issued, with dashes or without', () => {
    fc.assert(
      fc.property(ssn, (text) => {
        const change = { [pointer]: text, '/person/ssnLast4': text.slice(-4), ...around }
        expect(parseSubmission(applyChange(change), { now }).ok).toBe(true)
      }),
      RUNS,
    )
  })

  it('refuses it with any other character in it, one more, or one less', () => {
    const other = fc.constantFrom(' ', '.', '–', '/', 'a', 'O', '０', '\u200b', '_', '+')
    fc.assert(
      fc.property(ssn, place, other, fc.constantFrom('replace', 'insert', 'remove'), (text, at, character, how) => {
        const index = at % text.length
        const damaged =
          how === 'replace'
            ? replaceAt(text, index, character)
            : how === 'insert'
              ? `${text.slice(0, index)}${character}${text.slice(index)}`
              : text.replace(/\d/, '')
        expect(codesAt(pointer, damaged)).toEqual([expect.stringMatching(/^SSN_(INVALID|MASKED_OR_PARTIAL)$/)])
      }),
      RUNS,
    )
  })

  it('refuses every other last four', () => {
    fc.assert(
      fc.property(ssn, digits(4), (text, lastFour) => {
        fc.pre(!text.endsWith(lastFour))
        expect(codesAt('/person/ssnLast4', lastFour, { [pointer]: text })).toEqual(['SSN_LAST4_MISMATCH'])
      }),
      RUNS,
    )
  })

  it('finds it in free-form data, however it is spelled', () => {
    const separator = fc.constantFrom('', '-', ' ', '.', '/', ' - ', '\u200b', '\u00a0', '\n', '–', '_', ',')
    const around = fc.constantFrom(['', ''], ['ssn:', '.'], ['"', '"'], ['no ', ' found'], ['(', ')'], ['x', 'y'])
    fc.assert(
      fc.property(
        ssn,
        fc.array(separator, { minLength: 9, maxLength: 9 }),
        around,
        (text, separators, [before, after]) => {
          const spelled = [...text.replaceAll('-', '')].map(
            (digit, index) => digit + (index < 8 ? separators[index] : ''),
          )
          const value = { note: `${before}${spelled.join('')}${after}` }
          expect(codesAt('/externalProviderData/note', 'x', {})).toEqual([])
          const parsed = parseSubmission(
            applyChange({ [pointer]: text, '/person/ssnLast4': text.slice(-4), '/externalProviderData': value }),
            { now },
          )
          expect(parsed.ok ? [] : parsed.violations).toMatchObject([
            { pointer: '/externalProviderData/note', code: 'CLEAR_PII_IN_FREE_FORM' },
          ])
        },
      ),
      RUNS,
    )
  })
})

describe('full-date', () => {
  const pointer = '/person/dateOfBirth'
  const around = { '/verifications/document/issueDate': REMOVED }
  const pad = (value: number, length: number) => String(value).padStart(length, '0')

  it('accepts every day of the calendar from 1900 on', () => {
    const day = fc.integer({ min: Date.UTC(1900, 0, 1) / 86_400_000, max: Date.UTC(2025, 11, 31) / 86_400_000 })
    fc.assert(
      fc.property(day, (number) => {
        const text = new Date(number * 86_400_000).toISOString().slice(0, 10)
        expect(codesAt(pointer, text, around)).toEqual([])
      }),
      RUNS,
    )
  })

  it('agrees with the calendar about every combination of month and day', () => {
    const parts = fc.tuple(fc.integer({ min: 1900, max: 2025 }), fc.nat({ max: 14 }), fc.nat({ max: 33 }))
    fc.assert(
      fc.property(parts, ([year, month, day]) => {
        const date = new Date(Date.UTC(year, month - 1, day))
        const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && date.getUTCFullYear() === year
        expect(codesAt(pointer, `${year}-${pad(month, 2)}-${pad(day, 2)}`, around)).toEqual(
          exists ? [] : ['DATE_INVALID'],
        )
      }),
      propertyRuns(20260106, 1000),
    )
  })

  it('refuses any other character', () => {
    fc.assert(
      fc.property(place, fc.constantFrom('x', ' ', '/', '０', '.', '-1'), (at, character) => {
        const damaged = replaceAt('1985-04-12', at % 10, character)
        fc.pre(!/^\d{4}-\d{2}-\d{2}$/.test(damaged))
        expect(codesAt(pointer, damaged, around)).toEqual(['DATE_INVALID'])
      }),
      RUNS,
    )
  })
})

describe('date and time', () => {
  const pad = (value: number) => String(Math.abs(value)).padStart(2, '0')
  const instant = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2026, 0, 5) })
  const offset = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 })

  it('reads every instant at every offset as the same instant in UTC, to the millisecond', () => {
    fc.assert(
      fc.property(
        instant,
        offset,
        fc.constantFrom(':', ''),
        fc.constantFrom('T', 't', ' '),
        fc.constantFrom('.', ','),
        fc.boolean(),
        (ms, minutes, colon, letter, comma, basic) => {
          const extended = new Date(ms + minutes * 60_000).toISOString().slice(0, -1)
          const local = (basic ? extended.replace(/[:-]/g, '') : extended).replace('T', letter).replace('.', comma)
          const sign = minutes < 0 ? '-' : '+'
          const zone = `${sign}${pad(Math.trunc(minutes / 60))}${colon}${pad(minutes % 60)}`
          const parsed = parseSubmission(applyChange({ '/decisionedAt': `${local}${zone}` }), { now })
          expect(parsed.ok && parsed.submission.decisionedAt.getTime()).toBe(ms)
        },
      ),
      RUNS,
    )
  })

  it('cuts off what is finer than a millisecond', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9]{1,30}$/), (fraction) => {
        const parsed = parseSubmission(applyChange({ '/decisionedAt': `2026-01-05T10:00:00.${fraction}Z` }), { now })
        const expected = Date.UTC(2026, 0, 5, 10) + Number(fraction.slice(0, 3).padEnd(3, '0'))
        expect(parsed.ok && parsed.submission.decisionedAt.getTime()).toBe(expected)
      }),
      RUNS,
    )
  })

  it('refuses any other character', () => {
    const text = '2026-01-05T10:00:00Z'
    fc.assert(
      fc.property(place, fc.constantFrom('x', ' ', '/', '０', ','), (at, character) => {
        // RFC 3339 allows a space for the `T`.
        fc.pre(!(at % text.length === 10 && character === ' '))
        expect(codesAt('/decisionedAt', replaceAt(text, at % text.length, character))).toEqual(['DATE_INVALID'])
      }),
      RUNS,
    )
  })
})

describe('phone number', () => {
  const number = fc
    .tuple(fc.constantFrom(...'123456789'), fc.stringMatching(/^[0-9]{6,14}$/))
    .map(([a, b]) => `+${a}${b}`)

  it('accepts every E.164 number', () => {
    fc.assert(
      fc.property(number, (text) => {
        expect(codesAt('/person/phoneNumber', text)).toEqual([])
      }),
      RUNS,
    )
  })

  it('refuses any other character in it', () => {
    fc.assert(
      fc.property(number, place, fc.constantFrom(' ', '-', '(', '.', 'x', '+', '５'), (text, at, character) => {
        const index = 1 + (at % (text.length - 1))
        expect(codesAt('/person/phoneNumber', replaceAt(text, index, character))).toEqual(['FORMAT'])
      }),
      RUNS,
    )
  })
})

describe('ZIP', () => {
  const pointer = '/person/address/postalCode'
  it('accepts five digits', () => {
    fc.assert(
      fc.property(digits(5), (text) => {
        expect(codesAt(pointer, text)).toEqual([])
      }),
      RUNS,
    )
  })
  it('refuses any other length or character', () => {
    const other = fc.oneof(digits(4), digits(6), digits(9), fc.stringMatching(/^[0-9]{4}[A-Za-z -]$/))
    fc.assert(
      fc.property(other, (text) => {
        expect(codesAt(pointer, text)).toEqual(['POSTAL_CODE_INVALID'])
      }),
      RUNS,
    )
  })
})

describe('check name', () => {
  const pointer = '/verifications/document/checks/0/name'
  const around = { '/verifications/document/checks': [{ name: 'x', status: 'PASSED' }] }
  const word = fc.stringMatching(/^[a-z0-9]{1,8}$/)
  const name = fc.array(word, { minLength: 1, maxLength: 10 }).map((words) => words.join('_'))

  it('accepts snake_case', () => {
    fc.assert(
      fc.property(name, (text) => {
        expect(codesAt(pointer, text, around)).toEqual([])
      }),
      RUNS,
    )
  })
  it('refuses any other character, and underscores at an end or in a row', () => {
    fc.assert(
      fc.property(name, place, fc.constantFrom('A', '-', ' ', '.', 'é', '__'), (text, at, character) => {
        const codes = codesAt(pointer, replaceAt(text, at % text.length, character), around)
        expect(codes).toEqual([expect.stringMatching(/^(FORMAT|REQUIRED)$/)])
      }),
      RUNS,
    )
    fc.assert(
      fc.property(name, (text) => {
        expect(codesAt(pointer, `_${text}`, around)).toEqual(['FORMAT'])
        expect(codesAt(pointer, `${text}_`, around)).toEqual(['FORMAT'])
      }),
      RUNS,
    )
  })
})

describe('externalVerificationId', () => {
  const pointer = '/externalVerificationId'
  const id = fc.stringMatching(/^[\x21-\x7e]{1,255}$/).filter((text) => !/\d{5}/.test(text) && !/\d-\d/.test(text))

  it('accepts printable ASCII', () => {
    fc.assert(
      fc.property(id, (text) => {
        expect(codesAt(pointer, text)).toEqual([])
      }),
      RUNS,
    )
  })
  it('refuses anything else in it', () => {
    fc.assert(
      fc.property(
        id,
        place,
        fc.constantFrom(' ', '\u00a0', 'é', '漢', '\u0000', '\t', '\ud800'),
        (text, at, character) => {
          const codes = codesAt(pointer, replaceAt(text, at % text.length, character))
          expect(codes).toEqual([expect.stringMatching(/^(REQUIRED|FORMAT|CONTROL_CHARACTER|ILL_FORMED_UNICODE)$/)])
        },
      ),
      RUNS,
    )
  })
})

describe('names', () => {
  const letter = fc.constantFrom(...'aZéñßžøğőłþЖяΩאعनกก漢かハ한')
  const inner = fc.constantFrom(' ', "'", '’', '-', '.', ',', '/', '(', ')', '1', '\u200c', '\u200d', '\u0301', '·')
  const name = fc
    .tuple(letter, fc.array(fc.oneof(letter, inner), { maxLength: 60 }), letter)
    .map(([first, rest, last]) => [first, ...rest, last].join(''))

  it('accepts letters and marks of any script with the punctuation of names', () => {
    fc.assert(
      fc.property(name, (text) => {
        expect(codesAt('/person/lastName', text)).toEqual([])
      }),
      RUNS,
    )
  })
  it('refuses what is not part of names', () => {
    const other = fc.constantFrom(
      '<',
      '>',
      '{',
      '}',
      '=',
      ';',
      '%',
      '$',
      '@',
      '_',
      '"',
      '\\',
      '|',
      '😀',
      '\u202e',
      '\u0000',
      '\u200b',
    )
    const isCapital = /^[\u200c\u200d]*[\p{Lu}\p{Lo}]/u
    const isWord = /^(?:[\p{L}\p{M}'’-]|\u200c|\u200d)+(?: |$)/u
    fc.assert(
      fc.property(name, place, other, (text, at, character) => {
        const index = at % (text.length + 1)
        const [before, after] = [text.slice(0, index), text.slice(index)]
        // A gershayim, and the "also known as" of Malaysia, with or without spaces.
        fc.pre(!(character === '"' && /א$/.test(before) && /^א/.test(after)))
        fc.pre(!(character === '@' && / $/.test(before) && /^ /.test(after)))
        fc.pre(!(character === '@' && /[\p{L}\p{M}][\u200c\u200d]*$/u.test(before) && isWord.test(after)))
        fc.pre(!(character === '@' && / [\u200c\u200d]*$/.test(before) && isCapital.test(after)))
        fc.pre(!(character === '@' && /[\p{L}\p{M}.][\u200c\u200d]*$/u.test(before) && /^[\u200c\u200d]* /.test(after)))
        // Katakana
        fc.pre(!(character === '=' && /[\p{M}ハー]$/u.test(before) && after.startsWith('ハ')))
        const damaged = `${before}${character}${after}`
        expect(codesAt('/person/lastName', damaged)).toEqual([expect.stringMatching(/^(FORMAT|CONTROL_CHARACTER)$/)])
      }),
      RUNS,
    )
  })
})
