import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectGraphqlRefusal } from '../expect-refusal.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const both = ['secure', 'api'] as const
const ssn = '078-05-1120'

const definitions = `$schemaVersion: String!, $externalVerificationProvider: String!, $externalVerificationId: String!,
  $decision: String!, $person: JSON!, $verifications: JSON!`
const names = [
  'schemaVersion',
  'externalVerificationProvider',
  'externalVerificationId',
  'decision',
  'person',
  'verifications',
]
/** The required arguments, each as its variable, some replaced. */
const args = (changes: Record<string, string> = {}) =>
  names.map((name) => `${name}: ${changes[name] ?? `$${name}`}`).join(', ')
/** A document in which the given argument is not its variable, which is then not declared either. */
const documentWith = (changes: Record<string, string>) => {
  const declared = names.filter((name) => changes[name] === undefined)
  const types = declared.map(
    (name) => `$${name}: ${name === 'person' || name === 'verifications' ? 'JSON!' : 'String!'}`,
  )
  const extra = [
    ...Object.values(changes)
      .join()
      .matchAll(/\$(\w+)/g),
  ].map(([, name]) => `$${name}: JSON`)
  return `mutation (${[...types, ...extra].join(', ')}) { postKycVerification(${args(changes)}) { status } }`
}
const variablesFor = (query: string, more: Record<string, unknown> = {}) => {
  const all: Record<string, unknown> = { ...submissionVariables(), ...more }
  return Object.fromEntries(Object.entries(all).filter(([name]) => new RegExp(`\\$${name}\\b`).test(query)))
}
const person = `{firstName: "Jane", lastName: "Example", dateOfBirth: "1990-01-31", ssn: "${ssn}", ssnLast4: "1120"}`

