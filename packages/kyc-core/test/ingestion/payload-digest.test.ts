import { describe, expect, it } from 'vitest'
import { canonicalPayload, equalDigests } from '../../src/ingestion/payload-digest.js'

const token = (random: string): string => `tok_ssn_${random.repeat(26)}_1120`
const photo = (front: string): unknown => ({ verifications: { document: { photos: { front } } } })
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) })

describe('canonical payload', () => {
  it.each([
    ['key order', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ['null and absent', { a: 1, b: null, c: undefined }, { a: 1 }],
    ['null and absent, inside', { a: [{ b: null }] }, { a: [{}] }],
    ['undefined and null in a list', { a: [undefined] }, { a: [null] }],
    ['dashes of the SSN', { person: { ssn: '078-05-1120' } }, { person: { ssn: '078051120' } }],
    ['empty and absent optional text', { person: { middleName: '', ssn: '' } }, { person: {} }],
    ['empty and absent text of an address', { person: { address: { streetLine2: '' } } }, { person: { address: {} } }],
    ['empty and absent reason', { decisionReason: '', decisionedAt: '' }, {}],
    ['offset', { decisionedAt: '2026-01-05T10:00:00Z' }, { decisionedAt: '2026-01-05T15:30:00.000+05:30' }],
    ['spelling of an instant', { decisionedAt: '2026-01-05T10:00Z' }, { decisionedAt: '20260105 100000,0+00' }],
    ['assumed offset', { decisionedAt: '2026-01-05T10:00:00Z' }, { decisionedAt: '2026-01-05T10:00:00' }],
    ['query of a photo', photo('https://a.example/f?X-Signature=1'), photo('https://a.example/f?X-Signature=2')],
    ['query of a photo and none', photo('https://a.example/f?x#p'), photo('https://a.example/f#p')],
    ['tokens of one value', { person: { ssn: token('a') } }, { person: { ssn: token('b') } }],
    ['-0', { a: -0 }, { a: 0 }],
  ])('is the same whatever the %s', (_what, a, b) => {
    expect(canonicalPayload(a)).toBe(canonicalPayload(b))
  })

  it.each([
    ['text and number', { a: '1' }, { a: 1 }],
    ['true and false', { a: true }, { a: false }],
    ['a list and an object', { a: [1] }, { a: { 0: 1 } }],
    ['a function and an object', { a: () => 1 }, { a: {} }],
    ['an empty object and none', { a: {} }, {}],
    ['an empty list and none', { a: [] }, {}],
    ['the order of a list', { a: [1, 2] }, { a: [2, 1] }],
    ['a list with null and a shorter one', { a: [1, null] }, { a: [1] }],
    ['dashes elsewhere', { person: { firstName: '078-05-1120' } }, { person: { firstName: '078051120' } }],
    [
      'dashes of a document number',
      { verifications: { document: { documentNumber: 'A-1' } } },
      { verifications: { document: { documentNumber: 'A1' } } },
    ],
    ['tokens of other last four', { person: { ssn: token('a') } }, { person: { ssn: token('a').replace(/0$/, '1') } }],
    ['tokens elsewhere', { externalProviderData: { x: token('a') } }, { externalProviderData: { x: token('b') } }],
    ['instants', { decisionedAt: '2026-01-05T10:00:00Z' }, { decisionedAt: '2026-01-05T10:00:00.001Z' }],
    ['instants elsewhere', { a: '2026-01-05T10:00:00Z' }, { a: '2026-01-05T10:00:00+00:00' }],
    ['an instant and none', { decisionedAt: '2026-01-05T10:00:00Z' }, {}],
    ['paths of a photo', photo('https://a.example/f?x'), photo('https://a.example/g?x')],
    ['fragments of a photo', photo('https://a.example/f#a?x'), photo('https://a.example/f#a?y')],
    ['queries elsewhere', { externalProviderData: { u: 'a?x' } }, { externalProviderData: { u: 'a?y' } }],
    ['empty and absent required text', { person: { firstName: '' } }, { person: {} }],
    ['empty and absent text of a provider', { externalProviderData: { middleName: '' } }, { externalProviderData: {} }],
    ['an empty text and a section', { verifications: { document: '' } }, { verifications: {} }],
    ['a blank and an absent text', { person: { middleName: ' ' } }, { person: {} }],
    ['a member named __proto__', JSON.parse('{"__proto__":{"a":1}}'), {}],
    ['a key that looks like two', { 'a":1,"b': 1 }, { a: 1, b: 1 }],
  ])('tells apart %s', (_what, a, b) => {
    expect(canonicalPayload(a)).not.toBe(canonicalPayload(b))
  })

  it('is written as it was when the first digests were kept', () => {
    const unsorted = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${39 - index}`, index]))
    const sorted = Object.fromEntries(Object.entries(unsorted).sort(([a], [b]) => (a < b ? -1 : 1)))
    const input = { b: 'ä"', 10: [1.5, null, { d: true, c: -0 }], a: { é: 1, Z: 2, z: 3 }, 9: false, many: unsorted }
    expect(canonicalPayload(input)).toBe(
      `{"9":false,"10":[1.5,null,{"c":0,"d":true}],"a":{"Z":2,"z":3,"é":1},"b":"ä\\"","many":${JSON.stringify(sorted)}}`,
    )
    expect(canonicalPayload(JSON.parse('{"b":1,"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1},"b":1}')
  })

  it('ends at 64 levels and 20,000 values', () => {
    expect(canonicalPayload(nested(64))).not.toContain('…')
    expect(canonicalPayload(nested(65))).toContain('…')
    const list = (length: number): unknown[] => Array.from({ length }, () => 1)
    expect(canonicalPayload(list(19_999))).not.toContain('…')
    expect(canonicalPayload(list(20_000))).toContain('…')
  })
})

describe('equal digests', () => {
  it('compare length and every byte', () => {
    const digest = Uint8Array.from([1, 2, 3])
    expect(equalDigests(digest, Uint8Array.from([1, 2, 3]))).toBe(true)
    for (const other of [[1, 2, 4], [0, 2, 3], [1, 2], [1, 2, 3, 4], []]) {
      expect(equalDigests(digest, Uint8Array.from(other))).toBe(false)
      expect(equalDigests(Uint8Array.from(other), digest)).toBe(false)
    }
  })
})
