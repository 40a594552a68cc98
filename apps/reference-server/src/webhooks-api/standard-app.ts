import { Hono, type Handler } from 'hono'
import { createGraphiqlRoutes } from '../graphiql/graphiql-routes.js'
import { createAssetRoutes } from '../portal/assets.js'
import { refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import { refusalOfError } from '../http/refusal-of-error.js'
import { refuseUnrouted } from '../http/unrouted.js'
import type { Log } from '../operations/log.js'
import { createProbeRoutes, type Probes } from '../operations/probe-routes.js'
import { createPortalApp, type PortalDeps } from '../portal/portal-app.js'
import { createDocumentationRoutes } from './documentation-routes.js'
import { createWebhookRoutes, type WebhookRoutesDeps } from './webhook-routes.js'

/**
 * Creates the standard API: GraphQL for reading, `/api/v1/webhooks` with its reference, the portal, and health checks.
 */
export function createStandardApp(deps: {
  readonly graphql: Handler<EdgeEnv>
  /** True to serve GraphiQL: outside production, on a loopback address. */
  readonly graphiql: boolean
  readonly webhooks: WebhookRoutesDeps
  readonly portal: Omit<PortalDeps, 'webhooks' | 'log'>
  readonly probes: Probes
  /** `GET /metrics`. */
  readonly metrics: Hono<EdgeEnv>
  readonly log: Log
}): Hono<EdgeEnv> {
  const app = new Hono<EdgeEnv>()
  app.all('/api/v1/graphql', deps.graphql)
  app.route('/', createWebhookRoutes(deps.webhooks))
  app.route('/', createDocumentationRoutes(deps.webhooks.catalogue))
  app.route('/', createAssetRoutes())
  if (deps.graphiql) app.route('/', createGraphiqlRoutes())
  app.route('/', createPortalApp({ ...deps.portal, webhooks: deps.webhooks, log: deps.log }))
  app.route('/', createProbeRoutes(deps.probes))
  app.route('/', deps.metrics)
  refuseUnrouted(app, refuseProblem)
  app.onError((error, c) => {
    const where = { requestId: c.env.requestId, listener: 'api' } as const
    return refuseProblem(c, refusalOfError(error, deps.log, where), { 'retry-after': '5' })
  })
  return app
}
