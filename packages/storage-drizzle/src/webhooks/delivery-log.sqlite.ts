import { and, asc, desc, eq, gte, lt, sql, type SQL } from 'drizzle-orm'
import type { WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { ListDeliveriesRequest } from '@kyc-relay/webhooks/internal'
import { checkedTime } from '../checked-time.js'
import { decodeTimedCursor, encodeTimedCursor, type TimedPlace } from '../page-cursor.js'
import { checkedLimit, pageOf } from '../pages.js'
import type { DrizzleDatabase } from '../engine/sqlite/statement.js'
import { attempts, deliveries, endpoints, events } from './tables.sqlite.js'
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
  attemptsMade: deliveries.attemptsMade,
  createdAt: deliveries.createdAt,
  dueAt: deliveries.dueAt,
  endedAt: deliveries.endedAt,
  cancelReason: deliveries.cancelReason,
  resendOf: deliveries.resendOf,
  httpStatus: deliveries.httpStatus,
  latencyMs: deliveries.latencyMs,
}

/** Reads of the delivery log. */
export function createDeliveryLog(db: DrizzleDatabase) {
  const findDelivery = db
    .select({ ...columns, body: events.body })
    .from(deliveries)
    .innerJoin(events, eq(events.position, deliveries.event))
    .innerJoin(endpoints, eq(endpoints.position, deliveries.endpoint))
    .where(and(eq(deliveries.deliveryId, value('deliveryId')), eq(deliveries.appId, value('appId'))))
    .prepare()
  const listAttempts = db
    .select()
    .from(attempts)
    .where(eq(attempts.delivery, value('delivery')))
    .orderBy(asc(attempts.number))
    .prepare()

  return {
    findDelivery(request: Parameters<WebhookStore['findDelivery']>[0]) {
      const row = findDelivery.get({ deliveryId: request.deliveryId, appId: request.appId })
      if (row === undefined) return null
      const made = listAttempts.all({ delivery: row.position }).map(readAttempt)
      return { ...readDelivery(row), body: new Uint8Array(row.body ?? []), attempts: made }
    },
    listDeliveries({ limit, cursor, ...filter }: ListDeliveriesRequest) {
      const { appId } = filter
      const rows = db
        .select(columns)
        .from(deliveries)
        .innerJoin(events, eq(events.position, deliveries.event))
        .innerJoin(endpoints, eq(endpoints.position, deliveries.endpoint))
        .where(and(...conditionsOf(filter), isBefore(decodeTimedCursor(cursor, appId))))
        .orderBy(desc(deliveries.createdAt), desc(deliveries.position))
        .limit(checkedLimit(limit) + 1)
        .all()
      const { items, nextCursor } = pageOf(rows, limit, ({ createdAt, position }) =>
        encodeTimedCursor({ createdAtMs: createdAt, position }, appId),
      )
      return { items: items.map(readDelivery), nextCursor }
    },
  }
}

const isBefore = (place: TimedPlace | null): SQL | undefined =>
  place === null
    ? undefined
    : sql`(${deliveries.createdAt}, ${deliveries.position}) < (${place.createdAtMs}, ${place.position})`

/** Conditions of a filter. Each equality has an index, except for HTTP status 200. */
function conditionsOf(filter: Omit<ListDeliveriesRequest, 'cursor' | 'limit'>): readonly (SQL | undefined)[] {
  const { appId, state, eventType, endpointId, eventId, xEventId, userId, transactionId, httpStatus } = filter
  const { createdAfter, createdBefore } = filter
  const isSelective = [eventId, xEventId, userId, transactionId].some((value) => value !== undefined)
  const given = <Value>(value: Value | undefined, condition: (value: Value) => SQL | undefined) =>
    value === undefined ? undefined : condition(value)
  return [
    // The sign keeps SQLite from the index of the app when a few rows are found by another one.
    isSelective ? sql`+${deliveries.appId} = ${appId}` : eq(deliveries.appId, appId),
    // The literals allow SQLite to use the partial indexes.
    given(state, (asked) =>
      asked === 'DELIVERED'
        ? sql`${deliveries.state} = 'DELIVERED'`
        : and(eq(deliveries.state, asked), sql`${deliveries.state} <> 'DELIVERED'`),
    ),
    given(httpStatus, (asked) =>
      and(eq(deliveries.httpStatus, asked), asked === 200 ? undefined : sql`${deliveries.httpStatus} <> 200`),
    ),
    given(eventType, (asked) => eq(deliveries.eventType, asked)),
    given(
      endpointId,
      (asked) => sql`${deliveries.endpoint} = (SELECT position FROM kyc_relay_endpoints WHERE endpoint_id = ${asked})`,
    ),
    given(
      eventId,
      (asked) => sql`${deliveries.event} = (SELECT position FROM kyc_relay_events WHERE event_id = ${asked})`,
    ),
    given(xEventId, (asked) => eq(deliveries.xEventId, asked)),
    given(
      userId,
      (asked) =>
        sql`${deliveries.event} IN (SELECT position FROM kyc_relay_events WHERE user_id = ${asked} AND app_id = ${appId})`,
    ),
    given(
      transactionId,
      (asked) =>
        sql`${deliveries.event} IN (SELECT event FROM kyc_relay_transaction_moves WHERE transaction_id = ${asked})`,
    ),
    given(createdAfter, (from) => gte(deliveries.createdAt, checkedTime(from).getTime())),
    given(createdBefore, (until) => lt(deliveries.createdAt, checkedTime(until).getTime())),
  ]
}
