import { request as startRequest, type IncomingHttpHeaders, type RequestOptions } from 'node:http'
import { request as startTlsRequest } from 'node:https'
import { isIP } from 'node:net'
import { checkCa, DialError, faultOf, type Dial } from './connection.js'

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
  const proxy = parseProxyUrl(url)
  if (ca !== undefined) checkCa(ca)
  const start = (options: RequestOptions) =>
    proxy.isTls
      ? startTlsRequest(proxy.origin, { ...options, servername: proxy.servername, ...(ca === undefined ? {} : { ca }) })
      : startRequest(proxy.origin, options)
  return ({ address, port, signal }) =>
    new Promise((resolve, reject) => {
      const target = `${address.includes(':') ? `[${address}]` : address}:${port}`
      const request = start({
        agent: false,
        method: 'CONNECT',
        path: target,
        headers: { host: target, ...proxy.credentials },
        maxHeaderSize: 16_384,
        signal,
      })
      const connecting = setTimeout(() => request.destroy(), connectTimeoutMs)
      const connected = () => clearTimeout(connecting)
      request
        .once('socket', (socket) => socket.once(proxy.isTls ? 'secureConnect' : 'connect', connected))
        .once('close', connected)
        .on('error', (error) => reject(new DialError(signal.aborted ? null : (faultOf(error) ?? 'PROXY_FAILED'))))
        .once('connect', ({ statusCode = 0, headers }, socket, head) => {
          if (statusCode >= 200 && statusCode < 300) {
            socket.unshift(head)
            return resolve({ socket, remoteAddress: address })
          }
          socket.on('error', () => undefined).destroy()
          reject(new DialError(isFaultOfTarget(statusCode, headers) ? null : 'PROXY_FAILED'))
        })
        .end()
    })
}

interface Proxy {
  readonly origin: URL
  readonly isTls: boolean
  /** Name in the certificate of the proxy. Node would take it from the header `host`, which names the endpoint. */
  readonly servername: string
  readonly credentials: Readonly<Record<string, string>>
}

function parseProxyUrl(proxyUrl: string): Proxy {
  const url = URL.canParse(proxyUrl) ? new URL(proxyUrl) : null
  const refused = new TypeError('The proxy must be http://host:port or https://host:port.')
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw refused
  }
  const { hostname, username, password } = url
  const proxy = {
    origin: new URL(url.origin),
    isTls: url.protocol === 'https:',
    servername: isIP(hostname.replace(/[[\]]/g, '')) === 0 ? hostname : '',
  }
  if (username === '' && password === '') return { ...proxy, credentials: {} }
  const decoded = (text: string) => {
    try {
      return decodeURIComponent(text)
    } catch {
      // Its own error repeats the text.
      throw refused
    }
  }
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`, 'utf8').toString('base64')
  return { ...proxy, credentials: { 'proxy-authorization': `Basic ${credentials}` } }
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
