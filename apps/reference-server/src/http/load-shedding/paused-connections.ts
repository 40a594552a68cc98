import type { Socket } from 'node:net'

const checkMs = 10

/** Longest pause of a connection, in milliseconds; shorter than any `Retry-After` of a refusal. */
export const longestPauseMs = 300

/** Pauses connections of a busy process. An unread request costs nothing, but a refusal costs work. */
export interface PausedConnections {
  pause(socket: Socket): void
  count(): number
  /** Resumes all connections and pauses no further ones. */
  stop(): void
}

/**
 * @param room Returns the number of free request slots. It is called every 10 ms while a connection is paused.
 *   Connections resume in the order of their pauses, each after at most 300 ms.
 */
export function createPausedConnections(room: () => number, nowMs: () => number): PausedConnections {
  const pausedSinceMs = new Map<Socket, number>()
  let checks: NodeJS.Timeout | undefined
  let stopped = false

  function resume(socket: Socket): void {
    pausedSinceMs.delete(socket)
    socket.resume()
    if (pausedSinceMs.size > 0) return
    clearInterval(checks)
    checks = undefined
  }

  function check(): void {
    const now = nowMs()
    let left = room()
    for (const [socket, sinceMs] of pausedSinceMs) {
      if (left <= 0 && now - sinceMs < longestPauseMs) break
      if (!socket.destroyed) left -= 1
      resume(socket)
    }
  }

  return {
    pause(socket) {
      if (stopped || !socket.writable || pausedSinceMs.has(socket)) return
      socket.pause()
      pausedSinceMs.set(socket, nowMs())
      checks ??= setInterval(check, checkMs).unref()
    },
    count: () => pausedSinceMs.size,
    stop() {
      stopped = true
      for (const socket of pausedSinceMs.keys()) resume(socket)
    },
  }
}
