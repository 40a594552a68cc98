/** Words for the number itself, `userssn` and `ssn9` too; `id` beside one of them makes it a reference. */
const SSN_WORD = /^(?:\p{L}*ssn9?|itin|tin)$/u

/** Phrases for the number itself, `id` included. */
const SSN_PHRASES = [
  'social security',
  'socialsecurity',
  'socialsecuritynumber',
  'tax id',
  'taxid',
  'tax identifier',
  'tax identification',
  'taxpayer id',
  'taxpayer identification',
] as const

/** Words that make the value a reference to, or a statement about, the number. */
const REFERENCE_WORDS: ReadonlySet<string> = new Set(
  (
    'ref reference transaction report request check record case session score match matched status result source code ' +
    'verification inquiry lookup last4 last4digits four last hash token type'
  ).split(' '),
)

/** Each word and phrase above has one of these in it, whatever is written around it. */
const PLAIN_KEY = /^[ -~]*$/
const ANY_ROOT = /ssn|tin|social|tax/i

/** `applicantSSN_full` → `applicant ssn full` */
function wordsOf(key: string): string[] {
  return key
    .normalize('NFKC')
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/**
 * True when a key says that its value is an SSN or another taxpayer number: `ssn`, `social_security_number`, `taxId`,
 * `applicantSSN`. False for `ssnMatchScore`, `ssn_check_id`, `listing`.
 */
export function isSsnLikeKey(key: string): boolean {
  if (PLAIN_KEY.test(key) && !ANY_ROOT.test(key)) return false
  const words = wordsOf(key)
  if (words.some((word) => REFERENCE_WORDS.has(word))) return false
  const text = ` ${words.join(' ')} `
  const isWord = !words.includes('id') && words.some((word) => SSN_WORD.test(word))
  return isWord || SSN_PHRASES.some((phrase) => text.includes(` ${phrase} `))
}

const VALUE_KEYS: ReadonlySet<string> = new Set(['value', 'number', 'full', 'raw', 'clear', 'text', 'digits', 'values'])

/** True for a key inside an ssn-like object that holds the value itself: `{ ssn: { value: … } }`. */
export function isValueKey(key: string): boolean {
  return VALUE_KEYS.has(key.toLowerCase())
}
