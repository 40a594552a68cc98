import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { KeyPairPem } from './certificates.js'

/** What the proxy does with a `CONNECT`; true opens the tunnel. */
export type ProxyRule = (target: string, request: IncomingMessage, client: Duplex) => boolean

/** An HTTP proxy on loopback. Whatever address it is asked for, the tunnel leads to this machine. */
export interface ProxyServer {
  readonly port: number
  /** Targets and credentials so far. */
  readonly seen: { readonly target: string; readonly authorization: string | undefined }[]
  close(): Promise<void>
}

/** Starts the proxy, with TLS if it has a certificate. */
export async function startProxy(rule: ProxyRule = () => true, certificate?: KeyPairPem): Promise<ProxyServer> {
  const server: Server =
    certificate === undefined ? createServer() : createTlsServer({ cert: certificate.certPem, key: certificate.keyPem })
  const seen: ProxyServer['seen'][number][] = []
  const sockets = new Set<Duplex>()
  const keep = <Kept extends Duplex>(socket: Kept) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    return socket.once('close', () => sockets.delete(socket))
  }
  server.on('connect', (request, client: Socket, head: Buffer) => {
    keep(client)
    const target = request.url ?? ''
    seen.push({ target, authorization: request.headers['proxy-authorization'] })
    if (!rule(target, request, client)) return
    const upstream = keep(connect(Number(target.split(':').at(-1)), '127.0.0.1'))
    upstream.once('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
    upstream.once('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.write(head)
      client.pipe(upstream).pipe(client)
      // Reads on, so that it sees when the client closes.
      upstream.once('close', () => client.resume())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** A rule that answers every `CONNECT` with this text. */
export const answerWith =
  (answer: string): ProxyRule =>
  (_target, _request, client) => {
    client.end(answer)
    return false
  }
