import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** A request and its answer. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

const latestExchange = Symbol('latest exchange')

interface Conversing extends Duplex {
  [latestExchange]?: Exchange
}

/** Remembers what came last on this connection. */
export function rememberExchange(connection: Duplex, exchange: Exchange): void {
  ;(connection as Conversing)[latestExchange] = exchange
}

/** The latest request on this connection, if there was one. */
export function latestOn(connection: Duplex): Exchange | undefined {
  return (connection as Conversing)[latestExchange]
}
