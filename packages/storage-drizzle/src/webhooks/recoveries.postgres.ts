import { and, asc, eq, sql } from 'drizzle-orm'
import type { RecoveryStore } from '@kyc-relay/webhooks/delivery'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import type { DueNotifications } from '../engine/due-notifications.js'
import { textArray, timeOf } from '../engine/postgres/parameters.js'
import { queryBuilder, type Queryable } from '../engine/postgres/statement.js'
import { checkedTime } from '../checked-time.js'
import { checkedLimit } from '../pages.js'
import {
  countsAfter,
  formatTypes,
  parseTypes,
  readProgress,
  typesOf,
  type StartRequest,
  type StepRequest,
} from './recoveries.js'
import * as statements from './recovery-statements.postgres.js'
import { recoveries } from './recovery-tables.postgres.js'
import { unnamedTypes } from './values.js'

const isOne = ({ appId, recoveryId }: { readonly appId: string; readonly recoveryId: string }) =>
  and(eq(recoveries.appId, appId), eq(recoveries.recoveryId, recoveryId))

/** Creates the recovery store on PostgreSQL. */
export function createRecoveryStore(dependencies: {
  readonly database: PostgresDatabase
  readonly notifications: DueNotifications
  /** Time of the store's clock; null for the database's clock. */
  readonly instant: () => Date | null
}): RecoveryStore {
  const { database, notifications, instant } = dependencies

  async function start(on: Queryable, request: StartRequest) {
    const { appId, endpointId, recoveryId } = request
    const since = checkedTime(request.since)
    const until = request.until ?? null
    const eventTypes = formatTypes(request.eventTypes)
    if ((await statements.shareEndpoint.rows(on, { appId, endpointId })).length === 0) return 'not_found'
    const at = timeOf(instant())
    const inserted = await queryBuilder(on)
      .insert(recoveries)
      .values({
        appId,
        recoveryId,
        endpointId,
        since,
        createdAt: at,
        until: until === null ? at : sql`least(${checkedTime(until).toISOString()}::timestamptz, ${at})`,
        eventTypes,
        state: 'RUNNING',
      })
      .onConflictDoNothing()
      .returning({ recoveryId: recoveries.recoveryId })
    return inserted.length === 0 ? 'running' : 'started'
  }

  async function writeStep(on: Queryable, request: StepRequest) {
    const { appId, recoveryId, endpointId, after, next } = request
    // The endpoint first, as a removal and a replacement lock it before they change its recovery.
    const [endpoint] = await statements.shareEndpoint.rows(on, { appId, endpointId })
    const [row] = await statements.lockProgress.rows(on, { appId, recoveryId })
    const stands =
      row?.afterCreatedAt?.getTime() === after?.createdAt.getTime() &&
      (row?.afterPosition ?? null) === (after?.position ?? null)
    if (row?.state !== 'RUNNING' || endpoint?.endpointId !== row.endpointId || !stands) return 'stale'
    const [answer] = await statements.insertRecovered.rows(on, {
      appId,
      endpointId,
      held: endpoint.paused,
      now: instant(),
      deliveryIds: textArray(request.deliveries.map(({ deliveryId }) => deliveryId)),
      eventIds: textArray(request.deliveries.map(({ eventId }) => eventId)),
      xEventIds: textArray(request.deliveries.map(({ xEventId }) => xEventId)),
    })
    await statements.writeProgress.count(on, {
      appId,
      recoveryId,
      ...countsAfter(row, request, answer?.created ?? 0),
      afterCreatedAt: next === null ? row.afterCreatedAt : next.createdAt,
      afterPosition: next === null ? row.afterPosition : next.position,
    })
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

    listRunning: ({ limit, after = null }) =>
      database.run(async (on) => {
        const query = queryBuilder(on)
        const { appId, recoveryId, createdAt } = recoveries
        const [former] = after === null ? [] : await query.select().from(recoveries).where(isOne(after))
        const isAfter =
          former && sql`(${createdAt}, ${recoveryId}) > (${former.createdAt.toISOString()}, ${former.recoveryId})`
        return query
          .select({ appId, recoveryId })
          .from(recoveries)
          .where(and(sql`${recoveries.state} = 'RUNNING'`, isAfter))
          .orderBy(asc(createdAt), asc(recoveryId))
          .limit(checkedLimit(limit))
      }),

    findNextStep: ({ appId, recoveryId, mostWaiting }) =>
      database.run(async (on) => {
        const [row] = await statements.findRunning.rows(on, { appId, recoveryId, mostWaiting })
        if (row === undefined || row.waiting >= mostWaiting) return null
        const { endpointId, lineageId, since, until, afterCreatedAt: createdAt, afterPosition: position } = row
        const after = createdAt === null || position === null ? null : { createdAt, position }
        return { appId, endpointId, lineageId, since, until, after, eventTypes: parseTypes(row.eventTypes) }
      }),

    listEvents: (range) =>
      database.run(async (on) => {
        const { appId, endpointId, after, limit } = range
        const [since, until] = [checkedTime(range.since), checkedTime(range.until)]
        const [endpoint] = await statements.findEndpoint.rows(on, { appId, endpointId })
        if (endpoint === undefined) return []
        const { lineageId } = endpoint
        const rows = await statements.listRecoverable.rows(on, {
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
      if (answer === 'written' && request.deliveries.length > 0) notifications.notify()
      return answer
    },
  }
}
