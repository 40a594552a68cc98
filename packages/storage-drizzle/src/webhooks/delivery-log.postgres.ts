import { and, asc, desc, eq, gte, lt, sql, type SQL } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { AttemptRecord, WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { ListDeliveriesRequest } from '@kyc-relay/webhooks/internal'
import { checkedTime } from '../checked-time.js'
import { decodeTimedCursor, encodeTimedCursor, type TimedPlace } from '../page-cursor.js'
import { checkedLimit, pageOf } from '../pages.js'
import { attempts, deliveries, deliveryQueue, endpoints, events } from './tables.postgres.js'
import { readAttempt, readDelivery } from './stored-rows.js'

const value = sql.placeholder

const columns = {
  position: deliveries.position,
  deliveryId: deliveries.deliveryId,
  eventId: events.eventId,
  xEventId: deliveries.xEventId,
  appId: deliveries.appId,
  userId: deliveries.userId,
  eventType: deliveries.eventType,
  test: events.test,
  endpointId: endpoints.endpointId,
  url: endpoints.url,
  state: deliveries.state,
  attemptsMade: sql<number>`coalesce(${deliveryQueue.attemptsMade}, ${deliveries.attemptsMade})`,
  createdAt: deliveries.createdAt,
  dueAt: deliveryQueue.dueAt,
  endedAt: deliveries.endedAt,
  cancelReason: deliveries.cancelReason,
  resendOf: deliveries.resendOf,
  httpStatus: deliveries.httpStatus,
  latencyMs: deliveries.latencyMs,
}

/** Columns of a pending delivery in the queue. */
const queued = and(eq(deliveryQueue.appId, deliveries.appId), eq(deliveryQueue.position, deliveries.position))

const ofEvent = and(eq(events.appId, deliveries.appId), eq(events.eventId, deliveries.eventId))
const ofEndpoint = and(eq(endpoints.appId, deliveries.appId), eq(endpoints.endpointId, deliveries.endpointId))

/** Reads of the delivery log. */
export function createDeliveryLog(db: NodePgDatabase) {
  const findDelivery = db
    .select({ ...columns, body: events.body, startedAt: deliveryQueue.startedAt })
    .from(deliveries)
    .leftJoin(deliveryQueue, queued)
    .innerJoin(events, ofEvent)
    .innerJoin(endpoints, ofEndpoint)
    .where(and(eq(deliveries.appId, value('appId')), eq(deliveries.deliveryId, value('deliveryId'))))
    .prepare('kyc_relay_find_delivery')
  const listAttempts = db
    .select()
    .from(attempts)
    .where(and(eq(attempts.appId, value('appId')), eq(attempts.deliveryId, value('deliveryId'))))
    .orderBy(asc(attempts.number))
    .prepare('kyc_relay_list_attempts')

  /** Pending deliveries are read from the queue, which is short, all others from the log. */
  function listPage({ limit, cursor, ...filter }: ListDeliveriesRequest) {
    const isPending = filter.state === 'PENDING'
    const read = db.select(columns)
    const from = isPending
      ? read.from(deliveryQueue).innerJoin(deliveries, queued)
      : read.from(deliveries).leftJoin(deliveryQueue, queued)
    const place = decodeTimedCursor(cursor, filter.appId)
    const before = place && (isPending ? lt(deliveryQueue.position, place.position) : isBefore(place))
    return from
      .innerJoin(events, ofEvent)
      .innerJoin(endpoints, ofEndpoint)
      .where(and(...conditionsOf(filter), before ?? undefined))
      .orderBy(
        ...(isPending ? [desc(deliveryQueue.position)] : [desc(deliveries.createdAt), desc(deliveries.position)]),
      )
      .limit(checkedLimit(limit) + 1)
  }

  return {
    async findDelivery({ appId, deliveryId }: Parameters<WebhookStore['findDelivery']>[0]) {
      const [row] = await findDelivery.execute({ appId, deliveryId })
      if (row === undefined) return null
      const ended = (await listAttempts.execute({ appId, deliveryId })).map(readAttempt)
      return { ...readDelivery(row), body: row.body ?? new Uint8Array(), attempts: withOneInFlight(ended, row) }
    },
    async listDeliveries(request: ListDeliveriesRequest) {
      const { limit, appId } = request
      const rows = await listPage(request)
      const { items, nextCursor } = pageOf(rows, limit, ({ createdAt, position }) =>
        encodeTimedCursor({ createdAtMs: createdAt.getTime(), position }, appId),
      )
      return { items: items.map(readDelivery), nextCursor }
    },
  }
}

const isBefore = ({ createdAtMs, position }: TimedPlace): SQL =>
  sql`(${deliveries.createdAt}, ${deliveries.position}) < (${new Date(createdAtMs).toISOString()}, ${position})`

/** Conditions of a filter. Each equality has an index, except for HTTP status 200. */
function conditionsOf(filter: Omit<ListDeliveriesRequest, 'cursor' | 'limit'>): readonly (SQL | undefined)[] {
  const { appId, state, eventType, endpointId, eventId, xEventId, userId, transactionId, httpStatus } = filter
  const { createdAfter, createdBefore } = filter
  const given = <Value>(value: Value | undefined, condition: (value: Value) => SQL | undefined) =>
    value === undefined ? undefined : condition(value)
  const isPending = state === 'PENDING'
  return [
    eq(deliveries.appId, appId),
    sql`${deliveries.position} > 0`,
    isPending ? eq(deliveryQueue.appId, appId) : undefined,
    given(state, (asked) =>
      asked === 'FAILED' || asked === 'CANCELLED' ? eq(deliveries.undelivered, asked) : eq(deliveries.state, asked),
    ),
    given(httpStatus, (asked) => eq(asked === 200 ? deliveries.httpStatus : deliveries.unusualStatus, asked)),
    given(eventType, (asked) => eq(deliveries.eventType, asked)),
    given(endpointId, (asked) => eq(deliveries.endpointId, asked)),
    given(eventId, (asked) => eq(deliveries.eventId, asked)),
    given(xEventId, (asked) => eq(deliveries.xEventId, asked)),
    given(
      userId,
      (asked) =>
        sql`${deliveries.eventId} IN (SELECT event_id FROM kyc_relay_events WHERE user_id = ${asked} AND app_id = ${appId})`,
    ),
    given(
      transactionId,
      (asked) =>
        sql`${deliveries.eventId} IN (SELECT event_id FROM kyc_relay_transaction_moves
          WHERE app_id = ${appId} AND transaction_id = ${asked} AND revision > 0)`,
    ),
    given(createdAfter, (from) => gte(deliveries.createdAt, checkedTime(from))),
    given(createdBefore, (until) => lt(deliveries.createdAt, checkedTime(until))),
  ]
}

/** Adds the attempt in flight, which has no row yet. */
function withOneInFlight(
  ended: readonly AttemptRecord[],
  { startedAt, attemptsMade }: { readonly startedAt: Date | null; readonly attemptsMade: number },
): readonly AttemptRecord[] {
  if (startedAt === null || ended.some(({ number }) => number === attemptsMade)) return ended
  return [...ended, { number: attemptsMade, state: 'STARTED', startedAt, endedAt: null, report: null }]
}
