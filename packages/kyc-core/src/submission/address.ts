import { isCountryCode, isUserAssignedCountry } from './country-codes.js'
import { anyText, closedObject, requiredTextField, textField, type TextRule } from './field-schema.js'

/** Characters that change the visible order of text. */
const BIDI_CONTROL = /[\u202a-\u202e\u2066-\u2069]/
const LETTER_OR_NUMBER = /[\p{L}\p{N}]/u

const lineRule: TextRule = (text) => {
  if (BIDI_CONTROL.test(text)) return 'CONTROL_CHARACTER'
  return LETTER_OR_NUMBER.test(text) ? null : 'FORMAT'
}

/** Line breaks and tabs. */
const LINE_BREAKS = /[\t\n\r\u2028\u2029]+/g
const onOneLine = (text: string): string => text.replace(LINE_BREAKS, ' ')

const lineField = { minLength: 1, atMost: 255, tidy: onOneLine } as const
const line = (description: string) => requiredTextField(lineRule, { ...lineField, description })
const optionalLine = (description: string) => textField(lineRule, { ...lineField, description }).optional()

/** An assigned alpha-2 code, or a user-assigned one: `country-rules.ts` accepts only those of the policy. */
export const countryCodeSchema = (description: string) =>
  requiredTextField((text) => (isCountryCode(text) || isUserAssignedCountry(text) ? null : 'COUNTRY_INVALID'), {
    description,
    pattern: '^[A-Z]{2}$',
  })

/** Schema of `person.address`. `address-rules.ts` has the rules that depend on the country. */
export const addressSchema = closedObject(
  {
    streetLine1: line('Street address. No PO boxes.'),
    streetLine2: optionalLine('Apartment, suite, unit.'),
    city: line('City.'),
    subdivision: optionalLine('State or province. Required for US addresses: the two-letter postal code.'),
    postalCode: optionalLine('Postal code. For US addresses the five-digit ZIP.'),
    countryCode: countryCodeSchema('ISO 3166-1 alpha-2. US decides PASS, any other PASS_INTERNATIONAL.'),
  },
  'The verified legal address.',
)

const extracted = () => textField(anyText, { atMost: 1000, tidy: onOneLine }).optional()

/** `verifications.document.address`: as extracted from the document, so it has no format rules. */
export const extractedAddressSchema = closedObject(
  {
    streetLine1: extracted(),
    streetLine2: extracted(),
    city: extracted(),
    subdivision: extracted(),
    postalCode: extracted(),
    countryCode: extracted(),
  },
  'The address as extracted from the document.',
)
