import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseJsonObject } from '../../src/http/json-body.js'

const folder = new URL('../fixtures/json-parsing/', import.meta.url)
const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
const parse = (text: string | Uint8Array) =>
  parseJsonObject(typeof text === 'string' ? new TextEncoder().encode(text) : text)
const detail = (text: string | Uint8Array) => {
  const body = parse(text)
  return body.ok ? 'accepted' : `${body.refusal.code} ${body.refusal.detail ?? ''}`
}

describe('JSONTestSuite', () => {
  it('is here in full', () => expect(files.length).toBe(318))

  it.each(files.filter((name) => name.startsWith('n_')))('%s is refused', (name) => {
    expect(parse(readFileSync(new URL(encodeURIComponent(name), folder))).ok).toBe(false)
  })

  it.each(files.filter((name) => name.startsWith('n_')))('%s is refused as a value, too', (name) => {
    // Some files are broken only as a whole document; wrapped, they must still never be read as something else.
    const wrapped = Buffer.concat([
      Buffer.from('{"value":'),
      readFileSync(new URL(encodeURIComponent(name), folder)),
      Buffer.from('}'),
    ])
    const body = parse(wrapped)
    if (body.ok) expect(JSON.stringify(body.value)).toBe(JSON.stringify(JSON.parse(wrapped.toString('utf8'))))
  })

  // What is JSON and an object, and yet refused: the last key would silently win.
  const refusedObjects = ['y_object_duplicated_key.json', 'y_object_duplicated_key_and_value.json']
  it.each(files.filter((name) => name.startsWith('y_')))('%s is accepted if it is an object', (name) => {
    const bytes = readFileSync(new URL(encodeURIComponent(name), folder))
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (refusedObjects.includes(name)) expect(detail(bytes)).toBe('BAD_REQUEST DUPLICATE_KEY')
    else if (isObject) expect(parse(bytes)).toEqual({ ok: true, value })
    else expect(detail(bytes)).toMatch(/^BAD_REQUEST (BATCHING_NOT_SUPPORTED|OBJECT_EXPECTED)$/)
  })

  it.each(files.filter((name) => name.startsWith('i_')))('%s has a fixed answer', (name) => {
    expect(detail(readFileSync(new URL(encodeURIComponent(name), folder)))).toMatchSnapshot()
  })
})

describe('what JSON.parse would take silently', () => {
  it.each([
    ['{"a":1,"a":2}', 'BAD_REQUEST DUPLICATE_KEY'],
    ['{"a":1,"\\u0061":2}', 'BAD_REQUEST DUPLICATE_KEY'],
    ['{"x":[{"deep":{"b":1,"c":{},"b":2}}]}', 'BAD_REQUEST DUPLICATE_KEY'],
    ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}', 'accepted'],
    ['{"a":"a","b":"a"}', 'accepted'],
    ['{"__proto__":{"polluted":true}}', 'BAD_REQUEST FORBIDDEN_KEY'],
    ['{"a":{"\\u005f_proto__":1}}', 'BAD_REQUEST FORBIDDEN_KEY'],
    ['{"a":[{"constructor":1}]}', 'BAD_REQUEST FORBIDDEN_KEY'],
    ['{"prototype":1}', 'BAD_REQUEST FORBIDDEN_KEY'],
    ['{"a":"__proto__"}', 'accepted'],
    ['{"a":"\\ud800"}', 'BAD_REQUEST ILL_FORMED_UNICODE'],
    ['{"\\udc00":1}', 'BAD_REQUEST ILL_FORMED_UNICODE'],
    ['{"a":"\\ud83d\\ude00"}', 'accepted'],
    ['{"a":"\\\\ud800"}', 'accepted'],
    ['[]', 'BAD_REQUEST BATCHING_NOT_SUPPORTED'],
    ['"text"', 'BAD_REQUEST OBJECT_EXPECTED'],
    ['null', 'BAD_REQUEST OBJECT_EXPECTED'],
    ['', 'BAD_REQUEST BODY_MISSING'],
    ['   ', 'BAD_REQUEST INVALID_JSON'],
    ['{"a":1}{"b":2}', 'BAD_REQUEST INVALID_JSON'],
    ['{"a":NaN}', 'BAD_REQUEST INVALID_JSON'],
    ["{'a':1}", 'BAD_REQUEST INVALID_JSON'],
    ['{"a":"unterminated', 'BAD_REQUEST INVALID_JSON'],
    ['\ufeff{"a":1}', 'BAD_REQUEST BYTE_ORDER_MARK'],
  ])('%s', (text, expected) => expect(detail(text)).toBe(expected))

  it.each([
    ['a lone byte', [0xff]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
    ['a cut-off sequence', [0xe2, 0x82]],
  ])('%s is not UTF-8', (_name, bytes) => {
    expect(detail(Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]))).toBe(
      'BAD_REQUEST INVALID_ENCODING',
    )
  })
})

describe('limits', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  it('takes 32 levels and refuses 33', () => {
    expect(detail(nested(32))).toBe('accepted')
    expect(detail(nested(33))).toBe('LIMIT_EXCEEDED TOO_DEEP')
    expect(detail(`{"a":${'['.repeat(32)}`)).toBe('LIMIT_EXCEEDED TOO_DEEP')
    expect(detail(`{"a":${'['.repeat(500_000)}`)).toBe('LIMIT_EXCEEDED TOO_DEEP')
  })

  it('takes 10,000 values and refuses one more', () => {
    const list = (length: number) => `{"a":[${Array.from({ length }, () => '1').join(',')}]}`
    expect(detail(list(9_998))).toBe('accepted')
    expect(detail(list(9_999))).toBe('LIMIT_EXCEEDED TOO_MANY_VALUES')
    expect(detail(`{${Array.from({ length: 10_001 }, (_, index) => `"k${index}":0`).join(',')}}`)).toBe(
      'LIMIT_EXCEEDED TOO_MANY_VALUES',
    )
  })

  it('takes a string of 32,768 characters and refuses one more', () => {
    expect(detail(`{"a":"${'\\u00e9'.repeat(32_768)}"}`)).toBe('accepted')
    expect(detail(`{"a":"${'x'.repeat(32_768)}"}`)).toBe('accepted')
    expect(detail(`{"a":"${'x'.repeat(32_769)}"}`)).toBe('LIMIT_EXCEEDED STRING_TOO_LONG')
  })
})
