import { and, eq, isNull, ne, sql } from 'drizzle-orm'
import type { PreparedEvent } from '@kyc-relay/webhooks/delivery'
import type { InsertedEvent } from '@kyc-relay/webhooks/internal'
import type { DrizzleDatabase } from '../engine/sqlite/statement.js'
import { prepareLineage } from './endpoints.sqlite.js'
import { heirOf } from './lineage.js'
import { deliveries, endpoints, endpointSchedules, events } from './tables.sqlite.js'
import { mayReplace, ownBytes } from './original-event.js'
import { classOf, deliveryClass } from './values.js'

const value = sql.placeholder

/** Advances the next due time of an endpoint; that of a paused one only for a test event. */
export const prepareAdvanceNextDue = (db: DrizzleDatabase) =>
  db
    .insert(endpointSchedules)
    .values({ endpoint: value('endpoint'), nextDueAt: value('dueAt') })
    .onConflictDoUpdate({
      target: endpointSchedules.endpoint,
      set: { nextDueAt: sql`min(ifnull(next_due_at, excluded.next_due_at), excluded.next_due_at)` },
      setWhere: sql`paused = 0 OR ${value('class')} = ${sql.raw(String(deliveryClass.test))}`,
    })
    .prepare()

/** Prepares the statements that write one event with its deliveries. */
export function preparePublishing(db: DrizzleDatabase) {
  return {
    findBySource: db
      .select({
        position: events.position,
        eventId: events.eventId,
        withheld: events.withheld,
        userId: events.userId,
        type: events.type,
        body: events.body,
      })
      .from(events)
      .where(and(eq(events.appId, value('appId')), eq(events.sourceEventId, value('sourceEventId'))))
      .prepare(),
    releaseSource: db
      .update(events)
      .set({ sourceEventId: null })
      .where(eq(events.position, value('event')))
      .prepare(),
    listDeliveriesOfEvent: db
      .select({ deliveryId: deliveries.deliveryId, endpointId: endpoints.endpointId })
      .from(deliveries)
      .innerJoin(endpoints, eq(endpoints.position, deliveries.endpoint))
      .where(
        and(
          eq(deliveries.event, value('event')),
          isNull(deliveries.resendOf),
          ne(deliveries.class, deliveryClass.recovered),
        ),
      )
      .orderBy(deliveries.position)
      .prepare(),
    findEndpoint: db
      .select({
        position: endpoints.position,
        endpointId: endpoints.endpointId,
        lineageId: endpoints.lineageId,
        removedAt: endpoints.removedAt,
      })
      .from(endpoints)
      .where(and(eq(endpoints.endpointId, value('endpointId')), eq(endpoints.appId, value('appId'))))
      .prepare(),
    listLineage: prepareLineage(db),
    insertEvent: db
      .insert(events)
      .values({
        eventId: value('eventId'),
        appId: value('appId'),
        userId: value('userId'),
        type: value('type'),
        occurredAt: value('occurredAt'),
        body: value('body'),
        test: value('test'),
        sourceEventId: value('sourceEventId'),
        withheld: value('withheld'),
        createdAt: value('createdAt'),
        traceContext: value('traceContext'),
      })
      .prepare(),
    insertDelivery: db
      .insert(deliveries)
      .values({
        deliveryId: value('deliveryId'),
        event: value('event'),
        endpoint: value('endpoint'),
        xEventId: value('xEventId'),
        appId: value('appId'),
        userId: value('userId'),
        eventType: value('eventType'),
        class: value('class'),
        state: 'PENDING',
        createdAt: value('createdAt'),
        dueAt: value('createdAt'),
        resendOf: value('resendOf'),
      })
      .prepare(),
    advanceNextDue: prepareAdvanceNextDue(db),
  }
}

export type PublishingStatements = ReturnType<typeof preparePublishing>

/** The endpoint; after its removal the one of its lineage that takes the type. */
function findLive(statements: PublishingStatements, { appId, type }: PreparedEvent, endpointId: string) {
  const found = statements.findEndpoint.get({ endpointId, appId })
  if (found === undefined || found.removedAt === null) return found
  return heirOf(statements.listLineage.all({ appId, lineageId: found.lineageId }), type)
}

/** Writes the event and its deliveries, all due at `now`, inside a transaction of the caller. */
export function writeEvent(statements: PublishingStatements, event: PreparedEvent, now: Date): InsertedEvent {
  if (event.sourceEventId !== null) {
    const original = statements.findBySource.get({ appId: event.appId, sourceEventId: event.sourceEventId })
    if (original !== undefined && !mayReplace(event, original.withheld)) {
      const { eventId, withheld, position, userId, type, body } = original
      const written = statements.listDeliveriesOfEvent.all({ event: position })
      return {
        eventId,
        deliveries: written,
        withheld,
        duplicate: true,
        original: { userId, type, body: ownBytes(body) },
      }
    }
    if (original !== undefined) statements.releaseSource.run({ event: original.position })
  }
  const createdAt = now.getTime()
  const inserted = statements.insertEvent.run({
    eventId: event.eventId,
    appId: event.appId,
    userId: event.userId,
    type: event.type,
    occurredAt: event.occurredAt.getTime(),
    body: event.body,
    test: event.test ? 1 : 0,
    sourceEventId: event.sourceEventId,
    withheld: event.withheld,
    createdAt,
    traceContext: event.traceContext ?? null,
  })
  const ofClass = classOf(event.test)
  const written: { deliveryId: string; endpointId: string }[] = []
  const made = new Set<string>()
  for (const { deliveryId, endpointId, xEventId } of event.deliveries) {
    // Another endpoint of the lineage gets it.
    if (made.has(xEventId)) continue
    const endpoint = findLive(statements, event, endpointId)
    if (endpoint === undefined) continue
    statements.insertDelivery.run({
      deliveryId,
      event: inserted.lastInsertRowid,
      endpoint: endpoint.position,
      xEventId,
      appId: event.appId,
      userId: event.userId,
      eventType: event.type,
      class: ofClass,
      createdAt,
      resendOf: null,
    })
    statements.advanceNextDue.run({ endpoint: endpoint.position, class: ofClass, dueAt: createdAt })
    made.add(xEventId)
    written.push({ deliveryId, endpointId: endpoint.endpointId })
  }
  return { eventId: event.eventId, deliveries: written, withheld: event.withheld, duplicate: false, original: null }
}
