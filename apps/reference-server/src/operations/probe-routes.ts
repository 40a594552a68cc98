import { Hono } from 'hono'
import type { EdgeEnv } from '../http/request-context.js'
import type { Readiness } from './readiness.js'

/** State for probes. */
export interface Probes {
  readonly readiness: () => Promise<Readiness>
}

/**
 * Creates the probes. `GET /healthz`: the process runs. `GET /readyz`: it can do its work (503 if not). Neither needs a
 * token.
 */
export function createProbeRoutes({ readiness }: Probes): Hono<EdgeEnv> {
  const routes = new Hono<EdgeEnv>()
  routes.get('/healthz', (c) => c.json({ status: 'ok' }, 200, { 'cache-control': 'no-store' }))
  routes.get('/readyz', async (c) => {
    const { ready, parts } = await readiness()
    const status = ready ? 200 : 503
    return c.json({ status: ready ? 'ready' : 'not_ready', parts }, status, { 'cache-control': 'no-store' })
  })
  return routes
}