describe('on the secure endpoint', () => {
  it.each([
    ['a person as a literal', documentWith({ person }), {}],
    ['verifications as a literal', documentWith({ verifications: '{database: {status: "PASSED"}}' }), {}],
    ['verifications as an empty literal', documentWith({ verifications: '{}' }), {}],
    [
      'case 23 a literal that holds variables',
      documentWith({ person: '{firstName: $f, ssn: $s}' }),
      { f: 'Jane', s: ssn },
    ],
    ['case 23 a list that holds a variable', documentWith({ person: '[$s]' }), { s: ssn }],
    ['case 25 only the decision inlined', documentWith({ decision: '"PASSED"' }), {}],
    ['case 25 only the version inlined', documentWith({ schemaVersion: '"1.0"' }), {}],
    [
      'case 25 null inlined',
      submissionDocument
        .replace('decisionReason: $decisionReason', 'decisionReason: null')
        .replace('$decisionReason: String, ', ''),
      {},
    ],
    [
      'a person inlined, with its variable still declared',
      submissionDocument.replace('person: $person', `person: ${person}`),
      {},
    ],
    [
      'null inlined, with its variable still declared',
      submissionDocument.replace('decisionReason: $decisionReason', 'decisionReason: null'),
      {},
    ],
    ['a default value', submissionDocument.replace('$person: JSON!', `$person: JSON = ${person}`), {}],
    [
      'a default value of another variable',
      submissionDocument.replace('$decisionReason: String', '$decisionReason: String = "x"'),
      {},
    ],
    ['a default of null', submissionDocument.replace('$decisionReason: String', '$decisionReason: String = null'), {}],
    [
      'inlined in a fragment',
      `mutation (${definitions.replace('$decision: String!, ', '').replace('$decision: String!,', '')}) { ...F } fragment F on Mutation { postKycVerification(${args({ decision: '"PASSED"' })}) { status } }`,
      {},
    ],
    [
      'inlined in the dry run',
      documentWith({ person })
        .replace('postKycVerification', 'validateKycVerification')
        .replace('{ status }', '{ valid }'),
      {},
    ],
  ])('%s: ARGUMENTS_MUST_BE_VARIABLES', async (_name, query, more) => {
    const answer = await server.graphql('secure', { query, variables: variablesFor(query, more) })
    expectGraphqlRefusal(answer, 200, 'ARGUMENTS_MUST_BE_VARIABLES')
    expect(answer.text).not.toContain(ssn)
  })

  const call = `postKycVerification(${args()}) { status }`
  it.each([
    ['case 26 two aliased calls', `mutation (${definitions}) { a: ${call} b: ${call} }`],
    [
      'case 26 the second in a fragment',
      `mutation (${definitions}) { a: ${call} ...F } fragment F on Mutation { b: ${call} }`,
    ],
    [
      'case 26 both in fragments in fragments',
      `mutation (${definitions}) { ...F } fragment F on Mutation { ...G a: ${call} } fragment G on Mutation { b: ${call} }`,
    ],
    [
      'the second in an inline fragment',
      `mutation (${definitions}) { a: ${call} ... on Mutation { ... { b: ${call} } } }`,
    ],
    [
      'twelve aliases',
      `mutation (${definitions}) { ${Array.from({ length: 12 }, (_, at) => `a${at}: ${call}`).join(' ')} }`,
    ],
    ['the same field twice, merged into one', `mutation (${definitions}) { ${call} ${call} }`],
    ['the same fragment twice', `mutation (${definitions}) { ...F ...F } fragment F on Mutation { ${call} }`],
    [
      'a submission and its dry run',
      `mutation (${definitions}) { ${call} validateKycVerification(${args()}) { valid } }`,
    ],
    ['the second skipped', `mutation (${definitions}) { a: ${call} b: ${call.replace(' {', ' @skip(if: true) {')} }`],
  ])('%s: MULTIPLE_SUBMISSIONS', async (_name, query) => {
    expectGraphqlRefusal(
      await server.graphql('secure', { query, variables: variablesFor(query) }),
      200,
      'MULTIPLE_SUBMISSIONS',
    )
  })

  it('1,000 aliases do not fit', async () => {
    const query = `mutation { ${Array.from({ length: 1_000 }, (_, at) => `a${at}:__typename`).join(' ')} }`
    expectGraphqlRefusal(await server.graphql('secure', { query }), 400, 'LIMIT_EXCEEDED', 'DOCUMENT_TOO_LARGE')
  })

  it.each([
    ['two operations', `${submissionDocument} query Other { __typename }`, 'BAD_REQUEST', 'ONE_OPERATION_ONLY'],
    [
      'two operations, the other one named',
      `${submissionDocument} query Other { __typename }`,
      'BAD_REQUEST',
      'ONE_OPERATION_ONLY',
    ],
    ['a wrong operationName', submissionDocument, 'BAD_REQUEST', 'UNKNOWN_OPERATION'],
    [
      'the submission skipped',
      submissionDocument.replace(') {\n    status', ') @skip(if: true) {\n    status'),
      'BAD_REQUEST',
      'SUBMISSION_SKIPPED',
    ],
    [
      'the submission not included',
      submissionDocument.replace(') {\n    status', ') @include(if: false) {\n    status'),
      'BAD_REQUEST',
      'SUBMISSION_SKIPPED',
    ],
  ] as const)('%s', async (name, query, code, detail) => {
    const operationName = name.includes('named') ? 'Other' : name.includes('wrong') ? 'Missing' : 'Submit'
    const answer = await server.graphql('secure', { query, operationName, variables: submissionVariables() })
    expectGraphqlRefusal(answer, 400, code, detail)
  })

  it.each([
    ['case 29 an undeclared variable', { ssn }],
    ['case 29 an undeclared variable that is null', { extra: null }],
    ['case 29 a declared one in another case', { Person: { ssn } }],
  ])('%s: UNDECLARED_VARIABLE', async (_name, more) => {
    const answer = await server.graphql('secure', {
      query: submissionDocument,
      variables: { ...submissionVariables(), ...more },
    })
    expectGraphqlRefusal(answer, 200, 'UNDECLARED_VARIABLE')
    expect(answer.text).not.toContain(ssn)
  })

  it.each([
    [
      'case 27 an alias',
      `mutation (${definitions}) { r: postKycVerification(${args()}) { s: status verificationId __typename } }`,
      { r: { s: 'VERIFIED', __typename: 'PostKycVerificationResponse' } },
    ],
    [
      'a fragment on the mutation',
      `mutation (${definitions}) { ...F } fragment F on Mutation { postKycVerification(${args()}) { ...G } } fragment G on PostKycVerificationResponse { status }`,
      { postKycVerification: { status: 'VERIFIED' } },
    ],
    [
      'an inline fragment',
      `mutation (${definitions}) { ... on Mutation { postKycVerification(${args()}) { ... { status } } } }`,
      { postKycVerification: { status: 'VERIFIED' } },
    ],
    [
      '__typename beside it',
      `mutation (${definitions}) { __typename postKycVerification(${args()}) { status } }`,
      { __typename: 'Mutation', postKycVerification: { status: 'VERIFIED' } },
    ],
    [
      '@skip and @include on its fields',
      `mutation (${definitions}, $yes: Boolean!) { postKycVerification(${args()}) { status @include(if: $yes) message @skip(if: $yes) verificationId @skip(if: true) } }`,
      { postKycVerification: { status: 'VERIFIED' } },
    ],
    [
      '@include on it, true',
      `mutation (${definitions}, $yes: Boolean!) { postKycVerification(${args()}) @include(if: $yes) { status } }`,
      { postKycVerification: { status: 'VERIFIED' } },
    ],
    [
      'variables by other names',
      `mutation ($a: String!, $b: String!, $c: String!, $d: String!, $e: JSON!, $f: JSON!) { postKycVerification(verifications: $f, person: $e, decision: $d, externalVerificationId: $c, externalVerificationProvider: $b, schemaVersion: $a) { status } }`,
      { postKycVerification: { status: 'VERIFIED' } },
    ],
    [
      'variables by misleading names',
      `mutation ($person: String!, $b: String!, $c: String!, $d: String!, $schemaVersion: JSON!, $f: JSON!) { postKycVerification(verifications: $f, person: $schemaVersion, decision: $d, externalVerificationId: $c, externalVerificationProvider: $b, schemaVersion: $person) { status } }`,
      { postKycVerification: { status: 'VERIFIED' } },
    ],
    [
      'optional arguments not declared',
      `mutation (${definitions}) { postKycVerification(${args()}) { status } }`,
      { postKycVerification: { status: 'VERIFIED' } },
    ],
    [
      'variables declared nullable',
      `mutation (${definitions.replaceAll('!', '')}) { postKycVerification(${args()}) { status } }`,
      null,
    ],
  ])('%s is fine', async (_name, query, data) => {
    const user = await freshUser()
    const good = submissionVariables()
    const variables = query.includes('$a:')
      ? { a: '1.0', b: 'CUSTOM', c: good.externalVerificationId, d: 'PASSED', e: good.person, f: good.verifications }
      : query.includes('$b:')
        ? {
            person: '1.0',
            b: 'CUSTOM',
            c: good.externalVerificationId,
            d: 'PASSED',
            schemaVersion: good.person,
            f: good.verifications,
          }
        : { ...variablesFor(query), ...(query.includes('$yes') ? { yes: true } : {}) }
    const answer = await server.graphql('secure', { query, variables }, { token: user })
    // GraphQL itself refuses a nullable variable where a value is required.
    if (data === null) expectGraphqlRefusal(answer, 200, 'GRAPHQL_VALIDATION_FAILED')
    else
      expect([answer.json.errors, answer.json.data]).toEqual([
        undefined,
        expect.objectContaining({ ...data, ...('r' in data ? { r: expect.objectContaining(data.r) } : {}) }),
      ])
  })

  it('case 30 person as a string of JSON is refused', async () => {
    const good = submissionVariables()
    const answer = await server.graphql('secure', {
      query: submissionDocument,
      variables: { ...good, person: JSON.stringify(good.person) },
    })
    expect(answer.json.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      violations: [{ pointer: '/person', code: 'TYPE' }],
    })
  })

  it('case 19 a token instead of an SSN is refused', async () => {
    const good = submissionVariables()
    const token = `tok_ssn_${'a1B2c3D4e5F6g7H8i9J0k1L2m3'}_1120`
    const answer = await server.graphql('secure', {
      query: submissionDocument,
      variables: { ...good, person: { ...(good.person as object), ssn: token } },
    })
    expect(answer.json.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      violations: [{ pointer: '/person/ssn', code: 'SSN_INVALID' }],
    })
  })
})

