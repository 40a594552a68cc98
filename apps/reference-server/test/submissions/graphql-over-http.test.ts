import { serverAudits } from 'graphql-http'
import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectGraphqlRefusal } from '../expect-refusal.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const post = (host: 'secure' | 'api', body: unknown, headers: Record<string, string> = {}) =>
  server.call(`${host === 'secure' ? server.demo.secureUrl : server.demo.apiUrl}/api/v1/graphql`, {
    body,
    token: server.demo.users[0]?.accessToken ?? null,
    headers,
  })
const both = ['secure', 'api'] as const

describe('GraphQL over HTTP audits on the standard API', () => {
  const audits = serverAudits({
    // The server of this file starts after the audits are listed.
    url: () => `${server.demo.apiUrl}/api/v1/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${server.demo.users[0]?.accessToken}`)
      return fetch(url, { ...init, headers })
    },
  })

  it('there are as many as when this was written, or more', () => expect(audits.length).toBeGreaterThanOrEqual(60))

  it.each(audits.map((audit) => [audit.id, audit.name, audit] as const))('%s %s', async (_id, name, audit) => {
    const result = await audit.fn()
    // GET is declined on purpose: addresses end up in logs. The GraphQL over HTTP specification leaves it to the server (MAY).
    const mayDecline = /^MAY .*\bGETs?\b/.test(name)
    expect(result.status === 'ok' || (mayDecline && result.status === 'notice') ? 'fine' : result).toBe('fine')
  })
})

describe('the parameters of a request', () => {
  it.each([
    ['query missing', {}, 'QUERY_MISSING'],
    ['query a number', { query: 4711 }, 'QUERY_MISSING'],
    ['query an array', { query: ['{__typename}'] }, 'QUERY_MISSING'],
    ['query null', { query: null }, 'QUERY_MISSING'],
    ['query an object', { query: {} }, 'QUERY_MISSING'],
    ['query empty', { query: '' }, 'QUERY_MISSING'],
    ['query white space', { query: ' \n\t ' }, 'QUERY_MISSING'],
    ['variables a string', { query: '{__typename}', variables: '{}' }, 'VARIABLES_INVALID'],
    ['variables an array', { query: '{__typename}', variables: [] }, 'VARIABLES_INVALID'],
    ['variables a number', { query: '{__typename}', variables: 0 }, 'VARIABLES_INVALID'],
    ['variables false', { query: '{__typename}', variables: false }, 'VARIABLES_INVALID'],
    ['operationName a number', { query: '{__typename}', operationName: 1 }, 'OPERATION_NAME_INVALID'],
    ['operationName an array', { query: '{__typename}', operationName: ['a'] }, 'OPERATION_NAME_INVALID'],
    ['extensions a string', { query: '{__typename}', extensions: 'x' }, 'EXTENSIONS_INVALID'],
    ['another member', { query: '{__typename}', person: { ssn: '078-05-1120' } }, 'UNKNOWN_MEMBER'],
    ['a misspelt member', { query: '{__typename}', variabels: {} }, 'UNKNOWN_MEMBER'],
  ])('%s', async (_name, body, detail) => {
    for (const host of both) expectGraphqlRefusal(await post(host, body), 400, 'BAD_REQUEST', detail)
  })

  it('null means absent, and extensions may be sent', async () => {
    const body = { query: '{__typename}', variables: null, operationName: null, extensions: { persistedQuery: {} } }
    for (const host of both) expect((await post(host, body)).json).toEqual({ data: { __typename: 'Query' } })
  })

  it.each([
    ['a document of 8 KiB and one', `{__typename}${' '.repeat(8 * 1024 - 11)}`],
    ['30 KB of comments', `{__typename}${'#\n'.repeat(15_000)}`],
    ['8 KiB in bytes, not in characters', `{__typename}#${'\u00e9'.repeat(5_000)}`],
    ['15,000 nested braces', '{a'.repeat(15_000)],
  ])('%s is not even parsed', async (_name, query) => {
    for (const host of both) {
      expectGraphqlRefusal(await post(host, { query }), 400, 'LIMIT_EXCEEDED', 'DOCUMENT_TOO_LARGE')
    }
  })

  it('a megabyte of comments is more than a body may hold', async () => {
    const answer = await post('secure', { query: `{__typename}${'#\n'.repeat(500_000)}` })
    expectGraphqlRefusal(answer, 413, 'PAYLOAD_TOO_LARGE')
  })

  it('a document of 8 KiB is read', async () => {
    const query = `{__typename}${' '.repeat(8 * 1024 - 12)}`
    for (const host of both) expect((await post(host, { query })).status).toBe(200)
  })
})

