import { Ajv2020 } from 'ajv/dist/2020.js'
import { format } from 'prettier'
import { describe, expect, it } from 'vitest'
import { parseSubmission } from '@kyc-relay/kyc-core'
import { isFullDate } from '../../src/submission/calendar-date.js'
import { applyChange, BASE, CASES_NOW, REMOVED, type CaseRow } from '../submission/cases/case-row.js'
import { CASE_TABLES } from '../submission/cases/case-tables.js'
import { submissionJsonSchema } from './submission-json-schema.js'

/*
 * The contract as data. After a change of the rules or the tables, write both files with
 * `npm run schema -w @kyc-relay/kyc-core`.
 */

const MAX_CASE_CHARACTERS = 3000
/** Half a surrogate pair, which strict parsers refuse even in escaped form (RFC 7493). */
const LONE_SURROGATE = /\\ud[89a-f]/i

const text = (value: unknown): Promise<string> => format(JSON.stringify(value), { parser: 'json', printWidth: 120 })

/** What a reader of the file gets. The file itself is still the old one while `-u` writes it. */
const asRead = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

type Operation = { op: 'add'; path: string; value: unknown } | { op: 'remove'; path: string }

function existsInBase(pointer: string): boolean {
  let value: unknown = BASE
  for (const key of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false
    value = (value as Record<string, unknown>)[key]
  }
  return true
}

function jsonPatch(change: CaseRow['change']): Operation[] {
  return Object.entries(change).flatMap(([path, value]): Operation[] => {
    if (value !== REMOVED) return [{ op: 'add', path, value }]
    return existsInBase(path) ? [{ op: 'remove', path }] : []
  })
}

function remarks(lines: readonly string[] = []): { pointer: string; code: string }[] {
  return lines.map((line) => {
    const space = line.lastIndexOf(' ')
    return { pointer: line.slice(0, space), code: line.slice(space + 1) }
  })
}

function casesAsData(): unknown {
  const cases = CASE_TABLES.flatMap(({ title, groups }) =>
    groups.flatMap(({ heading, rows }) =>
      rows.map(({ what, change, policy, refused, warned }) => ({
        group: `${title}: ${heading}`,
        what,
        ...(policy ? { policy } : {}),
        patch: jsonPatch(change),
        violations: remarks(refused),
        warnings: remarks(warned),
      })),
    ),
  )
  return {
    description:
      'Submissions that postKycVerification must refuse or accept. Apply `patch` (RFC 6902) to `base` and judge it at `now`. No violations: it is accepted. The order of violations does not matter.',
    schemaVersion: '1.0',
    now: CASES_NOW,
    base: BASE,
    cases: cases.filter((each) => {
      const json = JSON.stringify(each)
      return json.length <= MAX_CASE_CHARACTERS && !LONE_SURROGATE.test(json)
    }),
  }
}

describe('schema/kyc-submission-1.0.json', () => {
  it('is what the rules say: npm run schema -w packages/kyc-core writes it', async () => {
    await expect(await text(submissionJsonSchema())).toMatchFileSnapshot('../../schema/kyc-submission-1.0.json')
  })

  const validate = new Ajv2020({
    strict: true,
    strictRequired: false,
    strictTypes: false,
    formats: { date: isFullDate },
  }).compile(asRead(submissionJsonSchema()) as object)

  it('accepts every submission that is accepted', () => {
    const rows = CASE_TABLES.flatMap(({ groups }) => groups.flatMap((group) => group.rows))
    const wronglyRefused = rows.filter((row) => (row.refused ?? []).length === 0 && !validate(applyChange(row.change)))
    // An unknown field that is null counts as absent, which JSON Schema cannot say.
    expect(wronglyRefused.map((row) => row.what)).toEqual(['an unknown field that is null'])
  })

  it.each([
    ['a missing ZIP', { '/person/address/postalCode': REMOVED }],
    ['a ZIP+4', { '/person/address/postalCode': '62701-1234' }],
    ['an ssn section without SSN', { '/person/ssn': REMOVED }],
    ['an SSN without its last four', { '/person/ssnLast4': null }],
    ['no section', { '/verifications': {} }],
    ['an unknown field', { '/person/nickname': 'x' }],
    ['a masked SSN', { '/person/ssn': '***-**-1120' }],
    ['another version', { '/schemaVersion': '1.1' }],
    ['a score of 101', { '/verifications/document/confidenceScore': 101 }],
  ] as const)('refuses %s', (_what, change) => {
    expect(validate(applyChange(change))).toBe(false)
  })
})

describe('schema/submission-cases.json', () => {
  it('is what the tables say: npm run schema -w packages/kyc-core writes them', async () => {
    await expect(await text(casesAsData())).toMatchFileSnapshot('../../schema/submission-cases.json')
  })

  interface PublishedCases {
    readonly now: string
    readonly base: unknown
    readonly cases: readonly {
      readonly what: string
      readonly policy?: object
      readonly patch: readonly Operation[]
      readonly violations: readonly unknown[]
      readonly warnings: readonly unknown[]
    }[]
  }

  it('can be used as a partner would', () => {
    const publishedCases = asRead(casesAsData()) as PublishedCases
    expect(publishedCases.cases.length).toBeGreaterThan(800)
    for (const { patch, policy, violations, warnings, what } of publishedCases.cases) {
      const input = structuredClone(publishedCases.base)
      for (const operation of patch) {
        const keys = operation.path.split('/').slice(1)
        const last = keys.pop() ?? ''
        const target = keys.reduce<unknown>((object, key) => (object as Record<string, unknown>)[key], input) as Record<
          string,
          unknown
        >
        if (operation.op === 'add') target[last] = operation.value
        else delete target[last]
      }
      const parsed = parseSubmission(input, { now: new Date(publishedCases.now), policy: policy ?? {} })
      const found = parsed.ok
        ? { violations: [], warnings: parsed.warnings }
        : { violations: parsed.violations, warnings: [] }
      const codes = (list: readonly { pointer: string; code: string }[]) =>
        list.map(({ pointer, code }) => ({ pointer, code }))
      expect({ what, violations: codes(found.violations), warnings: codes(found.warnings) }).toEqual({
        what,
        violations,
        warnings,
      })
    }
  })
})
