import type { Refusal } from './error-catalogue.js'

/** Parts of a request that are checked before routing, as Node's parser returns them. */
export interface RequestHead {
  readonly method: string
  /** The request target as sent. */
  readonly target: string
  readonly httpVersion: string
  /** Names and values in turns, as sent. */
  readonly rawHeaders: readonly string[]
}

/** Most header lines of one request. Browsers send about 20; a chain of proxies adds about 20 more. */
export const maxHeaderLines = 128

/** One bit for each header that may appear only once. */
const singleHeaders = new Map(
  ['host', 'authorization', 'content-type', 'content-length', 'transfer-encoding', 'content-encoding'].map(
    (name, index) => [name, 1 << index],
  ),
)

// RFC 9112 §3.2.1. Brackets and braces are allowed because clients send them unescaped. A backslash is not: some
// parsers read it as a slash.
const originForm = /^\/[!$-[\]-~]*$/

/** Probes use an address, or any name that the platform gives. */
const probeTargets = new Set(['/healthz', '/readyz'])

// RFC 3986 §3.2.2 without userinfo: a name or an IPv4 address, or an IPv6 address in brackets; then a port.
const hostHeader = /^(?<name>[A-Za-z0-9_.-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/

/**
 * Refuses ambiguous requests, which two parsers could read differently (RFC 9112 §3.2, §11.2). It runs before the
 * router.
 *
 * `Upgrade` and `X-Forwarded-*` are ignored everywhere: the server never upgrades a connection (RFC 9110 §7.8) and does
 * not trust forwarded addresses.
 *
 * @param servesHost Checks whether the server serves a name, as sent and without port.
 * @returns Null when the head is unambiguous and names a served host.
 */
export function refuseRequestHead(head: RequestHead, servesHost: (name: string) => boolean): Refusal | null {
  if (head.httpVersion !== '1.1') return { code: 'BAD_REQUEST', detail: 'HTTP_VERSION', status: 505 }
  if (head.method === 'TRACE') return { code: 'METHOD_NOT_ALLOWED' }
  if (!originForm.test(head.target)) return { code: 'BAD_REQUEST', detail: 'REQUEST_TARGET' }
  if (head.rawHeaders.length / 2 >= maxHeaderLines) {
    return { code: 'BAD_REQUEST', detail: 'TOO_MANY_HEADERS', status: 431 }
  }
  let seen = 0
  let hostValue: string | undefined
  let encoding: string | undefined
  let transferEncoding: string | undefined
  for (let index = 0; index < head.rawHeaders.length; index += 2) {
    const name = head.rawHeaders[index]?.toLowerCase() ?? ''
    const bit = singleHeaders.get(name) ?? 0
    if ((seen & bit) !== 0) return { code: 'BAD_REQUEST', detail: 'DUPLICATE_HEADER' }
    seen |= bit
    if (name === 'host') hostValue = head.rawHeaders[index + 1] ?? ''
    else if (name === 'content-encoding') encoding = head.rawHeaders[index + 1] ?? ''
    else if (name === 'transfer-encoding') transferEncoding = head.rawHeaders[index + 1] ?? ''
  }
  // Node also accepts lists that end in `chunked` and reads only the chunks. Names of codings are case-insensitive (RFC
  // 9112 §7).
  if (transferEncoding !== undefined && transferEncoding.toLowerCase() !== 'chunked') {
    return { code: 'BAD_REQUEST', detail: 'TRANSFER_ENCODING' }
  }
  const host = hostHeader.exec(hostValue ?? '')?.groups?.name
  if (host === undefined)
    return { code: 'BAD_REQUEST', detail: hostValue === undefined ? 'HOST_MISSING' : 'HOST_INVALID' }
  if (!probeTargets.has(head.target) && !servesHost(host)) {
    return { code: 'BAD_REQUEST', detail: 'HOST_NOT_SERVED', status: 421 }
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return { code: 'UNSUPPORTED_MEDIA_TYPE', detail: 'CONTENT_ENCODING' }
  }
  return null
}