describe('documents that are none', () => {
  it.each([
    ['1,001 tokens and no end', `{${'a '.repeat(1_001)}`, 'GRAPHQL_PARSE_FAILED'],
    ['4,000 nested braces', '{a'.repeat(4_000), 'GRAPHQL_PARSE_FAILED'],
    ['4,000 nested brackets', `{viewer(x:${'['.repeat(4_000)}`, 'GRAPHQL_PARSE_FAILED'],
    ['a syntax error', 'mutation { canary4711', 'GRAPHQL_PARSE_FAILED'],
    ['an unterminated string', '{ a(x: "canary4711', 'GRAPHQL_PARSE_FAILED'],
    ['no document but text', 'canary4711', 'GRAPHQL_PARSE_FAILED'],
    ['only a comment', '# canary4711', 'GRAPHQL_PARSE_FAILED'],
    ['a control character', '{ __typename \u0000 }', 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', '{ canary4711 }', 'GRAPHQL_VALIDATION_FAILED'],
    ['an unknown argument', '{ viewer(canary4711: 1) { userId } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a misspelt mutation', 'mutation { postKycVerificatio { status } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a selection on a scalar', 'mutation { postKycVerification { status { x } } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['no selection', 'mutation { postKycVerification }', 'GRAPHQL_VALIDATION_FAILED'],
    [
      'a fragment cycle',
      '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
    ['a fragment that is not used', '{ __typename } fragment A on Query { __typename }', 'GRAPHQL_VALIDATION_FAILED'],
    ['an unknown fragment', '{ ...canary4711 }', 'GRAPHQL_VALIDATION_FAILED'],
    ['an unknown directive', '{ __typename @canary4711 }', 'GRAPHQL_VALIDATION_FAILED'],
    ['9 @defer', '{ ... @defer { __typename } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['9 @skip without a condition', '{ __typename @skip }', 'GRAPHQL_VALIDATION_FAILED'],
    ['9 @skip twice', '{ __typename @skip(if: false) @skip(if: false) }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a subscription', 'subscription { canary4711 }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a type definition', 'type Canary4711 { a: Int }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a variable that is not used', 'query ($canary4711: String) { __typename }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a variable called __proto__', 'query ($__proto__: String) { __typename }', 'GRAPHQL_VALIDATION_FAILED'],
    [
      'a variable that is not declared',
      '{ kycVerification(verificationId: $canary4711) { status } }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      '150 variables',
      `query (${Array.from({ length: 150 }, (_, at) => `$v${at}:Int`).join()}) { __typename }`,
      'GRAPHQL_VALIDATION_FAILED',
    ],
  ] as const)('%s', async (_name, query, code) => {
    for (const host of both) {
      const answer = await post(host, { query })
      expectGraphqlRefusal(answer, 200, code)
      expect(answer.text).not.toMatch(/canary4711|did you mean/i)
      const response = await post(host, { query }, { accept: 'application/graphql-response+json' })
      expect(response.status).toBe(400)
    }
  })

  it('a hundred fragments and 190 inline fragments are answered', async () => {
    const fragments = Array.from({ length: 100 }, (_, at) => `fragment F${at} on Query { __typename }`).join(' ')
    const many = `{ ${Array.from({ length: 100 }, (_, at) => `...F${at}`).join(' ')} } ${fragments}`
    const inline = `{ ${'... { __typename } '.repeat(190)} }`
    for (const host of both) {
      expect((await post(host, { query: many })).json).toEqual({ data: { __typename: 'Query' } })
      expect((await post(host, { query: inline })).json).toEqual({ data: { __typename: 'Query' } })
    }
  })

  it.each([
    ['1,001 tokens', `{${'a '.repeat(999)}}`, 'TOO_MANY_TOKENS'],
    ['a field 201 times', `{ viewer { ${'userId '.repeat(201)} } }`, 'TOO_MANY_REPEATED_FIELDS'],
    ['two fields 200 times each', `{ viewer { ${'userId kycStatus '.repeat(200)} } }`, 'TOO_MANY_REPEATED_FIELDS'],
    [
      'a field with selections 64 times',
      `{ __schema { ${'types { name } '.repeat(64)} } }`,
      'TOO_MANY_REPEATED_FIELDS',
    ],
    ['201 fragments', `{ ${'...F '.repeat(201)} } fragment F on Query { __typename }`, 'TOO_MANY_REPEATED_FIELDS'],
  ])('%s are refused by the name of the limit', async (_name, query, detail) => {
    for (const host of both) expectGraphqlRefusal(await post(host, { query }), 400, 'LIMIT_EXCEEDED', detail)
  })

  it.each([
    ['an operationName that is not there', '{__typename}', 'Missing'],
    ['two operations and no name', 'query A {__typename} query B {__typename}', undefined],
    ['an operation of an empty name', 'query A {__typename}', ''],
  ])('%s', async (_name, query, operationName) => {
    for (const host of both) {
      const answer = await post(host, { query, operationName })
      expectGraphqlRefusal(answer, 200, 'GRAPHQL_VALIDATION_FAILED')
    }
  })

  it('one of two operations is run by its name', async () => {
    const query = 'query A {a: __typename} query B {b: __typename}'
    for (const host of both) expect((await post(host, { query, operationName: 'B' })).json.data).toEqual({ b: 'Query' })
  })
})

describe('what each host answers', () => {
  it('introspection: open on the standard API, closed on the secure endpoint', async () => {
    expect((await post('api', { query: getIntrospectionQuery() })).json.data.__schema.queryType.name).toBe('Query')
    for (const query of [
      getIntrospectionQuery(),
      '{ __type(name: "Query") { name } }',
      '{ __schema { queryType { name } } }',
      'mutation { __typename } fragment F on Query { __schema { queryType { name } } }',
    ]) {
      expectGraphqlRefusal(await post('secure', { query }), 200, 'GRAPHQL_VALIDATION_FAILED')
    }
  })

  it('introspection on the standard API needs a token', async () => {
    const answer = await server.graphql('api', { query: getIntrospectionQuery() }, { token: null })
    expectGraphqlRefusal(answer, 401, 'UNAUTHENTICATED')
  })

  it('__typename everywhere', async () => {
    for (const host of both) {
      expect((await post(host, { query: '{__typename}' })).json).toEqual({ data: { __typename: 'Query' } })
      expect((await post(host, { query: 'mutation{__typename}' })).json).toEqual({ data: { __typename: 'Mutation' } })
    }
  })

  it.each([
    '{ viewer { userId } }',
    '{ kycVerifications { nodes { status } } }',
    'query ($id: ID!) { kycVerification(verificationId: $id) { status } }',
    '{ ...F } fragment F on Query { viewer { userId } }',
    '{ ... on Query { v: viewer { userId } } }',
  ])('the secure endpoint reads nothing: %s', async (query) => {
    const variables = query.includes('$id') ? { id: '00000000-0000-7000-8000-000000000000' } : {}
    expectGraphqlRefusal(await post('secure', { query, variables }), 200, 'GRAPHQL_VALIDATION_FAILED')
    expect((await post('api', { query, variables })).json.errors).toBeUndefined()
  })
})

describe('Accept', () => {
  const query = '{__typename}'
  it.each([
    ['text/html', 406],
    ['text/html, image/png', 406],
    ['application/xml', 406],
    ['application/json; charset=utf-16', 406],
    ['text/html, */*;q=0', 406],
    ['*/*;q=0', 406],
    ['application/*;q=0', 406],
    ['*/*;q=0.000', 406],
    ['application/json;q=0, application/graphql-response+json;q=0', 406],
    ['application/json;q=0, text/html', 406],
    ['application/*;q=0, */*', 406],
    ['application/json; charset=utf-8; q=0, application/json; charset=utf-16', 406],
    ['*/*;q=0, application/json', 'application/json; charset=utf-8'],
    ['application/*;q=0, application/json;q=0.001', 'application/json; charset=utf-8'],
    ['application/json;q=0, */*', 'application/graphql-response+json; charset=utf-8'],
    ['application/json;q=0, application/*', 'application/graphql-response+json; charset=utf-8'],
    ['application/json; charset=utf-16; q=0', 'application/json; charset=utf-8'],
    ['application/json;q=-1', 'application/json; charset=utf-8'],
    ['application/json;q=', 'application/json; charset=utf-8'],
    [undefined, 'application/json; charset=utf-8'],
    ['', 'application/json; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
    ['application/*', 'application/json; charset=utf-8'],
    ['application/json', 'application/json; charset=utf-8'],
    ['APPLICATION/JSON;Q=0.5', 'application/json; charset=utf-8'],
    ['application/json, text/plain, */*', 'application/json; charset=utf-8'],
    ['text/html, application/xhtml+xml, */*;q=0.8', 'application/json; charset=utf-8'],
    ['application/graphql-response+json;q=0', 'application/json; charset=utf-8'],
    ['application/json;q=0', 'application/graphql-response+json; charset=utf-8'],
    ['application/graphql-response+json;q=0, application/json', 'application/json; charset=utf-8'],
    ['application/graphql-response+json', 'application/graphql-response+json; charset=utf-8'],
    ['application/graphql-response+json, application/json;q=0.9', 'application/graphql-response+json; charset=utf-8'],
    [
      'application/json;q=0.5, application/graphql-response+json;q=0.6',
      'application/graphql-response+json; charset=utf-8',
    ],
    ['application/json, application/graphql-response+json', 'application/json; charset=utf-8'],
    [
      'application/graphql-response+json; charset=utf-8, application/json; charset=utf-8',
      'application/graphql-response+json; charset=utf-8',
    ],
  ])('%s: %s', async (accept, expected) => {
    for (const host of both) {
      const answer = await post(host, { query }, accept === undefined ? {} : { accept })
      if (expected === 406) expectGraphqlRefusal(answer, 406, 'NOT_ACCEPTABLE')
      else expect([answer.status, answer.headers['content-type']]).toEqual([200, expected])
    }
  })

  it('is checked before the token', async () => {
    const answer = await server.call(`${server.demo.secureUrl}/api/v1/graphql`, {
      body: { query },
      headers: { accept: 'text/html' },
    })
    expectGraphqlRefusal(answer, 406, 'NOT_ACCEPTABLE')
  })

  it('a refused submission has data null: 200 in both types, as for any partial result', async () => {
    const body = { query: submissionDocument, variables: submissionVariables({ decision: 'PENDING' }) }
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const answer = await post('secure', body, { accept })
      expect([answer.status, answer.json.data]).toEqual([200, { postKycVerification: null }])
    }
  })
})

describe('variables', () => {
  const query = 'query ($id: ID!) { kycVerification(verificationId: $id) { status } }'
  it.each([
    ['a required one missing', {}],
    ['a required one null', { id: null }],
    ['one of the wrong type', { id: { canary4711: 1 } }],
    ['one of the wrong type', { id: ['canary4711'] }],
    ['one of the wrong type', { id: true }],
  ])('%s: %j', async (_name, variables) => {
    const answer = await post('api', { query, variables })
    expectGraphqlRefusal(answer, 200, 'GRAPHQL_VALIDATION_FAILED')
    expect(answer.text).not.toContain('canary4711')
  })

  it('of a submission become violations with pointers', async () => {
    const variables = { ...submissionVariables(), decision: 4711, person: null, schemaVersion: undefined }
    const answer = await post('secure', { query: submissionDocument, variables })
    expect(answer.json.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      violations: expect.arrayContaining([
        expect.objectContaining({ pointer: '/decision', code: 'TYPE' }),
        expect.objectContaining({ pointer: '/person', code: 'REQUIRED' }),
        expect.objectContaining({ pointer: '/schemaVersion', code: 'REQUIRED' }),
      ]),
    })
  })
})

describe('what a document may ask for', () => {
  const repeat = (count: number, text: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => text(index)).join(' ')
  const connection = 'kycVerifications { nodes { status } }'

  it.each([
    ['two connections', `{ ${connection} again: ${connection} }`, 'ONE_CONNECTION_ONLY'],
    ['eleven lookups', `{ ${repeat(11, (at) => `v${at}: viewer { userId }`)} }`, 'TOO_MANY_ROOT_FIELDS'],
    ['26 levels', `${'{ a '.repeat(26)}${'}'.repeat(26)}`, 'QUERY_TOO_DEEP'],
  ])('%s are refused on both hosts before the document is validated', async (_name, query, detail) => {
    for (const host of both) expectGraphqlRefusal(await post(host, { query }), 400, 'LIMIT_EXCEEDED', detail)
  })

  const paged = `query ($n: Int) { kycVerifications(first: $n) { nodes { ${repeat(120, (at) => `a${at}: status`)} } } }`
  it('a document is measured with the variables of each request', async () => {
    const ask = (n: unknown) => post('api', { query: paged, variables: { n } })
    for (let again = 0; again < 2; again += 1) {
      expect((await ask(80)).json.data.kycVerifications.nodes).toBeInstanceOf(Array)
      expectGraphqlRefusal(await ask(100), 400, 'LIMIT_EXCEEDED', 'QUERY_TOO_COSTLY')
      expectGraphqlRefusal(await ask(101), 400, 'LIMIT_EXCEEDED', 'PAGE_TOO_LARGE')
      expectGraphqlRefusal(await ask(2 ** 31 - 1), 400, 'LIMIT_EXCEEDED', 'PAGE_TOO_LARGE')
    }
    for (const n of [0, -1]) {
      const answer = await post('api', { query: paged.replace(/a1: .* a119: status/, ''), variables: { n } })
      const extensions = { code: 'BAD_REQUEST', violations: [], requestId: expect.any(String), retryable: false }
      expect(answer.json.errors[0].extensions).toEqual(extensions)
    }
    for (const n of ['10', 1.5, [10]]) {
      const query = paged.replace(/a1: .* a119: status/, '')
      expectGraphqlRefusal(await post('api', { query, variables: { n } }), 200, 'GRAPHQL_VALIDATION_FAILED')
    }
  })

  it('a submission is not decided when too much is asked of its answer', async () => {
    const query = `query ${submissionDocument
      .slice(submissionDocument.indexOf('('))
      .replace('postKycVerification', 'validateKycVerification')
      .replace(
        /\{\s*status verificationId message/,
        `{ ${repeat(80, (at) => `v${at}: violations { pointer code message }`)}`,
      )}`
    const variables = submissionVariables()
    const answer = await post('secure', { query, variables })
    expectGraphqlRefusal(answer, 400, 'LIMIT_EXCEEDED', 'QUERY_TOO_COSTLY')
    const fewer = { query: query.replace(/v1: .* v79: violations \{ pointer code message \}/, ''), variables }
    expect((await post('secure', fewer)).json.data.validateKycVerification).toEqual({ v0: [] })
  })
})
