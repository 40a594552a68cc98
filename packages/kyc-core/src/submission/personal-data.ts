import { withoutSurplusMarks } from './combining-marks.js'
import { isEmailAddress } from './email-address.js'
import { pointerOfKey } from './json-pointer.js'
import { member, type JsonValue } from './json-value.js'
import { foldText } from './spelled-text.js'
import { SIX_DIGITS } from './searched-values.js'
import { isValueKey } from './ssn-like-key.js'
import { createWarning, type Warning } from './warning.js'

/** Most warnings about one submission. */
const MOST_WARNINGS = 50

/** Looks back from the `@`: a text of many letters and one `@` is read once. */
const EMAIL = /@(?<=([\p{L}\p{M}\p{N}!#$&'*+/=?^_`{|}~.-]{1,64})@)[\p{L}\p{M}\p{N}.-]{3,253}/gu
/** International, or in the groups of North America. Not a position of ISO 6709, such as `+40.6894-074.0447/`. */
const PHONE =
  /(?<![\p{L}\p{N}+-])(?:\+(?!\d{2,6}\.\d+[+-]\d{3,7}\.\d) ?\d[\d ()./‐–-]{6,24}\d|\([2-9]\d{2}\) ?[2-9]\d{2}-\d{4}|(?:1[-. ])?[2-9]\d{2}([-. ])[2-9]\d{2}\1\d{4})(?![\p{L}\p{N}-])/gu
const PHONE_KEY =
  /^(?:.*\s)?(?:(?:tele)?phones?|telefono?|telefone|tel|mobiles?|movil|cell|cellphone|celular|handy|msisdn|fax|whats ?app|phonenumber|mobilenumber|contact ?number)(?: ?\d)?(?:\s(?:nos?|numbers?|nr|value|e164|\d))?$/
const DOCUMENT_KEY =
  /(?:^|\s)(?:passport|licen[cs]e|driverslicen[cs]e|national id|identity card|id card|document number|dl number|passportnumber|licen[cs]enumber)(?:\s|$)/
const PASSPORT_IN_TEXT =
  /\bpassport(?: ?(?:no\.?|number|nr\.?|num\.?|#))?(?: is)? ?[:#]? ?([A-Z]{0,3}\d{6,9}[A-Z]?)(?![\p{L}\p{N}])/iu
const ADDRESS_KEY = /(?:^|\s)(?:address|addr|street|streetaddress|residence|domicile|line1|line 1)(?:\s|$)/
/** Addresses of machines, and statements about a thing. */
const OTHER_KEY =
  /(?:^|\s)(?:ip|ipv4|ipv6|mac|wallet|email|e mail|mail|url|web|host|contract|token|hash|ref|reference|status|result|match|matched|matches|verified|valid|type|score|check|request|transaction|class|country|state|expiry|at|plate|checked|date|issued|source|provider|vendor|method|count|length|age|years|months|proof|chip|nfc|version|key|crypto|confidence|quality|level|deliverability|precision|accuracy|residence permit|tax residence|tax domicile)(?:\s|$)/
const STREET =
  /(?<![\p{L}\p{N}])\d{1,5}[A-Z]? (?:[\p{Lu}\d][\p{L}\d.']{0,30} ){1,4}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Court|Ct|Boulevard|Blvd|Way|Place|Terrace)\b\.?/gu

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')

/** Most submissions do not need these values, so they are made when they are needed first. */
function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => (made ??= make())
}

/** Characters of a key that are read, at its end: a path has the name there. */
const MOST_OF_KEY = 200

/** `applicantPhone_number` → `applicant phone number` */
function wordsOf(key: string): string {
  return key
    .slice(-MOST_OF_KEY)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .join(' ')
    .trim()
}

const wordSet = (text: string): ReadonlySet<string> =>
  new Set(
    withoutSurplusMarks(text)
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu),
  )

/** The typed fields, which the provider's data may repeat. */
interface TypedFields {
  readonly email: string
  readonly phone: string
  readonly addressWords: () => ReadonlySet<string>
}

function typedFieldsOf(submission: JsonValue | undefined): TypedFields {
  const person = member(submission, 'person')
  return {
    email: textOf(member(person, 'emailAddress')).toLowerCase(),
    phone: textOf(member(person, 'phoneNumber')).replace(/\D/g, ''),
    addressWords: once(() => {
      const document = member(member(submission, 'verifications'), 'document')
      const texts = [member(person, 'address'), member(document, 'address')]
        .flatMap((address) => (typeof address === 'object' && address !== null ? Object.values(address) : []))
        .map(textOf)
      return wordSet(texts.join(' '))
    }),
  }
}

function emailsIn(text: string): string[] {
  if (!text.includes('@')) return []
  return Array.from(withoutSurplusMarks(text).matchAll(EMAIL), ([domain, local = '']) => local + domain)
    .map((found) => (found.endsWith('.') ? found.slice(0, -1) : found))
    .filter(isEmailAddress)
}

const isAnyDigits = (text: string): boolean => /^\+?[\d ().-]{7,24}$/.test(text) && text.replace(/\D/g, '').length >= 7

/** The key of a value in words. Every item of a list has the key of the list, so each pattern is tested once. */
interface Key {
  readonly words: () => string
  readonly matches: (pattern: RegExp) => boolean
}

function keyOf(makeWords: () => string): Key {
  const words = once(makeWords)
  let known: Map<RegExp, boolean> | undefined
  return {
    words,
    matches(pattern) {
      known ??= new Map()
      const result = known.get(pattern) ?? pattern.test(words())
      known.set(pattern, result)
      return result
    },
  }
}

/** Checks whether a value is personal data that the typed fields do not carry. */
function isBeyond(text: string, key: Key, typed: TypedFields): boolean {
  const isOtherPhone = (found: string): boolean => {
    // National numbers have a zero before them, or "(0)" behind the code of the country.
    const digits = found.replace(/\(0\)|\D/g, '').replace(/^0+/, '')
    return digits.length >= 7 && digits.length <= 15 && !(typed.phone !== '' && typed.phone.endsWith(digits))
  }
  const isOtherAddress = (found: string): boolean => {
    const addressWords = typed.addressWords()
    return [...wordSet(found)].some((word) => !addressWords.has(word))
  }
  const isNamed = (names: RegExp): boolean => key.matches(names) && !key.matches(OTHER_KEY)
  // Other digits, spaces and plus signs
  const folded = foldText(text)
  // Phone and passport numbers have six digits or more.
  const holdsNumber = (): boolean =>
    (folded.match(PHONE) ?? []).some(isOtherPhone) ||
    (isAnyDigits(folded) && isOtherPhone(folded) && key.matches(PHONE_KEY)) ||
    PASSPORT_IN_TEXT.test(text)
  return (
    emailsIn(text).some((email) => email.toLowerCase() !== typed.email) ||
    (SIX_DIGITS.test(folded) && holdsNumber()) ||
    (/^(?=.*\d.*\d.*\d)[\p{L}\p{N} -]{6,25}$/u.test(text) && isNamed(DOCUMENT_KEY)) ||
    (/[\d\s,]/.test(text) && /\p{L}{2}/u.test(text) && isNamed(ADDRESS_KEY) && isOtherAddress(text)) ||
    (text.includes(' ') && (text.match(STREET) ?? []).some(isOtherAddress))
  )
}

/**
 * Finds an email address, a phone or passport number or an address in `externalProviderData` that no typed field of the
 * submission carries, and ids that hold an email address.
 *
 * @param submission Unvalidated arguments.
 */
export function findPersonalData(submission: JsonValue | undefined): Warning[] {
  const warnings: Warning[] = []
  const typed = typedFieldsOf(submission)

  function scan(value: JsonValue | undefined, pointer: string, key: Key): void {
    if (warnings.length >= MOST_WARNINGS) return
    if (typeof value === 'string' || typeof value === 'number') {
      if (isBeyond(String(value), key, typed)) warnings.push(createWarning(pointer, 'PII_BEYOND_TYPED_FIELDS'))
    } else if (Array.isArray(value)) {
      value.forEach((item: JsonValue, index) => scan(item, `${pointer}/${index}`, key))
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) {
        const keyOfItem = keyOf(() => {
          // `{ passport: { number: … } }`
          const context = isValueKey(name) ? `${key.words()} ` : key.matches(ADDRESS_KEY) ? 'address ' : ''
          return `${context}${wordsOf(name)}`
        })
        scan(item, pointerOfKey(pointer, name), keyOfItem)
      }
    }
  }

  scan(
    member(submission, 'externalProviderData'),
    '/externalProviderData',
    keyOf(() => ''),
  )
  const verifications = member(submission, 'verifications')
  const ids = [
    ['/externalVerificationId', member(submission, 'externalVerificationId')],
    ...['document', 'ssn', 'database'].map(
      (name) =>
        [`/verifications/${name}/verificationId`, member(member(verifications, name), 'verificationId')] as const,
    ),
  ] as const
  for (const [pointer, id] of ids) {
    if (emailsIn(textOf(id)).length > 0) warnings.push(createWarning(pointer, 'ID_KEPT_IN_CLEAR'))
  }
  return warnings
}
