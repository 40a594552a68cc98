import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'

/** A connected socket and the address that it is really connected to. */
export interface Connection {
  readonly socket: Socket
  readonly remoteAddress: string
}

/** Opens a TCP connection to an address that was vetted. Rejects, and leaves no socket behind, when `signal` aborts. */
export type Dial = (target: {
  readonly address: string
  readonly port: number
  readonly signal: AbortSignal
}) => Promise<Connection>

/** A connection that could not be opened. */
export class DialError extends Error {
  /** @param outOfSockets - this machine had no socket or local port left: not the endpoint's fault */
  constructor(readonly outOfSockets: boolean) {
    super('The connection could not be opened.')
  }
}

const outOfSocketCodes: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL'])

/** Dials with `node:net`. */
export const dialTcp: Dial = ({ address, port, signal }) =>
  new Promise((resolve, reject) => {
    const socket = connectTcp({ host: address, port, noDelay: true })
    const fail = (error?: unknown) => {
      socket.destroy()
      reject(new DialError(outOfSocketCodes.has((error as { code?: unknown } | undefined)?.code)))
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

/** Speaks TLS 1.2 or newer over an open socket and checks the certificate against the name. */
export function startTls(options: {
  readonly socket: Socket
  readonly servername: string
  /** Trusted instead of the public authorities. */
  readonly ca: string | readonly string[] | undefined
  readonly signal: AbortSignal
}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secure = connectTls({
      socket: options.socket,
      servername: options.servername,
      minVersion: 'TLSv1.2',
      ALPNProtocols: ['http/1.1'],
      // Stated, so that NODE_TLS_REJECT_UNAUTHORIZED=0 has no say.
      rejectUnauthorized: true,
      ...(options.ca === undefined ? {} : { ca: [options.ca].flat() }),
    })
    const fail = () => {
      secure.destroy()
      options.socket.destroy()
      reject(new Error('The TLS handshake did not succeed.'))
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
