import { runInNewContext, runInThisContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSubmission } from '@kyc-relay/kyc-core'
import { examineSubmission } from '../../src/submission/parse-submission.js'
import { VIOLATION_MESSAGES } from '../../src/submission/violation.js'
import { sampleSubmission } from '@kyc-relay/kyc-core/testing'
import { propertyRuns } from '../../../../scripts/test-sizes.js'
import { utf8Bytes } from '../../src/submission/json-value.js'
import { parseViolationCode } from '../../src/submission/violation.js'
import { CASES_NOW } from './cases/case-row.js'

const now = new Date(CASES_NOW)

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key))
  }
  return value
}

describe('any input at all', () => {
  it('is answered: never an exception, never a text that is not ours', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
          withNullPrototype: true,
        }),
        (input) => {
          const parsed = parseSubmission(input, { now })
          expect(parsed.ok).toBe(false)
          if (!parsed.ok) {
            expect(parsed.violations.length).toBeGreaterThan(0)
            for (const { code, message } of parsed.violations)
              expect(code === 'ENUM' ? message.split(' Allowed: ')[0] : message).toBe(VIOLATION_MESSAGES[code])
          }
        },
      ),
      propertyRuns(1, 500),
    )
  })

  it('with a text of JSON nested ten thousand times, and brackets in another text, is answered', () => {
    const levels = 10_000
    const answer = `["${']'.repeat(levels)}",${'['.repeat(levels)}${']'.repeat(levels)}]`
    const input = { ...sampleSubmission(), externalProviderData: { answer } }
    expect(parseSubmission(input, { now }).ok).toBe(true)
  })

  it('in any place of a valid submission is answered, and one pointer has one violation', () => {
    const pointers = placesOf(sampleSubmission())
    fc.assert(
      fc.property(fc.constantFrom(...pointers), fc.anything({ withBigInt: true, withDate: true }), (path, value) => {
        const input = sampleSubmission() as unknown
        const target = path
          .slice(0, -1)
          .reduce<unknown>((object, key) => (object as Record<string, unknown>)[key], input)
        ;(target as Record<string, unknown>)[path.at(-1) ?? ''] = value
        const parsed = parseSubmission(input, { now })
        if (parsed.ok) return
        const seen = parsed.violations.map((violation) => violation.pointer)
        expect(new Set(seen).size).toBe(seen.length)
      }),
      propertyRuns(2, 500),
    )
  })

  it.each([
    ['undefined', undefined, 'REQUIRED'],
    ['null', null, 'TYPE'],
    ['a list', [], 'TYPE'],
    ['a text', '{}', 'TYPE'],
    ['a number', 1, 'TYPE'],
    ['a function', () => {}, 'TYPE'],
    ['a symbol', Symbol('x'), 'TYPE'],
    ['a bigint', 1n, 'UNSAFE_NUMBER'],
    ['a date', new Date(0), 'TYPE'],
    ['a map', new Map(), 'TYPE'],
  ])('%s is refused as a whole', (_what, input, code) => {
    expect(parseSubmission(input, { now })).toEqual({
      ok: false,
      violations: [{ pointer: '', code, message: VIOLATION_MESSAGES[code as 'TYPE'] }],
    })
  })

  it('is not changed', () => {
    const input = deepFreeze(sampleSubmission())
    expect(parseSubmission(input, { now }).ok).toBe(true)
    expect(
      parseSubmission(deepFreeze({ ...sampleSubmission(), person: { firstName: null, x: [1] } }), { now }).ok,
    ).toBe(false)
  })

  it('may be circular', () => {
    const data: Record<string, unknown> = {}
    data['self'] = data
    const parsed = parseSubmission({ ...sampleSubmission(), externalProviderData: data }, { now })
    expect(parsed.ok ? [] : parsed.violations.map(({ code }) => code)).toContain('TOO_LONG')
    const list: unknown[] = []
    list.push(list, list)
    const wide = parseSubmission({ ...sampleSubmission(), externalProviderData: { list } }, { now })
    expect(wide.ok ? [] : wide.violations.map(({ code }) => code)).toContain('TOO_LONG')
  })

  it('cannot reach a prototype through the keys of JSON', () => {
    for (const place of ['externalProviderData', 'person']) {
      const input = JSON.parse(
        `{"${place}":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}`,
      ) as object
      const parsed = parseSubmission({ ...sampleSubmission(), ...input }, { now })
      expect(parsed.ok ? [] : parsed.violations.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(
        expect.arrayContaining([`/${place} UNKNOWN_FIELD`]),
      )
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    }
    const top = parseSubmission(JSON.parse('{"__proto__":{"decision":"PASSED"}}'), { now })
    expect(top.ok ? [] : top.violations.map(({ pointer, code }) => `${pointer} ${code}`)).toContain(
      '/decision REQUIRED',
    )
  })

  it('may come without prototype, as GraphQL servers hand arguments over', () => {
    const input = Object.assign(Object.create(null), sampleSubmission()) as unknown
    expect(parseSubmission(input, { now }).ok).toBe(true)
  })

  it('may come from another realm, as test runners and sandboxes hand it over', () => {
    const foreign: unknown = runInNewContext('JSON.parse(text)', { text: JSON.stringify(sampleSubmission()) })
    expect(Object.getPrototypeOf(foreign)).not.toBe(Object.prototype)
    expect(parseSubmission(foreign, { now }).ok).toBe(true)
  })

  it.each([
    ['a date', 'new Date(0)'],
    ['a map', 'new Map()'],
    ['an instance of a class', 'new (class { firstName = "Jane" })()'],
  ])('may hold no %s, of another realm either', (_what, code) => {
    for (const person of [runInNewContext(code) as unknown, runInThisContext(code) as unknown]) {
      const parsed = parseSubmission({ ...sampleSubmission(), person }, { now })
      expect(parsed.ok ? [] : parsed.violations.map(({ pointer, code }) => `${pointer} ${code}`)).toContain(
        '/person TYPE',
      )
    }
  })

  it('that is undefined counts as absent, in lists as null', () => {
    const parsed = parseSubmission(
      { ...sampleSubmission(), decisionReason: undefined, externalProviderData: { a: [undefined], b: undefined } },
      { now },
    )
    expect(parsed.ok && parsed.submission.externalProviderData).toEqual({ a: [null] })
  })
})

