const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]+$/u
const LABEL = /^[\p{L}\p{M}\p{N}-]+$/u

function isDomainLabel(label: string): boolean {
  return label.length <= 63 && LABEL.test(label) && !label.startsWith('-') && !label.endsWith('-')
}

/**
 * Checks for an address `local@domain.tld` with at most 64 characters before the `@`. Internationalised names are
 * accepted. Quoted local parts, comments, display names and bare host names are not.
 */
export function isEmailAddress(text: string): boolean {
  const [local = '', domain = '', ...rest] = text.normalize('NFC').split('@')
  if (rest.length > 0 || local.length > 64) return false
  if (!LOCAL_PART.test(local) || local.startsWith('.') || local.endsWith('.') || local.includes('..')) return false
  const labels = domain.split('.')
  return labels.length >= 2 && labels.every(isDomainLabel) && !/\.\d+$/.test(domain)
}
