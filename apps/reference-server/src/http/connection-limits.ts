import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'

/** Connection limits of one listener. */
export interface ConnectionLimits {
  /** Most open connections. Further ones are closed before any byte is read. */
  readonly max: number
  /**
   * Most requests of one connection, so that clients behind a load balancer move to other processes over time. Default
   * 1,000.
   */
  readonly requestsEach?: number
  readonly onDropped: () => void
}

const defaultRequestsEach = 1_000

const requestsSoFar = Symbol('requests so far')

interface Counted extends Duplex {
  [requestsSoFar]?: number
}

/**
 * Limits the connections of a server and the requests of each connection.
 *
 * @returns A function that counts one request of a connection. It returns true for the last one, whose response must
 *   close the connection.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): (connection: Duplex) => boolean {
  const { requestsEach = defaultRequestsEach } = limits
  server.maxConnections = limits.max
  server.on('drop', limits.onDropped)
  // Node sends `Connection: close` but waits for the client to close, and answers further requests with an empty 503.
  // Here this prevents handling of further requests (RFC 9112 §9.6). The connection closes before that 503.
  server.maxRequestsPerSocket = requestsEach
  return (connection: Counted) => {
    const count = (connection[requestsSoFar] ?? 0) + 1
    connection[requestsSoFar] = count
    return count >= requestsEach
  }
}
