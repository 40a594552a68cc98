import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'

/** Tracks the responses that clients have not read yet, by connection. */
export interface OpenResponses {
  /** Tracks the response to a new request. Resolves when the client has read it or the connection is closed. */
  track(response: ServerResponse): Promise<void>
  /** Returns the number of open responses of a connection. */
  countOn(socket: Duplex): number
  /** Returns the response to the latest request of a connection, open or not. */
  latestOn(socket: Duplex): ServerResponse | undefined
}

/** How long a new connection may be silent while its server closes: its first request may be on the way. */
const longestSilenceMs = 1_000

/** Ends connections while their server closes: Node then no longer checks its time limits. */
interface ClosingConnections {
  /**
   * Ends connections that have sent nothing for a second after the close, and those whose next request has not arrived
   * whole after `requestMs`.
   */
  endUnsent(sinceCloseMs: number, requestMs: number): void
}

interface Connection {
  /** Open responses in the order of their requests, each with a callback for its end. */
  readonly open: Map<ServerResponse, () => void>
  latest?: ServerResponse
  /** The response that the client must read next, and the time of the first check that saw it. */
  due: object | null
  dueSinceMs: number
}

/**
 * Tracks responses until clients have read them, and closes the connection of a slow client. It also watches
 * connections: Node emits no `close` for a response that waits behind another one.
 *
 * @param maxMs Time limit for reading a response, after it and earlier ones are complete. Also the time limit for
 *   closing a connection that both sides have ended.
 * @param nowMs Monotonic clock, in milliseconds.
 */
export function createOpenResponses(
  maxMs: number,
  nowMs: () => number,
): OpenResponses & ClosingConnections & { begin(socket: Duplex): unknown; check(): void } {
  const connections = new Map<Duplex, Connection>()

  function begin(socket: Duplex): Connection {
    const connection: Connection = { open: new Map(), due: null, dueSinceMs: 0 }
    connections.set(socket, connection)
    socket.once('close', () => {
      connections.delete(socket)
      for (const taken of connection.open.values()) taken()
    })
    return connection
  }

  /** Null when the handler has not finished the response. */
  function dueOn(socket: Duplex, { open }: Connection): object | null {
    const [next] = open.keys()
    // Node may not detect that the end of a TLS connection cannot be written.
    if (next === undefined) return socket.writableEnded ? socket : null
    return next.writableEnded ? next : null
  }

  return {
    begin,
    track(response) {
      const { socket } = response.req
      const connection = connections.get(socket) ?? begin(socket)
      connection.latest = response
      return new Promise((resolve) => {
        const taken = () => {
          connection.open.delete(response)
          resolve()
        }
        connection.open.set(response, taken)
        response.once('close', taken)
      })
    },
    countOn: (socket) => connections.get(socket)?.open.size ?? 0,
    latestOn: (socket) => connections.get(socket)?.latest,
    endUnsent(sinceCloseMs, requestMs) {
      const isLate = sinceCloseMs > requestMs
      for (const [socket, { open }] of connections) {
        const [next] = open.keys()
        const isSilent = sinceCloseMs > longestSilenceMs && (socket as Socket).bytesRead === 0
        if (isSilent || (isLate && next?.req.complete !== true)) socket.destroy()
      }
    },
    check() {
      const now = nowMs()
      for (const [socket, connection] of connections) {
        const due = dueOn(socket, connection)
        if (due !== connection.due) Object.assign(connection, { due, dueSinceMs: now })
        else if (due !== null && now - connection.dueSinceMs >= maxMs) socket.destroy()
      }
    },
  }
}

/** Tracks the responses of a server. It checks every `checkMs` while the server is open. */
export function trackOpenResponses(
  server: Server,
  times: { readonly maxMs: number; readonly checkMs: number },
): OpenResponses & ClosingConnections {
  const responses = createOpenResponses(times.maxMs, () => performance.now())
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', responses.begin)
  server.once('listening', () => {
    const checks = setInterval(responses.check, times.checkMs).unref()
    server.once('close', () => clearInterval(checks))
  })
  return responses
}
