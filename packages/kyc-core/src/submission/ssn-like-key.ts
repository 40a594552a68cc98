const SSN_PHRASES = [
  'ssn',
  'itin',
  'tin',
  'social',
  'social security',
  'social security number',
  'social security no',
  'tax id',
  'taxid',
  'tax identifier',
  'tax identification',
  'taxpayer id',
  'taxpayer identification',
  'socialsecurity',
  'socialsecuritynumber',
] as const

/** Words after which the value is a reference to something about the SSN, not the SSN. */
const REFERENCE_WORDS: ReadonlySet<string> = new Set(
  (
    'ref reference transaction report request check record case session score match matched status result source code ' +
    'verification inquiry lookup last4 last4digits four last hash token token'
  ).split(' '),
)

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
  const words = wordsOf(key)
  if (words.some((word) => REFERENCE_WORDS.has(word))) return false
  const text = ` ${words.join(' ')} `
  return SSN_PHRASES.some((phrase) => text.includes(` ${phrase} `))
}

const VALUE_KEYS: ReadonlySet<string> = new Set(['value', 'number', 'full', 'raw', 'clear', 'text', 'digits', 'values'])

/** True for a key inside an ssn-like object that holds the value itself: `{ ssn: { value: … } }`. */
export function isValueKey(key: string): boolean {
  return VALUE_KEYS.has(key.toLowerCase())
}
