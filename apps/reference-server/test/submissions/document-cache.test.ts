import { buildSchema } from 'graphql'
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
