import type { HttpBindings } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context } from 'hono'
import type { InternalCaller } from '../identity/operators.js'
import type { BodyMemory } from './body-memory.js'

/** Values in Hono's context: the request id and, after the check of the credential, its app or internal caller. */
export interface EdgeEnv {
  Bindings: HttpBindings & {
    /** Id of the request, also in the response (`X-Request-ID`) and in each log line about the request. */
    requestId: string
    /** Room for large bodies, shared by all requests. */
    bodyMemory: BodyMemory
  }
  Variables: { appId: string; caller: InternalCaller }
}

/** Hono context of any app of a listener. */
export interface BoundContext {
  readonly env: EdgeEnv['Bindings']
}

/** Returns the remote address of the connection, which may be that of a proxy. */
export function remoteAddressOf(c: Context): string {
  return getConnInfo(c).remote.address ?? ''
}

/** Returns the request target as sent, before URL normalisation. */
export function sentTarget(c: BoundContext): string {
  return c.env.incoming.url ?? ''
}

/** Checks whether the listener has already responded because the connection broke during the handler. */
export function isAnswered(c: BoundContext): boolean {
  return c.env.outgoing.headersSent
}
