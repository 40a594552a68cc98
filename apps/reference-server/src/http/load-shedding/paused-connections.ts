import type { Socket } from 'node:net'
import { latestOn, type Exchange } from '../latest-exchange.js'

/** How often it is looked who may be heard again. */
const lookMs = 10

/** Longest time that a connection is not read: shorter than any `Retry-After` that its client was told. */
export const longestWaitMs = 300

/** Connections that a busy process does not read until there is time for what they send next. */
export interface WaitingConnections {
  /** A request was refused for overload: its connection waits. */
  refused(exchange: Exchange): void
  /** A request was served: while others wait, its connection goes to the end of them. */
  served(exchange: Exchange): void
  /** Connections that are not read now. */
  count(): number
  /** Reads all of them, and lets none wait from now on. */
  stop(): void
}

/**
 * What is not read costs nothing, where refusing costs a tenth of the work that is refused: a process that is asked for ten times of
 * what it can do would only refuse. What is sent meanwhile stays with the operating system.
 *
 * @param mayRead How many connections may be read again, asked every 10 ms while one waits. Those that waited longest
 *   come first; after 300 ms one is read whatever it says.
 */
export function createWaitingConnections(mayRead: () => number, nowMs: () => number): WaitingConnections {
  const sinceMs = new Map<Socket, number>()
  let ended: Exchange[] = []
  let looking: NodeJS.Timeout | null = null
  let stopped = false

  /** Once the answer is out and the rest of a small body was read. */
  function pauseEnded(): void {
    const now = nowMs()
    for (const exchange of ended) {
      const { request, response } = exchange
      const { socket } = request
      const isOver = request.complete && response.writableFinished && latestOn(socket) === exchange
      if (stopped || !isOver || !socket.writable || sinceMs.has(socket)) continue
      socket.pause()
      sinceMs.set(socket, now)
    }
    ended = []
    if (sinceMs.size > 0) looking ??= setInterval(look, lookMs).unref()
  }

  function look(): void {
    const now = nowMs()
    let left = mayRead()
    for (const [socket, since] of sinceMs) {
      if (left <= 0 && now - since < longestWaitMs) break
      sinceMs.delete(socket)
      if (socket.destroyed) continue
      left -= 1
      socket.resume()
    }
    if (sinceMs.size === 0) stopLooking()
  }

  function stopLooking(): void {
    if (looking !== null) clearInterval(looking)
    looking = null
  }

  function add(exchange: Exchange): void {
    if (ended.length === 0) setImmediate(pauseEnded)
    ended.push(exchange)
  }

  return {
    refused: add,
    served(exchange) {
      if (sinceMs.size > 0) add(exchange)
    },
    count: () => sinceMs.size,
    stop() {
      stopped = true
      stopLooking()
      for (const socket of sinceMs.keys()) socket.resume()
      sinceMs.clear()
    },
  }
}
