import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectGraphqlRefusal } from '../expect-refusal.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const post = (body: string | Buffer) =>
  server.call(`${server.demo.secureUrl}/api/v1/graphql`, { body, token: server.demo.users[0]?.accessToken ?? null })

/** A good submission with `marker` somewhere in it replaced by any text. */
function submissionWith(
  replacement: string,
  changes: Record<string, unknown> = { externalProviderData: { x: '@@' } },
): string {
  return JSON.stringify({ query: submissionDocument, variables: submissionVariables(changes) }).replace(
    '"@@"',
    replacement,
  )
}

const folder = new URL('../fixtures/json-parsing/', import.meta.url)
const files = readdirSync(folder)
const bytesOf = (name: string) => readFileSync(new URL(encodeURIComponent(name), folder))

it('the fixtures are all there', () => {
  expect(files.filter((name) => name.startsWith('n_')).length).toBeGreaterThanOrEqual(187)
})

describe('JSON parsing files over HTTP', () => {
  it.each(files.filter((name) => name.startsWith('n_')))('%s', async (name) => {
    const answer = await post(bytesOf(name))
    expect([answer.status, answer.json.errors[0].extensions.code]).toEqual([
      400,
      answer.json.errors[0].extensions.detail === 'TOO_DEEP' ? 'LIMIT_EXCEEDED' : 'BAD_REQUEST',
    ])
    expect(answer.json.errors[0].extensions.detail).toMatch(
      /^(INVALID_JSON|INVALID_ENCODING|BODY_MISSING|BYTE_ORDER_MARK|TOO_DEEP)$/,
    )
  })

  // None of them is a GraphQL request; what is decided here is that none of them is a failure of ours.
  it.each(files.filter((name) => !name.startsWith('n_')))('%s', async (name) => {
    const answer = await post(bytesOf(name))
    expect([answer.status, answer.json.errors[0].extensions.retryable]).toEqual([400, false])
  })

  it.each(files.filter((name) => name.startsWith('i_')))('%s inside a submission', async (name) => {
    const [before = '', after = ''] = submissionWith('@@').split('@@')
    const answer = await post(Buffer.concat([Buffer.from(before), bytesOf(name), Buffer.from(after)]))
    const { code, detail = '', violations } = answer.json.errors?.[0]?.extensions ?? { violations: [] }
    const found = (violations as { code: string }[]).map((violation) => violation.code).join()
    expect(`${answer.status} ${code ?? 'accepted'} ${detail}${found}`).toMatchSnapshot()
  })
})

