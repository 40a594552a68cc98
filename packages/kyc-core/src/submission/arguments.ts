import * as z from 'zod'
import {
  anyText,
  closedObject,
  enumField,
  matching,
  openObject,
  requiredTextField,
  textField,
  type TextRule,
} from './field-schema.js'
import { extractedAddressSchema } from './address.js'
import { personSchema } from './person.js'
import { parseDateTime } from './calendar-date.js'
import { documentSchema, verificationsSchema } from './verifications.js'
import type { PiiField } from '../tokenization/pii-vault.js'
import { parseToken } from '../tokenization/token.js'

/** The arguments of `postKycVerification` (docs/contract.md 2.1). */
export const argumentsSchema = closedObject(
  {
    schemaVersion: z
      .literal('1.0', {
        error: (issue) => (issue.input === undefined ? 'REQUIRED' : 'UNSUPPORTED_SCHEMA_VERSION'),
      })
      .meta({ description: 'Version of the payload contract.' }),
    externalVerificationProvider: requiredTextField(anyText, {
      description: 'CUSTOM, or the name of a provider that the service is configured with.',
      atMost: 100,
      examples: ['CUSTOM'],
    }),
    externalVerificationId: requiredTextField(matching(/^[\x21-\x7e]+$/), {
      description: 'Globally unique id of this verification attempt: the idempotency key, for ever.',
      atMost: 255,
      maxLength: 255,
      pattern: '^[\\x21-\\x7e]+$',
    }),
    decision: enumField(['PASSED', 'FAILED'], "The provider's decision."),
    decisionReason: textField((text) => (text.trim() === '' ? 'FORMAT' : null), {
      description: 'Human-readable reason or rule behind the decision.',
    }).optional(),
    decisionedAt: textField((text) => (parseDateTime(text) ? null : 'DATE_INVALID'), {
      description: 'RFC 3339 timestamp, UTC preferred. Defaults to the time of ingestion.',
      examples: ['2026-01-05T10:00:00Z'],
    }).optional(),
    person: personSchema,
    verifications: verificationsSchema,
    externalProviderData: openObject('Provider context for audit. No clear PII.').optional(),
  },
  'Arguments of postKycVerification, schema version 1.0.',
)

function tokenRule(field: PiiField): TextRule {
  return (text) => (parseToken(text)?.field === field ? null : 'TOKEN_INVALID')
}

/** The same arguments, with tokens of the vault in `person.ssn` and `documentNumber`. */
const tokenizedArgumentsSchema = argumentsSchema.extend({
  person: personSchema.extend({ ssn: textField(tokenRule('ssn'), {}).optional() }),
  verifications: verificationsSchema.extend({
    document: documentSchema.extend({ documentNumber: requiredTextField(tokenRule('document_number'), {}) }).optional(),
  }),
})

/**
 * The same arguments of a failed decision, with `lenientOnFailed`: an address as it was extracted, or none, and a document
 * without number.
 */
const lenientArgumentsSchema = argumentsSchema.extend({
  person: personSchema.extend({ address: extractedAddressSchema.optional() }),
  verifications: verificationsSchema.extend({
    document: documentSchema.extend({ documentNumber: textField(anyText, { atMost: 64 }).optional() }).optional(),
  }),
})

/** The same with tokens. */
const lenientTokenizedArgumentsSchema = lenientArgumentsSchema.extend({
  person: lenientArgumentsSchema.shape.person.extend({ ssn: textField(tokenRule('ssn'), {}).optional() }),
  verifications: verificationsSchema.extend({
    document: documentSchema
      .extend({ documentNumber: textField(tokenRule('document_number'), {}).optional() })
      .optional(),
  }),
})

/** Schemas of the arguments: with clear values or tokens, for every decision or for a failed one. */
export const ARGUMENT_SCHEMAS = {
  clear: { strict: argumentsSchema, lenient: lenientArgumentsSchema },
  tokens: { strict: tokenizedArgumentsSchema, lenient: lenientTokenizedArgumentsSchema },
} as const

/** Arguments of any decision. */
export type Arguments = z.infer<typeof lenientArgumentsSchema>
