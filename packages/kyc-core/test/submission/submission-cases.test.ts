import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseSubmission } from '@kyc-relay/kyc-core'
import { addressSchema, extractedAddressSchema } from '../../src/submission/address.js'
import { personSchema } from '../../src/submission/person.js'
import { unpatternedTexts } from '../../src/submission/unpatterned-texts.js'
import { documentSchema } from '../../src/submission/verifications.js'
import { VIOLATION_MESSAGES } from '../../src/submission/violation.js'
import { WARNING_MESSAGES } from '../../src/submission/warning.js'
import { applyChange, CASES_NOW, REMOVED } from './cases/case-row.js'
import { CASE_TABLES } from './cases/case-tables.js'

const brief = (remarks: readonly { readonly pointer: string; readonly code: string }[]): string[] =>
  remarks.map(({ pointer, code }) => `${pointer} ${code}`)

for (const { title, groups } of CASE_TABLES) {
  describe(title, () => {
    for (const { heading, rows } of groups) {
      describe(heading, () => {
        for (const [index, { what, change, policy, refused = [], warned = [] }] of rows.entries()) {
          it(`${index + 1}. ${what}`, () => {
            const parsed = parseSubmission(applyChange(change), {
              now: new Date(CASES_NOW),
              ...(policy ? { policy } : {}),
            })
            const violations = parsed.ok ? [] : brief(parsed.violations)
            const warnings = parsed.ok ? brief(parsed.warnings) : []
            expect({ violations, warnings }).toEqual({ violations: refused, warnings: warned })
          })
        }
      })
    }
  })
}

it('a row shows for each text without a pattern that it refuses the submitted SSN', () => {
  const objects = [
    { pointer: '/person', schema: personSchema },
    { pointer: '/person/address', schema: addressSchema },
    { pointer: '/verifications/document', schema: documentSchema },
    { pointer: '/verifications/document/address', schema: extractedAddressSchema },
  ]
  const texts = objects.flatMap(({ pointer, schema }) => unpatternedTexts(schema).map((name) => `${pointer}/${name}`))
  const shown = new Set(
    CASE_TABLES.flatMap(({ groups }) => groups.flatMap(({ rows }) => rows.flatMap(({ refused = [] }) => refused))),
  )
  expect(texts.filter((text) => !shown.has(`${text} CLEAR_PII_IN_FREE_FORM`))).toEqual([
    '/verifications/document/documentNumber',
  ])
})

it.each(Object.keys(personSchema.shape))('section 2.2 of the contract has the field %s of a person', (field) => {
  const contract = readFileSync(new URL('../../../../docs/contract.md', import.meta.url), 'utf8')
  const section = contract.split(/^### /m).find((part) => part.startsWith('2.2 '))
  expect(section).toMatch(new RegExp(`^\\|[^|]*\`${field}\``, 'm'))
})

describe('the violations of a submission', () => {
  it('come in the order of the fields, also when a policy would waive some of another decision', () => {
    const change = {
      '/person/address/city': REMOVED,
      '/verifications/document/documentClass': 'SAMPLE',
    }
    const codes = [true, false].map((lenientOnFailed) => {
      const parsed = parseSubmission(applyChange(change), { now: new Date(CASES_NOW), policy: { lenientOnFailed } })
      return parsed.ok ? [] : brief(parsed.violations)
    })
    const inOrder = ['/person/address/city REQUIRED', '/verifications/document/documentClass ENUM']
    expect(codes).toEqual([inOrder, inOrder])
  })

  it('have the fixed text of their code, and the allowed values of a closed list only', () => {
    for (const { groups } of CASE_TABLES)
      for (const { change, policy } of groups.flatMap(({ rows }) => rows)) {
        const parsed = parseSubmission(applyChange(change), { now: new Date(CASES_NOW), ...(policy ? { policy } : {}) })
        for (const { code, message } of parsed.ok ? [] : parsed.violations) {
          const [text, allowed] = message.split(' Allowed: ')
          expect([text, allowed !== undefined]).toEqual([VIOLATION_MESSAGES[code], code === 'ENUM'])
        }
      }
  })
})

describe('the text of a violation names what is wrong', () => {
  const rejectKnownSampleSsns = true
  it.each([
    ['/person/ssn', '000-12-1120', 'Area 000'],
    ['/person/ssn', '666-12-1120', '666'],
    ['/person/ssn', '900-70-1120', '9xx'],
    ['/person/ssn', '078-00-1120', 'group 00'],
    ['/person/ssn', '078-05-0000', 'serial 0000'],
    ['/person/ssn', '078-05-1120', 'known sample'],
    ['/person/ssn', '07-805-1120', 'dashes after the third and the fifth'],
    ['/person/constructor', 'ACME', 'constructor'],
    ['/externalProviderData/constructor', 'ACME', 'constructor'],
    ['/verifications/document/documentData/prototype', 'ACME', 'prototype'],
    ['/person/county', 'Sangamon', 'unknown field'],
  ])('%s %s: %s', (pointer, value, words) => {
    const submission = applyChange({ [pointer]: value, '/person/ssnLast4': value.slice(-4) })
    const parsed = parseSubmission(submission, { now: new Date(CASES_NOW), policy: { rejectKnownSampleSsns } })
    const texts = parsed.ok ? [] : parsed.violations.filter(({ code }) => /^SSN_INVALID|^UNKNOWN/.test(code))
    expect(texts.map(({ message }) => message).join('\n')).toContain(words)
  })

  it('also for __proto__ inside provider data', () => {
    const externalProviderData: unknown = JSON.parse('{"__proto__":"ACME"}')
    const parsed = parseSubmission({ ...applyChange({}), externalProviderData }, { now: new Date(CASES_NOW) })
    expect(parsed.ok ? [] : parsed.violations).toMatchObject([
      {
        pointer: '/externalProviderData',
        code: 'UNKNOWN_FIELD',
        message: expect.stringContaining('__proto__') as string,
      },
    ])
  })
})

describe('the tables', () => {
  const rows = CASE_TABLES.flatMap(({ groups }) => groups.flatMap((group) => group.rows))
  const codesIn = (lines: readonly string[]) => new Set(lines.map((line) => line.slice(line.lastIndexOf(' ') + 1)))

  it('have a case for every code of a violation', () => {
    const covered = codesIn(rows.flatMap(({ refused = [] }) => refused))
    const missing = Object.keys(VIOLATION_MESSAGES).filter((code) => !covered.has(code))
    // The cases hold clear values and one user. The tests of ingestion have the cases of tokens and of other users.
    expect(missing).toEqual(['EXTERNAL_VERIFICATION_ID_CONFLICT', 'TOKEN_INVALID'])
  })

  it('have a case for every code of a warning', () => {
    const covered = codesIn(rows.flatMap(({ warned = [] }) => warned))
    expect(Object.keys(WARNING_MESSAGES).filter((code) => !covered.has(code))).toEqual([])
  })
})
