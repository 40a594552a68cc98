const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/

/** Ports above 1023 that browsers refuse because of other protocols (Fetch standard, "bad port"). */
const badPorts: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/** Top-level domains reserved for private use, tests or examples (RFC 6761, 6762, 7686, 8375, 9476; ICANN). */
const PRIVATE_SUFFIXES: ReadonlySet<string> = new Set(
  'local localhost localdomain internal arpa onion alt test invalid example intranet private corp home lan mail'.split(
    ' ',
  ),
)
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** Below a registered domain a label may have underscores, as buckets and tenants do. */
const LOWER_LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

function isPublicName(host: string): boolean {
  const labels = host.split('.')
  return (
    host.length <= 253 &&
    labels.length >= 2 &&
    labels.every((label, index) => (index < labels.length - 2 ? LOWER_LABEL : LABEL).test(label)) &&
    !PRIVATE_SUFFIXES.has(labels.at(-1) ?? '')
  )
}

/**
 * Checks for an HTTPS URL with a public host name. User information, address literals in any notation, single-label
 * names, names reserved for private use, white space and backslashes are refused. The port must be 443, or above 1023
 * and not on the Fetch standard's bad-port list. The address of the name is checked when the photo is fetched.
 *
 * @param allowLoopback Also accept `localhost`.
 *
 * @example
 * ```ts
 * import { isPhotoUrl } from '@kyc-relay/kyc-core/internal'
 *
 * isPhotoUrl('https://photos.example.com/front.jpg', false) // true
 * isPhotoUrl('http://photos.example.com/front.jpg', false) // false
 * ```
 */
export function isPhotoUrl(text: string, allowLoopback: boolean): boolean {
  if (/[\s\\]/.test(text) || !/^https:\/\/[^/?#@]+(?:[/?#]|$)/i.test(text)) return false
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return false
  }
  const port = url.port === '' ? 443 : Number(url.port)
  if (port !== 443 && (port <= 1023 || badPorts.has(port))) return false
  // The URL parser converts every notation of an IPv4 address (hex, octal, one number) to this one. An IPv6 address has
  // no dot.
  const host = url.hostname.replace(/\.$/, '')
  if (IPV4.test(host)) return false
  return host === 'localhost' ? allowLoopback : isPublicName(host)
}
