import { buildSchema, getIntrospectionQuery, parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { inspectSubmissionDocument, typeDefs } from '@kyc-relay/kyc-core/graphql'
import { prepareSubmissionDocument } from '@kyc-relay/kyc-core/internal'
import { prepareQueryLimits } from '../../src/graphql/query-limits.js'

const schema = buildSchema(typeDefs)
const check = (text: string, variables: Record<string, unknown> = {}) =>
  prepareQueryLimits(parse(text)).check(variables)
const repeat = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ')
/** A page whose rows have so many fields. */
const page = (first: string, fields: number) =>
  `{ kycVerifications${first} { nodes { ${repeat(fields, (index) => `a${index}: status`)} } } }`

const EVERY_FIELD = `verificationId status message schemaVersion externalVerificationProvider externalVerificationId
  decision decisionedAt recordedAt countryCode sections { section verificationId status } checks { section name status }
  declineCodes statusLog { previous next at } photos { side state attemptsMade nextAttemptAt lastFailure endedAt }`

describe('what a client needs fits', () => {
  it.each([
    [
      'a page of 100 with every field',
      `query ($first: Int = 100, $after: String) { viewer { userId kycStatus } kycVerifications(first: $first, after: $after) {
        edges { cursor node { ...All } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }
        fragment All on KycVerification { ${EVERY_FIELD} }`,
    ],
    ['the usual introspection', getIntrospectionQuery()],
    [
      'introspection with everything that may be asked',
      getIntrospectionQuery({
        descriptions: true,
        specifiedByUrl: true,
        directiveIsRepeatable: true,
        schemaDescription: true,
        inputValueDeprecation: true,
      }),
    ],
    [
      'ten verifications by their ids',
      `{ ${repeat(10, (at) => `v${at}: kycVerification(verificationId: "${at}") { ${EVERY_FIELD} }`)} }`,
    ],
    [
      'a dry run with all of its answer',
      '{ validateKycVerification { valid violations { pointer code message } warnings { pointer code message } } }',
    ],
  ])('%s', (_what, text) => {
    expect(check(text)).toBeNull()
  })

  it('and fits the schema', () => {
    expect(validate(schema, parse(`{ kycVerifications(first: 100) { nodes { ${EVERY_FIELD} } } }`))).toEqual([])
  })
})

describe('the cost of a page', () => {
  it('is its rows times what each is asked for', () => {
    // kycVerifications and nodes take one each: 9,998 are left for 100 rows.
    expect(check(page('(first: 100)', 99))).toBeNull()
    expect(check(page('(first: 100)', 100))).toBe('QUERY_TOO_COSTLY')
    expect(check(page('(first: 10)', 900))).toBeNull()
    expect(check(page('(first: 10)', 1000))).toBe('QUERY_TOO_COSTLY')
    expect(check(page('', 199))).toBeNull()
    expect(check(page('', 200))).toBe('QUERY_TOO_COSTLY')
    expect(check(page('(first: null)', 200))).toBe('QUERY_TOO_COSTLY')
  })

  it.each([
    [
      'aliases of nodes',
      `{ kycVerifications(first: 100) { ${repeat(60, (at) => `n${at}: nodes { status message }`)} } }`,
    ],
    [
      'aliases of edges',
      `{ kycVerifications(first: 100) { ${repeat(40, (at) => `e${at}: edges { node { status } cursor }`)} } }`,
    ],
    [
      'aliases of a list in a row',
      `{ kycVerifications(first: 100) { nodes { ${repeat(10, (at) => `c${at}: checks { name }`)} } } }`,
    ],
    [
      'aliases in aliases',
      `{ kycVerifications(first: 100) { ${repeat(8, (at) => `n${at}: nodes { ${repeat(8, (of) => `p${of}: photos { side }`)} }`)} } }`,
    ],
    [
      'inline fragments',
      `{ kycVerifications(first: 100) { nodes { ${repeat(60, (at) => `... { a${at}: status }`)} } } }`,
    ],
    [
      'a fragment spread many times',
      `{ kycVerifications(first: 100) { nodes { ${repeat(30, () => '...F')} } } } fragment F on KycVerification { a: status b: status c: status d: status }`,
    ],
    [
      'skipped fields',
      `query ($no: Boolean!) { kycVerifications(first: 100) { nodes { ${repeat(120, (at) => `a${at}: status @include(if: $no)`)} } } }`,
    ],
    ['__typename', `{ kycVerifications(first: 100) { nodes { ${repeat(120, (at) => `a${at}: __typename`)} } } }`],
    ['the same field again and again', `{ kycVerifications(first: 100) { nodes { ${repeat(120, () => 'status')} } } }`],
    [
      'a dry run',
      `{ validateKycVerification { ${repeat(90, (at) => `v${at}: violations { pointer code message }`)} } }`,
    ],
    ['introspection', `{ __schema { types { fields { ${repeat(90, (at) => `a${at}: args { name }`)} } } } }`],
    [
      'fields of types of fields',
      '{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }',
    ],
  ])('counts %s', (_what, text) => {
    expect(check(text)).toBe('QUERY_TOO_COSTLY')
  })

  it('is above every limit for fragments that double, and known at once', () => {
    const levels = repeat(20, (at) => `fragment F${at} on KycVerification { ...F${at + 1} ...F${at + 1} }`)
    const bomb = `{ kycVerifications { nodes { ...F0 } } } ${levels} fragment F20 on KycVerification { status }`
    expect(check(bomb)).toBe('QUERY_TOO_COSTLY')
  })

  it("counts a page of somebody else's connection as 100 rows", () => {
    expect(check(`{ payments { nodes { ${repeat(101, (at) => `a${at}: id`)} } } }`)).toBe('QUERY_TOO_COSTLY')
  })
})

describe('the page size', () => {
  const byVariable = 'query ($n: Int) { kycVerifications(first: $n) { nodes { status } } }'
  const withDefault = byVariable.replace('Int', 'Int = 5000')
  it.each([
    ['a literal', byVariable.replaceAll('$n)', '101)').replace('query ($n: Int)', 'query'), {}],
    ['a variable', byVariable, { n: 101 }],
    ['the largest integer', byVariable, { n: 2_147_483_647 }],
    ['beyond all integers', byVariable, JSON.parse('{"n": 1e400}') as Record<string, unknown>],
    ['a default', withDefault, {}],
    [
      'a variable in a fragment',
      'query ($n: Int) { ...F } fragment F on Query { kycVerifications(first: $n) { nodes { status } } }',
      { n: 200 },
    ],
    ['one of two operations', `query A { viewer { userId } } ${byVariable.replace('query', 'query B')}`, { n: 200 }],
  ])('is at most 100: %s', (_what, text, variables) => {
    expect(check(text, variables)).toBe('PAGE_TOO_LARGE')
  })

  it('is what is sent, not the default', () => {
    expect(check(withDefault, { n: 100 })).toBeNull()
    expect(check(withDefault, { n: null })).toBeNull()
    expect(check(byVariable, {})).toBeNull()
    expect(check(byVariable, Object.create({ n: 200 }) as Record<string, unknown>)).toBeNull()
  })

  it.each([[-1], [0], [Number.NaN], ['1'], [[1]], [{}], [true]])(
    'counts as 100 when it is %j, which is refused later',
    (n) => {
      const costly = byVariable.replace(
        'status',
        repeat(100, (at) => `a${at}: status`),
      )
      expect(check(byVariable, { n })).toBeNull()
      expect(check(costly, { n })).toBe('QUERY_TOO_COSTLY')
      expect(check(costly, { n: 1 })).toBeNull()
    },
  )

  it('of one request does not stay for the next one', () => {
    const limits = prepareQueryLimits(
      parse(
        byVariable.replace(
          'status',
          repeat(150, (at) => `a${at}: status`),
        ),
      ),
    )
    expect([100, 10, 100, 101].map((n) => limits.check({ n }))).toEqual([
      'QUERY_TOO_COSTLY',
      null,
      'QUERY_TOO_COSTLY',
      'PAGE_TOO_LARGE',
    ])
  })
})

describe('the shape of a document', () => {
  const connection = 'kycVerifications(first: 1) { nodes { status } }'
  it.each([
    ['two aliases of the connection', `{ ${connection} b: ${connection} }`, 'ONE_CONNECTION_ONLY'],
    ['the connection twice under one name', `{ ${connection} ${connection} }`, 'ONE_CONNECTION_ONLY'],
    [
      'one of them skipped',
      `{ ${connection} b: kycVerifications @skip(if: true) { nodes { status } } }`,
      'ONE_CONNECTION_ONLY',
    ],
    [
      'one in the open and one in a fragment',
      `{ ${connection} ...F } fragment F on Query { b: ${connection} }`,
      'ONE_CONNECTION_ONLY',
    ],
    ['a fragment with it, spread twice', `{ ...F ...F } fragment F on Query { ${connection} }`, 'ONE_CONNECTION_ONLY'],
    ['one in an inline fragment', `{ ${connection} ... on Query { b: ${connection} } }`, 'ONE_CONNECTION_ONLY'],
    [
      'two in the second operation',
      `query A { __typename } query B { ${connection} b: ${connection} }`,
      'ONE_CONNECTION_ONLY',
    ],
    [
      'eleven lookups',
      `{ ${repeat(11, (at) => `a${at}: kycVerification(verificationId: "1") { status }`)} }`,
      'TOO_MANY_ROOT_FIELDS',
    ],
    ['eleven viewers', `{ ${repeat(11, (at) => `a${at}: viewer { userId }`)} }`, 'TOO_MANY_ROOT_FIELDS'],
    ['a viewer eleven times under one name', `{ ${repeat(11, () => 'viewer { userId }')} }`, 'TOO_MANY_ROOT_FIELDS'],
    [
      'viewers in a fragment',
      `{ ...F ...G } fragment F on Query { ${repeat(6, (at) => `a${at}: viewer { userId }`)} } fragment G on Query { ...F }`,
      'TOO_MANY_ROOT_FIELDS',
    ],
    ['26 nested selection sets', `${'{ a '.repeat(26)}${'}'.repeat(26)}`, 'QUERY_TOO_DEEP'],
    ['26 nested inline fragments', `{ ${'... { '.repeat(26)} __typename ${'}'.repeat(26)} }`, 'QUERY_TOO_DEEP'],
    [
      'a chain of 26 fragments',
      `{ ...F0 } ${repeat(26, (at) => `fragment F${at} on Query { ...F${at + 1} }`)} fragment F26 on Query { __typename }`,
      'QUERY_TOO_DEEP',
    ],
    [
      'a type of a type without end',
      `{ __type(name: "Query") { ${'ofType { '.repeat(30)} name ${'}'.repeat(30)} } }`,
      'QUERY_TOO_DEEP',
    ],
    ['a thousand levels', `${'{ a '.repeat(1000)}${'}'.repeat(1000)}`, 'QUERY_TOO_DEEP'],
  ])('refuses %s', (_what, text, limit) => {
    const limits = prepareQueryLimits(parse(text))
    expect(limits.exceeded).toBe(limit)
    expect(limits.check({})).toBe(limit)
  })

  it('may have 25 nested selection sets, and a fragment of any depth twice', () => {
    expect(check(`${'{ a '.repeat(25)}${'}'.repeat(25)}`)).toBeNull()
    expect(check(`{ b { ...F } ...F } fragment F on Query ${'{ a '.repeat(23)}${'}'.repeat(23)}`)).toBeNull()
    expect(check(`{ b { c { ...F } } ...F } fragment F on Query ${'{ a '.repeat(23)}${'}'.repeat(23)}`)).toBe(
      'QUERY_TOO_DEEP',
    )
  })

  it('ends with fragments that hold each other or are not there', () => {
    expect(check('{ ...A } fragment A on Query { ...B a } fragment B on Query { ...A ...Missing }')).toBeNull()
  })
})

it('inspection refuses what exceeds a limit, after the rules of a submission', () => {
  const refused = { ok: false, code: 'LIMIT_EXCEEDED', detail: 'ONE_CONNECTION_ONLY' }
  const text = '{ a: kycVerifications { nodes { status } } b: kycVerifications { nodes { status } } }'
  expect(inspectSubmissionDocument(parse(text), null, {})).toEqual(refused)
  const submission = `mutation ($d: String) { postKycVerification(decision: $d) { ${repeat(10_001, (at) => `a${at}: status`)} } }`
  expect(inspectSubmissionDocument(parse(submission), null, {})).toMatchObject({
    ok: false,
    detail: 'QUERY_TOO_COSTLY',
  })
  const broken = submission.replace('decision: $d', 'decision: "PASSED"')
  expect(inspectSubmissionDocument(parse(broken), null, {})).toEqual({ ok: false, code: 'ARGUMENTS_MUST_BE_VARIABLES' })
})

it.each([
  ['{ viewer { userId } }', true],
  ['{ ...F } fragment F on Query { x: kycVerification(verificationId: "1") { status } }', true],
  ['query A { __typename } query B { kycVerifications { nodes { status } } }', true],
  ['{ __typename __schema { queryType { name } } }', false],
  ['mutation ($d: String) { postKycVerification(decision: $d) { status } }', false],
])('knows whether %s reads what is stored of a user', (text, reads) => {
  expect(prepareSubmissionDocument(parse(text)).limits.readsUser).toBe(reads)
})
