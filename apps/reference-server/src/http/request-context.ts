import type { HttpBindings } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context } from 'hono'

/** What handlers find in Hono's context: the id of the request and, once an API key was checked, its app. */
export interface EdgeEnv {
  Bindings: HttpBindings & {
    /** Also in the answer (`X-Request-ID`) and in each log line about the request. */
    requestId: string
  }
  Variables: { appId: string }
}

/** The context of any app that a listener serves. */
export interface BoundContext {
  readonly env: EdgeEnv['Bindings']
}

/** The address that the connection comes from: a proxy's where one is in front. */
export function remoteAddressOf(c: Context): string {
  return getConnInfo(c).remote.address ?? ''
}

/** The request target as sent, before URL normalisation. */
export function sentTarget(c: BoundContext): string {
  return c.env.incoming.url ?? ''
}

/** Whether the listener has answered already: the connection broke while the handler worked. */
export function isAnswered(c: BoundContext): boolean {
  return c.env.outgoing.headersSent
}
