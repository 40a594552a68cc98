import { extractedAddressSchema } from './address.js'
import { anyOf } from './any-of.js'
import { holdsCardNumber } from './card-number.js'
import { holdsEncoded, holdsSpokenSsn, holdsSsnDigits } from './encoded-value.js'
import { pointerOfKey } from './json-pointer.js'
import { JSON_LIMITS, member, type JsonObject, type JsonValue } from './json-value.js'
import { MOST_NESTED_TEXTS, parseNestedJson } from './nested-json.js'
import { personSchema } from './person.js'
import type { PiiForm } from './rule-context.js'
import { foldText, holdsSpelled } from './spelled-text.js'
import { isSplitSsn, joinParts, outerParts, partOf, type Parts } from './split-ssn.js'
import {
  SHORTEST_SEARCHED,
  SIX_DIGITS,
  searchedValues,
  type SearchedSsn,
  type SearchedValues,
} from './searched-values.js'
import { isIssuableSsn } from './ssn.js'
import { isSsnLikeKey, isValueKey, namesSsn } from './ssn-like-key.js'
import { unpatternedTexts } from './unpatterned-texts.js'
import { documentSchema, photosSchema } from './verifications.js'
import { createViolation, type Violation } from './violation.js'

const DASH = /[\p{Pd}−]/u
const DASHED_SSN = /(?<![\p{L}\p{N}-])\d{3}[\p{Pd}−]\d{2}[\p{Pd}−]\d{4}(?![\p{L}\p{N}-])/gu
/**
 * "SSN: 219099999", "ssn=219099999", "<ssn>219099999", "SSN no. 219099999", "SSN - 219099999", "SSN (219099999)", and
 * `{"ssn":219099999}` in another text. Not "ssn-219099999", and not "ssn:219099999" outside a sentence: ids of a provider.
 */
