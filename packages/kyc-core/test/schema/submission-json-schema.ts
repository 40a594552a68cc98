import { z } from 'zod'
import { argumentsSchema } from '../../src/submission/arguments.js'

interface SchemaNode {
  readonly [keyword: string]: unknown
}

/** Null equals absent, and so does an empty optional text. */
const absentValueOf = (node: unknown): SchemaNode =>
  (node as SchemaNode)['type'] === 'string' ? { enum: [null, ''] } : { type: 'null' }

/** Every optional member may be null, and an optional text may be empty. */
function allowNull(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(allowNull)
  if (typeof node !== 'object' || node === null) return node
  const walked: SchemaNode = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, allowNull(value)]))
  const properties = walked['properties'] as SchemaNode | undefined
  if (!properties || walked['type'] !== 'object') return walked
  const required = (walked['required'] ?? []) as readonly string[]
  const nullable = Object.entries(properties).map(([key, value]) =>
    required.includes(key) ? [key, value] : [key, { anyOf: [value, absentValueOf(value)] }],
  )
  return { ...walked, properties: Object.fromEntries(nullable) as SchemaNode }
}

const present = (name: string): SchemaNode => ({
  required: [name],
  properties: { [name]: { not: { enum: [null, ''] } } },
})

/** Rules between fields that JSON Schema can say. The others are in the descriptions, and in `submission-cases.json`. */
const BETWEEN_FIELDS: readonly SchemaNode[] = [
  {
    if: { properties: { verifications: present('ssn') }, required: ['verifications'] },
    then: { properties: { person: { allOf: [present('ssn'), present('ssnLast4')] } } },
  },
  {
    if: { properties: { person: present('ssn') }, required: ['person'] },
    then: { properties: { person: present('ssnLast4') } },
  },
  {
    properties: {
      verifications: { anyOf: [present('document'), present('ssn'), present('database')] },
    },
  },
  {
    if: {
      properties: {
        person: {
          properties: { address: { properties: { countryCode: { const: 'US' } }, required: ['countryCode'] } },
          required: ['address'],
        },
      },
      required: ['person'],
    },
    then: {
      properties: {
        person: {
          properties: {
            address: {
              required: ['subdivision', 'postalCode'],
              properties: {
                subdivision: { type: 'string', pattern: '^[A-Z]{2}$' },
                postalCode: { type: 'string', pattern: '^\\d{5}$' },
              },
            },
          },
        },
      },
    },
  },
]

/** JSON Schema 2020-12 of the arguments, schema version 1.0. */
export function submissionJsonSchema(): SchemaNode {
  const { $schema, ...schema } = z.toJSONSchema(argumentsSchema, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
  })
  return {
    $schema,
    $id: 'urn:kyc-relay:kyc-submission:1.0',
    title: 'Arguments of postKycVerification, schema version 1.0',
    $comment:
      'What this schema refuses is refused by the service. The service refuses more: calendar, SSN ranges, PO boxes, clear PII in free-form data. See submission-cases.json.',
    ...(allowNull(schema) as SchemaNode),
    allOf: BETWEEN_FIELDS,
  }
}
