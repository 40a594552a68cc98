import * as z from 'zod'
import { addressSchema } from '../../src/submission/address.js'
import { ARGUMENT_SCHEMAS } from '../../src/submission/arguments.js'

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

/** JSON Schema of one zod schema. */
function bodyOf(schema: z.ZodType): SchemaNode {
  const { $schema: _, ...body } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
  })
  return allowNull(body) as SchemaNode
}

const present = (name: string): SchemaNode => ({
  required: [name],
  properties: { [name]: { not: { enum: [null, ''] } } },
})

/** Rules between fields that JSON Schema can say. The others are in the descriptions, and in `submission-cases.json`. */
const BETWEEN_FIELDS: readonly SchemaNode[] = [
  {
    if: { properties: { person: present('ssn') }, required: ['person'] },
    then: { properties: { person: present('ssnLast4') } },
  },
  {
    properties: {
      verifications: { anyOf: [present('document'), present('ssn'), present('database')] },
    },
  },
]

const US_ADDRESS: SchemaNode = {
  required: ['subdivision', 'postalCode'],
  properties: {
    subdivision: { type: 'string', pattern: '^[A-Z]{2}$' },
    postalCode: { type: 'string', pattern: '^\\d{5}$' },
  },
}

/** Rules that the service may waive for a failed decision (`lenientOnFailed`). */
const UNLESS_FAILED: SchemaNode = {
  if: { not: { properties: { decision: { const: 'FAILED' } }, required: ['decision'] } },
  then: {
    properties: {
      person: {
        required: ['address'],
        properties: {
          address: {
            ...bodyOf(addressSchema),
            if: { properties: { countryCode: { const: 'US' } }, required: ['countryCode'] },
            then: US_ADDRESS,
          },
        },
      },
      verifications: {
        properties: {
          document: {
            if: { type: 'object' },
            then: { required: ['documentNumber'], properties: { documentNumber: { type: 'string', minLength: 1 } } },
          },
        },
      },
    },
    if: { properties: { verifications: present('ssn') }, required: ['verifications'] },
    then: { properties: { person: { allOf: [present('ssn'), present('ssnLast4')] } } },
  },
}

/** JSON Schema 2020-12 of the arguments, schema version 1.0. */
export function submissionJsonSchema(): SchemaNode {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:kyc-relay:kyc-submission:1.0',
    title: 'Arguments of postKycVerification, schema version 1.0',
    $comment:
      'What this schema refuses is refused by the service. The service refuses more: calendar, SSN ranges, PO boxes, clear PII in free-form data. See submission-cases.json.',
    ...bodyOf(ARGUMENT_SCHEMAS.clear.lenient),
    allOf: [...BETWEEN_FIELDS, UNLESS_FAILED],
  }
}
