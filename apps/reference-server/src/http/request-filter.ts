import type { Refusal } from './error-catalogue.js'

/** The parts of a request that are checked before any routing, as Node's parser delivers them. */
export interface RequestHead {
  readonly method: string
  /** The request target as sent. */
  readonly target: string
  readonly httpVersion: string
  /** Names and values in turns, as sent. */
  readonly rawHeaders: readonly string[]
}

/** Most header lines of one request. Browsers send about 20, a chain of proxies adds about as many again. */
export const maxHeaderLines = 128

/** A bit for each header that may be there once. */
const singleHeaders = new Map(
  ['host', 'authorization', 'content-type', 'content-length', 'transfer-encoding', 'content-encoding'].map(
    (name, index) => [name, 1 << index],
  ),
)

// RFC 9112 §3.2.1. Brackets, braces and the like are what clients send unescaped; a backslash some parsers read as a slash.
const originForm = /^\/[!$-[\]-~]*$/

/** Probes ask by address, under whatever name (or none) the platform gives them. */
const probeTargets = new Set(['/healthz', '/readyz'])

// RFC 3986 §3.2.2 without userinfo: a name or an IPv4 address, or an IPv6 address in brackets; then a port.
const hostHeader = /^(?<name>[A-Za-z0-9_.-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/

/**
 * Refuses requests that two parsers could read in two ways (RFC 9112 §3.2, §11.2): a router sees only what passes.
 *
 * `Upgrade` and `X-Forwarded-*` are not checked but ignored everywhere: no connection here is ever upgraded (RFC 9110
 * §7.8), and nobody's word about somebody else's address is taken.
 *
 * @param servesHost Whether a name, as sent and without the port, is one of ours.
 * @returns Null when the head is unambiguous and meant for us.
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
  // Node also takes lists that end in `chunked`, and reads the chunks as they are. Names of codings have no case (RFC 9112 §7).
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
