import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'

/** What one listener gives of its process. */
export interface ConnectionLimits {
  /** Connections open at once. One more is closed before a byte of it is read. */
  readonly max: number
  /** Requests of one connection: behind a balancer the connections of a client move to another process some time. Default 1,000. */
  readonly requestsEach?: number
  readonly onDropped: () => void
}

const defaultRequestsEach = 1_000

const requestsSoFar = Symbol('requests so far')

interface Counted extends Duplex {
  [requestsSoFar]?: number
}

/**
 * Bounds the connections of a server, and the requests of each.
 *
 * @returns Counts one request of a connection, and says whether it is the last one: its answer must close the connection.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): (connection: Duplex) => boolean {
  const { requestsEach = defaultRequestsEach } = limits
  server.maxConnections = limits.max
  server.on('drop', limits.onDropped)
  // Node says `Connection: close` but waits for the client to do it, and answers what comes behind an empty 503. Here it
  // keeps what was sent behind the last one from being worked on (RFC 9112 §9.6); the connection ends before that 503.
  server.maxRequestsPerSocket = requestsEach
  return (connection: Counted) => {
    const count = (connection[requestsSoFar] ?? 0) + 1
    connection[requestsSoFar] = count
    return count >= requestsEach
  }
}
