import type { Server, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'
import type { Exchange } from '../latest-exchange.js'

/** Requests of one connection that may be open at once. */
export const maxOpenPerConnection = 64

/** The answers that are not with their clients yet, by connection. */
export interface OpenAnswers {
  /** To be called with each connection as soon as it can carry requests. */
  begin(socket: Duplex): void
  /**
   * Follows a request until its handler has ended, and its answer is with the client or lost with the connection.
   *
   * @param onOver Called once, when both are so.
   * @returns To be called once, when the handler has ended.
   */
  follow(exchange: Exchange, onOver: () => void): () => void
  /** Answers of a connection that its client has not taken. */
  openOn(socket: Duplex): number
  /** Ends each connection whose client takes too long. To be called every second or so. */
  look(): void
}

interface OpenAnswer {
  readonly response: ServerResponse
  handled: boolean
  /** When the client could begin to take it; null: nobody has answered yet. */
  madeAtMs: number | null
  /** The system has all of it, or the connection is gone. */
  taken(): void
}

interface Connection {
  /** In the order of their requests, which is the order in which they are sent. */
  readonly answers: Set<OpenAnswer>
  /** When the last of those that were taken had been made. */
  lastMadeMs: number
  /** When a look found that all was written and the connection ended, but not closed. */
  endingSinceMs: number | null
}

/**
 * Follows answers until they are taken. Node tells of the end of an answer with `close`, but not of one that waits behind
 * another on a connection that is gone: so the connection tells.
 *
 * @param maxMs How long a client may take for an answer, from when it and those before it on the connection were made; and
 *   how long a connection may take to close that both sides have ended.
 * @param nowMs Milliseconds that never run backwards.
 */
export function createOpenAnswers(maxMs: number, nowMs: () => number): OpenAnswers {
  const connections = new Map<Duplex, Connection>()

  function begin(socket: Duplex): Connection {
    const connection: Connection = { answers: new Set(), lastMadeMs: 0, endingSinceMs: null }
    connections.set(socket, connection)
    socket.once('close', () => {
      connections.delete(socket)
      for (const answer of connection.answers) answer.taken()
    })
    return connection
  }

  /** Since when the client could have taken the next answer, or the end of the connection. Null: it waits for us. */
  function waitsSinceMs(socket: Duplex, connection: Connection): number | null {
    const [next] = connection.answers
    // The end of TLS is written too, and Node may never learn that it could not be.
    if (next === undefined) return socket.writableEnded ? (connection.endingSinceMs ??= nowMs()) : null
    // A request that broke off was answered, while its handler still waits for the rest of it.
    if (next.response.writableEnded) next.madeAtMs ??= nowMs()
    return next.madeAtMs === null ? null : Math.max(next.madeAtMs, connection.lastMadeMs)
  }

  return {
    begin,
    follow({ request, response }, onOver) {
      const connection = connections.get(request.socket) ?? begin(request.socket)
      const { answers } = connection
      const answer: OpenAnswer = {
        response,
        handled: false,
        madeAtMs: null,
        taken() {
          if (!answers.delete(answer)) return
          connection.lastMadeMs = Math.max(connection.lastMadeMs, answer.madeAtMs ?? 0)
          if (answer.handled) onOver()
        },
      }
      answers.add(answer)
      response.once('close', answer.taken)
      return () => {
        answer.handled = true
        answer.madeAtMs ??= nowMs()
        if (!answers.has(answer)) onOver()
      }
    },
    openOn: (socket) => connections.get(socket)?.answers.size ?? 0,
    look() {
      const now = nowMs()
      for (const [socket, connection] of connections) {
        const sinceMs = waitsSinceMs(socket, connection)
        if (sinceMs !== null && now - sinceMs >= maxMs) socket.destroy()
      }
    },
  }
}

/** Follows the answers of a server, and looks every `checkMs` who takes too long, from when it listens until it has closed. */
export function followAnswers(
  server: Server,
  times: { readonly maxMs: number; readonly checkMs: number },
): OpenAnswers {
  const answers = createOpenAnswers(times.maxMs, () => performance.now())
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', answers.begin)
  server.once('listening', () => {
    const looking = setInterval(answers.look, times.checkMs).unref()
    server.once('close', () => clearInterval(looking))
  })
  return answers
}
