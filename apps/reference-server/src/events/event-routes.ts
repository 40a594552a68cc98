import { WebhookError } from '@kyc-relay/webhooks/delivery'
import type { InsertedEvent, TransactionEventType } from '@kyc-relay/webhooks/internal'
import { Hono, type Context } from 'hono'
import { readJson, refuseProblem } from '../http/json-route.js'
import type { EdgeEnv } from '../http/request-context.js'
import { violation } from '../http/violations.js'
import { eventOperations } from '../operator-api/event-operations.js'
import { transactionData } from '../operator-api/field-schemas.js'
import { servicesOnly } from '../operator-api/internal-caller.js'
import type { EventCatalogue } from './event-catalogue.js'
import type { Publisher } from './publish.js'

const transactionTypes: ReadonlySet<string> = new Set<TransactionEventType>([
  'TRANSACTION_CREATE',
  'TRANSACTION_UPDATE',
  'TRANSACTION_DECLINE',
])

/** `POST /internal/v1/events`: publishes one event of any type for another service. */
export function createEventRoutes(
  publisher: Pick<Publisher, 'publish'>,
  { publishable }: Pick<EventCatalogue, 'publishable'>,
): Hono<EdgeEnv> {
  const routes = new Hono<EdgeEnv>()
  routes.post('/', servicesOnly, async (c) => {
    const body = await readJson(c, eventOperations.publishEvent.body)
    if (!body.ok) return body.response
    if (!publishable.includes(body.value.eventType)) {
      const fields = [violation('/eventType', 'ENUM', publishable)]
      return refuseProblem(c, { code: 'BAD_REQUEST', detail: 'BODY_INVALID', fields })
    }
    try {
      const { sourceEventId: source = null, ...event } = body.value
      // The times of own event types are read by their own schemas alone.
      const data = transactionTypes.has(event.eventType) ? transactionData.parse(event.data) : event.data
      return c.json(presentEvent(await publisher.publish({ ...event, data, sourceEventId: source })), 202)
    } catch (error) {
      return refuseEvent(c, error)
    }
  })
  return routes
}

/** Converts an event for the internal API. `withheld` is the reason for an event without deliveries. */
export function presentEvent(event: InsertedEvent) {
  return {
    eventId: event.eventId,
    deliveries: event.deliveries.map(({ deliveryId, endpointId }) => ({ deliveryId, endpointId })),
    ...(event.withheld === null ? {} : { withheld: event.withheld }),
    ...(event.duplicate ? { duplicate: true } : {}),
  }
}

const statuses: Readonly<Record<string, 404 | 409>> = {
  TRANSACTION_UNKNOWN: 404,
  TRANSACTION_EXISTS: 409,
  TRANSITION_NOT_ALLOWED: 409,
}

/** Responds to a refused event or move. Rethrows any other error, including outages. */
export function refuseEvent(c: Context<EdgeEnv>, error: unknown): Response {
  if (!(error instanceof WebhookError) || error.retryable) throw error
  if (error.code === 'SOURCE_EVENT_ID_CONFLICT') return refuseProblem(c, { code: error.code, detail: error.code })
  const status = statuses[error.code]
  if (status === 404) return refuseProblem(c, { code: 'NOT_FOUND', detail: error.code })
  const fields = error.violations.map(({ pointer, code, message }) => ({
    pointer: `/data${pointer}`,
    code,
    message,
  }))
  return refuseProblem(c, {
    code: 'BAD_REQUEST',
    detail: error.code,
    ...(status === undefined ? { fields } : { status }),
  })
}
