import { buildSchema, GraphQLError, type ValidationRule } from 'graphql'
import { expect, it } from 'vitest'
import { createDocumentCache } from '../../src/submissions/document-cache.js'

const schema = buildSchema(`scalar JSON
  type Query { find(text: String, count: Int): String }
  type Mutation { postKycVerification(person: JSON): String }`)

it.each([
  ['a document without literals', 'query ($text: String) { find(text: $text) }', true],
  ['a document with a number', '{ find(count: 1) }', true],
  ['a document with a string, which may be personal data', '{ find(text: "078-05-1120") }', false],
  ['a document with a default string', 'query ($text: String = "078-05-1120") { find(text: $text) }', false],
  ['a document with a block string', '{ find(text: """078-05-1120""") }', false],
  ['a submission of variables', 'mutation ($person: JSON) { postKycVerification(person: $person) }', true],
  ['a submission with a number', 'mutation { postKycVerification(person: {ssn: 780511200}) }', false],
  ['a submission with a name', 'mutation { postKycVerification(person: {firstName: Jane}) }', false],
  [
    'a submission with a default',
    'mutation ($person: JSON = {ssn: 780511200}) { postKycVerification(person: $person) }',
    false,
  ],
  [
    'a submission with a number, behind too many selections to look for it',
    `mutation { ${'...f '.repeat(21)} postKycVerification(person: {ssn: 780511200}) }
     fragment f on Mutation { ${'__typename '.repeat(100)} }`,
    false,
  ],
])('%s is remembered or not', (_name, text, remembered) => {
  const documents = createDocumentCache(schema)
  const first = documents(text)
  expect(first.ok).toBe(true)
  expect(documents(text) === first).toBe(remembered)
})

it.each([
  ['a syntax error', '{ find(', 'GRAPHQL_PARSE_FAILED', { locations: [{ line: 1, column: 8 }] }],
  [
    'an unknown field',
    '{ found }',
    'GRAPHQL_VALIDATION_FAILED',
    { reason: 'Query has no such field', locations: [{ line: 1, column: 3 }] },
  ],
])('%s is not remembered, and nothing of it is said', (_name, text, code, problem) => {
  const documents = createDocumentCache(schema)
  const first = documents(text)
  expect(first).toEqual({ ok: false, code, problem })
  expect(documents(text)).not.toBe(first)
})

it('the texts of remembered documents have 256 KiB at most', () => {
  const documents = createDocumentCache(schema)
  const texts = Array.from({ length: 33 }, (_, at) => `{ find } # ${at} `.padEnd(8 * 1024, 'x'))
  const [first, second] = texts.map((text) => documents(text))
  expect(documents(texts[1] ?? '')).toBe(second)
  expect(documents(texts[0] ?? '')).not.toBe(first)
})

it('500 short documents are remembered', () => {
  const documents = createDocumentCache(schema)
  const texts = Array.from({ length: 500 }, (_, at) => `{ find(count: ${at}) }`)
  const checked = texts.map((text) => documents(text))
  texts.forEach((text, at) => expect(documents(text)).toBe(checked[at]))
})

it('a refused document is checked up to its first problem, and a second time to name it', () => {
  const refuse: ValidationRule = (context) => ({
    Field: (node) => context.reportError(new GraphQLError('no fields', { nodes: node })),
  })
  let fields = 0
  const count: ValidationRule = () => ({ Field: () => void (fields += 1) })
  const documents = createDocumentCache(schema, [count, refuse])
  const text = `{ ${Array.from({ length: 300 }, (_, at) => `a${at}: find`).join(' ')} }`
  const problem = { reason: 'no fields', locations: [{ line: 1, column: 3 }] }
  expect(documents(text)).toEqual({ ok: false, code: 'GRAPHQL_VALIDATION_FAILED', problem })
  expect(fields).toBe(2)
})
