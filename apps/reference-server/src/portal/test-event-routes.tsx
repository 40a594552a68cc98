import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import type { WebhookRoutesDeps } from '../webhooks-api/webhook-routes.js'
import { findEndpointInPath } from './endpoint-in-path.js'
import { TestEventPage } from './pages/endpoint-action-pages.js'
import {
  appIdOf,
  idInPath,
  seeOther,
  seeOtherWithNotice,
  sendPage,
  sendProblem,
  uuidPattern,
  type PortalEnv,
} from './portal-context.js'

/** Creates the pages that show a test event, then send exactly what they showed. */
export function createTestEventRoutes({
  store,
  testEvents,
  catalogue,
}: Pick<WebhookRoutesDeps, 'store' | 'testEvents' | 'catalogue'>): Hono<PortalEnv> {
  const routes = new Hono<PortalEnv>()

  routes.get(`/portal/webhooks/:endpointId{${uuidPattern}}/test`, async (c) => {
    // The page shows signatures of the signing key. The REST API refuses its dry run for the same reason.
    if (c.get('access') === 'READING') return sendProblem(c, 'retiring')
    const asked = c.req.query('eventType')
    const test = await testEvents.prepare({
      appId: appIdOf(c),
      endpointId: idInPath(c, 'endpointId'),
      eventType: asked !== undefined && catalogue.names.includes(asked) ? asked : null,
    })
    if (test === null) return sendProblem(c, 404)
    const session = c.get('session')
    const previewId = randomUUID()
    await session.keepPreview(previewId, test)
    const page = (
      <TestEventPage
        session={session}
        endpoint={test.endpoint}
        eventType={test.event.type}
        names={catalogue.offered.map(({ name }) => name)}
        request={await testEvents.preview(test)}
        previewId={previewId}
      />
    )
    return sendPage(c, page)
  })
  routes.post(`/portal/webhooks/:endpointId{${uuidPattern}}/test`, async (c) => {
    const session = c.get('session')
    const previewId = c.get('form').get('preview') ?? ''
    const endpoint = await findEndpointInPath(c, store)
    if (endpoint === null) return sendProblem(c, 404)
    const test = await session.takePreview(previewId)
    if (test !== null && test.endpoint.endpointId !== endpoint.endpointId) return sendProblem(c, 404)
    if (test === null) {
      return seeOtherWithNotice(c, `/portal/webhooks/${endpoint.endpointId}/test`, {
        tone: 'warn',
        text: 'That request was sent already, or shown too long ago. Here is a new one.',
      })
    }
    const [delivery] = (await testEvents.send(test)).deliveries
    return seeOther(c, delivery === undefined ? '/portal/deliveries' : `/portal/deliveries/${delivery.deliveryId}`)
  })

  return routes
}
