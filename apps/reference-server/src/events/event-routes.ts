import { WebhookError } from '@kyc-relay/webhooks/delivery'
import type { InsertedEvent, TransactionEventType } from '@kyc-relay/webhooks/internal'
import type { Hono } from 'hono'
import type { Refusal } from '../http/error-catalogue.js'
import type { EdgeEnv } from '../http/request-context.js'
import { violation, type RequestViolation } from '../http/violations.js'
import { eventOperations } from '../operator-api/event-operations.js'
import { transactionData } from '../operator-api/field-schemas.js'
import { serveInternal } from '../operator-api/serve-internal.js'
import { answer } from '../webhooks-api/operation.js'
import type { EventCatalogue } from './event-catalogue.js'
import type { Publisher } from './publish.js'

const transactionTypes: ReadonlySet<string> = new Set<TransactionEventType>([
  'TRANSACTION_CREATE',
  'TRANSACTION_UPDATE',
  'TRANSACTION_DECLINE',
])

/** `POST /internal/v1/events`: publishes one event of any type for another service. */
export function serveEvents(
  routes: Hono<EdgeEnv>,
  publisher: Pick<Publisher, 'publish'>,
  { publishable }: Pick<EventCatalogue, 'publishable'>,
): void {
  serveInternal(routes, eventOperations.publishEvent, async ({ body: { sourceEventId = null, ...event } }) => {
    if (!publishable.includes(event.eventType)) {
      const fields = [violation('/eventType', 'ENUM', publishable)]
      return { refusal: { code: 'BAD_REQUEST', detail: 'BODY_INVALID', fields } }
    }
    try {
      // The times of own event types are read by their own schemas alone.
      const data = transactionTypes.has(event.eventType) ? transactionData.parse(event.data) : event.data
      return answer(202, presentEvent(await publisher.publish({ ...event, data, sourceEventId })))
    } catch (error) {
      return refuseEvent(error)
    }
  })
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

/** Refuses an event or a move. Rethrows any other error, including outages. */
export function refuseEvent(error: unknown): { refusal: Refusal & { readonly fields?: readonly RequestViolation[] } } {
  if (!(error instanceof WebhookError) || error.retryable) throw error
  if (error.code === 'SOURCE_EVENT_ID_CONFLICT') return { refusal: { code: error.code, detail: error.code } }
  const status = statuses[error.code]
  if (status === 404) return { refusal: { code: 'NOT_FOUND', detail: error.code } }
  const fields = error.violations.map(({ pointer, code, message }) => ({
    pointer: `/data${pointer}`,
    code,
    message,
  }))
  return {
    refusal: { code: 'BAD_REQUEST', detail: error.code, ...(status === undefined ? { fields } : { status }) },
  }
}
