const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/

/**
 * True for an HTTPS URL with a host name that can be public: no user information, no address literal in any notation,
 * no single-label name, no white space or backslash. Whether the name resolves to a public address is decided when the
 * photo is fetched.
 *
 * @param allowLoopback Accept `localhost` as well.
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
  // The URL parser has folded every notation of an IPv4 address (hex, octal, one number) into this one; an IPv6 address has
  // no dot.
  const host = url.hostname.replace(/\.$/, '')
  if (IPV4.test(host)) return false
  if (host === 'localhost' || host.endsWith('.localhost')) return allowLoopback
  return host.includes('.') && !host.endsWith('.local') && !host.endsWith('.internal')
}
