import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { checkCa, DialError, faultOf, type Dial } from './connection.js'
import { Client } from './http-client.js'

/** Time limit of the connection to the proxy itself, in milliseconds. */
const connectTimeoutMs = 5_000

/** An HTTP proxy. */
export interface OutboundProxy {
  /** `http://host:port` or `https://host:port`. User and password in it are sent as Basic credentials. */
  readonly url: string
  /** CA certificate (PEM) of an `https://` proxy, in place of the public authorities. */
  readonly ca?: string
}

/**
 * Dials through an HTTP proxy with `CONNECT` (RFC 9110, section 9.3.6).
 *
 * The proxy gets the checked address, never a name: it cannot resolve a name to another address. TLS to the endpoint
 * runs inside the tunnel.
 *
 * @throws TypeError for a URL of another form, or an unknown name.
 */
export function dialThroughProxy({ url, ca, ...unknown }: OutboundProxy): Dial {
  for (const name of Object.keys(unknown)) throw new TypeError(`The option proxy.${name} does not exist.`)
  const { origin, authorization } = parseProxyUrl(url)
  if (ca !== undefined) checkCa(ca)
  const connect = { timeout: connectTimeoutMs, ...(ca === undefined ? {} : { ca }) }
  return async ({ address, port, signal }) => {
    const target = `${address.includes(':') ? `[${address}]` : address}:${port}`
    const client = new Client(origin, { connect, maxHeaderSize: 16_384 })
    try {
      const headers = { host: target, ...(authorization === null ? {} : { 'proxy-authorization': authorization }) }
      const { statusCode, headers: answer, socket } = await client.connect({ path: target, headers, signal })
      if (statusCode >= 200 && statusCode < 300) return { socket: socket as Socket, remoteAddress: address }
      socket.on('error', () => undefined).destroy()
      throw new DialError(isFaultOfTarget(statusCode, answer) ? null : 'PROXY_FAILED')
    } catch (error) {
      void client.destroy()
      if (error instanceof DialError) throw error
      throw new DialError(signal.aborted ? null : (faultOf(error) ?? 'PROXY_FAILED'))
    }
  }
}

function parseProxyUrl(proxyUrl: string): { readonly origin: string; readonly authorization: string | null } {
  const url = URL.canParse(proxyUrl) ? new URL(proxyUrl) : null
  const refused = new TypeError('The proxy must be http://host:port or https://host:port.')
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw refused
  }
  const { origin, username, password } = url
  if (username === '' && password === '') return { origin, authorization: null }
  const decoded = (text: string) => {
    try {
      return decodeURIComponent(text)
    } catch {
      // Its own error repeats the text.
      throw refused
    }
  }
  const credentials = `${decoded(username)}:${decoded(password)}`
  return { origin, authorization: `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}` }
}

/** Errors of RFC 9209, section 2.3, that concern the target of the proxy. */
const targetErrors =
  /\berror=(?:connection_(?:refused|terminated|timeout)|destination_(?:not_found|unavailable|ip_unroutable))\b/

/**
 * Checks whether the proxy says that the target could not be reached. 502 and 504 are defined so. 503 also means an
 * overloaded proxy, so it must name its reason: `Proxy-Status`, or Squid's `X-Squid-Error`.
 */
function isFaultOfTarget(status: number, headers: IncomingHttpHeaders): boolean {
  if (status === 502 || status === 504) return true
  const reasons = `${String(headers['proxy-status'] ?? '')} ${String(headers['x-squid-error'] ?? '')}`
  return status === 503 && (targetErrors.test(reasons) || reasons.includes('ERR_CONNECT_FAIL'))
}
