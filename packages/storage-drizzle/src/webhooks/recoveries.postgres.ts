import { and, asc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { RecoveryStore } from '@kyc-relay/webhooks/delivery'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import type { DueNotifications } from '../engine/postgres/notifications.js'
import { now, textArray, timeOf } from '../engine/postgres/parameters.js'
import { queryBuilder, statement, type Queryable } from '../engine/postgres/statement.js'
import { checkedLimit } from '../page-cursor.js'
import { countsAfter, parseTypes, readProgress, typesOf, type StepRequest } from './recoveries.js'
import { deliveryQueue, endpoints } from './tables.postgres.js'
import { recoveries } from './recovery-tables.postgres.js'
import { deliveryClass, unnamedTypes } from './values.js'

const value = sql.placeholder

/**
 * Writes the deliveries of a step and queues them in one statement. The share lock keeps retention from the bodies, and
 * reads one table alone: Citus inserts nothing from a join that locks. One notice is enough, and none while the endpoint is
 * paused.
 */
const insertRecovered = statement<{ created: number }>(
  'insert_recovered',
  sql`
WITH event AS (
  SELECT event_id, user_id, type FROM kyc_relay_events
  WHERE app_id = ${value('appId')} AND event_id = ANY(${value('eventIds')}::text[]) AND body IS NOT NULL
  FOR SHARE
), found AS (
  SELECT given.delivery_id, given.x_event_id, given.ordinal, event.event_id, event.user_id, event.type
  FROM unnest(${value('deliveryIds')}::text[], ${value('eventIds')}::text[], ${value('xEventIds')}::text[])
    WITH ORDINALITY AS given (delivery_id, event_id, x_event_id, ordinal)
  JOIN event USING (event_id)
  WHERE NOT EXISTS (
    SELECT FROM kyc_relay_deliveries AS other
    WHERE other.app_id = ${value('appId')} AND other.x_event_id = given.x_event_id
      AND other.state IN ('PENDING', 'DELIVERED')
  )
), written AS (
  INSERT INTO kyc_relay_deliveries (
    app_id, delivery_id, event_id, endpoint_id, x_event_id, user_id, event_type, state, created_at
  )
  SELECT ${value('appId')}, delivery_id, event_id, ${value('endpointId')}, x_event_id, user_id, type, 'PENDING', ${now}
  FROM found ORDER BY ordinal
  RETURNING app_id, position, delivery_id, endpoint_id, created_at
), queued AS (
  INSERT INTO kyc_relay_delivery_queue (app_id, position, delivery_id, endpoint_id, class, due_at)
  SELECT app_id, position, delivery_id, endpoint_id, ${sql.raw(String(deliveryClass.recovered))}, created_at FROM written
), announced AS (
  INSERT INTO kyc_relay_due_notices (app_id, endpoint_id, due_at)
  SELECT app_id, endpoint_id, created_at FROM written WHERE NOT ${value('held')}::boolean LIMIT 1
)
SELECT count(*)::int AS created FROM written`,
)

const isOne = ({ appId, recoveryId }: { readonly appId: string; readonly recoveryId: string }) =>
  and(eq(recoveries.appId, appId), eq(recoveries.recoveryId, recoveryId))

/** Whether the lineage has a delivery of an event in this state. */
const hasDelivery = (state: 'DELIVERED' | 'PENDING') => sql`EXISTS (
  SELECT FROM kyc_relay_deliveries AS delivery
  JOIN kyc_relay_endpoints AS member ON member.app_id = ${value('appId')} AND member.endpoint_id = delivery.endpoint_id
  WHERE delivery.app_id = ${value('appId')} AND delivery.event_id = event.event_id
    AND delivery.state = ${sql.raw(`'${state}'`)} AND member.lineage_id = ${value('lineageId')})`

type ListedEvent = Awaited<ReturnType<RecoveryStore['listEvents']>>[number]

/** Its steps run beside live deliveries, so the statement is prepared. */
const listRecoverable = statement<
  Pick<ListedEvent, 'eventId' | 'userId' | 'type' | 'withheld' | 'erased'> & {
    readonly createdAt: Date
    readonly position: number
    readonly acknowledged: boolean
    readonly pending: boolean
  }
>(
  'list_recoverable',
  sql`
SELECT event_id AS "eventId", user_id AS "userId", type, withheld, created_at AS "createdAt", position,
  coalesce(length(body), 0) = 0 AS erased,
  ${hasDelivery('DELIVERED')} AS acknowledged,
  ${hasDelivery('PENDING')} AS pending
FROM kyc_relay_events AS event
WHERE app_id = ${value('appId')} AND created_at < ${value('until')}::timestamptz
  AND (created_at, position) > (${value('afterCreatedAt')}::timestamptz, ${value('afterPosition')}::bigint)
  AND type = ANY(${value('types')}::text[]) AND NOT test
ORDER BY created_at, position
LIMIT ${value('limit')}`,
)

/** Creates the recovery store on PostgreSQL. */
export function createRecoveryStore(dependencies: {
  readonly database: PostgresDatabase
  readonly notifications: DueNotifications
  /** Time of the store's clock; null for the database's clock. */
  readonly instant: () => Date | null
}): RecoveryStore {
  const { database, notifications, instant } = dependencies

  /** Finds an endpoint. @param share True to block its removal, replacement and pause until the transaction ends. */
  async function findEndpoint(
    on: Queryable,
    { appId, endpointId }: { readonly appId: string; readonly endpointId: string },
    share: boolean,
  ) {
    const isOf = and(eq(endpoints.appId, appId), eq(endpoints.endpointId, endpointId), isNull(endpoints.removedAt))
    const query = queryBuilder(on).select().from(endpoints).where(isOf)
    const [found] = await (share ? query.for('share') : query)
    return found
  }

  async function start(on: Queryable, request: Parameters<RecoveryStore['startRecovery']>[0]) {
    const { appId, endpointId, recoveryId, since, until } = request
    if ((await findEndpoint(on, request, true)) === undefined) return 'not_found'
    const at = timeOf(instant())
    const inserted = await queryBuilder(on)
      .insert(recoveries)
      .values({
        ...{ appId, recoveryId, endpointId, since, createdAt: at },
        until: until === null ? at : sql`least(${until.toISOString()}::timestamptz, ${at})`,
        eventTypes: request.eventTypes === null ? null : JSON.stringify(request.eventTypes),
        state: 'RUNNING',
      })
      .onConflictDoNothing()
      .returning({ recoveryId: recoveries.recoveryId })
    return inserted.length === 0 ? 'running' : 'started'
  }

  async function writeStep(on: Queryable, request: StepRequest) {
    const { appId, endpointId, after, next } = request
    // The endpoint first, as a removal and a replacement lock it before they change its recovery.
    const endpoint = await findEndpoint(on, request, true)
    const query = queryBuilder(on)
    const [row] = await query.select().from(recoveries).where(isOne(request)).for('update')
    const stands =
      row?.afterCreatedAt?.getTime() === after?.createdAt.getTime() &&
      (row?.afterPosition ?? null) === (after?.position ?? null)
    if (row?.state !== 'RUNNING' || endpoint?.endpointId !== row.endpointId || !stands) return 'stale'
    const [answer] = await insertRecovered.rows(on, {
      ...{ appId, endpointId, held: endpoint.pausedBy !== null, now: instant() },
      deliveryIds: textArray(request.deliveries.map(({ deliveryId }) => deliveryId)),
      eventIds: textArray(request.deliveries.map(({ eventId }) => eventId)),
      xEventIds: textArray(request.deliveries.map(({ xEventId }) => xEventId)),
    })
    const place = next === null ? {} : { afterCreatedAt: next.createdAt, afterPosition: next.position }
    await query
      .update(recoveries)
      .set({ ...countsAfter(row, request, answer?.created ?? 0), ...place })
      .where(isOne(request))
    return 'written'
  }

  return {
    startRecovery: (request) => database.transaction((on) => start(on, request)),

    findRecovery: (request) =>
      database.run(async (on) => {
        const [row] = await queryBuilder(on).select().from(recoveries).where(isOne(request))
        return row === undefined ? null : readProgress(row)
      }),

    stopRecovery: (request) =>
      database.transaction(async (on) => {
        const query = queryBuilder(on)
        const isRunning = and(isOne(request), eq(recoveries.state, 'RUNNING'))
        await query.update(recoveries).set({ state: 'STOPPED' }).where(isRunning)
        return (await query.$count(recoveries, isOne(request))) > 0
      }),

    listRunning: ({ limit }) =>
      database.run((on) =>
        queryBuilder(on)
          .select({ appId: recoveries.appId, recoveryId: recoveries.recoveryId })
          .from(recoveries)
          .where(sql`${recoveries.state} = 'RUNNING'`)
          .orderBy(asc(recoveries.createdAt), asc(recoveries.recoveryId))
          .limit(checkedLimit(limit)),
      ),

    findNextStep: ({ mostWaiting, ...request }) =>
      database.run(async (on) => {
        const query = queryBuilder(on)
        const [row] = await query
          .select()
          .from(recoveries)
          .where(and(isOne(request), eq(recoveries.state, 'RUNNING')))
        if (row === undefined) return null
        const endpoint = await findEndpoint(on, row, false)
        if (endpoint === undefined) return null
        const { appId, endpointId, since, until } = row
        const waiting = await query
          .select({ position: deliveryQueue.position })
          .from(deliveryQueue)
          .where(
            and(
              eq(deliveryQueue.appId, appId),
              eq(deliveryQueue.endpointId, endpointId),
              eq(deliveryQueue.class, deliveryClass.recovered),
              isNotNull(deliveryQueue.dueAt),
            ),
          )
          .limit(mostWaiting)
        if (waiting.length >= mostWaiting) return null
        const { afterCreatedAt: createdAt, afterPosition: position } = row
        const after = createdAt === null || position === null ? null : { createdAt, position }
        const { lineageId } = endpoint
        return { appId, endpointId, lineageId, since, until, after, eventTypes: parseTypes(row.eventTypes) }
      }),

    listEvents: (range) =>
      database.run(async (on) => {
        const { appId, since, until, after, limit } = range
        const endpoint = await findEndpoint(on, range, false)
        if (endpoint === undefined) return []
        const { lineageId } = endpoint
        const rows = await listRecoverable.rows(on, {
          appId,
          lineageId,
          // Positions begin with 1.
          afterCreatedAt: after?.createdAt ?? since,
          afterPosition: after?.position ?? 0,
          until,
          types: textArray(typesOf(endpoint.eventTypes, range.eventTypes) ?? unnamedTypes),
          limit: checkedLimit(limit),
        })
        return rows.map(({ position, createdAt, acknowledged, pending, ...event }) => ({
          ...event,
          place: { createdAt, position },
          delivered: acknowledged ? 'ACKNOWLEDGED' : pending ? 'PENDING' : null,
        }))
      }),

    async writeStep(request) {
      const answer = await database.transaction((on) => writeStep(on, request))
      if (answer === 'written' && request.deliveries.length > 0) notifications.announce()
      return answer
    },
  }
}
