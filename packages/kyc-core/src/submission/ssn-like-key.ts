import { withoutSurplusMarks } from './combining-marks.js'
import type { JsonObject } from './json-value.js'

/** Words for the number itself, including `userssn`, `ssn9`, `ssns` and `ssnno`. Together with `id` they name a reference. */
const SSN_WORD = /^(?:\p{L}*ssn(?:\d|s|no|num|number)?|itins?|tins?)$/u

/** Phrases for the number itself, `id` included. */
const SSN_PHRASES = [
  'social security',
  'socialsecurity',
  'socialsecuritynumber',
  'soc sec',
  'ss no',
  'ss num',
  'ss number',
  'tax no',
  'tax number',
  'tax id',
  'taxid',
  'tax identifier',
  'tax identification',
  'taxpayer id',
  'taxpayer identification',
] as const

/** Words for a reference to the number, or for a statement about it. */
const REFERENCE_WORDS: ReadonlySet<string> = new Set(
  (
    'ref reference transaction report request check record case session score match matched status result source code ' +
    'verification inquiry lookup last4 last4digits four last hash token type'
  ).split(' '),
)

/** Words that directly after the number's name make it a reference: `ssn_order_number`, `ssnTrace`. */
const FOLLOWING_REFERENCE_WORDS: ReadonlySet<string> = new Set(
  'order trace ticket batch job correlation tracking confirmation audit consent event'.split(' '),
)

/** Quick check: each word and phrase above contains one of these. */
const PLAIN_KEY = /^[ -~]*$/
const ANY_ROOT = /ss|tin|soc|tax/i

/** Longest key that is read. No provider has a longer one: values under it are checked as an SSN. */
const LONGEST_KEY = 1000

/** `applicantSSN_full` → `applicant ssn full` */
function wordsOf(key: string): string[] {
  return withoutSurplusMarks(key)
    .normalize('NFKC')
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/**
 * Checks whether a key names an SSN or another taxpayer number: `ssn`, `social_security_number`, `taxId`,
 * `applicantSSN`, `order_ssn`. False for `ssnMatchScore`, `ssn_check_id`, `ssn_order_number`, `listing`.
 */
export function isSsnLikeKey(key: string): boolean {
  if (PLAIN_KEY.test(key) && !ANY_ROOT.test(key)) return false
  if (key.length > LONGEST_KEY) return true
  const words = wordsOf(key)
  if (words.some((word) => REFERENCE_WORDS.has(word))) return false
  const text = ` ${words.join(' ')} `
  const isNumber = (word: string, index: number): boolean =>
    SSN_WORD.test(word) && !FOLLOWING_REFERENCE_WORDS.has(words[index + 1] ?? '')
  const isWord = !words.includes('id') && words.some(isNumber)
  return isWord || SSN_PHRASES.some((phrase) => text.includes(` ${phrase} `))
}

const VALUE_KEYS: ReadonlySet<string> = new Set(['value', 'number', 'full', 'raw', 'clear', 'text', 'digits', 'values'])

/** Checks for a key with the value itself inside an SSN-like object: `{ ssn: { value: … } }`. */
export function isValueKey(key: string): boolean {
  return VALUE_KEYS.has(key.toLowerCase())
}

const NAMING_KEYS: ReadonlySet<string> = new Set(['type', 'kind', 'name', 'label', 'key', 'field'])

/** Checks for an object that names the value beside it: `{ type: 'ssn', value: … }`. */
export function namesSsn(object: JsonObject): boolean {
  return Object.entries(object).some(
    ([key, name]) => typeof name === 'string' && NAMING_KEYS.has(key.toLowerCase()) && isSsnLikeKey(name),
  )
}
