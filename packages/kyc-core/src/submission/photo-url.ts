const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/

/** Ports above 1023 that browsers refuse because of other protocols (Fetch standard, "bad port"). */
const badPorts: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/**
 * Checks for an HTTPS URL with a host name that can be public. User information, address literals in any notation,
 * single-label names, white space and backslashes are refused. The port must be 443, or above 1023 and not on the Fetch
 * standard's bad-port list. The address of the name is checked when the photo is fetched.
 *
 * @param allowLoopback Also accept `localhost`.
 */
export function isPhotoUrl(text: string, allowLoopback: boolean): boolean {
  if (/[\s\\]/.test(text) || !/^https:\/\/[^/]/i.test(text)) return false
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return false
  }
  if (url.username !== '' || url.password !== '') return false
  const port = url.port === '' ? 443 : Number(url.port)
  if (port !== 443 && (port <= 1023 || badPorts.has(port))) return false
  // The URL parser converts every notation of an IPv4 address (hex, octal, one number) to this one. An IPv6 address has
  // no dot.
  const host = url.hostname.replace(/\.$/, '')
  if (IPV4.test(host)) return false
  if (host === 'localhost' || host.endsWith('.localhost')) return allowLoopback
  return host.includes('.') && !host.endsWith('.local') && !host.endsWith('.internal')
}
