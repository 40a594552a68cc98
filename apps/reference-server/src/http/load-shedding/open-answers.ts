import type { Server, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'

/** The answers of a listener that its clients have not taken yet, by connection. */
export interface OpenAnswers {
  /** Follows the answer to a request that has just arrived. Resolves when its client has it or its connection is gone. */
  follow(response: ServerResponse): Promise<void>
  /** How many answers are open on this connection. */
  countOn(socket: Duplex): number
  /** The answer to the latest request on this connection, open or not. */
  latestOn(socket: Duplex): ServerResponse | undefined
}

interface Connection {
  /** In the order of their requests, which is the order in which they are sent; each with what to call once it is taken. */
  readonly open: Map<ServerResponse, () => void>
  latest?: ServerResponse
  /** What the client must take next, and since when the checks have seen it. */
  due: object | null
  dueSinceMs: number
}

/**
 * Follows answers until they are taken, and closes the connection of a client that takes too long. The connection is
 * watched too: Node emits no `close` for an answer that waits behind another one when the connection is gone.
 *
 * @param maxMs How long a client may take for an answer, from when the answer and those before it are complete; and how
 *   long a connection may take to close that both sides have ended.
 * @param nowMs Milliseconds that never run backwards.
 */
export function createOpenAnswers(
  maxMs: number,
  nowMs: () => number,
): OpenAnswers & { begin(socket: Duplex): unknown; check(): void } {
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

  /** Null: nothing is due, because the answer is still being made. */
  function dueOn(socket: Duplex, { open }: Connection): object | null {
    const [next] = open.keys()
    // Node may never learn that the end of a TLS connection cannot be written.
    if (next === undefined) return socket.writableEnded ? socket : null
    return next.writableEnded ? next : null
  }

  return {
    begin,
    follow(response) {
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

/** Follows the answers of a server, with a check every `checkMs` from when it listens until it has closed. */
export function followAnswers(
  server: Server,
  times: { readonly maxMs: number; readonly checkMs: number },
): OpenAnswers {
  const answers = createOpenAnswers(times.maxMs, () => performance.now())
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', answers.begin)
  server.once('listening', () => {
    const checks = setInterval(answers.check, times.checkMs).unref()
    server.once('close', () => clearInterval(checks))
  })
  return answers
}
