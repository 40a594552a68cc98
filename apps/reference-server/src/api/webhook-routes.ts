import { randomUUID } from 'node:crypto'
import { eventTypes } from '@kyc-relay/webhooks'
import type { DeliveryRecord, Endpoint, PreparedEvent, WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { checkEndpointUrl } from '@kyc-relay/webhooks/https'
import { Hono, type Context } from 'hono'
import { z } from 'zod'
import type { ApiKeys } from '../auth/api-keys.js'
import { parseBearer } from '../auth/bearer.js'
import { readJson, refuseProblem } from '../http-edge/json-route.js'
import type { EdgeEnv } from '../http-edge/listener.js'

const endpointsPerApp = 50

const registration = z.strictObject({
  url: z.string().max(2048),
  eventTypes: z.array(z.enum(eventTypes)).max(100).nullish(),
  standardWebhooks: z.boolean().nullish(),
})

const listing = z.object({
  status: z.enum(['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED']).optional(),
  eventType: z.enum(eventTypes).optional(),
  endpointId: z.uuid().optional(),
  cursor: z.string().min(1).max(500).optional(),
  limit: z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.number().min(1))
    .transform((limit) => Math.min(limit, 200))
    .default(50),
})

/** What the webhook routes need. */
export interface WebhookRoutesDeps {
  readonly apiKeys: ApiKeys
  readonly store: WebhookStore
  readonly checkUrl: (url: string) => ReturnType<typeof checkEndpointUrl>
  readonly prepareTestEvent: (request: { appId: string; endpointId: string }) => Promise<PreparedEvent>
  readonly wake: () => void
  readonly now: () => Date
}

