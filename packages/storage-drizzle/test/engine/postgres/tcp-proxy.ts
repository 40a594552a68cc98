import { connect, createServer, type Socket } from 'node:net'

/** What a connection does from now on. */
export type Weather =
  /** Passes everything. */
  | 'clear'
  /** Passes what goes to the server, drops what comes back and, once something was dropped, breaks the connection. */
  | 'lose the answer'
  /** Takes everything and passes nothing, without ever closing: a half-open connection. */
  | 'silent'

/** A TCP proxy in front of a PostgreSQL server. */
export interface TcpProxy {
  readonly port: number
  /** Changes the weather for connections on which `text` is sent to the server from now on, or for all without it. */
  change(weather: Weather, onText?: string): void
  close(): Promise<void>
}

export function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let weather: Weather = 'clear'
  let trigger: string | undefined

  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1')
    let mine: Weather = 'clear'
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', end)
      socket.on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    client.on('data', (bytes) => {
      if (weather !== 'clear' && (trigger === undefined || bytes.includes(trigger))) {
        mine = weather
        // One storm hits one connection.
        if (trigger !== undefined) weather = 'clear'
      }
      if (mine !== 'silent') upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (mine === 'clear') client.write(bytes)
      else if (mine === 'lose the answer') end()
    })
  })

  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address === null || typeof address === 'string') throw new Error('no port')
      resolve({
        port: address.port,
        change(next, onText) {
          weather = next
          trigger = onText
        },
        close: () =>
          new Promise((closed) => {
            for (const socket of sockets) socket.destroy()
            server.close(() => closed())
          }),
      })
    })
  })
}
