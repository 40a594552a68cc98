import type { z } from 'zod'
import { addressSchema } from './address.js'
import { isFullDate } from './calendar-date.js'
import { isEmailAddress } from './email-address.js'
import {
  atMost,
  closedObject,
  matching,
  openObject,
  requiredTextField,
  textField,
  type TextRule,
} from './field-schema.js'
import { readSsn } from './ssn.js'

/** Format characters, and letters and marks without a visible form (Hangul fillers, blank Braille). */
const INVISIBLE = /[\p{Cf}\u115f\u1160\u3164\uffa0\u2800]/u
const JOINERS = /[\u200c\u200d]/g
const LETTER = /\p{L}/u
/** Letters and marks of any script, digits, spaces, and the punctuation of names. */
const NAME = /^[\p{L}\p{M}\p{N}\p{Zs}'’‘`´\-‐‑–.·・,/()]+$/u

/** Accepts a name of any script; refuses invisible characters and text without a letter. */
const nameRule: TextRule = (text) => {
  const visible = text.replace(JOINERS, '')
  if (INVISIBLE.test(visible)) return 'CONTROL_CHARACTER'
  return NAME.test(visible) && LETTER.test(visible) ? null : 'FORMAT'
}

/** JSON Schema counts characters before NFC composition, so its limit is higher. */
const nameKeywords = { maxLength: 300 } as const

const ssnRule: TextRule = (text) => {
  const reading = readSsn(text)
  if (reading.kind === 'masked') return 'SSN_MASKED_OR_PARTIAL'
  return reading.kind === 'invalid' ? 'SSN_INVALID' : null
}

const FULL_DATE_PATTERN = '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$'

/** Schema of a calendar day (RFC 3339 full-date). */
export const fullDateSchema = (description: string) =>
  textField((text) => (isFullDate(text) ? null : 'DATE_INVALID'), {
    description,
    format: 'date',
    pattern: FULL_DATE_PATTERN,
  })

/** `person` (docs/contract.md 2.2). */
export const personSchema = closedObject(
  {
    firstName: requiredTextField(atMost(100, nameRule), { ...nameKeywords, description: 'First name.' }),
    middleName: textField(atMost(100, nameRule), { ...nameKeywords, description: 'Middle name.' }).optional(),
    lastName: requiredTextField(atMost(100, nameRule), { ...nameKeywords, description: 'Last name.' }),
    dateOfBirth: fullDateSchema('Date of birth, RFC 3339 full-date.'),
    ssn: textField(ssnRule, {
      description: 'Full US SSN, digits with optional dashes. Never masked or partial.',
      pattern: '^\\d{3}-?\\d{2}-?\\d{4}$',
      examples: ['078-05-1120'],
    }).optional(),
    ssnLast4: textField(matching(/^\d{4}$/), {
      description: 'Last four digits of the SSN. Required whenever ssn is sent, and equal to its last four digits.',
      pattern: '^\\d{4}$',
    }).optional(),
    phoneNumber: textField(matching(/^\+[1-9]\d{6,14}$/), {
      description: 'E.164.',
      pattern: '^\\+[1-9]\\d{6,14}$',
    }).optional(),
    emailAddress: textField(
      atMost(254, (text) => (isEmailAddress(text) ? null : 'FORMAT')),
      {
        description: 'E-mail address.',
        maxLength: 254,
        pattern: '^[^@]+@[^@]+\\.[^@]+$',
      },
    ).optional(),
    address: addressSchema,
    personData: openObject('Additional provider data about the person.').optional(),
  },
  'The verified identity as established by the provider.',
)

/** The verified identity. */
export type Person = z.infer<typeof personSchema>
