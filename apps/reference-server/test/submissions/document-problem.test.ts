import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const post = (host: 'secure' | 'api', body: unknown) =>
  server.call(`${host === 'secure' ? server.demo.secureUrl : server.demo.apiUrl}/api/v1/graphql`, {
    body,
    token: server.demo.users[0]?.accessToken ?? null,
  })

const invalid = 'The document or its variables do not match the schema'
const submit = 'mutation ($canary: Int) { postKycVerification'

describe('an invalid document is told what of the schema it misses and where, and nothing it said', () => {
  it.each([
    ['{ viewer { canary } }', `${invalid}: Viewer has no such field (line 1, column 12).`],
    ['{\n  viewer {\n    userId canary }\n}', `${invalid}: Viewer has no such field (line 3, column 12).`],
    ['{ viewer { userIdd } }', `${invalid}: Viewer has no such field (line 1, column 12).`],
    ['{ viewer(canary: 1) { userId } }', `${invalid}: Query.viewer has no such argument (line 1, column 10).`],
    ['{ viewer }', `${invalid}: select fields of Query.viewer, which is Viewer! (line 1, column 3).`],
    ['{ viewer { userId { canary } } }', `${invalid}: Viewer.userId is ID!, which has no fields (line 1, column 19).`],
    [
      '{ kycVerification { status } }',
      `${invalid}: Query.kycVerification lacks an argument: verificationId (line 1, column 3).`,
    ],
    [
      '{ kycVerifications(first: "canary") { nodes { status } } }',
      `${invalid}: Query.kycVerifications(first:) expects Int (line 1, column 27).`,
    ],
    [
      'query ($canary: String) { kycVerifications(first: $canary) { nodes { status } } }',
      `${invalid}: Query.kycVerifications(first:) expects Int, and the variable is declared with another type (line 1, column 51).`,
    ],
    [
      `${submit}(decision: $canary) { status } }`,
      `${invalid}: Mutation.postKycVerification lacks an argument: schemaVersion, externalVerificationProvider, externalVerificationId, person, verifications (line 1, column 27).`,
    ],
    ['query ($canary: Canary) { viewer { userId } }', `${invalid}: the schema has no such type (line 1, column 17).`],
    ['query ($canary: Int) { viewer { userId } }', `${invalid}: a declared variable is not used (line 1, column 8).`],
    ['{ viewer { ...canary } }', `${invalid}: the document has no such fragment (line 1, column 15).`],
    [
      '{ viewer { userId @canary } }',
      `${invalid}: the schema has no such directive, or it is not allowed here (line 1, column 19).`,
    ],
    ['{ viewer { userId @skip } }', `${invalid}: @skip lacks an argument: if (line 1, column 19).`],
    ['subscription { viewer { userId } }', `${invalid}: the schema has no operations of this type (line 1, column 1).`],
    [
      '{ viewer { userId @skip(if: true) @skip(if: true) } }',
      `${invalid}: a directive is repeated here (line 1, column 19).`,
    ],
    [
      '{ viewer { ...A } } fragment A on Viewer { ...A }',
      `${invalid}: a fragment contains itself (line 1, column 44).`,
    ],
    [
      'query ($first: Int, $first: Int) { kycVerifications(first: $first) { nodes { status } } }',
      `${invalid}: a variable is declared twice (line 1, column 9).`,
    ],
    [
      'query ($first: Int) { kycVerifications(first: "canary") { nodes { status } } }',
      `${invalid}: Query.kycVerifications(first:) expects Int (line 1, column 47).`,
    ],
    ['type Canary { a: Int }', `${invalid}: only operations and fragments are allowed (line 1, column 1).`],
    ['{ viewer { userId }', 'The document is not valid GraphQL (line 1, column 20).'],
    ['{ viewer { userId(x: "canary) } }', 'The document is not valid GraphQL (line 1, column 34).'],
  ])('%s', async (query, message) => {
    const { json, text } = await post('api', { query })
    expect(json.errors[0].message).toBe(message)
    const [, line, column] = /line (\d+), column (\d+)/.exec(message) ?? []
    expect(json.errors[0].locations).toEqual([{ line: Number(line), column: Number(column) }])
    expect(text).not.toMatch(/canary|did you mean/i)
  })

  it.each([
    ['{ viewer { userId } }', `${invalid}: The secure endpoint accepts only submissions (line 1, column 3).`],
    ['{ __schema { types { name } } }', `${invalid}: The secure endpoint has no introspection (line 1, column 3).`],
    ['mutation { postKycVerificatio { status } }', `${invalid}: Mutation has no such field (line 1, column 12).`],
  ])('on the secure endpoint: %s', async (query, message) => {
    const { json, text } = await post('secure', { query })
    expect(json.errors[0].message).toBe(message)
    expect(text).not.toMatch(/did you mean|postKyc/i)
  })

  it('of variables says which declaration they do not fit', async () => {
    const query =
      'query (\n  $first: Int, $canary: ID!\n) { kycVerification(verificationId: $canary) { status } kycVerifications(first: $first) { nodes { status } } }'
    const answer = await post('api', { query, variables: { canary: { canary: 1 } } })
    expect(answer.json.errors).toMatchObject([
      {
        message: `${invalid}: the value of a variable does not fit ID! (line 2, column 16).`,
        locations: [{ line: 2, column: 16 }],
      },
    ])
    expect(answer.text).not.toContain('canary')
  })

  it('of operationName says what it must name', async () => {
    const { json } = await post('api', { query: '{ viewer { userId } }', operationName: 'Canary' })
    expect(json.errors[0].message).toBe(`${invalid}: operationName must name one operation of the document.`)
  })
})