describe('a submission in a subscription', () => {
  const subscription = (field: string) => `subscription (${definitions}) { ${field}(${args()}) { __typename } }`
  it.each([
    ['postKycVerification', subscription('postKycVerification')],
    ['validateKycVerification', subscription('validateKycVerification')],
    [
      'in a fragment',
      `subscription (${definitions}) { ...F } fragment F on Mutation { postKycVerification(${args()}) { status } }`,
    ],
  ])('%s is refused, and nothing is recorded', async (_name, query) => {
    const token = await freshUser()
    for (const host of both) {
      const answer = await server.graphql(host, { query, variables: variablesFor(query) }, { token })
      expectGraphqlRefusal(answer, 200, 'GRAPHQL_VALIDATION_FAILED')
      expect(answer.json.errors[0].message).toContain('the schema has no operations of this type')
    }
    const read = await server.graphql(
      'api',
      { query: '{ viewer { kycStatus } kycVerifications { nodes { status } } }' },
      { token },
    )
    expect(read.json.data).toEqual({ viewer: { kycStatus: 'UNVERIFIED' }, kycVerifications: { nodes: [] } })
  })
})

/** A token of a user who has submitted nothing yet. */
async function freshUser(scopes = ['VERIFY_KYC']): Promise<string> {
  const answer = await server.call(`${server.demo.internalUrl}/internal/v1/access-tokens`, {
    token: server.demo.internalToken,
    body: { appId: server.demo.apps[0]?.appId, scopes },
  })
  return answer.json.accessToken as string
}

