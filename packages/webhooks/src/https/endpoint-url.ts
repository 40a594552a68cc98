import { isIpAddress } from './address-policy.js'
import { isHonestName } from './international-name.js'

/** Exceptions and limits for endpoint URLs. */
export interface EndpointUrlPolicy {
  /**
   * CA certificate (PEM) for local development. It also allows `https://localhost:<port>`, on the loopback interface
   * only, with a certificate of this CA. Never set it where partners can register endpoints.
   */
  readonly allowLoopback?: { readonly caPem: string }
  /**
   * True also allows `http://localhost:<port>` without TLS, on the loopback interface only, with a port above 1023. For
   * development and tests. Never set it where partners can register endpoints. Default false.
   */
  readonly allowPlainHttpLocalhost?: boolean
  /** Host names of this service, such as its API host. They are refused as endpoints. */
  readonly ownHosts?: readonly string[]
  /** Longest URL in characters. Default 2,048. */
  readonly maxLength?: number
}

/** Reasons to refuse an endpoint URL. */
export type EndpointUrlRefusal =
  /** Not `https://`. */
  | 'URL_NOT_HTTPS'
  /** Not a full URL in plain notation, or too long. */
  | 'URL_INVALID'
  /** Contains a user name or password. */
  | 'URL_HAS_CREDENTIALS'
  | 'URL_HAS_FRAGMENT'
  /** Port other than 443, and either below 1024 or on the Fetch standard's bad-port list. */
  | 'URL_PORT_NOT_ALLOWED'
  /** An IP address, a name that is not public, or a name of this service. */
  | 'URL_HOST_NOT_ALLOWED'

/** Ports above 1023 that browsers refuse because of other protocols (Fetch standard, "bad port"). */
const badPorts: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/** Top-level domains reserved for private use, tests or examples (RFC 6761, 6762, 7686, 8375, 9476; ICANN). */
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
 * It does not resolve the name. The address is checked when a connection is opened.
 *
 * @returns the normalised URL to store and send to, or the reason of the refusal, which holds no part of the URL.
 * @throws TypeError for an unknown name or a wrong value in the policy
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
  checkPolicy(policy)
  const mayBePlain = policy.allowPlainHttpLocalhost === true && typeof url === 'string'
  if (mayBePlain && plainLocalhost.test(url)) return checkPlainLocalhost(url, policy)
  const spelling = checkSpelling(url, policy.maxLength ?? maxUrlLength)
  if (spelling !== null) return { ok: false, code: spelling }
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    return { ok: false, code: 'URL_INVALID' }
  }
  // One trailing dot is allowed: it marks the name as absolute.
  if (parsed.hostname.endsWith('.')) parsed.hostname = parsed.hostname.slice(0, -1)
  // A bare "?" would make a second registration of one address.
  if (parsed.search === '') parsed.search = ''
  const code = checkParsed(parsed, url, policy)
  return code === null ? { ok: true, url: parsed.href } : { ok: false, code }
}

export const policyNames: readonly string[] = ['allowLoopback', 'allowPlainHttpLocalhost', 'ownHosts', 'maxLength']

/**
 * Checks a policy: a misspelt name would switch a protection off, and so would `allowLoopback: false`.
 *
 * @throws TypeError
 */
export function checkPolicy(policy: EndpointUrlPolicy): void {
  for (const name of Object.keys(policy))
    if (!policyNames.includes(name)) throw new TypeError(`The option policy.${name} does not exist.`)
  for (const name of wrongSettings(policy)) throw new TypeError(`The option policy.${name} has a wrong value.`)
}

