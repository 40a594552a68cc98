import { Hono } from 'hono'
import type { WebhookRoutesDeps } from '../webhooks-api/webhook-routes.js'
import { EventTypePage, EventTypesPage } from './pages/event-type-pages.js'
import { appIdOf, sendPage, sendProblem, type PortalEnv } from './portal-context.js'

/** Creates the pages of the event types: what each carries, and how a receiver verifies it. */
export function createEventTypeRoutes(deps: Pick<WebhookRoutesDeps, 'store' | 'catalogue'>): Hono<PortalEnv> {
  const { offered } = deps.catalogue
  const routes = new Hono<PortalEnv>()

  routes.get('/portal/events', async (c) => {
    const endpoints = await deps.store.listEndpoints(appIdOf(c))
    return sendPage(c, <EventTypesPage session={c.get('session')} offered={offered} endpoints={endpoints} />)
  })

  routes.get('/portal/events/:type', (c) => {
    const type = offered.find(({ name }) => name === c.req.param('type'))
    if (type === undefined) return sendProblem(c, 404)
    return sendPage(c, <EventTypePage session={c.get('session')} type={type} />)
  })

  return routes
}
