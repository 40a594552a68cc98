import type { WebhookStore } from '@kyc-relay/webhooks/delivery'
import { Hono, type Context } from 'hono'
import { refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import { id } from './field-schemas.js'
import { actorOf, requireRight } from './internal-caller.js'

/** Dependencies of the operator's routes for endpoints. */
export interface EndpointRoutesDeps {
  readonly store: Pick<WebhookStore, 'pauseEndpoint' | 'resumeEndpoint'>
  /** Wakes the delivery worker of this process. */
  readonly wake: () => void
}

/** Creates the operator's routes for endpoints: a pause that the partner cannot lift, and its end. */
export function createEndpointRoutes({ store, wake }: EndpointRoutesDeps): Hono<EdgeEnv> {
  const routes = new Hono<EdgeEnv>()

  routes.post('/apps/:appId/endpoints/:endpointId/pause', requireRight('keys'), async (c) => {
    const endpoint = endpointOf(c)
    if (endpoint === null) return refuseProblem(c, { code: 'NOT_FOUND' })
    const outcome = await store.pauseEndpoint({ ...endpoint, by: 'OPERATOR', actor: actorOf(c.get('caller')) })
    return outcome === 'paused' ? c.body(null, 204) : refuseProblem(c, { code: 'NOT_FOUND' })
  })

  routes.post('/apps/:appId/endpoints/:endpointId/resume', requireRight('keys'), async (c) => {
    const endpoint = endpointOf(c)
    if (endpoint === null) return refuseProblem(c, { code: 'NOT_FOUND' })
    const outcome = await store.resumeEndpoint({ ...endpoint, by: 'OPERATOR', actor: actorOf(c.get('caller')) })
    if (outcome !== 'resumed') return refuseProblem(c, { code: 'NOT_FOUND' })
    wake()
    return c.body(null, 204)
  })
  return routes
}

function endpointOf(c: Context<EdgeEnv>) {
  const [appId, endpointId] = [id.safeParse(c.req.param('appId')), id.safeParse(c.req.param('endpointId'))]
  return appId.success && endpointId.success ? { appId: appId.data, endpointId: endpointId.data } : null
}
