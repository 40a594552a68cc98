import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm'
import type { AuditActor } from '@kyc-relay/kyc-core/audit'
import type { Endpoint, WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { NewEndpoint } from '@kyc-relay/webhooks/internal'
import { endpointEvent } from '../audit/access-events.js'
import type { StoredEndpoint } from '../audit/access-rows.js'
import type { AuditChain } from '../audit/chain.postgres.js'
import { timeOf } from '../engine/postgres/parameters.js'
import { queryBuilder, type Queryable } from '../engine/postgres/statement.js'
import * as statements from './endpoint-statements.postgres.js'
import { handOver } from './hand-over.postgres.js'
import { formatHeaders } from './sealed-headers.js'
import { dueNotices, endpointLimits, endpoints, endpointSchedules } from './tables.postgres.js'
import { recoveries } from './recovery-tables.postgres.js'

interface OneEndpoint {
  readonly appId: string
  readonly endpointId: string
}

const isOf = ({ appId, endpointId }: OneEndpoint) =>
  and(eq(endpoints.appId, appId), eq(endpoints.endpointId, endpointId), isNull(endpoints.removedAt))

/** The running recovery of an endpoint. */
const isRecoveryOf = ({ appId, endpointId }: OneEndpoint) =>
  and(eq(recoveries.appId, appId), eq(recoveries.endpointId, endpointId), eq(recoveries.state, 'RUNNING'))

/** Lists the endpoints of a lineage, oldest first. @param share True to block their removal until the transaction ends. */
export async function listLineage(
  on: Queryable,
  { appId, lineageId }: { readonly appId: string; readonly lineageId: string },
  share: boolean,
) {
  const list = queryBuilder(on)
    .select({
      endpointId: endpoints.endpointId,
      eventTypes: endpoints.eventTypes,
      paused: sql<boolean>`${endpoints.pausedBy} IS NOT NULL`,
    })
    .from(endpoints)
    .where(and(eq(endpoints.appId, appId), eq(endpoints.lineageId, lineageId), isNull(endpoints.removedAt)))
    .orderBy(asc(endpoints.createdAt), asc(endpoints.position))
  return share ? list.for('share') : list
}

/** Tells the health of each endpoint of an app. */
export async function listEndpointHealth(on: Queryable, appId: string): ReturnType<WebhookStore['listEndpointHealth']> {
  return queryBuilder(on)
    .select({
      endpointId: endpoints.endpointId,
      failingSince: endpointSchedules.failingSince,
      lastSuccessAt: endpointSchedules.lastSuccessAt,
    })
    .from(endpoints)
    .innerJoin(
      endpointSchedules,
      and(eq(endpointSchedules.appId, endpoints.appId), eq(endpointSchedules.endpointId, endpoints.endpointId)),
    )
    .where(and(eq(endpoints.appId, appId), isNull(endpoints.removedAt)))
}

/** Changes endpoints, each inside a transaction. */
export function createEndpointChanges(audit: AuditChain | null) {
  /** Locks the app's row: changes of its endpoints wait for each other, so that the limit holds and heirs stay. */
  async function lockEndpointsOf(on: Queryable, appId: string): Promise<void> {
    const query = queryBuilder(on)
    await query.insert(endpointLimits).values({ appId }).onConflictDoNothing()
    await query.select().from(endpointLimits).where(eq(endpointLimits.appId, appId)).for('update')
  }

  async function findLineageOfUrl(on: Queryable, { appId, url }: NewEndpoint): Promise<string | null> {
    const [known] = await queryBuilder(on)
      .select({ lineageId: endpoints.lineageId })
      .from(endpoints)
      .where(and(eq(endpoints.appId, appId), eq(endpoints.url, url)))
      .limit(1)
    return known?.lineageId ?? null
  }

  async function insert(
    on: Queryable,
    endpoint: NewEndpoint,
    { lineageId, pausedBy }: Pick<Endpoint, 'lineageId' | 'pausedBy'>,
  ): Promise<readonly StoredEndpoint[]> {
    const { appId, endpointId } = endpoint
    const eventTypes = endpoint.eventTypes === null ? null : JSON.stringify(endpoint.eventTypes)
    const query = queryBuilder(on)
    const headers = formatHeaders(endpoint.headers)
    const row = { ...endpoint, lineageId, pausedBy, eventTypes, headers }
    const inserted = await query.insert(endpoints).values(row).returning()
    await query.insert(endpointSchedules).values({ appId, endpointId, paused: pausedBy !== null })
    return inserted
  }

  /** An operator's pause holds for the next endpoint of the lineage too. */
  async function inheritedPause(on: Queryable, { appId, lineageId }: { appId: string; lineageId: string }) {
    const [last] = await queryBuilder(on)
      .select({ pausedBy: endpoints.pausedBy })
      .from(endpoints)
      .where(and(eq(endpoints.appId, appId), eq(endpoints.lineageId, lineageId)))
      .orderBy(desc(endpoints.position))
      .limit(1)
    return last?.pausedBy === 'OPERATOR' ? last.pausedBy : null
  }

  /**
   * Waits for publishers that hold the endpoint. Later ones see the pause, and write no due notice for deliveries that
   * wait for its end. Claims and results see it once they have the schedule.
   */
  async function setPaused(
    on: Queryable,
    one: OneEndpoint,
    pausedBy: Endpoint['pausedBy'],
    actor: AuditActor | undefined,
  ): Promise<void> {
    const { appId, endpointId } = one
    const query = queryBuilder(on)
    const changed = await query.update(endpoints).set({ pausedBy }).where(isOf(one)).returning()
    await query
      .update(endpointSchedules)
      .set({ paused: pausedBy !== null })
      .where(and(eq(endpointSchedules.appId, appId), eq(endpointSchedules.endpointId, endpointId)))
    await query.delete(dueNotices).where(and(eq(dueNotices.appId, appId), eq(dueNotices.endpointId, endpointId)))
    await statements.refreshNextDue.count(on, { appId, endpointIds: [endpointId] })
    await record(on, pausedBy === null ? 'ENDPOINT_RESUMED' : 'ENDPOINT_PAUSED', changed, actor)
  }

  /** Writes one entry for each changed endpoint. Call it last: it locks the chain. */
  async function record(
    on: Queryable,
    kind: Parameters<typeof endpointEvent>[1],
    rows: readonly StoredEndpoint[],
    actor?: AuditActor,
  ): Promise<void> {
    for (const row of rows) {
      await audit?.append(on, row.appId, (nowMs) => endpointEvent(audit.seal, kind, row, nowMs), actor)
    }
  }

  /** Writes the entries of a new endpoint, with the pause that it inherits. */
  async function recordNew(on: Queryable, rows: readonly StoredEndpoint[]): Promise<void> {
    await record(on, 'ENDPOINT_REGISTERED', rows)
    const paused = rows.filter(({ pausedBy }) => pausedBy !== null)
    await record(on, 'ENDPOINT_PAUSED', paused)
  }

  async function findOne(on: Queryable, one: OneEndpoint) {
    const [found] = await queryBuilder(on)
      .select({ lineageId: endpoints.lineageId, pausedBy: endpoints.pausedBy })
      .from(endpoints)
      .where(isOf(one))
    return found
  }

  /** Waits for publishers that hold the endpoint; later publishers see the removal. Returns the row; none without it. */
  const remove = (on: Queryable, endpoint: OneEndpoint, now: Date | null) =>
    queryBuilder(on)
      .update(endpoints)
      .set({ removedAt: timeOf(now), headers: null })
      .where(isOf(endpoint))
      .returning()

  return {
    async register(on: Queryable, endpoint: NewEndpoint, limitPerApp: number) {
      const { appId } = endpoint
      await lockEndpointsOf(on, appId)
      const live = and(eq(endpoints.appId, appId), isNull(endpoints.removedAt))
      if ((await queryBuilder(on).$count(endpoints, live)) >= limitPerApp) return 'limit_reached'
      const lineageId = (await findLineageOfUrl(on, endpoint)) ?? endpoint.endpointId
      const pausedBy = await inheritedPause(on, { appId, lineageId })
      await recordNew(on, await insert(on, endpoint, { lineageId, pausedBy }))
      return 'registered'
    },

    async replace(
      on: Queryable,
      { appId, endpointId, replacement }: Parameters<WebhookStore['replaceEndpoint']>[0],
      now: Date | null,
    ) {
      await lockEndpointsOf(on, appId)
      const old = await findOne(on, { appId, endpointId })
      if (old === undefined) return 'not_found'
      const { lineageId } = old
      if (((await findLineageOfUrl(on, replacement)) ?? lineageId) !== lineageId) return 'url_in_use'
      const inserted = await insert(on, replacement, old)
      const removed = await remove(on, { appId, endpointId }, now)
      await queryBuilder(on)
        .update(recoveries)
        .set({ endpointId: replacement.endpointId })
        .where(isRecoveryOf({ appId, endpointId }))
      await handOver(on, { appId, endpointId }, await listLineage(on, { appId, lineageId }, false), now)
      await recordNew(on, inserted)
      await record(on, 'ENDPOINT_REMOVED', removed)
      return 'replaced'
    },

    async pause(on: Queryable, { by, actor, ...one }: Parameters<WebhookStore['pauseEndpoint']>[0]) {
      await lockEndpointsOf(on, one.appId)
      const found = await findOne(on, one)
      if (found === undefined) return 'not_found'
      if (found.pausedBy === by || found.pausedBy === 'OPERATOR') return 'paused'
      await setPaused(on, one, by, actor)
      return 'paused'
    },

    async resume(on: Queryable, { by, actor, ...one }: Parameters<WebhookStore['resumeEndpoint']>[0]) {
      await lockEndpointsOf(on, one.appId)
      const found = await findOne(on, one)
      if (found === undefined) return 'not_found'
      if (found.pausedBy === null) return 'resumed'
      if (found.pausedBy === 'OPERATOR' && by === 'PARTNER') return 'paused_by_operator'
      await setPaused(on, one, null, actor)
      return 'resumed'
    },

    async remove(on: Queryable, { appId, endpointId }: OneEndpoint, now: Date | null): Promise<boolean> {
      await lockEndpointsOf(on, appId)
      const [removed] = await remove(on, { appId, endpointId }, now)
      if (removed === undefined) return false
      await queryBuilder(on).update(recoveries).set({ state: 'STOPPED' }).where(isRecoveryOf({ appId, endpointId }))
      await handOver(on, removed, await listLineage(on, removed, false), now)
      await record(on, 'ENDPOINT_REMOVED', [removed])
      return true
    },
  }
}
