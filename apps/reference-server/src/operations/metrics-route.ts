import { Hono } from 'hono'
import { isInternalCaller } from '../identity/bearer.js'
import { refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import type { Metrics } from './metrics.js'

/**
 * `GET /metrics` as Prometheus text.
 *
 * @param tokens Accepted bearer tokens. Null accepts every request; an empty list refuses every request.
 * @param onRefused Called for each refused request.
 */
export function createMetricsRoute(
  metrics: Pick<Metrics, 'contentType' | 'render'>,
  tokens: readonly string[] | null,
  onRefused: (authorization: string | undefined, requestId: string) => void = () => undefined,
): Hono<EdgeEnv> {
  const routes = new Hono<EdgeEnv>()
  routes.get('/metrics', async (c) => {
    const authorization = c.req.header('authorization')
    if (tokens !== null && !tokens.some((token) => isInternalCaller(authorization, token))) {
      onRefused(authorization, c.env.requestId)
      const refusal = { code: 'UNAUTHENTICATED', detail: 'METRICS_TOKEN_REQUIRED' } as const
      return refuseProblem(c, refusal, { 'www-authenticate': 'Bearer' })
    }
    return c.body(await metrics.render(), 200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' })
  })
  return routes
}
