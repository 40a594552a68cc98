import { and, asc, eq, inArray, isNull, lt, sql } from 'drizzle-orm'
import { given, type DrizzleDatabase } from '../engine/sqlite/statement.js'
import { isRunning, recoveries } from './recovery-tables.sqlite.js'
import { deliveries, endpoints, events } from './tables.sqlite.js'
import { deliveryClass } from './values.js'

const value = sql.placeholder

const isOne = and(eq(recoveries.appId, value('appId')), eq(recoveries.recoveryId, value('recoveryId')))

/** Whether the lineage has a delivery of an event in this state. */
const hasDelivery = (state: 'DELIVERED' | 'PENDING') => sql<number>`EXISTS (
  SELECT 1 FROM kyc_relay_deliveries AS delivery
  JOIN kyc_relay_endpoints AS member ON member.position = delivery.endpoint
  WHERE delivery.event = kyc_relay_events.position AND delivery.state = ${state}
    AND member.lineage_id = ${value('lineageId')})`

/** Prepares the statements of recoveries: their steps run beside live deliveries. */
export function prepareRecoveries(db: DrizzleDatabase) {
  return {
    find: db.select().from(recoveries).where(isOne).prepare(),
    findRunning: db
      .select({ row: recoveries, lineageId: endpoints.lineageId, endpointId: endpoints.endpointId })
      .from(recoveries)
      .innerJoin(endpoints, eq(endpoints.position, recoveries.endpoint))
      .where(and(isOne, isRunning))
      .prepare(),
    listRunning: db
      .select({ appId: recoveries.appId, recoveryId: recoveries.recoveryId })
      .from(recoveries)
      .where(
        and(
          isRunning,
          sql`(${recoveries.createdAt}, ${recoveries.recoveryId}) > (${value('afterCreatedAt')}, ${value('afterId')})`,
        ),
      )
      .orderBy(asc(recoveries.createdAt), asc(recoveries.recoveryId))
      .limit(value('limit'))
      .prepare(),
    findEndpoint: db
      .select()
      .from(endpoints)
      .where(
        and(
          eq(endpoints.appId, value('appId')),
          eq(endpoints.endpointId, value('endpointId')),
          isNull(endpoints.removedAt),
        ),
      )
      .prepare(),
    listWaiting: db
      .select({ position: deliveries.position })
      .from(deliveries)
      .where(
        and(
          eq(deliveries.endpoint, value('endpoint')),
          eq(deliveries.class, deliveryClass.recovered),
          sql`${deliveries.dueAt} IS NOT NULL`,
        ),
      )
      .limit(value('limit'))
      .prepare(),
    listEvents: db
      .select({
        eventId: events.eventId,
        userId: events.userId,
        type: events.type,
        position: events.position,
        createdAt: events.createdAt,
        withheld: events.withheld,
        erased: sql<number>`ifnull(length(${events.body}), 0) = 0`,
        acknowledged: hasDelivery('DELIVERED'),
        pending: hasDelivery('PENDING'),
      })
      .from(events)
      .where(
        and(
          eq(events.appId, value('appId')),
          lt(events.createdAt, value('until')),
          sql`(${events.createdAt}, ${events.position}) > (${value('afterCreatedAt')}, ${value('afterPosition')})`,
          sql`${events.type} IN (SELECT value FROM json_each(${value('types')}))`,
          eq(events.test, 0),
        ),
      )
      .orderBy(asc(events.createdAt), asc(events.position))
      .limit(value('limit'))
      .prepare(),
    findEvent: db
      .select({ position: events.position, userId: events.userId, eventType: events.type })
      .from(events)
      .where(
        and(eq(events.eventId, value('eventId')), eq(events.appId, value('appId')), sql`length(${events.body}) > 0`),
      )
      .prepare(),
    findUnneeded: db
      .select({ position: deliveries.position })
      .from(deliveries)
      .where(and(eq(deliveries.xEventId, value('xEventId')), inArray(deliveries.state, ['PENDING', 'DELIVERED'])))
      .limit(1)
      .prepare(),
    writeProgress: db
      .update(recoveries)
      .set({
        state: given('state'),
        created: given('created'),
        acknowledged: given('acknowledged'),
        pending: given('pending'),
        withoutScope: given('withoutScope'),
        erased: given('erased'),
        afterCreatedAt: given('afterCreatedAt'),
        afterPosition: given('afterPosition'),
      })
      .where(isOne)
      .prepare(),
  }
}
