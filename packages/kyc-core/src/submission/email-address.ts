const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]+$/u
const LABEL = /^[\p{L}\p{M}\p{N}-]+$/u

function isDomainLabel(label: string): boolean {
  return label.length <= 63 && LABEL.test(label) && !label.startsWith('-') && !label.endsWith('-')
}

/**
 * True for `local@domain.tld` as mailboxes are really written: internationalised names are fine, quoted local parts,
 * comments, display names and bare host names are not. At most 64 characters before the `@`.
 */
export function isEmailAddress(text: string): boolean {
  const [local = '', domain = '', ...rest] = text.split('@')
  if (rest.length > 0 || local.length > 64) return false
  if (!LOCAL_PART.test(local) || local.startsWith('.') || local.endsWith('.') || local.includes('..')) return false
  const labels = domain.split('.')
  return labels.length >= 2 && labels.every(isDomainLabel) && !/\.\d+$/.test(domain)
}
