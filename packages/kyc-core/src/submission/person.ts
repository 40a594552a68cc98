import { addressSchema } from './address.js'
import { isFullDate } from './calendar-date.js'
import { isEmailAddress } from './email-address.js'
import { closedObject, matching, openObject, requiredTextField, textField, type TextRule } from './field-schema.js'
import { isNoLastName, nameRule, withoutDirectionMarks } from './name.js'
import { readSsn } from './ssn.js'

const nameField = { atMost: 100, tidy: withoutDirectionMarks } as const
const emailRule: TextRule = (text) => (isEmailAddress(text) ? null : 'FORMAT')
const lastNameRule: TextRule = (text) => (isNoLastName(text) ? null : nameRule(text))

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
    firstName: requiredTextField(nameRule, { ...nameField, description: 'First name.' }),
    middleName: textField(nameRule, { ...nameField, description: 'Middle name.' }).optional(),
    // Required by `name-rules.ts`, unless the policy allows a single name.
    lastName: requiredTextField(lastNameRule, {
      ...nameField,
      description:
        'Last name. Required, unless the service accepts people without one. A hyphen or full stop if there is one name only.',
    }).optional(),
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
    emailAddress: textField(emailRule, {
      description: 'E-mail address.',
      atMost: 254,
      pattern: '^[^@]+@[^@]+\\.[^@]+$',
    }).optional(),
    address: addressSchema,
    personData: openObject('Additional provider data about the person.').optional(),
  },
  'The verified identity as established by the provider.',
)
