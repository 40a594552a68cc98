import { eventTypes } from '@kyc-relay/webhooks'
import type { EventInput, InsertedEvent } from '@kyc-relay/webhooks/delivery'
import { Hono } from 'hono'
import { z } from 'zod'
import { readJson } from '../http/json-route.js'
import type { EdgeEnv } from '../http/listener.js'
import { eventData, id, sourceEventId } from '../operator-api/field-schemas.js'
import { presentEvent, refuseEvent } from './published-event.js'

const publication = z.strictObject({
  appId: id,
  userId: id,
  eventType: z.enum(eventTypes),
  data: eventData,
  sourceEventId,
})

/** `POST /internal/v1/events`: one event of any type, as another service of ours tells it. */
export function createEventRoutes(deps: {
  readonly publish: (event: EventInput) => Promise<InsertedEvent>
}): Hono<EdgeEnv> {
  const routes = new Hono<EdgeEnv>()
  routes.post('/', async (c) => {
    const body = await readJson(c, publication)
    if (!body.ok) return body.response
    try {
      const { sourceEventId: source = null, ...event } = body.value
      return c.json(presentEvent(await deps.publish({ ...event, sourceEventId: source })), 202)
    } catch (error) {
      return refuseEvent(c, error)
    }
  })
  return routes
}