describe('what is no request', () => {
  it.each([
    ['a batch', `[${submissionWith('1')}]`, 'BATCHING_NOT_SUPPORTED'],
    ['a batch of two', `[${submissionWith('1')},${submissionWith('2')}]`, 'BATCHING_NOT_SUPPORTED'],
    ['an empty batch', '[]', 'BATCHING_NOT_SUPPORTED'],
    ['a string', '"query"', 'OBJECT_EXPECTED'],
    ['a number', '4711', 'OBJECT_EXPECTED'],
    ['null', 'null', 'OBJECT_EXPECTED'],
    ['true', 'true', 'OBJECT_EXPECTED'],
    ['query twice', '{"query":"{__typename}","query":"{__typename}"}', 'DUPLICATE_KEY'],
    ['variables twice', '{"query":"{__typename}","variables":{},"variables":{}}', 'DUPLICATE_KEY'],
    [
      'decision twice',
      submissionWith('1', { decision: '@@' }).replace('"decision":1', '"decision":"FAILED","decision":"PASSED"'),
      'DUPLICATE_KEY',
    ],
    [
      'decision twice, once escaped',
      submissionWith('1', { decision: '@@' }).replace('"decision":1', '"decision":"FAILED","\\u0064ecision":"PASSED"'),
      'DUPLICATE_KEY',
    ],
    ['deep in free-form data', submissionWith('{"a":[{"b":1,"c":2,"b":3}]}'), 'DUPLICATE_KEY'],
    ['4 __proto__', submissionWith('{"__proto__":{"polluted":true}}'), 'FORBIDDEN_KEY'],
    ['4 __proto__ escaped', submissionWith('{"\\u005f\\u005fproto__":{"polluted":true}}'), 'FORBIDDEN_KEY'],
    ['constructor', submissionWith('{"a":[{"constructor":{"prototype":{"polluted":true}}}]}'), 'FORBIDDEN_KEY'],
    ['prototype', submissionWith('{"prototype":{}}'), 'FORBIDDEN_KEY'],
    ['as a variable', '{"query":"{__typename}","variables":{"__proto__":{}}}', 'FORBIDDEN_KEY'],
    ['at the top', '{"__proto__":{},"query":"{__typename}"}', 'FORBIDDEN_KEY'],
    ['a lone high surrogate', submissionWith('"\\ud800"'), 'ILL_FORMED_UNICODE'],
    ['a lone low surrogate', submissionWith('"\\udc00x"'), 'ILL_FORMED_UNICODE'],
    ['surrogates the wrong way round', submissionWith('"\\udc00\\ud800"'), 'ILL_FORMED_UNICODE'],
    ['a lone surrogate as id', submissionWith('"\\ud800"', { externalVerificationId: '@@' }), 'ILL_FORMED_UNICODE'],
    ['a lone surrogate as key', submissionWith('{"\\ud800":1}'), 'ILL_FORMED_UNICODE'],
  ])('%s', async (_name, body, detail) => {
    expectGraphqlRefusal(await post(body), 400, 'BAD_REQUEST', detail)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

describe('limits', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  it.each([
    // The submission itself is three levels above the value.
    ['depth 33', submissionWith(nested(30)), 'TOO_DEEP'],
    ['arrays 33 deep', submissionWith(`${'['.repeat(30)}${']'.repeat(30)}`), 'TOO_DEEP'],
    ['depth 100,000', submissionWith(nested(80_000)), 'TOO_DEEP'],
    ['half a million opening brackets', `{"a":${'['.repeat(500_000)}`, 'TOO_DEEP'],
    ['10,001 values', submissionWith(`[${'1,'.repeat(10_000)}1]`), 'TOO_MANY_VALUES'],
    [
      '50,000 keys',
      submissionWith(`{${Array.from({ length: 50_000 }, (_, at) => `"${at}":0`).join()}}`),
      'TOO_MANY_VALUES',
    ],
    ['50,000 empty objects', submissionWith(`[${'{},'.repeat(50_000)}1]`), 'TOO_MANY_VALUES'],
    ['a string of 32 KiB and one', submissionWith(`"${'x'.repeat(32 * 1024 + 1)}"`), 'STRING_TOO_LONG'],
    ['a key of 32 KiB and one', submissionWith(`{"${'x'.repeat(32 * 1024 + 1)}":1}`), 'STRING_TOO_LONG'],
  ])('%s', async (_name, body, detail) => {
    expectGraphqlRefusal(await post(body), 400, 'LIMIT_EXCEEDED', detail)
  })

  it.each([
    ['depth 32', submissionWith(nested(29))],
    ['9,900 values', submissionWith(`[${'1,'.repeat(9_900)}1]`)],
    ['7 -0, 1E-400 and a long fraction', submissionWith('[-0, 1E-400, 0.1234567890123456789]')],
    ['2^53 - 1', submissionWith('9007199254740991')],
    ['tabs and line breaks in free-form text', submissionWith('"a\\tb\\r\\nc"')],
    ['a surrogate pair', submissionWith('"\\ud83d\\ude00"')],
    ['line separators in free-form text', submissionWith('"a\\u2028b\\u2029c"')],
    ['a string of 32 KiB', submissionWith(`"${'x '.repeat(16 * 1024)}"`)],
  ])('%s is accepted', async (_name, body) => {
    const answer = await post(body)
    expect(answer.json.errors).toBeUndefined()
  })
})

describe('values that are JSON but break a rule', () => {
  const violations = async (body: string) => {
    const answer = await post(body)
    expect([answer.status, answer.json.data]).toEqual([200, { postKycVerification: null }])
    return (answer.json.errors[0].extensions.violations as { pointer: string; code: string }[]).map(
      ({ pointer, code }) => `${pointer} ${code}`,
    )
  }
  const person = (changes: Record<string, unknown>) => ({
    person: { ...(submissionVariables().person as object), ...changes },
  })

  it.each([
    ['1e400', submissionWith('1e400'), '/externalProviderData/x UNSAFE_NUMBER'],
    ['a number of 100,000 digits', submissionWith('1'.repeat(100_000)), '/externalProviderData/x UNSAFE_NUMBER'],
    ['2^53', submissionWith('9007199254740992'), '/externalProviderData/x UNSAFE_NUMBER'],
    ['2^53 + 1', submissionWith('9007199254740993'), '/externalProviderData/x UNSAFE_NUMBER'],
    ['a big negative integer', submissionWith('-12345678901234567890'), '/externalProviderData/x UNSAFE_NUMBER'],
    ['NUL in free-form text', submissionWith('"a\\u0000b"'), '/externalProviderData/x CONTROL_CHARACTER'],
    ['U+001F', submissionWith('"a\\u001fb"'), '/externalProviderData/x CONTROL_CHARACTER'],
    ['U+007F', submissionWith('"a\\u007fb"'), '/externalProviderData/x CONTROL_CHARACTER'],
    ['U+009F', submissionWith('"a\\u009fb"'), '/externalProviderData/x CONTROL_CHARACTER'],
    [
      'NUL in a name',
      submissionWith('"Ja\\u0000ne"', person({ firstName: '@@' })),
      '/person/firstName CONTROL_CHARACTER',
    ],
    [
      'a bidi override in a name',
      submissionWith('"Ja\\u202ene"', person({ firstName: '@@' })),
      '/person/firstName CONTROL_CHARACTER',
    ],
    [
      'a bidi isolate in a name',
      submissionWith('"Ja\\u2066ne"', person({ firstName: '@@' })),
      '/person/firstName CONTROL_CHARACTER',
    ],
    [
      'a zero-width space in an id',
      submissionWith('"a\\u200bb"', { externalVerificationId: '@@' }),
      '/externalVerificationId FORMAT',
    ],
    [
      'a name of 101 characters',
      submissionWith(`"${'n'.repeat(101)}"`, person({ lastName: '@@' })),
      '/person/lastName TOO_LONG',
    ],
    [
      '10,000 combining marks',
      submissionWith(`"e${'\\u0301'.repeat(5_000)}"`, person({ lastName: '@@' })),
      '/person/lastName TOO_LONG',
    ],
  ])('%s', async (_name, body, expected) => {
    expect(await violations(body)).toEqual([expected])
  })

  it('composed and decomposed names are both accepted, ids differ by bytes', async () => {
    for (const firstName of ['Jose\u0301', 'Jos\u00e9']) {
      expect((await post(submissionWith('1', person({ firstName })))).json.errors).toBeUndefined()
    }
  })
})
