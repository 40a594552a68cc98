import { and, asc, desc, eq, lt, sql, type SQL } from 'drizzle-orm'
import type { AttemptRecord, AttemptReport, DeliveryRecord, WebhookStore } from '@kyc-relay/webhooks/delivery'
import { checkedLimit, decodeCursor, encodeCursor } from '../page-cursor.js'
import type { DrizzleDatabase } from '../engine/sqlite/statement.js'
import { attempts, deliveries, endpoints, events } from './tables.sqlite.js'

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
}

type ListRequest = Parameters<WebhookStore['listDeliveries']>[0]

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

  function prepareList(filters: readonly (SQL | undefined)[]) {
    return db
      .select(columns)
      .from(deliveries)
      .innerJoin(events, eq(events.position, deliveries.event))
      .innerJoin(endpoints, eq(endpoints.position, deliveries.endpoint))
      .where(and(eq(deliveries.appId, value('appId')), lt(deliveries.position, value('before')), ...filters))
      .orderBy(desc(deliveries.position))
      .limit(value('limit'))
      .prepare()
  }
  /** One statement for each combination of filters, so that each uses the matching index. */
  const lists = new Map<string, ReturnType<typeof prepareList>>()

  function listFor(request: ListRequest): ReturnType<typeof prepareList> {
    const filters = {
      // The literal allows SQLite to use the index of the other states.
      state: and(eq(deliveries.state, value('state')), sql`${deliveries.state} <> 'DELIVERED'`),
      delivered: sql`${deliveries.state} = 'DELIVERED'`,
      eventType: eq(deliveries.eventType, value('eventType')),
      endpointId: sql`${deliveries.endpoint} = (SELECT position FROM kyc_relay_endpoints AS asked
        WHERE asked.endpoint_id = ${value('endpointId')})`,
    }
    const asked = (['eventType', 'endpointId'] as const).filter((name) => request[name] !== undefined)
    const byState =
      request.state === undefined ? [] : ([request.state === 'DELIVERED' ? 'delivered' : 'state'] as const)
    const used = [...byState, ...asked]
    const known = lists.get(used.join())
    if (known !== undefined) return known
    const made = prepareList(used.map((name) => filters[name]))
    lists.set(used.join(), made)
    return made
  }

  return {
    findDelivery(request: Parameters<WebhookStore['findDelivery']>[0]) {
      const row = findDelivery.get({ deliveryId: request.deliveryId, appId: request.appId })
      if (row === undefined) return null
      const made = listAttempts.all({ delivery: row.position }).map(readAttempt)
      return { ...readRecord(row), body: new Uint8Array(row.body ?? []), attempts: made }
    },
    listDeliveries(request: ListRequest) {
      const { limit, cursor, ...filters } = request
      const rows = listFor(request).all({
        ...filters,
        before: decodeCursor(cursor, filters.appId),
        limit: checkedLimit(limit) + 1,
      })
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      const more = rows.length > limit && last !== undefined
      return { items: page.map(readRecord), nextCursor: more ? encodeCursor(last.position, filters.appId) : null }
    },
  }
}

type Row = Omit<DeliveryRecord, 'test' | 'createdAt' | 'nextAttemptAt' | 'endedAt'> & {
  readonly test: number
  readonly createdAt: number
  readonly dueAt: number | null
  readonly endedAt: number | null
}

function readRecord(row: Row): DeliveryRecord {
  return {
    deliveryId: row.deliveryId,
    eventId: row.eventId,
    xEventId: row.xEventId,
    appId: row.appId,
    userId: row.userId,
    eventType: row.eventType,
    test: row.test === 1,
    endpointId: row.endpointId,
    url: row.url,
    state: row.state,
    attemptsMade: row.attemptsMade,
    createdAt: new Date(row.createdAt),
    nextAttemptAt: row.dueAt === null ? null : new Date(row.dueAt),
    endedAt: row.endedAt === null ? null : new Date(row.endedAt),
    cancelReason: row.cancelReason,
    resendOf: row.resendOf,
  }
}

function readAttempt(row: typeof attempts.$inferSelect): AttemptRecord {
  const responseBody = row.responseBody === null ? null : new Uint8Array(row.responseBody)
  const report =
    row.report === null ? null : { ...(JSON.parse(row.report) as Omit<AttemptReport, 'responseBody'>), responseBody }
  return {
    number: row.number,
    state: row.state,
    startedAt: new Date(row.startedAt),
    endedAt: row.endedAt === null ? null : new Date(row.endedAt),
    report,
  }
}
