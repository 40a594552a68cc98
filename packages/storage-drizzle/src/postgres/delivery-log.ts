import { and, asc, desc, eq, lt, sql, type SQL } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { AttemptRecord, AttemptReport, DeliveryRecord, WebhookStore } from '@kyc-relay/webhooks/delivery'
import { checkedLimit, decodeCursor, encodeCursor } from '../page-cursor.js'
import { attempts, deliveries, endpoints, events } from './tables/webhooks.js'

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

/** The reads behind the delivery log. */
export function createDeliveryLog(db: NodePgDatabase) {
  const findDelivery = db
    .select({ ...columns, body: events.body })
    .from(deliveries)
    .innerJoin(events, eq(events.eventId, deliveries.eventId))
    .innerJoin(endpoints, eq(endpoints.endpointId, deliveries.endpointId))
    .where(and(eq(deliveries.deliveryId, value('deliveryId')), eq(deliveries.appId, value('appId'))))
    .prepare('kyc_relay_find_delivery')
  const listAttempts = db
    .select()
    .from(attempts)
    .where(eq(attempts.deliveryId, value('deliveryId')))
    .orderBy(asc(attempts.number))
    .prepare('kyc_relay_list_attempts')

  function prepareList(name: string, filters: readonly (SQL | undefined)[]) {
    return db
      .select(columns)
      .from(deliveries)
      .innerJoin(events, eq(events.eventId, deliveries.eventId))
      .innerJoin(endpoints, eq(endpoints.endpointId, deliveries.endpointId))
      .where(and(eq(deliveries.appId, value('appId')), lt(deliveries.position, value('before')), ...filters))
      .orderBy(desc(deliveries.position))
      .limit(value('limit'))
      .prepare(name)
  }
  /** One statement per combination of filters, so that each gets the plan of the index made for it. */
  const lists = new Map<string, ReturnType<typeof prepareList>>()

  function listFor(request: ListRequest): ReturnType<typeof prepareList> {
    const filters = {
      // The literal is what lets the index of the other states be used.
      state: and(eq(deliveries.state, value('state')), sql`${deliveries.state} <> 'DELIVERED'`),
      delivered: sql`${deliveries.state} = 'DELIVERED'`,
      eventType: eq(deliveries.eventType, value('eventType')),
      endpointId: eq(deliveries.endpointId, value('endpointId')),
    }
    const asked = (['eventType', 'endpointId'] as const).filter((name) => request[name] !== undefined)
    const byState =
      request.state === undefined ? [] : ([request.state === 'DELIVERED' ? 'delivered' : 'state'] as const)
    const used = [...byState, ...asked]
    const name = ['kyc_relay_list_deliveries', ...used].join('_')
    const known = lists.get(name)
    if (known !== undefined) return known
    const made = prepareList(
      name,
      used.map((each) => filters[each]),
    )
    lists.set(name, made)
    return made
  }

  return {
    async findDelivery({ appId, deliveryId }: Parameters<WebhookStore['findDelivery']>[0]) {
      const [row] = await findDelivery.execute({ appId, deliveryId })
      if (row === undefined) return null
      const made = await listAttempts.execute({ deliveryId })
      return { ...readRecord(row), body: row.body ?? new Uint8Array(), attempts: made.map(readAttempt) }
    },
    async listDeliveries(request: ListRequest) {
      const { limit, cursor, ...filters } = request
      const page = { before: decodeCursor(cursor), limit: checkedLimit(limit) + 1 }
      const rows = await listFor(request).execute({ ...filters, ...page })
      const items = rows.slice(0, limit)
      const last = items.at(-1)
      const more = rows.length > limit && last !== undefined
      return { items: items.map(readRecord), nextCursor: more ? encodeCursor(last.position) : null }
    },
  }
}

type Row = Omit<DeliveryRecord, 'nextAttemptAt'> & { readonly dueAt: Date | null }

function readRecord(row: Row): DeliveryRecord {
  return {
    deliveryId: row.deliveryId,
    eventId: row.eventId,
    xEventId: row.xEventId,
    appId: row.appId,
    userId: row.userId,
    eventType: row.eventType,
    test: row.test,
    endpointId: row.endpointId,
    url: row.url,
    state: row.state,
    attemptsMade: row.attemptsMade,
    createdAt: row.createdAt,
    nextAttemptAt: row.dueAt,
    endedAt: row.endedAt,
    cancelReason: row.cancelReason,
    resendOf: row.resendOf,
  }
}

function readAttempt(row: typeof attempts.$inferSelect): AttemptRecord {
  const { number, state, startedAt, endedAt, responseBody } = row
  const report =
    row.report === null ? null : { ...(JSON.parse(row.report) as Omit<AttemptReport, 'responseBody'>), responseBody }
  return { number, state, startedAt, endedAt, report }
}
