import type { Socket } from 'node:net'

const checkMs = 10

/** Longest time that a connection is not read: shorter than any `Retry-After` that its client was told. */
export const longestPauseMs = 300

/** Connections that a busy process does not read for a while. What is not read costs nothing; a refusal costs some work. */
export interface PausedConnections {
  pause(socket: Socket): void
  count(): number
  /** Reads all of them, and pauses none from now on. */
  stop(): void
}

/**
 * @param room How many requests could be taken now; asked every 10 ms while a connection is paused. The connections that
 *   were paused first are read first. Each one is read after 300 ms, however busy the process is.
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
