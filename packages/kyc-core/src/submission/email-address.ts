const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]+$/u
const LABEL = /^[\p{L}\p{M}\p{N}-]+$/u
/**
 * Characters that a domain label has only in their place (RFC 5892, appendix A): Catalan `l·l`, Greek, Hebrew and
 * Japanese punctuation, and joiners of Indic and Arabic letters.
 */
const IN_PLACE =
  /(?<=l)·(?=l)|͵(?=\p{Script=Greek})|(?<=\p{Script=Hebrew})[׳״]|(?<=[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}])・|(?<=\p{M})[\u200c\u200d]|(?<=\p{Script=Arabic})\u200c(?=\p{Script=Arabic})/giu

/** Until 2009 two Japanese carriers gave out addresses with dots at the end and in a row. */
const JAPANESE_CARRIER = /^(?:docomo|ezweb)\.ne\.jp$/i

function isDomainLabel(label: string): boolean {
  return label.length <= 63 && LABEL.test(label.replace(IN_PLACE, '')) && !label.startsWith('-') && !label.endsWith('-')
}

/**
 * Checks for an address `local@domain.tld` with at most 64 characters before the `@`. Internationalised names are
 * accepted. Quoted local parts, comments, display names and bare host names are not.
 */
export function isEmailAddress(text: string): boolean {
  const [local = '', domain = '', ...rest] = text.normalize('NFC').split('@')
  if (rest.length > 0 || local.length > 64) return false
  const wrongDots = JAPANESE_CARRIER.test(domain) ? /^\./ : /^\.|\.$|\.\./
  if (!LOCAL_PART.test(local) || wrongDots.test(local)) return false
  const labels = domain.split('.')
  return labels.length >= 2 && labels.every(isDomainLabel) && !/\.\d+$/.test(domain)
}