/** Paths of all values inside an object. */
function placesOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  const inside = Object.entries(value).flatMap(([key, item]) => placesOf(item, [...path, key]))
  return path.length === 0 ? inside : [path, ...inside]
}

describe('limits', () => {
  const codesFor = (changes: Readonly<Record<string, unknown>>): string[] => {
    const parsed = parseSubmission(sampleSubmission(changes), { now })
    return parsed.ok ? [] : parsed.violations.map(({ pointer, code }) => `${pointer} ${code}`)
  }
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) })
  const valuesOf = (value: unknown): number =>
    1 +
    (typeof value === 'object' && value !== null
      ? Object.values(value).reduce<number>((sum, item) => sum + valuesOf(item), 0)
      : 0)

  it('count UTF-8 as everybody does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
        expect(utf8Bytes(text)).toBe(new TextEncoder().encode(text).length)
      }),
      propertyRuns(3, 500),
    )
    for (const text of [
      '\u007f',
      '\u0080',
      '\u07ff',
      '\u0800',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '\u{10000}',
      '\u{10ffff}',
      '',
    ]) {
      expect(utf8Bytes(text)).toBe(new TextEncoder().encode(text).length)
    }
  })

  it('let exactly 32 KiB of text through', () => {
    expect(codesFor({ decisionReason: 'a'.repeat(32_768) })).toEqual([])
    expect(codesFor({ decisionReason: 'é'.repeat(16_384) })).toEqual([])
    expect(codesFor({ decisionReason: `${'é'.repeat(16_384)}a` })).toEqual(['/decisionReason TOO_LONG'])
  })

  it('let exactly 128 KiB of a free-form part through', () => {
    const part = (bytes: number) => {
      const text = (length: number): string => 'a'.repeat(length)
      const list = [text(30_000), text(30_000), text(30_000), text(30_000), '']
      const rest = bytes - JSON.stringify({ list }).length
      return { list: [...list.slice(0, 4), text(rest)] }
    }
    expect(codesFor({ externalProviderData: part(131_072) })).toEqual([])
    expect(codesFor({ externalProviderData: part(131_073) })).toEqual(['/externalProviderData TOO_LONG'])
  })

  it('let exactly 10,000 values through', () => {
    const others = valuesOf(sampleSubmission({ externalProviderData: { list: [] } }))
    const list = (length: number) => ({ list: Array.from({ length }, () => 1) })
    expect(codesFor({ externalProviderData: list(10_000 - others) })).toEqual([])
    expect(codesFor({ externalProviderData: list(10_001 - others) })).toEqual([' TOO_LONG'])
  })

  it('let exactly 32 levels through', () => {
    expect(codesFor({ externalProviderData: nested(31) })).toEqual([])
    expect(codesFor({ externalProviderData: nested(32) })).toEqual([`/externalProviderData${'/a'.repeat(31)} TOO_LONG`])
  })

  it('keep null inside free-form data, where it is a value of its own', () => {
    const parsed = parseSubmission(sampleSubmission({ externalProviderData: { a: null, b: [null] } }), { now })
    expect(parsed.ok && parsed.submission.externalProviderData).toEqual({ a: null, b: [null] })
    const deep = { a: [{ b: { c: null } }], externalProviderData: { d: null } }
    const further = parseSubmission(sampleSubmission({ externalProviderData: deep }), { now })
    expect(further.ok && further.submission.externalProviderData).toEqual(deep)
  })

  it('hold for a free-form part as a whole, also where one inside has its name', () => {
    const large = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((key) => [key, key.repeat(30_000)]))
    expect(codesFor({ externalProviderData: { externalProviderData: large } })).toEqual([
      '/externalProviderData TOO_LONG',
    ])
  })

  it('are there for numbers that JSON cannot write', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 53, 1n]) {
      expect(codesFor({ externalProviderData: { value } })).toEqual(['/externalProviderData/value UNSAFE_NUMBER'])
    }
  })

  it('end the reading: what is beyond the 10,000th value is not looked at', () => {
    let looks = 0
    const counted = <T extends object>(of: T, keys: number): T => {
      for (let key = 0; key < keys; key += 1) {
        Object.defineProperty(of, key, { enumerable: true, get: () => (looks += 1) })
      }
      return of
    }
    for (const externalProviderData of [counted({}, 20_000), { list: counted([], 20_000) }]) {
      looks = 0
      expect(codesFor({ externalProviderData })).toEqual([' TOO_LONG'])
      expect(looks).toBeLessThanOrEqual(10_000)
    }
  })
})

