import { and, asc, eq, gte, inArray, isNull, lt, sql } from 'drizzle-orm'
import type { RecoveryStore } from '@kyc-relay/webhooks/delivery'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import { read, type DrizzleDatabase } from '../engine/sqlite/statement.js'
import { checkedLimit } from '../page-cursor.js'
import { preparePublishing } from './publishing.sqlite.js'
import { countsAfter, parseTypes, readProgress, typesOf } from './recoveries.js'
import { deliveries, endpoints, events } from './tables.sqlite.js'
import { isRunning, recoveries } from './recovery-tables.sqlite.js'
import { deliveryClass, unnamedTypes } from './values.js'

/** Whether the lineage has a delivery of an event in this state. */
const hasDelivery = (lineageId: string, state: 'DELIVERED' | 'PENDING') => sql<number>`EXISTS (
  SELECT 1 FROM kyc_relay_deliveries AS delivery
  JOIN kyc_relay_endpoints AS member ON member.position = delivery.endpoint
  WHERE delivery.event = kyc_relay_events.position AND delivery.state = ${state} AND member.lineage_id = ${lineageId})`

/** Creates the recovery store on one SQLite connection. */
export function createRecoveryStore(dependencies: {
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
  readonly clock: () => Date
}): RecoveryStore {
  const { db, commits, clock } = dependencies
  const publishing = preparePublishing(db)

  function findEndpoint({ appId, endpointId }: { readonly appId: string; readonly endpointId: string }) {
    const isOf = and(eq(endpoints.appId, appId), eq(endpoints.endpointId, endpointId), isNull(endpoints.removedAt))
    return db.select().from(endpoints).where(isOf).get()
  }

  const isOne = ({ appId, recoveryId }: { readonly appId: string; readonly recoveryId: string }) =>
    and(eq(recoveries.appId, appId), eq(recoveries.recoveryId, recoveryId))

  function start({ endpointId, ...request }: Parameters<RecoveryStore['startRecovery']>[0]) {
    const endpoint = findEndpoint({ ...request, endpointId })?.position
    if (endpoint === undefined) return 'not_found'
    const other = and(eq(recoveries.endpoint, endpoint), isRunning)
    if (db.select().from(recoveries).where(other).get() !== undefined) return 'running'
    const now = clock().getTime()
    const { appId, recoveryId, since, until, eventTypes } = request
    const range = { since: since.getTime(), until: Math.min(until?.getTime() ?? now, now) }
    const types = eventTypes === null ? null : JSON.stringify(eventTypes)
    const row = { ...{ appId, recoveryId, endpoint, ...range }, eventTypes: types, createdAt: now }
    db.insert(recoveries)
      .values({ ...row, state: 'RUNNING' })
      .run()
    return 'started'
  }

  function writeStep(request: Parameters<RecoveryStore['writeStep']>[0]) {
    const { appId, after, next } = request
    const row = db.select().from(recoveries).where(isOne(request)).get()
    const endpoint = findEndpoint(request)?.position
    const stands =
      row?.afterCreatedAt === (after?.createdAt.getTime() ?? null) && row.afterPosition === (after?.position ?? null)
    if (row?.state !== 'RUNNING' || endpoint !== row.endpoint || !stands) return 'stale'
    const createdAt = clock().getTime()
    let created = 0
    for (const { eventId, deliveryId, xEventId } of request.deliveries) {
      const event = db.select().from(events).where(eq(events.eventId, eventId)).get()
      const isThere = and(eq(deliveries.xEventId, xEventId), inArray(deliveries.state, ['PENDING', 'DELIVERED']))
      if (!event?.body || db.select().from(deliveries).where(isThere).get() !== undefined) continue
      const { userId, type: eventType } = event
      const made = { ...{ deliveryId, xEventId, endpoint, appId, userId, eventType, createdAt }, resendOf: null }
      publishing.insertDelivery.run({ ...made, event: event.position, class: deliveryClass.recovered })
      created += 1
    }
    if (created > 0) publishing.announceDue.run({ endpoint, class: deliveryClass.recovered, dueAt: createdAt })
    const place = next === null ? {} : { afterCreatedAt: next.createdAt.getTime(), afterPosition: next.position }
    db.update(recoveries)
      .set({ ...countsAfter(row, request, created), ...place })
      .where(isOne(request))
      .run()
    return 'written'
  }

  return {
    startRecovery: (request) => commits.write(() => start(request)),

    findRecovery: (request) =>
      read(() => {
        const row = db.select().from(recoveries).where(isOne(request)).get()
        return row === undefined ? null : readProgress(row)
      }),

    stopRecovery: (request) =>
      commits.write(() => {
        db.update(recoveries)
          .set({ state: 'STOPPED' })
          .where(and(isOne(request), isRunning))
          .run()
        return db.select().from(recoveries).where(isOne(request)).get() !== undefined
      }),

    listRunning: ({ limit }) =>
      read(() =>
        db
          .select({ appId: recoveries.appId, recoveryId: recoveries.recoveryId })
          .from(recoveries)
          .where(isRunning)
          .orderBy(asc(recoveries.createdAt), asc(recoveries.recoveryId))
          .limit(checkedLimit(limit))
          .all(),
      ),

    findNextStep: ({ mostWaiting, ...request }) =>
      read(() => {
        const found = db
          .select()
          .from(recoveries)
          .innerJoin(endpoints, eq(endpoints.position, recoveries.endpoint))
          .where(and(isOne(request), eq(recoveries.state, 'RUNNING')))
          .get()
        if (found === undefined) return null
        const { kyc_relay_recoveries: row, kyc_relay_endpoints: endpoint } = found
        const waiting = db
          .select({ position: deliveries.position })
          .from(deliveries)
          .where(
            and(
              eq(deliveries.endpoint, row.endpoint),
              eq(deliveries.class, deliveryClass.recovered),
              sql`${deliveries.dueAt} IS NOT NULL`,
            ),
          )
          .limit(mostWaiting)
          .all()
        if (waiting.length >= mostWaiting) return null
        const after =
          row.afterCreatedAt === null || row.afterPosition === null
            ? null
            : { createdAt: new Date(row.afterCreatedAt), position: row.afterPosition }
        const { endpointId, lineageId } = endpoint
        const range = { since: new Date(row.since), until: new Date(row.until), after }
        return { appId: row.appId, endpointId, lineageId, ...range, eventTypes: parseTypes(row.eventTypes) }
      }),

    listEvents: (range) =>
      read(() => {
        const { appId, since, until, after, limit } = range
        const endpoint = findEndpoint(range)
        if (endpoint === undefined) return []
        const types = typesOf(endpoint.eventTypes, range.eventTypes)
        const rows = db
          .select({
            ...{ eventId: events.eventId, userId: events.userId, type: events.type, position: events.position },
            ...{ createdAt: events.createdAt, withheld: events.withheld },
            erased: sql<number>`ifnull(length(${events.body}), 0) = 0`,
            acknowledged: hasDelivery(endpoint.lineageId, 'DELIVERED'),
            pending: hasDelivery(endpoint.lineageId, 'PENDING'),
          })
          .from(events)
          .where(
            and(
              eq(events.appId, appId),
              gte(events.createdAt, since.getTime()),
              lt(events.createdAt, until.getTime()),
              after === null
                ? undefined
                : sql`(${events.createdAt}, ${events.position}) > (${after.createdAt.getTime()}, ${after.position})`,
              types === null ? inArray(events.type, [...unnamedTypes]) : inArray(events.type, [...types]),
              eq(events.test, 0),
            ),
          )
          .orderBy(asc(events.createdAt), asc(events.position))
          .limit(checkedLimit(limit))
          .all()
        return rows.map(({ position, createdAt, erased, acknowledged, pending, ...event }) => ({
          ...event,
          place: { createdAt: new Date(createdAt), position },
          erased: erased === 1,
          delivered: acknowledged === 1 ? 'ACKNOWLEDGED' : pending === 1 ? 'PENDING' : null,
        }))
      }),

    writeStep: (request) => commits.write(() => writeStep(request)),
  }
}
