import { createServer, type TlsOptions, type TLSSocket } from 'node:tls'
import type { AddressInfo, Socket } from 'node:net'
import type { KeyPairPem } from './certificates.js'

/** A TLS server on loopback that answers with whatever bytes a test wants. */
export interface RawTlsServer {
  readonly port: number
  /** `https://localhost:<port>/hooks` */
  readonly url: string
  /** The request heads that came in. */
  readonly requests: string[]
  close(): Promise<void>
}

/**
 * `answer` is called once the whole request head, and a body of its Content-Length, has come; `reset` sends a TCP reset
 * instead of an end.
 */
export async function startRawTlsServer(
  certificate: KeyPairPem,
  answer: (socket: TLSSocket, reset: () => void) => void,
  options: TlsOptions = {},
): Promise<RawTlsServer> {
  const sockets = new Set<Socket>()
  const requests: string[] = []
  const server = createServer({ cert: certificate.certPem, key: certificate.keyPem, ...options }, (socket) => {
    socket.on('error', () => {})
    let received = ''
    let answered = false
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1')
      const headEnd = received.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0)
      if (answered || headEnd < 0 || received.length < headEnd + 4 + length) return
      answered = true
      requests.push(received)
      const plain = [...sockets].find(({ remotePort }) => remotePort === socket.remotePort)
      answer(socket, () => plain?.resetAndDestroy())
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `https://localhost:${port}/hooks`,
    requests,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