describe('with tokens in the place of PII', () => {
  const ssn = `tok_ssn_${'0'.repeat(26)}_1120`
  const documentNumber = `tok_document_number_${'0'.repeat(26)}`
  const codesFor = (person: object, document: object): string[] => {
    const { person: samplePerson, verifications } = sampleSubmission()
    const input = sampleSubmission({
      person: { ...samplePerson, ssn, ...person },
      verifications: { ...verifications, document: { ...verifications.document, documentNumber, ...document } },
    })
    const parsed = parseSubmission(input, { now, pii: 'tokens' })
    return parsed.ok ? [] : parsed.violations.map(({ pointer, code }) => `${pointer} ${code}`)
  }

  it('a token of the right field passes, everything else is TOKEN_INVALID before any vault is asked', () => {
    expect(codesFor({}, {})).toEqual([])
    for (const value of ['078-05-1120', '***-**-1120', documentNumber, `${ssn} `, ssn.toUpperCase(), ' ']) {
      expect(codesFor({ ssn: value }, {}), value).toEqual(['/person/ssn TOKEN_INVALID'])
    }
    expect(codesFor({ ssn: '' }, {})).toEqual(['/person/ssn SSN_REQUIRED'])
    const number = '/verifications/document/documentNumber'
    for (const value of ['X1234567', ssn, `${documentNumber}_1120`]) {
      expect(codesFor({}, { documentNumber: value }), value).toEqual([`${number} TOKEN_INVALID`])
    }
  })

  it('the last four of the token are compared', () => {
    expect(codesFor({ ssnLast4: '1121' }, {})).toEqual(['/person/ssnLast4 SSN_LAST4_MISMATCH'])
  })
})

it('the pointer of a warning repeats no key that holds personal data', () => {
  const externalProviderData = { answers: { MDc4LTA1LTExMjA: { email: 'somebody@example.com' } } }
  expect(examineSubmission(sampleSubmission({ externalProviderData }), { now })).toMatchObject({
    violations: [{ pointer: '/externalProviderData/answers', code: 'CLEAR_PII_IN_FREE_FORM' }],
    warnings: [{ pointer: '/externalProviderData/answers', code: 'PII_BEYOND_TYPED_FIELDS' }],
  })
})

describe('a text of a library', () => {
  it('never becomes a code', () => {
    expect(parseViolationCode('SSN_INVALID')).toBe('SSN_INVALID')
    for (const text of ['Invalid input: expected string', '', 'toString', '__proto__']) {
      expect(parseViolationCode(text)).toBe('FORMAT')
    }
  })
})

describe('without options', () => {
  it('the clock of the machine is the time of ingestion', () => {
    const parsed = parseSubmission({ ...sampleSubmission(), decisionedAt: undefined })
    const age = parsed.ok ? Date.now() - parsed.submission.decisionedAt.getTime() : Number.NaN
    expect(age).toBeGreaterThanOrEqual(0)
    expect(age).toBeLessThan(60_000)
  })

  it('a switch that is undefined keeps its default', () => {
    const policy = { providers: undefined, maxDecisionAgeDays: undefined } as unknown as { providers: string[] }
    expect(parseSubmission(sampleSubmission(), { now, policy })).toMatchObject({ ok: true, warnings: [] })
  })
})

it.each([
  { polcy: {} },
  { policy: null },
  { policy: { acceptITIN: true } },
  { policy: { providers: 'ACME_ID' } },
  { policy: { maxDecisionAgeDays: '730' } },
  { pii: 'token' },
  { now: Date.now() },
  { now: new Date(NaN) },
  { now: null },
  { now: {} },
  { isPhotoUrlAllowed: true },
  null,
])('the options %j are refused', (options) => {
  expect(() => parseSubmission(sampleSubmission(), options as never)).toThrow(
    expect.objectContaining({ code: 'ARGUMENT_INVALID' }),
  )
})

it('a function is accepted for isPhotoUrlAllowed', () => {
  expect(parseSubmission(sampleSubmission(), { now, isPhotoUrlAllowed: () => true }).ok).toBe(true)
})

it('options that are undefined have their defaults', () => {
  const options = { now, pii: undefined, policy: { providers: undefined }, isPhotoUrlAllowed: undefined }
  expect(parseSubmission(sampleSubmission(), options as never).ok).toBe(true)
})
