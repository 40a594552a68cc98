import { X509Certificate } from 'node:crypto'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'

/** A connected socket and its actual remote address. */
export interface Connection {
  readonly socket: Socket
  readonly remoteAddress: string
}

/** Opens a TCP connection to a checked address. When `signal` aborts, it closes the socket and rejects. */
export type Dial = (target: {
  readonly address: string
  readonly port: number
  readonly signal: AbortSignal
}) => Promise<Connection>

/** Fault of this service: this machine had no free socket or local port, or its outbound proxy failed. */
export type OwnFault = 'OUT_OF_SOCKETS' | 'PROXY_FAILED'

/** Error of a connection that could not be opened. */
export class DialError extends Error {
  /** @param fault Null when the endpoint could not be reached. */
  constructor(readonly fault: OwnFault | null) {
    super('The connection could not be opened.')
  }
}

const outOfSocketCodes: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL'])

/** Returns `OUT_OF_SOCKETS` for an error of this machine's sockets; null for another one. */
export function faultOf(error: unknown): OwnFault | null {
  return outOfSocketCodes.has((error as { code?: unknown } | undefined)?.code) ? 'OUT_OF_SOCKETS' : null
}

/** Opens TCP connections with `node:net`. */
export const dialTcp: Dial = ({ address, port, signal }) =>
  new Promise((resolve, reject) => {
    const socket = connectTcp({ host: address, port, noDelay: true })
    const fail = (error?: unknown) => {
      socket.destroy()
      reject(new DialError(faultOf(error)))
    }
    const abort = () => fail()
    signal.addEventListener('abort', abort, { once: true })
    socket.once('error', fail)
    socket.once('connect', () => {
      signal.removeEventListener('abort', abort)
      socket.off('error', fail)
      resolve({ socket, remoteAddress: socket.remoteAddress ?? '' })
    })
    if (signal.aborted) abort()
  })

/**
 * Checks certificates of authorities. A path in their place would fail each handshake, as if it were the endpoint's
 * fault.
 *
 * @throws TypeError unless they are certificates in PEM
 */
export function checkCa(ca: string | readonly string[]): void {
  const isCertificate = (pem: string) => {
    try {
      return new X509Certificate(pem).raw.length > 0
    } catch {
      return false
    }
  }
  const all = [ca].flat()
  if (all.length === 0 || !all.every(isCertificate))
    throw new TypeError('A trusted authority must be given as its certificates in PEM.')
}

/**
 * Returns the settings of TLS 1.2 or newer for all connections that trust the same authorities. They are made once,
 * which saves a tenth of each handshake.
 *
 * @param ca CA certificates that replace the public authorities.
 */
export function tlsTrusting(ca: string | readonly string[] | undefined): () => SecureContext {
  if (ca !== undefined) checkCa(ca)
  let made: SecureContext | undefined
  return () =>
    (made ??= createSecureContext({ minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca: [ca].flat() }) }))
}

/** Starts TLS on an open socket and checks the certificate against the name. */
export function startTls(options: {
  readonly socket: Socket
  readonly servername: string
  readonly secureContext: SecureContext
  readonly signal: AbortSignal
}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secure = connectTls({
      socket: options.socket,
      servername: options.servername,
      secureContext: options.secureContext,
      ALPNProtocols: ['http/1.1'],
      // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 has no effect.
      rejectUnauthorized: true,
    })
    const fail = () => {
      secure.destroy()
      options.socket.destroy()
      reject(new Error('The TLS handshake failed.'))
    }
    options.signal.addEventListener('abort', fail, { once: true })
    secure.once('error', fail)
    secure.once('close', fail)
    secure.once('secureConnect', () => {
      options.signal.removeEventListener('abort', fail)
      secure.off('error', fail)
      secure.off('close', fail)
      resolve(secure)
    })
    if (options.signal.aborted) fail()
  })
}
