import { and, asc, desc, eq, lt, sql, type SQL } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { AttemptRecord, AttemptReport, DeliveryRecord, WebhookStore } from '@kyc-relay/webhooks/delivery'
import { checkedLimit, decodeCursor, encodeCursor } from '../page-cursor.js'
import { attempts, deliveries, deliveryQueue, endpoints, events } from './tables.postgres.js'

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
}

type ListRequest = Parameters<WebhookStore['listDeliveries']>[0]

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

  /** Pending deliveries are read from the queue, all other states from the log. */
  function prepareList(name: string, pending: boolean, filters: readonly (SQL | undefined)[]) {
    const read = db.select(columns)
    const { appId, position } = pending ? deliveryQueue : deliveries
    const from = pending
      ? read.from(deliveryQueue).innerJoin(deliveries, queued)
      : read.from(deliveries).leftJoin(deliveryQueue, queued)
    return from
      .innerJoin(events, ofEvent)
      .innerJoin(endpoints, ofEndpoint)
      .where(and(eq(appId, value('appId')), lt(position, value('before')), ...filters))
      .orderBy(desc(position))
      .limit(value('limit'))
      .prepare(name)
  }
  /** One statement for each combination of filters, so that each uses the matching index. */
  const lists = new Map<string, ReturnType<typeof prepareList>>()

  function listFor({ state, ...request }: ListRequest): ReturnType<typeof prepareList> {
    const filters = {
      pending: undefined,
      delivered: eq(deliveries.state, 'DELIVERED'),
      undelivered: eq(deliveries.undelivered, value('state')),
      eventType: eq(deliveries.eventType, value('eventType')),
      endpointId: eq(deliveries.endpointId, value('endpointId')),
    }
    const byState = {
      PENDING: 'pending',
      DELIVERED: 'delivered',
      FAILED: 'undelivered',
      CANCELLED: 'undelivered',
    } as const
    const asked = (['eventType', 'endpointId'] as const).filter((name) => request[name] !== undefined)
    const used = [...(state === undefined ? [] : [byState[state]]), ...asked]
    const name = ['kyc_relay_list_deliveries', ...used].join('_')
    const known = lists.get(name)
    if (known !== undefined) return known
    const made = prepareList(
      name,
      state === 'PENDING',
      used.map((each) => filters[each]),
    )
    lists.set(name, made)
    return made
  }

  return {
    async findDelivery({ appId, deliveryId }: Parameters<WebhookStore['findDelivery']>[0]) {
      const [row] = await findDelivery.execute({ appId, deliveryId })
      if (row === undefined) return null
      const ended = (await listAttempts.execute({ appId, deliveryId })).map(readAttempt)
      return { ...readRecord(row), body: row.body ?? new Uint8Array(), attempts: withOneInFlight(ended, row) }
    },
    async listDeliveries(request: ListRequest) {
      const { limit, cursor, ...filters } = request
      const page = { before: decodeCursor(cursor, filters.appId), limit: checkedLimit(limit) + 1 }
      const rows = await listFor(request).execute({ ...filters, ...page })
      const items = rows.slice(0, limit)
      const last = items.at(-1)
      const more = rows.length > limit && last !== undefined
      return { items: items.map(readRecord), nextCursor: more ? encodeCursor(last.position, filters.appId) : null }
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

/** Adds the attempt in flight, which has no row yet. */
function withOneInFlight(
  ended: readonly AttemptRecord[],
  { startedAt, attemptsMade }: { readonly startedAt: Date | null; readonly attemptsMade: number },
): readonly AttemptRecord[] {
  if (startedAt === null || ended.some(({ number }) => number === attemptsMade)) return ended
  return [...ended, { number: attemptsMade, state: 'STARTED', startedAt, endedAt: null, report: null }]
}

function readAttempt(row: typeof attempts.$inferSelect): AttemptRecord {
  const { number, state, startedAt, endedAt, responseBody } = row
  const report =
    row.report === null ? null : { ...(JSON.parse(row.report) as Omit<AttemptReport, 'responseBody'>), responseBody }
  return { number, state, startedAt, endedAt, report }
}
