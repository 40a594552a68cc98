import { isIpAddress } from './address-policy.js'
import { isHonestName } from './international-name.js'

/** What is allowed beside public HTTPS names. */
export interface EndpointUrlPolicy {
  /**
   * Local development: `https://localhost:<port>` is allowed too, reached on the loopback interface only, and trusted
   * with this CA certificate (PEM). Never set it where partners can register endpoints.
   */
  readonly allowLoopback?: { readonly caPem: string }
  /** Names of this service itself, such as its API host; an endpoint on one of them is refused. */
  readonly ownHosts?: readonly string[]
  /** Most characters of a URL. Default 2,048. */
  readonly maxLength?: number
}

/** Why an endpoint URL is refused. */
export type EndpointUrlRefusal =
  /** Not `https://`. */
  | 'URL_NOT_HTTPS'
  /** Not a URL in plain ASCII spelling, or too long. */
  | 'URL_INVALID'
  /** Holds a user name or password. */
  | 'URL_HAS_CREDENTIALS'
  | 'URL_HAS_FRAGMENT'
  /** Neither 443 nor one above 1023 that is not on the Fetch standard's bad-port list. */
  | 'URL_PORT_NOT_ALLOWED'
  /** An IP address, a name that is not public, or one of our own. */
  | 'URL_HOST_NOT_ALLOWED'

/** Ports above 1023 that browsers refuse, because something else than HTTP listens there (Fetch standard, "bad port"). */
const badPorts: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/** Top-level names that are reserved for private use, tests or examples (RFC 6761, 6762, 7686, 8375, 9476; ICANN). */
const privateSuffixes = [
  'local',
  'localhost',
  'localdomain',
  'internal',
  'arpa',
  'onion',
  'alt',
  'test',
  'invalid',
  'example',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'mail',
]

const maxUrlLength = 2_048

/**
 * Checks an endpoint URL at registration, and again before each attempt (docs/contract.md 7).
 *
 * The name is not resolved here: the address is checked when a connection is made.
 *
 * @returns the normalised URL to store and send to, or why it is refused. No part of the URL is repeated.
 *
 * @example
 * ```ts
 * import { checkEndpointUrl } from '@kyc-relay/webhooks/https'
 *
 * checkEndpointUrl('https://Partner.com./hooks') // { ok: true, url: 'https://partner.com/hooks' }
 * checkEndpointUrl('http://partner.com/hooks') // { ok: false, code: 'URL_NOT_HTTPS' }
 * ```
 */
export function checkEndpointUrl(
  url: string,
  policy: EndpointUrlPolicy = {},
): { readonly ok: true; readonly url: string } | { readonly ok: false; readonly code: EndpointUrlRefusal } {
  const spelling = checkSpelling(url, policy.maxLength ?? maxUrlLength)
  if (spelling !== null) return { ok: false, code: spelling }
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    return { ok: false, code: 'URL_INVALID' }
  }
  // One trailing dot only marks the name as absolute.
  if (parsed.hostname.endsWith('.')) parsed.hostname = parsed.hostname.slice(0, -1)
  const code = checkParsed(parsed, url, policy)
  return code === null ? { ok: true, url: parsed.href } : { ok: false, code }
}

/** The URL parser forgives tabs, line breaks, spaces, backslashes and missing slashes; a registration must not. */
function checkSpelling(url: unknown, maxLength: number): EndpointUrlRefusal | null {
  if (typeof url !== 'string' || url.length > maxLength) return 'URL_INVALID'
  // A scheme other than https is named as what it is; `https:host` is merely misspelt.
  if (!/^https:/i.test(url)) return /^[a-z][a-z0-9+.-]*:/i.test(url) ? 'URL_NOT_HTTPS' : 'URL_INVALID'
  if (!/^https:\/\/[^/]/i.test(url)) return 'URL_INVALID'
  const authority = authorityOf(url)
  // Only the name may hold letters beyond ASCII, and no part any white space, control character or backslash.
  const rest = url.slice('https://'.length + authority.length)
  if (!/^[\x21-\x5b\x5d-\x7e]*$/.test(rest) || /[\s\\%]|\p{Cc}/u.test(authority)) return 'URL_INVALID'
  if (authority.includes('@')) return 'URL_HAS_CREDENTIALS'
  return url.includes('#') ? 'URL_HAS_FRAGMENT' : null
}

function authorityOf(url: string): string {
  return /^https:\/\/([^/?#]*)/i.exec(url)?.[1] ?? ''
}

function checkParsed(parsed: URL, raw: string, policy: EndpointUrlPolicy): EndpointUrlRefusal | null {
  const { hostname } = parsed
  // IPv6 keeps its brackets; decimal, octal and hexadecimal IPv4 have become dotted by now.
  if (hostname.startsWith('[') || isIpAddress(hostname)) return 'URL_HOST_NOT_ALLOWED'
  const loopback = isLoopbackEndpoint(parsed, policy)
  if (!loopback && !isPublicName(hostname)) return 'URL_HOST_NOT_ALLOWED'
  if (!loopback && !isHonestName(authorityOf(raw).replace(/:\d*$/, ''), hostname)) return 'URL_HOST_NOT_ALLOWED'
  if (policy.ownHosts?.some((own) => own.toLowerCase().replace(/\.$/, '') === hostname)) return 'URL_HOST_NOT_ALLOWED'
  const port = parsed.port === '' ? 443 : Number(parsed.port)
  return port === 443 || (port > 1023 && !badPorts.has(port)) ? null : 'URL_PORT_NOT_ALLOWED'
}

/** Whether this endpoint is one of local development: `localhost`, and the option is set. */
export function isLoopbackEndpoint(url: URL, policy: EndpointUrlPolicy): boolean {
  return policy.allowLoopback !== undefined && url.hostname === 'localhost'
}

function isPublicName(hostname: string): boolean {
  const labels = hostname.split('.')
  return (
    hostname.length <= 253 &&
    labels.length >= 2 &&
    labels.every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label)) &&
    !privateSuffixes.includes(labels.at(-1) ?? '')
  )
}
