import { buildSchema, graphql, parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { inspectSubmissionDocument, typeDefs } from '@kyc-relay/kyc-core/graphql'
import { prepareSubmissionDocument } from '@kyc-relay/kyc-core/internal'
import { sampleSubmission } from '@kyc-relay/kyc-core/testing'

const ARGUMENTS = {
  schemaVersion: 'String!',
  externalVerificationProvider: 'String!',
  externalVerificationId: 'String!',
  decision: 'String!',
  decisionReason: 'String',
  decisionedAt: 'String',
  person: 'JSON!',
  verifications: 'JSON!',
  externalProviderData: 'JSON',
} as const
const NAMES = Object.keys(ARGUMENTS)
const DECLARED = Object.entries(ARGUMENTS)
  .map(([name, type]) => `$${name}: ${type}`)
  .join(', ')
const PASSED_ON = NAMES.map((name) => `${name}: $${name}`).join(', ')
const CALL = `postKycVerification(${PASSED_ON}) { status verificationId message }`
const CANONICAL = `mutation Post(${DECLARED}) { ${CALL} }`
const variables: Record<string, unknown> = sampleSubmission()

const inspect = (document: string, sent = variables, operationName: string | null = null) =>
  inspectSubmissionDocument(parse(document), operationName, sent)

describe('a document with one submission', () => {
  it('gives the arguments by name', () => {
    expect(inspect(CANONICAL)).toEqual({
      ok: true,
      field: 'postKycVerification',
      responseKey: 'postKycVerification',
      input: variables,
    })
  })

  it('finds the arguments by position, whatever the variables are called', () => {
    const document =
      'mutation ($a: JSON!, $person: String!) { postKycVerification(person: $a, decision: $person) { status } }'
    expect(inspect(document, { a: { firstName: 'Maria' }, person: 'PASSED' })).toMatchObject({
      input: { person: { firstName: 'Maria' }, decision: 'PASSED' },
    })
  })

  it('leaves an argument out whose variable is not sent, and keeps null', () => {
    const document =
      'mutation ($a: String, $b: String) { postKycVerification(decisionReason: $a, decisionedAt: $b) { status } }'
    const inspected = inspect(document, { b: null })
    expect(inspected).toMatchObject({ ok: true, input: { decisionedAt: null } })
    expect(Object.keys(inspected.ok && inspected.field ? inspected.input : {})).toEqual(['decisionedAt'])
  })

  it.each([
    ['an alias', `mutation (${DECLARED}) { r: ${CALL} }`, 'r'],
    ['__typename beside it', `mutation (${DECLARED}) { __typename ${CALL} }`, 'postKycVerification'],
    ['a named fragment', `mutation (${DECLARED}) { ...F } fragment F on Mutation { ${CALL} }`, 'postKycVerification'],
    ['an inline fragment', `mutation (${DECLARED}) { ... on Mutation { ${CALL} } }`, 'postKycVerification'],
    [
      'a fragment in a fragment',
      `mutation (${DECLARED}) { ...F } fragment F on Mutation { ...G } fragment G on Mutation { ${CALL} }`,
      'postKycVerification',
    ],
    [
      '@include(if: true)',
      `mutation (${DECLARED}) { ${CALL.replace(') {', ') @include(if: true) {')} }`,
      'postKycVerification',
    ],
    ['@skip(if: false)', `mutation (${DECLARED}) { ... @skip(if: false) { ${CALL} } }`, 'postKycVerification'],
    ['a fragment nobody uses', `${CANONICAL} fragment F on Viewer { userId }`, 'postKycVerification'],
    ['an unknown directive', `mutation (${DECLARED}) { ${CALL.replace(') {', ') @trace {')} }`, 'postKycVerification'],
  ])('may have %s', (_what, document, responseKey) => {
    expect(inspect(document)).toMatchObject({ ok: true, field: 'postKycVerification', responseKey, input: variables })
  })

  it('may name the operation', () => {
    expect(inspect(CANONICAL, variables, 'Post')).toMatchObject({ ok: true, field: 'postKycVerification' })
  })

  it('finds the dry run as query and as mutation', () => {
    for (const operation of ['query', 'mutation']) {
      const document = `${operation} (${DECLARED}) { validateKycVerification(${PASSED_ON}) { valid } }`
      expect(inspect(document)).toMatchObject({ ok: true, field: 'validateKycVerification', input: variables })
    }
  })

  it('does not let an argument reach a prototype', () => {
    const document = parse('mutation ($a: JSON) { postKycVerification(__proto__: $a) { status } }')
    const inspected = inspectSubmissionDocument(document, null, { a: { polluted: true } })
    expect(inspected.ok && inspected.field && Object.getPrototypeOf(inspected.input)).toBe(Object.prototype)
  })

  it('takes no value from the prototype of the variables', () => {
    const inspected = inspect(
      'mutation ($toString: String!) { postKycVerification(decision: $toString) { status } }',
      {},
    )
    expect(inspected).toMatchObject({ ok: true, input: {} })
  })
})

describe('a document without a submission', () => {
  it.each([
    ['a query', '{ viewer { userId } }'],
    ['two operations', 'query A { viewer { userId } } query B { viewer { kycStatus } }'],
    ['__typename', 'mutation { __typename }'],
    ['a field of that name deeper down', '{ viewer { postKycVerification } }'],
    ['only a fragment', 'fragment F on Viewer { userId }'],
    ['a default value', 'query ($n: Int = 5) { kycVerifications(first: $n) { nodes { status } } }'],
    ['a literal', '{ kycVerifications(first: 5) { nodes { status } } }'],
    ['a fragment that is not there', '{ ...Missing }'],
  ])('passes: %s', (_what, document) => {
    expect(inspect(document, {})).toEqual({ ok: true, field: null })
  })
})

describe('document rules', () => {
  const two = `${CALL} again: ${CALL}`
  const literal = (value: string): string =>
    `mutation ($d: String!) { postKycVerification(decision: $d, person: ${value}) { status } }`
  it.each([
    ['an inlined SSN', literal('{ssn: "078-05-1120"}'), 'ARGUMENTS_MUST_BE_VARIABLES'],
    ['a literal that holds variables', literal('{firstName: $d}'), 'ARGUMENTS_MUST_BE_VARIABLES'],
    ['a list of variables', literal('[$d]'), 'ARGUMENTS_MUST_BE_VARIABLES'],
    ['null', literal('null'), 'ARGUMENTS_MUST_BE_VARIABLES'],
    ['a number', literal('1'), 'ARGUMENTS_MUST_BE_VARIABLES'],
    ['an enum', literal('PASSED'), 'ARGUMENTS_MUST_BE_VARIABLES'],
    [
      'only the decision inlined',
      `mutation (${DECLARED}) { ${CALL.replace('$decision', '"PASSED"')} }`,
      'ARGUMENTS_MUST_BE_VARIABLES',
    ],
    [
      'a default value',
      CANONICAL.replace('$person: JSON!', '$person: JSON = {ssn: "078-05-1120"}'),
      'ARGUMENTS_MUST_BE_VARIABLES',
    ],
    [
      'a default of null',
      CANONICAL.replace('$decisionReason: String', '$decisionReason: String = null'),
      'ARGUMENTS_MUST_BE_VARIABLES',
    ],
    [
      'a literal in the dry run',
      '{ validateKycVerification(decision: "PASSED") { valid } }',
      'ARGUMENTS_MUST_BE_VARIABLES',
    ],
    [
      'a literal in a fragment',
      'mutation { ...F } fragment F on Mutation { postKycVerification(decision: "PASSED") { status } }',
      'ARGUMENTS_MUST_BE_VARIABLES',
    ],
    [
      'a literal in a skipped field',
      'mutation { postKycVerification(decision: "PASSED") @skip(if: true) { status } }',
      'ARGUMENTS_MUST_BE_VARIABLES',
    ],
    ['two aliased calls', `mutation (${DECLARED}) { ${two} }`, 'MULTIPLE_SUBMISSIONS'],
    ['the same call twice', `mutation (${DECLARED}) { ${CALL} ${CALL} }`, 'MULTIPLE_SUBMISSIONS'],
    [
      'one of two skipped',
      `mutation (${DECLARED}) { ${CALL} a: ${CALL.replace(') {', ') @skip(if: true) {')} }`,
      'MULTIPLE_SUBMISSIONS',
    ],
    [
      'one in the open and one in a fragment',
      `mutation (${DECLARED}) { ${CALL} ...F } fragment F on Mutation { b: ${CALL} }`,
      'MULTIPLE_SUBMISSIONS',
    ],
    [
      'a fragment used twice',
      `mutation (${DECLARED}) { ...F ...F } fragment F on Mutation { ${CALL} }`,
      'MULTIPLE_SUBMISSIONS',
    ],
    [
      'one in each of two operations',
      `mutation A(${DECLARED}) { ${CALL} } mutation B(${DECLARED}) { ${CALL} }`,
      'MULTIPLE_SUBMISSIONS',
    ],
    [
      'a submission and a dry run',
      `mutation (${DECLARED}) { ${CALL} validateKycVerification(${PASSED_ON}) { valid } }`,
      'MULTIPLE_SUBMISSIONS',
    ],
    ['a subscription', CANONICAL.replace('mutation', 'subscription'), 'BAD_REQUEST', 'SUBSCRIPTION'],
    ['a second operation', `${CANONICAL} query Q { viewer { userId } }`, 'BAD_REQUEST', 'ONE_OPERATION_ONLY'],
    [
      'another root field',
      `query (${DECLARED}) { validateKycVerification(${PASSED_ON}) { valid } viewer { userId } }`,
      'LIMIT_EXCEEDED',
      'ONE_ROOT_FIELD_ONLY',
    ],
    [
      'a submission that is skipped',
      `mutation (${DECLARED}) { ${CALL.replace(') {', ') @skip(if: true) {')} }`,
      'BAD_REQUEST',
      'SUBMISSION_SKIPPED',
    ],
    [
      'a submission that is not included',
      `mutation (${DECLARED}) { ... @include(if: false) { ${CALL} } }`,
      'BAD_REQUEST',
      'SUBMISSION_SKIPPED',
    ],
    [
      'a submission in a skipped fragment',
      `mutation (${DECLARED}) { ...F @skip(if: true) } fragment F on Mutation { ${CALL} }`,
      'BAD_REQUEST',
      'SUBMISSION_SKIPPED',
    ],
    [
      'a directive without condition',
      `mutation (${DECLARED}) { ${CALL.replace(') {', ') @include {')} }`,
      'BAD_REQUEST',
      'SUBMISSION_SKIPPED',
    ],
  ])('refuse %s', (_what, document, code, detail?: string) => {
    expect(inspect(document)).toEqual({ ok: false, code, ...(detail === undefined ? {} : { detail }) })
  })

  it.each([
    [true, false],
    [false, true],
  ])('a condition may be a variable: skip %s, include %s', (skip, include) => {
    const document = (directive: string): string =>
      `mutation ($if: Boolean!, $d: String!) { postKycVerification(decision: $d) @${directive}(if: $if) { status } }`
    expect(inspect(document('skip'), { if: skip, d: 'PASSED' }).ok).toBe(!skip)
    expect(inspect(document('include'), { if: include, d: 'PASSED' }).ok).toBe(include)
  })

  it('refuse an undeclared variable, which GraphQL would ignore and a proxy would log', () => {
    expect(inspect(CANONICAL, { ...variables, ssn: '078-05-1120' })).toEqual({ ok: false, code: 'UNDECLARED_VARIABLE' })
    const proto = JSON.parse('{"__proto__": {}}') as Record<string, unknown>
    expect(inspect(CANONICAL, proto)).toEqual({ ok: false, code: 'UNDECLARED_VARIABLE' })
  })

  it('refuse an operation name that is not there', () => {
    expect(inspect(CANONICAL, variables, 'Other')).toEqual({
      ok: false,
      code: 'BAD_REQUEST',
      detail: 'UNKNOWN_OPERATION',
    })
    const anonymous = CANONICAL.replace('mutation Post', 'mutation')
    expect(inspect(anonymous, variables, 'Post')).toEqual({
      ok: false,
      code: 'BAD_REQUEST',
      detail: 'UNKNOWN_OPERATION',
    })
  })

  it('end with fragments that hold each other', () => {
    const cycle = `mutation (${DECLARED}) { ...F } fragment F on Mutation { ...G ${CALL} } fragment G on Mutation { ...F }`
    expect(inspect(cycle)).toMatchObject({ ok: true, field: 'postKycVerification' })
  })

  it('look at 2,000 selections and no more', () => {
    const document = (count: number): string => `mutation { ${'__typename '.repeat(count)} }`
    expect(inspect(document(2000), {})).toEqual({ ok: true, field: null })
    expect(inspect(document(2001), {})).toMatchObject({ ok: false, code: 'LIMIT_EXCEEDED' })
  })

  it('end with fragments that double at every level', () => {
    const levels = Array.from(
      { length: 30 },
      (_, level) => `fragment F${level} on Mutation { ...F${level + 1} ...F${level + 1} }`,
    )
    const bomb = `mutation { ...F0 } ${levels.join(' ')} fragment F30 on Mutation { __typename }`
    expect(inspect(bomb, {})).toEqual({ ok: false, code: 'LIMIT_EXCEEDED', detail: 'TOO_MANY_SELECTIONS' })
    const inline = `mutation { ${'... { '.repeat(500)} ${'__typename '.repeat(1600)} ${'}'.repeat(500)} }`
    expect(inspect(inline, {})).toEqual({ ok: false, code: 'LIMIT_EXCEEDED', detail: 'TOO_MANY_SELECTIONS' })
  })

  it('look at 2,000 selections of all operations together', () => {
    const fields = '__typename '.repeat(20)
    const operations = (count: number) =>
      `${Array.from({ length: count }, (_, at) => `query Q${at} { ...F }`).join(' ')} fragment F on Query { ${fields} }`
    expect(inspect(operations(95), {}, 'Q0')).toEqual({ ok: true, field: null })
    expect(inspect(operations(96), {}, 'Q0')).toEqual({
      ok: false,
      code: 'LIMIT_EXCEEDED',
      detail: 'TOO_MANY_SELECTIONS',
    })
  })
})

describe('a prepared document', () => {
  it('answers each request by its own variables', () => {
    const prepared = prepareSubmissionDocument(
      parse('mutation ($d: String!, $b: Boolean!) { postKycVerification(decision: $d) @skip(if: $b) { status } }'),
    )
    const input = (decision: string) => ({ ok: true, input: { decision } })
    expect(prepared.inspect(null, { d: 'PASSED', b: false })).toMatchObject(input('PASSED'))
    expect(prepared.inspect(null, { d: 'FAILED', b: true })).toMatchObject({ ok: false, detail: 'SUBMISSION_SKIPPED' })
    expect(prepared.inspect(null, { d: 'FAILED', b: false })).toMatchObject(input('FAILED'))
    expect(prepared.inspect('Other', { d: 'FAILED' })).toMatchObject({ ok: false, detail: 'UNKNOWN_OPERATION' })
    expect(prepared.inspect(null, { d: 'FAILED', e: 1 })).toMatchObject({ ok: false, code: 'UNDECLARED_VARIABLE' })
    expect(prepared.blankVariables({ d: 'PASSED', b: true })).toEqual({ d: '', b: true })
    expect(prepared.blankVariables({})).toEqual({ d: '', b: false })
  })
})

describe('blanked variables', () => {
  it('fit the declared types and hold nothing that was sent', () => {
    const document = parse(
      'query ($s: String!, $i: ID, $n: Int!, $f: Float, $b: Boolean!, $c: Boolean, $j: JSON!, $l: [String!]!, $m: [JSON]) { viewer { userId } }',
    )
    const sent = { s: 'secret', i: 'x', n: 5, f: 1.5, b: true, j: { ssn: 'x' }, l: ['x'], toString: 1 }
    const prepared = prepareSubmissionDocument(document)
    expect(prepared.blankVariables(sent)).toEqual({
      s: '',
      i: '',
      n: 0,
      f: 0,
      b: true,
      c: false,
      j: {},
      l: [],
      m: [],
    })
    expect(prepared.blankVariables({})).toMatchObject({ b: false })
  })

  it('let graphql-js execute a decided submission without seeing it', async () => {
    const schema = buildSchema(typeDefs)
    const document = parse(
      `mutation (${DECLARED}, $short: Boolean!) { r: ${CALL.replace('message', 'message @skip(if: $short)')} }`,
    )
    expect(validate(schema, document)).toEqual([])
    const seen: unknown[] = []
    const rootValue = {
      postKycVerification(input: unknown) {
        seen.push(input)
        return { status: 'VERIFIED', verificationId: 'v-1', message: 'm' }
      },
    }
    const answer = await graphql({
      schema,
      source: document.loc?.source.body ?? '',
      rootValue,
      variableValues: prepareSubmissionDocument(document).blankVariables({ ...variables, short: true }),
    })
    expect(answer).toEqual({ data: { r: { status: 'VERIFIED', verificationId: 'v-1' } } })
    expect(JSON.stringify(seen)).not.toMatch(/Maria|078-05/)
  })
})