/** `/api/v1/webhooks`: registration, delivery log, resend, test events and API keys of one app, by its API key. */
export function createWebhookRoutes(deps: WebhookRoutesDeps): Hono<EdgeEnv> {
  const { apiKeys, store } = deps
  const routes = new Hono<EdgeEnv>()

  routes.use(async (c, next) => {
    const key = parseBearer(c.env.incoming.headers.authorization)
    const app = key === null ? null : await apiKeys.findApp(key)
    if (app === null)
      return refuseProblem(c, { code: 'UNAUTHENTICATED', detail: 'API_KEY_REQUIRED' }, { 'www-authenticate': 'Bearer' })
    c.set('appId', app.appId)
    return next()
  })

  routes.get('/', async (c) =>
    c.json({ items: (await store.listEndpoints(c.get('appId'))).map(presentEndpoint), nextCursor: null }),
  )

  routes.post('/', async (c) => {
    const body = await readJson(c, registration)
    if (!body.ok) return body.response
    const checked = deps.checkUrl(body.value.url)
    if (!checked.ok)
      return refuseProblem(c, {
        code: 'BAD_REQUEST',
        detail: checked.code,
        fields: [{ pointer: '/url', code: checked.code }],
      })
    const types = [...new Set(body.value.eventTypes ?? [])]
    const endpoint: Endpoint = {
      endpointId: randomUUID(),
      appId: c.get('appId'),
      url: checked.url,
      eventTypes: types.length === 0 ? null : types,
      standardWebhooks: body.value.standardWebhooks ?? false,
      createdAt: deps.now(),
    }
    if ((await store.registerEndpoint(endpoint, endpointsPerApp)) === 'limit_reached') {
      return refuseProblem(c, { code: 'LIMIT_EXCEEDED', detail: 'ENDPOINT_LIMIT', status: 409 })
    }
    return c.json(presentEndpoint(endpoint), 201, { location: `/api/v1/webhooks/${endpoint.endpointId}` })
  })

  routes.get('/deliveries', async (c) => {
    const query = listing.safeParse(c.req.query())
    if (!query.success) return refuseProblem(c, { code: 'BAD_REQUEST', detail: 'QUERY_INVALID' })
    const { status, ...filter } = query.data
    const page = await store.listDeliveries({ appId: c.get('appId'), ...filter, ...(status ? { state: status } : {}) })
    return c.json({ items: page.items.map(presentDelivery), nextCursor: page.nextCursor })
  })

  routes.get('/deliveries/:deliveryId', async (c) => {
    const found = await findDelivery(c)
    if (found === null) return refuseProblem(c, { code: 'NOT_FOUND' })
    return c.json({
      ...presentDelivery(found),
      body: Buffer.from(found.body).toString('utf8'),
      attempts: found.attempts.map(({ report, ...attempt }) => ({
        ...attempt,
        ...(report === null
          ? {}
          : {
              ...report,
              responseBody: report.responseBody === null ? null : Buffer.from(report.responseBody).toString('utf8'),
            }),
      })),
    })
  })

  routes.post('/deliveries/:deliveryId/resend', async (c) => {
    const deliveryId = c.req.param('deliveryId')
    if (!isUuid(deliveryId)) return refuseProblem(c, { code: 'NOT_FOUND' })
    const newDeliveryId = randomUUID()
    const outcome = await store.resendDelivery({ appId: c.get('appId'), deliveryId, newDeliveryId })
    if (outcome === 'not_found') return refuseProblem(c, { code: 'NOT_FOUND' })
    if (outcome === 'not_finished')
      return refuseProblem(c, { code: 'BAD_REQUEST', detail: 'DELIVERY_PENDING', status: 409 })
    if (outcome === 'endpoint_removed')
      return refuseProblem(c, { code: 'BAD_REQUEST', detail: 'ENDPOINT_REMOVED', status: 409 })
    deps.wake()
    return c.json({ deliveryId: newDeliveryId }, 202)
  })

  routes.post('/keys/rotate', async (c) => {
    const rotated = await apiKeys.rotate(c.get('appId'))
    if (rotated === 'rotation_pending')
      return refuseProblem(c, { code: 'BAD_REQUEST', detail: 'ROTATION_PENDING', status: 409 })
    return c.json({ apiKey: rotated.apiKey, version: rotated.version, signsFrom: rotated.signsFrom }, 201)
  })

  routes.post('/keys/activate', async (c) =>
    (await apiKeys.activate(c.get('appId')))
      ? c.json({ activated: true })
      : refuseProblem(c, { code: 'BAD_REQUEST', detail: 'NO_ROTATION_PENDING', status: 409 }),
  )

  routes.delete('/:endpointId', async (c) => {
    const endpointId = c.req.param('endpointId')
    const removed = isUuid(endpointId) && (await store.removeEndpoint({ appId: c.get('appId'), endpointId }))
    return removed ? c.body(null, 204) : refuseProblem(c, { code: 'NOT_FOUND' })
  })

  routes.post('/:endpointId/test', async (c) => {
    const endpointId = c.req.param('endpointId')
    const endpoint = (await store.listEndpoints(c.get('appId'))).find((one) => one.endpointId === endpointId)
    if (endpoint === undefined) return refuseProblem(c, { code: 'NOT_FOUND' })
    const inserted = await store.insertEvent(await deps.prepareTestEvent({ appId: c.get('appId'), endpointId }))
    deps.wake()
    return c.json({ eventId: inserted.eventId, deliveries: inserted.deliveries }, 202)
  })

  async function findDelivery(c: Context<EdgeEnv>) {
    const deliveryId = c.req.param('deliveryId') ?? ''
    return isUuid(deliveryId) ? store.findDelivery({ appId: c.get('appId'), deliveryId }) : null
  }

  return routes
}

const isUuid = (text: string) => z.uuid().safeParse(text).success

function presentEndpoint(endpoint: Endpoint) {
  return {
    id: endpoint.endpointId,
    endpointId: endpoint.endpointId,
    url: endpoint.url,
    eventTypes: endpoint.eventTypes ?? [],
    allEvents: endpoint.eventTypes === null,
    standardWebhooks: endpoint.standardWebhooks,
    createdAt: endpoint.createdAt,
  }
}

function presentDelivery(delivery: DeliveryRecord) {
  return {
    id: delivery.deliveryId,
    deliveryId: delivery.deliveryId,
    eventId: delivery.eventId,
    xEventId: delivery.xEventId,
    eventType: delivery.eventType,
    test: delivery.test,
    endpointId: delivery.endpointId,
    url: delivery.url,
    status: delivery.state,
    attemptsMade: delivery.attemptsMade,
    createdAt: delivery.createdAt,
    nextAttemptAt: delivery.nextAttemptAt,
    endedAt: delivery.endedAt,
    cancelReason: delivery.cancelReason,
    resendOf: delivery.resendOf,
  }
}
