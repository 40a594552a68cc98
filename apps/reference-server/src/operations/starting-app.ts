import { Hono } from 'hono'
import type { ErrorBody } from '../http/listener.js'
import type { EdgeEnv } from '../http/request-context.js'
import { createProbeRoutes } from './probe-routes.js'

/**
 * Handles requests until the databases are open and migrated. `/healthz` gives 200, `/readyz` 503 with
 * `"server":"starting"`, and every other address 503 with `Retry-After`.
 */
export function createStartingApp(errorBody: ErrorBody): Hono<EdgeEnv> {
  const app = new Hono<EdgeEnv>()
  app.route(
    '/',
    createProbeRoutes({ readiness: () => Promise.resolve({ ready: false, parts: { server: 'starting' } }) }),
  )
  app.all('*', (c) => {
    const { body, contentType } = errorBody({ code: 'UNAVAILABLE', detail: 'STARTING' }, c.env.requestId)
    return c.body(body, 503, { 'content-type': contentType, 'cache-control': 'no-store', 'retry-after': '5' })
  })
  return app
}