describe('the dry run', () => {
  const dryRun = (operation: 'query' | 'mutation') =>
    `${operation} (${definitions}) { validateKycVerification(${args()}) { valid violations { pointer code message } warnings { pointer code } } }`

  it.each(['query', 'mutation'] as const)('as a %s: good, bad and doubtful submissions', async (operation) => {
    const query = dryRun(operation)
    const token = await freshUser()
    const run = async (more: Record<string, unknown> = {}) =>
      (await server.graphql('secure', { query, variables: variablesFor(query, more) }, { token })).json
    expect((await run()).data.validateKycVerification).toEqual({ valid: true, violations: [], warnings: [] })
    const bad = await run({ decision: 'PENDING', person: {} })
    expect(bad.errors).toBeUndefined()
    expect(bad.data.validateKycVerification.valid).toBe(false)
    expect(bad.data.validateKycVerification.violations).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ pointer: '/decision', code: 'ENUM' }),
        expect.objectContaining({ pointer: '/person/firstName', code: 'REQUIRED' }),
      ]),
    )
    const failed = { ssn: { verificationId: 's', status: 'FAILED', source: 'TIN_DATABASE' } }
    expect((await run({ verifications: failed })).data.validateKycVerification).toEqual({
      valid: true,
      violations: [],
      warnings: [{ pointer: expect.any(String), code: 'DECISION_EVIDENCE_MISMATCH' }],
    })
    const read = await server.graphql(
      'api',
      { query: '{ viewer { kycStatus } kycVerifications { nodes { status } } }' },
      { token },
    )
    expect(read.json.data).toEqual({ viewer: { kycStatus: 'UNVERIFIED' }, kycVerifications: { nodes: [] } })
  })

  it.each(['query', 'mutation'] as const)('as a %s: refused by the standard API', async (operation) => {
    const query = dryRun(operation)
    const clear = await server.graphql('api', { query, variables: variablesFor(query) })
    expect(clear.json.data).toEqual({ validateKycVerification: null })
    expect(clear.json.errors[0].extensions.code).toBe('PII_NOT_TOKENIZED')
    const { ssn: _ssn, ssnLast4: _last4, ...rest } = submissionVariables().person as Record<string, unknown>
    const without = await server.graphql('api', {
      query,
      variables: variablesFor(query, {
        person: rest,
        verifications: { database: { verificationId: 'd', status: 'PASSED' } },
      }),
    })
    expect(without.json.errors[0].extensions.code).toBe('SECURE_ENDPOINT_REQUIRED')
  })
})

