import { Hono } from 'hono'
import { refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import { refuseUnrouted } from '../http/unrouted.js'
import { errorFields, type Log } from './log.js'
import { createMetricsRoute } from './metrics-route.js'
import type { Metrics } from './metrics.js'
import { createProbeRoutes, type Probes } from './probe-routes.js'

/**
 * Creates the app of a process without an internal API. It serves only probes and metrics.
 *
 * @param deps `metricsTokens` as of {@link createMetricsRoute}: null on loopback.
 */
export function createOperationsApp(deps: {
  readonly probes: Probes
  readonly metrics: Metrics
  readonly metricsTokens: readonly string[] | null
  readonly onRefused: Parameters<typeof createMetricsRoute>[2]
  readonly log: Log
}) {
  const app = new Hono<EdgeEnv>()
  app.route('/', createProbeRoutes(deps.probes))
  app.route('/', createMetricsRoute(deps.metrics, deps.metricsTokens, deps.onRefused))
  refuseUnrouted(app, refuseProblem)
  app.onError((error, c) => {
    deps.log.error('request failed', {
      requestId: c.env.requestId,
      listener: 'internal',
      ...errorFields(error),
    })
    return refuseProblem(c, { code: 'INTERNAL' })
  })
  return app
}
