import { Hono, type Handler } from 'hono'
import { graphqlPath, refuseGraphql } from './route.js'
import type { EdgeEnv } from '../http/request-context.js'
import { refuseUnrouted } from '../http/unrouted.js'
import { errorFields, type Log } from '../operations/log.js'
import { createProbeRoutes, type Probes } from '../operations/probe-routes.js'

/** Creates the secure ingestion endpoint, which has one address and one method (docs/contract.md 1.3). */
export function createSecureApp(deps: {
  readonly graphql: Handler<EdgeEnv>
  readonly probes: Probes
  readonly log: Log
}): Hono<EdgeEnv> {
  const app = new Hono<EdgeEnv>()
  app.all(graphqlPath, deps.graphql)
  app.route('/', createProbeRoutes(deps.probes))
  refuseUnrouted(app, refuseGraphql)
  app.onError((error, c) => {
    deps.log.error('request failed', {
      requestId: c.env.requestId,
      listener: 'secure',
      ...errorFields(error),
    })
    return refuseGraphql(c, { code: 'INTERNAL' })
  })
  return app
}
