import { connect, createServer, type Socket } from 'node:net'

/** What a connection does from now on. */
export type Weather =
  /** Passes everything. */
  | 'clear'
  /** Passes what goes to the server, drops what comes back and, once something was dropped, breaks the connection. */
  | 'lose the answer'
  /** Takes everything and passes nothing, without ever closing: a half-open connection. */
  | 'silent'
  /** Greets, and ends the session in the same breath, as a server does that goes down. */
  | 'greets and ends'

/** The greeting ends with it: `ReadyForQuery`, idle. */
const ready = Buffer.from('5a0000000549', 'hex')
const sessionEnds = Buffer.from('E\0\0\0\x19SFATAL\0C57P01\0Mends\0\0', 'latin1')

/** A TCP proxy in front of a PostgreSQL server. */
export interface TcpProxy {
  readonly port: number
  /**
   * Changes the weather for connections on which `text` is sent to the server from now on, or for all without it. A
   * connection that greets and ends is opened after `text` was sent on another one.
   */
  change(weather: Weather, onText?: string): void
  close(): Promise<void>
}

export function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let weather: Weather = 'clear'
  let trigger: string | undefined

  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1')
    let mine: Weather = weather === 'greets and ends' && trigger === undefined ? weather : 'clear'
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
      if (weather === 'greets and ends') {
        if (trigger !== undefined && bytes.includes(trigger)) trigger = undefined
      } else if (weather !== 'clear' && (trigger === undefined || bytes.includes(trigger))) {
        mine = weather
        // One storm hits one connection.
        if (trigger !== undefined) weather = 'clear'
      }
      if (mine !== 'silent') upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (mine === 'greets and ends' && bytes.subarray(-ready.length).equals(ready)) {
        client.end(Buffer.concat([bytes, sessionEnds]))
      } else if (mine === 'clear' || mine === 'greets and ends') client.write(bytes)
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
