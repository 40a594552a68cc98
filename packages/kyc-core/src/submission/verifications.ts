import * as z from 'zod'
import { countryCodeSchema, extractedAddressSchema } from './address.js'
import { isDocumentNumber } from './document-number.js'
import {
  anyText,
  closedObject,
  enumField,
  matching,
  missingOr,
  openObject,
  requiredTextField,
  textField,
  type TextRule,
} from './field-schema.js'
import { fullDateSchema } from './person.js'

const MAX_CHECKS = 500

const documentNumberRule: TextRule = (text) => (isDocumentNumber(text) ? null : 'FORMAT')

const checkSchema = closedObject(
  {
    name: requiredTextField(matching(/^[a-z0-9]+(?:_[a-z0-9]+)*$/), {
      description: 'Stable snake_case identifier, the same in every submission.',
      atMost: 100,
      maxLength: 100,
      pattern: '^[a-z0-9]+(_[a-z0-9]+)*$',
    }),
    status: enumField(['PASSED', 'FAILED', 'NOT_APPLICABLE'], 'Outcome of the check.'),
    reasons: z
      .array(textField(anyText, {}), missingOr('TYPE'))
      .max(MAX_CHECKS, 'TOO_LONG')
      .optional()
      .meta({ description: 'Reasons of the outcome, for people.' }),
  },
  'One check.',
)

const checksSchema = z
  .array(checkSchema, missingOr('TYPE'))
  .max(MAX_CHECKS, 'TOO_LONG')
  .optional()
  .meta({ description: 'All check outcomes; the names of FAILED ones become decline codes.' })

const sectionId = () => requiredTextField(anyText, { description: "The provider's id of this resource.", atMost: 255 })
const sectionStatus = () => enumField(['PASSED', 'FAILED'], 'Result of this verification.')

const photoUrl = (description: string) =>
  requiredTextField(anyText, {
    description,
    // Without `format: 'uri'`, which excludes letters and signs that every URL parser escapes, such as `é` and `|`.
    atMost: 4096,
    pattern: '^[Hh][Tt][Tt][Pp][Ss]://',
  })

/** `verifications.document.photos`. */
export const photosSchema = closedObject(
  {
    front: photoUrl('Front side.'),
    back: photoUrl('Back side.').optional(),
    selfie: photoUrl('Selfie.').optional(),
  },
  'HTTPS URLs that stay fetchable for at least 24 hours.',
)

/** `verifications.document`. */
export const documentSchema = closedObject(
  {
    verificationId: sectionId(),
    status: sectionStatus(),
    documentClass: enumField(['DRIVER_LICENSE', 'PASSPORT', 'GOVERNMENT_ID'], 'Class of the document.'),
    documentNumber: requiredTextField(documentNumberRule, {
      description: 'Number of the document. Kept only as a keyed hash.',
      atMost: 64,
    }),
    issuingCountryCode: countryCodeSchema('Country that issued the document, ISO 3166-1 alpha-2.'),
    issuingSubdivision: textField(matching(/[\p{L}\p{N}]/u), {
      description: 'State or province that issued it.',
      atMost: 255,
    }).optional(),
    issueDate: fullDateSchema('Day of issue, RFC 3339 full-date.').optional(),
    expirationDate: fullDateSchema('Day of expiry, RFC 3339 full-date.').optional(),
    confidenceScore: z
      .number(missingOr('TYPE'))
      .min(0, 'RANGE')
      .max(100, 'RANGE')
      .optional()
      .meta({ description: '0 to 100, fractions allowed.' }),
    address: extractedAddressSchema.optional(),
    photos: photosSchema.optional(),
    checks: checksSchema,
    documentData: openObject('Additional provider data about the document.').optional(),
  },
  'Verification of an identity document.',
)

const ssnSectionSchema = closedObject(
  {
    verificationId: sectionId(),
    status: sectionStatus(),
    source: requiredTextField(anyText, {
      description: 'The authoritative source, for example TIN_DATABASE, ECBSV or CREDIT_BUREAU.',
      atMost: 100,
    }),
    checks: checksSchema,
    ssnData: openObject('Additional provider data about the SSN verification.').optional(),
  },
  'The SSN was validated against an authoritative source. Needs person.ssn and person.ssnLast4.',
)

const databaseSectionSchema = closedObject(
  {
    verificationId: sectionId(),
    status: sectionStatus(),
    checks: checksSchema,
    databaseData: openObject('Additional provider data about the database verification.').optional(),
  },
  'Verification of personal data against public or private sources, without document or SSN.',
)

/** `verifications` (docs/contract.md 2.4). */
export const verificationsSchema = closedObject(
  {
    document: documentSchema.optional(),
    ssn: ssnSectionSchema.optional(),
    database: databaseSectionSchema.optional(),
  },
  'The provider verifications that back the decision; at least one.',
)

/** The provider verifications. */
export type Verifications = z.infer<typeof verificationsSchema>