/** Returns the names of settings with a wrong value. */
export function wrongSettings(policy: EndpointUrlPolicy): string[] {
  const { allowLoopback = { caPem: '' }, allowPlainHttpLocalhost = false, ownHosts = [], maxLength = 1 } = policy
  const isRight = {
    allowLoopback: typeof (allowLoopback as typeof allowLoopback | null)?.caPem === 'string',
    allowPlainHttpLocalhost: typeof allowPlainHttpLocalhost === 'boolean',
    ownHosts: Array.isArray(ownHosts) && ownHosts.every((host) => typeof host === 'string'),
    maxLength: Number.isSafeInteger(maxLength) && maxLength >= 1,
  } satisfies Record<keyof EndpointUrlPolicy, boolean>
  return Object.entries(isRight).flatMap(([name, right]) => (right ? [] : [name]))
}

const plainLocalhost = /^http:\/\/localhost:/i

/** Checks a URL of local development without TLS: all other rules are those of HTTPS. */
function checkPlainLocalhost(url: string, policy: EndpointUrlPolicy): ReturnType<typeof checkEndpointUrl> {
  const { allowPlainHttpLocalhost: _, ...rest } = policy
  const checked = checkEndpointUrl(`https${url.slice('http'.length)}`, { ...rest, allowLoopback: { caPem: '' } })
  if (!checked.ok) return checked
  const port = new URL(checked.url).port
  if (port === '') return { ok: false, code: 'URL_PORT_NOT_ALLOWED' }
  return { ok: true, url: `http${checked.url.slice('https'.length)}` }
}

/**
 * Checks the notation of a URL. The URL parser accepts tabs, line breaks, spaces, backslashes and missing slashes; a
 * registration must not.
 */
function checkSpelling(url: unknown, maxLength: number): EndpointUrlRefusal | null {
  if (typeof url !== 'string' || url.length > maxLength) return 'URL_INVALID'
  // Another scheme has its own reason; `https:host` is a malformed URL.
  if (!/^https:/i.test(url)) return /^[a-z][a-z0-9+.-]*:/i.test(url) ? 'URL_NOT_HTTPS' : 'URL_INVALID'
  if (!/^https:\/\/[^/]/i.test(url)) return 'URL_INVALID'
  const authority = authorityOf(url)
  // Only the host name may hold characters outside ASCII. No part may hold white space, control characters or
  // backslashes.
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
  // The URL parser keeps the brackets of IPv6 and converts decimal, octal and hexadecimal IPv4 to dotted notation.
  if (hostname.startsWith('[') || isIpAddress(hostname)) return 'URL_HOST_NOT_ALLOWED'
  const loopback = isLoopbackEndpoint(parsed, policy)
  if (!loopback && !isPublicName(hostname)) return 'URL_HOST_NOT_ALLOWED'
  if (!loopback && !isHonestName(authorityOf(raw).replace(/:\d*$/, ''), hostname)) return 'URL_HOST_NOT_ALLOWED'
  if (policy.ownHosts?.some((own) => own.toLowerCase().replace(/\.$/, '') === hostname)) return 'URL_HOST_NOT_ALLOWED'
  const port = parsed.port === '' ? 443 : Number(parsed.port)
  return port === 443 || (port > 1023 && !badPorts.has(port)) ? null : 'URL_PORT_NOT_ALLOWED'
}

/** Checks for an endpoint of local development: the host is `localhost`, and the option of its protocol is set. */
export function isLoopbackEndpoint(url: URL, policy: EndpointUrlPolicy): boolean {
  const isAllowed =
    url.protocol === 'http:' ? policy.allowPlainHttpLocalhost === true : policy.allowLoopback !== undefined
  return isAllowed && url.hostname === 'localhost'
}

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** Below a registered domain a label may have underscores, as buckets and tenants do. */
const lowerLabel = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

function isPublicName(hostname: string): boolean {
  const labels = hostname.split('.')
  return (
    hostname.length <= 253 &&
    labels.length >= 2 &&
    labels.every((part, index) => (index < labels.length - 2 ? lowerLabel : label).test(part)) &&
    !privateSuffixes.includes(labels.at(-1) ?? '')
  )
}
