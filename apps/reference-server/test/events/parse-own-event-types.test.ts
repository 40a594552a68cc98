import { expect, it } from 'vitest'
import { parseOwnEventTypes } from '../../src/events/own-event-types.js'

const type = {
  name: 'LOAN_PAID',
  description: 'A loan was paid.',
  scopes: ['READ_LOANS'],
  schema: { type: 'object', properties: { amount: { type: 'string' } }, required: ['amount'] },
  example: { amount: '10.00' },
}
const parse = (changes: object) => parseOwnEventTypes(JSON.stringify({ eventTypes: [{ ...type, ...changes }] }))
const schema = (changes: object) => ({ schema: { ...type.schema, ...changes } })

it('takes a type with a JSON Schema', () => {
  expect(parse({})).toEqual([expect.objectContaining({ meaning: type.description, schema: type.schema })])
})

it.each([
  ['an unknown member', { canary: 1 }, '/eventTypes/0'],
  ['no scopes', { scopes: [] }, '/eventTypes/0/scopes'],
  ['properties that are no object', schema({ properties: 5 }), '/eventTypes/0/schema/properties'],
  ['required that is no list', schema({ required: 'canary' }), '/eventTypes/0/schema/required'],
  [
    'a pattern that is none',
    schema({ properties: { amount: { type: 'string', pattern: '(' } } }),
    '/eventTypes/0/schema is not',
  ],
  ['an unknown type', schema({ properties: { amount: { type: 'canary' } } }), '/eventTypes/0/schema is not'],
  ['a reference to nothing', schema({ properties: { amount: { $ref: '#/canary' } } }), '/eventTypes/0/schema is not'],
  ['an example that its schema refuses', { example: { amount: 1 } }, '/0/example'],
  ['a name of the service', { name: 'TRANSACTION_CREATE' }, '/0/name'],
])('refuses %s, and repeats no value', (_, changes, place) => {
  const parsed = parse(changes)
  if (!('problem' in parsed)) throw new Error('accepted')
  expect(parsed.problem).toContain(place)
  expect(parsed.problem).not.toContain('canary')
})

it('refuses a text that is not JSON', () => {
  expect(parseOwnEventTypes('canary')).toEqual({ problem: 'it is not JSON.' })
})