describe('on the standard API', () => {
  const documentSection = {
    document: {
      verificationId: 'd',
      status: 'PASSED',
      documentClass: 'PASSPORT',
      documentNumber: 'X1234567',
      issuingCountryCode: 'US',
    },
  }
  const withoutSsn = () => {
    const { ssn: _ssn, ssnLast4: _last4, ...rest } = submissionVariables().person as Record<string, unknown>
    return rest
  }
  it.each([
    ['case 20 a clear SSN', submissionDocument, {}, 'PII_NOT_TOKENIZED'],
    [
      'a clear document number',
      submissionDocument,
      { person: withoutSsn(), verifications: documentSection },
      'PII_NOT_TOKENIZED',
    ],
    [
      'an SSN that is a number',
      submissionDocument,
      { person: { ...withoutSsn(), ssn: 78051120 } },
      'PII_NOT_TOKENIZED',
    ],
    ['a malformed SSN', submissionDocument, { person: { ...withoutSsn(), ssn: '078 05 1120' } }, 'PII_NOT_TOKENIZED'],
    [
      'a token with something behind it',
      submissionDocument,
      { person: { ...withoutSsn(), ssn: `tok_ssn_a1B2c3D4e5F6g7H8i9J0k1L2m3_1120 ${ssn}` } },
      'PII_NOT_TOKENIZED',
    ],
    [
      'neither',
      submissionDocument,
      { person: withoutSsn(), verifications: { database: { verificationId: 'd', status: 'PASSED' } } },
      'SECURE_ENDPOINT_REQUIRED',
    ],
    ['nothing at all', submissionDocument, { person: null, verifications: null }, 'SECURE_ENDPOINT_REQUIRED'],
    ['an empty SSN', submissionDocument, { person: { ...withoutSsn(), ssn: '' } }, 'SECURE_ENDPOINT_REQUIRED'],
    ['case 22 a clear SSN inlined', documentWith({ person }), {}, 'PII_NOT_TOKENIZED'],
    [
      'case 22 a clear document number inlined',
      documentWith({ verifications: '{document: {documentNumber: "X1234567"}}' }),
      { person: withoutSsn() },
      'PII_NOT_TOKENIZED',
    ],
    [
      'case 24 a clear SSN as a default',
      submissionDocument.replace('$person: JSON!', `$person: JSON = ${person}`),
      { person: undefined },
      'PII_NOT_TOKENIZED',
    ],
    [
      'case 25 something harmless inlined',
      documentWith({ decision: '"PASSED"' }),
      { person: withoutSsn(), verifications: {} },
      'ARGUMENTS_MUST_BE_VARIABLES',
    ],
    [
      'case 29 a clear SSN in a variable of its own',
      documentWith({ person: '{ssn: $s}' }),
      { s: ssn },
      'PII_NOT_TOKENIZED',
    ],
    [
      'a clear person as a string of JSON',
      submissionDocument,
      { person: JSON.stringify(submissionVariables().person) },
      'SECURE_ENDPOINT_REQUIRED',
    ],
  ])('%s', async (_name, query, more, code) => {
    const answer = await server.graphql('api', { query, variables: variablesFor(query, more) })
    expect([answer.status, answer.json.errors?.[0]?.extensions.code]).toEqual([200, code])
    expect(answer.text).not.toContain(ssn)
  })

  it('no document with a submission in it does anything there', async () => {
    const token = await freshUser()
    await server.graphql('api', { query: submissionDocument, variables: submissionVariables() }, { token })
    const read = await server.graphql(
      'api',
      { query: '{ viewer { kycStatus } kycVerifications { nodes { status } } }' },
      { token },
    )
    expect(read.json.data).toEqual({ viewer: { kycStatus: 'UNVERIFIED' }, kycVerifications: { nodes: [] } })
  })
  it.each(both)('a submission among other fields on %s', async (host) => {
    const query = `mutation (${definitions}) { postKycVerification(${args()}) { status } x: __typename }`
    const answer = await server.graphql(host, { query, variables: variablesFor(query) })
    expect(answer.json.errors?.[0]?.extensions.code).toBe(host === 'api' ? 'PII_NOT_TOKENIZED' : undefined)
  })
})