const LABELLED_SSN =
  /(?<!\p{L})(?:SSN|SOCIAL SECURITY)(?:[ _-]?(?:NUMBER|NO\.?|#))?["'’]?(?: ?[=>] ?| ?: ?(?=["'’([ ])|(?<=["'’]) ?: ?| ?: (?=\d)| [\p{Pd}−] | ?# ?| |(?<=[.#])|(?=[([]))(?:IS |WAS )? ?["'’([]?(\d{3}[ .\p{Pd}]?(?:\d{2}[ .\p{Pd}]?\d{4}|\d{3}[ .\p{Pd}]?\d{3}))(?![\p{L}\p{N}])/gu
/** Lines of a machine readable zone are 30, 36 or 44 characters (ICAO 9303). */
const MRZ_RUN = /[A-Z0-9<]{28,}/g
const MRZ_CONTENT = /[A-Z0-9]{5}/
/** Barcode of North American licences (AAMVA DL/ID Card Design Standard): header, or number and birth date. */
const AAMVA_HEADER = /(?:ANSI|AAMVA) ?(?:636|604)/
const AAMVA_NUMBER = /(?:^|\n|DL)DAQ[A-Z0-9]/
const AAMVA_BIRTH_DATE = /\nDBB\d{8}/
/** Not "metadata:image/png". */
const DATA_URI = /\bdata:image\/|data:[a-z]{1,20}\/[a-z0-9.+-]{1,80};base64,/i
/** Base64 of the first bytes of JPEG, PNG, GIF, WebP, TIFF and HEIC, in either alphabet. */
const beginsLikeImage = anyOf([
  /^[/_]9j[/_][247]/,
  /^iVBORw0KGgo/,
  /^R0lGOD[dl]h/,
  /^UklGR[\w+/-]{6}XRUJQ/,
  /^(?:SUkqA|TU0AK)/,
  /^AAAA[\w+/-]{2}Z0eXB/,
])
/** Shortest text with an image: `data:image/`. Base64 without this prefix needs one character more. */
const SHORTEST_IMAGE = 11
const BASE64 = /^[\w+/-]{12,}={0,2}$/
/**
 * A new text of a person, an address or a document is searched without a change here, unless it has a pattern. The patterns
 * of phone numbers, email addresses and URLs have room for an SSN.
 */
const PERSON_TEXTS = [...unpatternedTexts(personSchema), 'phoneNumber', 'emailAddress']
/** Of both addresses: with `lenientOnFailed` also that of the person has no format rules. */
const ADDRESS_TEXTS = unpatternedTexts(extractedAddressSchema)
/** Without the number itself, and the id, which is searched for every kind of clear personal data. */
const DOCUMENT_TEXTS = unpatternedTexts(documentSchema).filter(
  (name) => name !== 'documentNumber' && name !== 'verificationId',
)
const PHOTO_URLS = Object.keys(photosSchema.shape)

function isImage(text: string): boolean {
  if (text.length < SHORTEST_IMAGE) return false
  if (DATA_URI.test(text)) return true
  const start = text.slice(0, 200).replace(/\s/g, '')
  return beginsLikeImage(start) && BASE64.test(start)
}

function holdsDashedSsn(folded: string): boolean {
  if (!DASH.test(folded)) return false
  return [...folded.matchAll(DASHED_SSN)].some(([match]) => isIssuableSsn(match.replace(/\D/g, '')))
}

function holdsLabelledSsn(folded: string): boolean {
  if (!folded.includes('SSN') && !folded.includes('SOCIAL')) return false
  const sentence = /\S\s+\S/.test(folded) ? folded.replaceAll(':', ': ') : folded
  const spaced = sentence.replace(/\s+/g, ' ')
  return [...spaced.matchAll(LABELLED_SSN)].some(([, digits = '']) => isIssuableSsn(digits.replace(/\D/g, '')))
}

function holdsMrz(folded: string): boolean {
  return (
    folded.includes('<<') && [...folded.matchAll(MRZ_RUN)].some(([run]) => run.includes('<<') && MRZ_CONTENT.test(run))
  )
}

function holdsSsn(folded: string, ssn: SearchedSsn): boolean {
  return holdsSsnDigits(folded, ssn) || holdsPaddedNumber(folded, ssn)
}

/** Checks for the digits as a number with more zeros before it. */
function holdsPaddedNumber(folded: string, { number }: SearchedSsn): boolean {
  if (!folded.includes(number)) return false
  return new RegExp(String.raw`(?<!\d)0*${number}(?!\d)`).test(folded)
}

/** Checks for numbers of six digits or more that are personal data. */
function holdsClearNumber(folded: string, { ssn }: SearchedValues): boolean {
  return (
    (ssn !== null && holdsSsn(folded, ssn)) ||
    holdsDashedSsn(folded) ||
    holdsLabelledSsn(folded) ||
    (AAMVA_NUMBER.test(folded) && AAMVA_BIRTH_DATE.test(folded)) ||
    holdsCardNumber(folded)
  )
}

function isClearText(text: string, folded: string, values: SearchedValues): boolean {
  if (folded.length < SHORTEST_SEARCHED) return false
  const { documentNumber } = values
  return (
    (SIX_DIGITS.test(folded) && holdsClearNumber(folded, values)) ||
    AAMVA_HEADER.test(folded) ||
    holdsEncoded(text, folded, values) ||
    (documentNumber !== null && holdsSpelled(folded, documentNumber, 'token')) ||
    holdsMrz(folded) ||
    isImage(text)
  )
}

function isClearNumber(number: number, { ssn, documentNumber }: SearchedValues): boolean {
  const digits = String(Math.abs(number))
  // JSON numbers have no leading zeros.
  const isSecret = [ssn?.number, documentNumber?.replace(/^0+/, '')].includes(digits)
  return (digits.length >= SHORTEST_SEARCHED && isSecret) || holdsCardNumber(digits)
}

/** An encoded SSN in a name or address is one long word, or has other digits than those of ASCII. */
const MAY_BE_ENCODED = /[^\s,]{12}|[^ -~]/

/** Checks for the submitted SSN, in clear, in words or encoded, and for the document number. */
function holdsSubmitted(text: string, { ssn, documentNumber }: SearchedValues): boolean {
  const folded = foldText(text)
  return (
    (ssn !== null && (holdsSsn(folded, ssn) || holdsSpokenSsn(folded, ssn))) ||
    (documentNumber !== null && holdsSpelled(folded, documentNumber, 'token')) ||
    (MAY_BE_ENCODED.test(text) && holdsEncoded(text, folded, { ssn, documentNumber }))
  )
}

/** Checks for texts that are the three parts of an SSN, or two of them: `['219', '09', '9999']`. */
function isPartsOfNineDigits(parts: readonly JsonValue[]): boolean {
  if (parts.length < 2 || parts.length > 3 || !parts.every((part) => typeof part === 'string')) return false
  return /^(?:\d{3}-?\d{2}|\d{3} \d{2}) \d{4}$/.test(parts.map((part) => foldText(part)).join(' '))
}

/** Checks for nine digits after separators are removed. */
function isNineDigits(folded: string): boolean {
  return /^\d{9}$/.test(folded.replace(/[^\p{L}\p{N}]/gu, ''))
}

/**
 * Finds clear personal data in the free-form parts of a submission, keys included. These are `decisionReason`, ids,
 * check names and reasons, `ssn.source`, every `*Data` object and `externalProviderData`.
 *
 * It finds the submitted SSN and document number in any spelling, also encoded once or twice, the SSN also in words,
 * backwards or split over a list, other SSNs with dashes or behind the word SSN, and nine digits under an SSN-like key or
 * beside a name of one: `{ type: 'ssn', value }`.
 * A text that is JSON is searched like its content, up to four texts inside each other. It also finds machine readable
 * zones, licence barcodes, card numbers and images. In names, addresses, contact data and URLs of photos it finds the
 * submitted SSN, in these URLs also the document number.
 *
 * Bare nine-digit references, UUIDs, timestamps and booleans under SSN-like keys are not personal data.
 *
 * @param submission Unvalidated arguments.
 * @param pii Of `tokens` none is searched for: a token is not personal data.
 * @returns `clearKeys`: keys that hold clear personal data, such as an SSN in base64. No pointer may repeat them.
 */
export function findClearPii(
  submission: JsonValue | undefined,
  pii: PiiForm,
): { readonly violations: Violation[]; readonly clearKeys: ReadonlySet<string> } {
  const violations: Violation[] = []
  const clearKeys = new Set<string>()
  const verifications = member(submission, 'verifications')
  const searched: SearchedValues =
    pii === 'tokens'
      ? { ssn: null, documentNumber: null }
      : searchedValues(
          member(member(submission, 'person'), 'ssn'),
          member(member(verifications, 'document'), 'documentNumber'),
        )
  const report = (pointer: string): void => void violations.push(createViolation(pointer, 'CLEAR_PII_IN_FREE_FORM'))

  let values = 0

  function scan(value: JsonValue | undefined, pointer: string, underSsnKey = false, textsAround = 0): Parts {
    if (value === undefined) return ''
    values += 1
    if (value === null || values > JSON_LIMITS.values) return ''
    if (typeof value === 'object') return scanMembers(value, pointer, underSsnKey, textsAround)
    if (typeof value === 'boolean') return ''
    if (typeof value === 'string') return scanText(value, pointer, underSsnKey, textsAround)
    if (isClearNumber(value, searched) || (underSsnKey && isNineDigits(String(value)))) report(pointer)
    return partOf(value)
  }

  function scanText(text: string, pointer: string, underSsnKey: boolean, textsAround: number): Parts {
    const folded = foldText(text)
    if (isClearText(text, folded, searched) || (underSsnKey && isNineDigits(folded))) report(pointer)
    else if (textsAround < MOST_NESTED_TEXTS) {
      const outside = violations.length
      scan(parseNestedJson(text), pointer, false, textsAround + 1)
      // No pointer leads into a text.
      if (violations.splice(outside).length > 0) report(pointer)
    }
    return searched.ssn === null ? '' : partOf(text, folded)
  }

  function scanMembers(
    value: JsonObject | readonly JsonValue[],
    pointer: string,
    underSsnKey: boolean,
    textsAround: number,
  ): Parts {
    const before = violations.length
    const parts: Parts[] = []
    if (Array.isArray(value)) {
      value.forEach((item: JsonValue, index) => parts.push(scan(item, `${pointer}/${index}`, underSsnKey, textsAround)))
    } else {
      const object = value as JsonObject
      const holdsSsnValue = underSsnKey || namesSsn(object)
      for (const [key, item] of Object.entries(object)) {
        if (isClearText(key, foldText(key), searched)) {
          clearKeys.add(key)
          report(pointer)
        }
        const isOfSsn = isSsnLikeKey(key) || (holdsSsnValue && isValueKey(key))
        parts.push(scan(item, pointerOfKey(pointer, key), isOfSsn, textsAround))
      }
    }
    if (underSsnKey && violations.length === before && isPartsOfNineDigits(Object.values(value))) report(pointer)
    // What a part of the list holds by itself is reported at the part.
    if (violations.length > before || searched.ssn === null) return ''
    const joined = joinParts(parts)
    if (isSplitSsn(value, parts, joined, searched.ssn.digits)) report(pointer)
    return outerParts(joined)
  }

  /** Searches texts that have a use of their own, such as names. */
  function scanTexts(
    object: JsonValue | undefined,
    pointer: string,
    fields: readonly string[],
    values: SearchedValues,
  ): void {
    for (const field of fields) {
      const text = member(object, field)
      if (typeof text === 'string' && holdsSubmitted(text, values)) report(`${pointer}/${field}`)
    }
  }

  function scanSection(name: 'document' | 'ssn' | 'database'): void {
    const section = member(verifications, name)
    const pointer = `/verifications/${name}`
    for (const field of ['verificationId', 'source']) scan(member(section, field), `${pointer}/${field}`)
    scan(member(section, `${name}Data`), `${pointer}/${name}Data`)
    const checks = member(section, 'checks')
    if (!Array.isArray(checks)) return
    checks.forEach((check: JsonValue, index) => {
      for (const field of ['name', 'reasons']) scan(member(check, field), `${pointer}/checks/${index}/${field}`)
    })
  }

  for (const field of ['externalVerificationId', 'decisionReason', 'externalProviderData']) {
    scan(member(submission, field), `/${field}`)
  }
  scan(member(member(submission, 'person'), 'personData'), '/person/personData')
  const person = member(submission, 'person')
  const document = member(verifications, 'document')
  const ssnOnly = { ssn: searched.ssn, documentNumber: null }
  scanTexts(person, '/person', PERSON_TEXTS, ssnOnly)
  scanTexts(member(person, 'address'), '/person/address', ADDRESS_TEXTS, ssnOnly)
  scanTexts(document, '/verifications/document', DOCUMENT_TEXTS, ssnOnly)
  const extracted = '/verifications/document/address'
  scanTexts(member(document, 'address'), extracted, ADDRESS_TEXTS, ssnOnly)
  scanTexts(member(document, 'photos'), '/verifications/document/photos', PHOTO_URLS, searched)
  scanSection('document')
  scanSection('ssn')
  scanSection('database')
  // Of the whole submission, as for its own values. Values in texts of JSON count too.
  if (values > JSON_LIMITS.values) violations.push(createViolation('', 'TOO_LONG'))
  return { violations, clearKeys }
}
