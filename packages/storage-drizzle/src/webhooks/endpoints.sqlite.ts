import { and, asc, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { AuditActor } from '@kyc-relay/kyc-core/audit'
import type { Endpoint, WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { NewEndpoint } from '@kyc-relay/webhooks/internal'
import { endpointEvent } from '../audit/access-events.js'
import type { AuditChain } from '../audit/chain.sqlite.js'
import type { DrizzleDatabase } from '../engine/sqlite/statement.js'
import { groupBy } from '../group-by.js'
import { prepareCancelling } from './cancelling.sqlite.js'
import { formatHeaders } from './sealed-headers.js'
import { goneReason, heirOf } from './lineage.js'
import { deliveries, endpoints, endpointSchedules } from './tables.sqlite.js'
import { isRunning, recoveries } from './recovery-tables.sqlite.js'

const value = sql.placeholder

/** Prepares the list of the endpoints of a lineage, oldest first. */
export const prepareLineage = (db: DrizzleDatabase) =>
  db
    .select({ position: endpoints.position, endpointId: endpoints.endpointId, eventTypes: endpoints.eventTypes })
    .from(endpoints)
    .where(
      and(
        eq(endpoints.appId, value('appId')),
        eq(endpoints.lineageId, value('lineageId')),
        isNull(endpoints.removedAt),
      ),
    )
    .orderBy(asc(endpoints.createdAt), asc(endpoints.position))
    .prepare()

/** Prepares the statements that change endpoints. */
function prepareEndpoints(db: DrizzleDatabase) {
  const live = isNull(endpoints.removedAt)
  const waiting = and(eq(deliveries.endpoint, value('endpoint')), isNotNull(deliveries.dueAt))
  const waitingOfTypes = and(waiting, sql`${deliveries.eventType} IN (SELECT value FROM json_each(${value('types')}))`)
  return {
    refreshNextDue: prepareCancelling(db).refreshNextDue,
    countLive: db
      .select({ count: sql<number>`count(*)` })
      .from(endpoints)
      .where(and(eq(endpoints.appId, value('appId')), live))
      .prepare(),
    findLineageOfUrl: db
      .select({ lineageId: endpoints.lineageId })
      .from(endpoints)
      .where(and(eq(endpoints.appId, value('appId')), eq(endpoints.url, value('url'))))
      .limit(1)
      .prepare(),
    listLineage: prepareLineage(db),
    moveRecovery: db
      .update(recoveries)
      .set({ endpoint: sql`${value('replacement')}` })
      .where(and(eq(recoveries.endpoint, value('endpoint')), isRunning))
      .prepare(),
    stopRecovery: db
      .update(recoveries)
      .set({ state: 'STOPPED' })
      .where(and(eq(recoveries.endpoint, value('endpoint')), isRunning))
      .prepare(),
    insert: db
      .insert(endpoints)
      .values({
        endpointId: value('endpointId'),
        appId: value('appId'),
        url: value('url'),
        lineageId: value('lineageId'),
        description: value('description'),
        eventTypes: value('eventTypes'),
        headers: value('headers'),
        standardWebhooks: value('standardWebhooks'),
        pausedBy: value('pausedBy'),
        createdAt: value('createdAt'),
      })
      .returning()
      .prepare(),
    findLast: db
      .select({ pausedBy: endpoints.pausedBy })
      .from(endpoints)
      .where(and(eq(endpoints.appId, value('appId')), eq(endpoints.lineageId, value('lineageId'))))
      .orderBy(desc(endpoints.position))
      .limit(1)
      .prepare(),
    setPaused: db
      .update(endpoints)
      .set({ pausedBy: sql`${value('pausedBy')}` })
      .where(eq(endpoints.position, value('endpoint')))
      .returning()
      .prepare(),
    setSchedulePaused: db
      .insert(endpointSchedules)
      .values({ endpoint: value('endpoint'), paused: value('paused') })
      .onConflictDoUpdate({ target: endpointSchedules.endpoint, set: { paused: sql`excluded.paused` } })
      .prepare(),
    ensureSchedule: db
      .insert(endpointSchedules)
      .values({ endpoint: value('endpoint') })
      .onConflictDoNothing()
      .prepare(),
    listHealth: db
      .select({
        endpointId: endpoints.endpointId,
        failingSince: endpointSchedules.failingSince,
        lastSuccessAt: endpointSchedules.lastSuccessAt,
      })
      .from(endpoints)
      .leftJoin(endpointSchedules, eq(endpointSchedules.endpoint, endpoints.position))
      .where(and(eq(endpoints.appId, value('appId')), live))
      .prepare(),
    find: db
      .select({ position: endpoints.position, lineageId: endpoints.lineageId, pausedBy: endpoints.pausedBy })
      .from(endpoints)
      .where(and(eq(endpoints.endpointId, value('endpointId')), eq(endpoints.appId, value('appId')), live))
      .prepare(),
    remove: db
      .update(endpoints)
      .set({ removedAt: sql`${value('now')}`, headers: null })
      .where(and(eq(endpoints.endpointId, value('endpointId')), eq(endpoints.appId, value('appId')), live))
      .returning()
      .prepare(),
    listWaitingTypes: db.selectDistinct({ type: deliveries.eventType }).from(deliveries).where(waiting).prepare(),
    moveWaiting: db
      .update(deliveries)
      .set({ endpoint: sql`${value('heir')}` })
      .where(waitingOfTypes)
      .prepare(),
    cancelWaiting: db
      .update(deliveries)
      .set({
        state: 'CANCELLED',
        dueAt: null,
        endedAt: sql`${value('now')}`,
        cancelReason: sql`${value('reason')}`,
      })
      .where(waitingOfTypes)
      .prepare(),
  }
}

type EndpointStatements = ReturnType<typeof prepareEndpoints>

/** What changes endpoints, inside a transaction of the caller. */
export function createEndpointChanges(db: DrizzleDatabase, audit: AuditChain | null) {
  const statements = prepareEndpoints(db)

  function insert(endpoint: NewEndpoint, lineageId: string, pausedBy: Endpoint['pausedBy'], nowMs: number): number {
    const row = statements.insert.get({
      endpointId: endpoint.endpointId,
      appId: endpoint.appId,
      url: endpoint.url,
      lineageId,
      description: endpoint.description ?? null,
      eventTypes: endpoint.eventTypes === null ? null : JSON.stringify(endpoint.eventTypes),
      headers: formatHeaders(endpoint.headers),
      standardWebhooks: endpoint.standardWebhooks ? 1 : 0,
      pausedBy,
      createdAt: endpoint.createdAt.getTime(),
    })
    if (pausedBy !== null) statements.setSchedulePaused.run({ endpoint: row.position, paused: 1 })
    audit?.append(endpointEvent(audit.seal, 'ENDPOINT_REGISTERED', row, nowMs))
    if (pausedBy !== null) audit?.append(endpointEvent(audit.seal, 'ENDPOINT_PAUSED', row, nowMs))
    return row.position
  }

  function setPaused(endpoint: number, pausedBy: Endpoint['pausedBy'], nowMs: number, actor?: AuditActor): void {
    const row = statements.setPaused.get({ endpoint, pausedBy })
    statements.setSchedulePaused.run({ endpoint, paused: pausedBy === null ? 0 : 1 })
    statements.refreshNextDue.run({ endpoint })
    const kind = pausedBy === null ? 'ENDPOINT_RESUMED' : 'ENDPOINT_PAUSED'
    audit?.append(endpointEvent(audit.seal, kind, row, nowMs), actor)
  }

  function remove(removed: { readonly appId: string; readonly endpointId: string }, nowMs: number) {
    const [row] = statements.remove.all({ ...removed, now: nowMs })
    if (row !== undefined) audit?.append(endpointEvent(audit.seal, 'ENDPOINT_REMOVED', row, nowMs))
    return row
  }

  return {
    statements,
    register(endpoint: NewEndpoint, limitPerApp: number, nowMs: number) {
      const { appId, url } = endpoint
      if ((statements.countLive.get({ appId })?.count ?? 0) >= limitPerApp) return 'limit_reached'
      const known = statements.findLineageOfUrl.get({ appId, url })
      const lineageId = known?.lineageId ?? endpoint.endpointId
      const last = statements.findLast.get({ appId, lineageId })?.pausedBy
      insert(endpoint, lineageId, last === 'OPERATOR' ? last : null, nowMs)
      return 'registered'
    },
    replace({ appId, endpointId, replacement }: Parameters<WebhookStore['replaceEndpoint']>[0], nowMs: number) {
      const old = statements.find.get({ appId, endpointId })
      if (old === undefined) return 'not_found'
      const known = statements.findLineageOfUrl.get({ appId, url: replacement.url })
      if (known !== undefined && known.lineageId !== old.lineageId) return 'url_in_use'
      const position = insert(replacement, old.lineageId, old.pausedBy, nowMs)
      statements.moveRecovery.run({ endpoint: old.position, replacement: position })
      const removed = remove({ appId, endpointId }, nowMs)
      if (removed !== undefined) handOver(statements, removed, nowMs)
      return 'replaced'
    },
    listHealth: (appId: string) =>
      statements.listHealth.all({ appId }).map(({ endpointId, failingSince, lastSuccessAt }) => ({
        endpointId,
        failingSince: failingSince === null ? null : new Date(failingSince),
        lastSuccessAt: lastSuccessAt === null ? null : new Date(lastSuccessAt),
      })),
    pause({ by, actor, ...asked }: Parameters<WebhookStore['pauseEndpoint']>[0], nowMs: number) {
      const found = statements.find.get(asked)
      if (found === undefined) return 'not_found'
      if (found.pausedBy === by || found.pausedBy === 'OPERATOR') return 'paused'
      setPaused(found.position, by, nowMs, actor)
      return 'paused'
    },
    resume({ by, actor, ...asked }: Parameters<WebhookStore['resumeEndpoint']>[0], nowMs: number) {
      const found = statements.find.get(asked)
      if (found === undefined) return 'not_found'
      if (found.pausedBy === null) return 'resumed'
      if (found.pausedBy === 'OPERATOR' && by === 'PARTNER') return 'paused_by_operator'
      setPaused(found.position, null, nowMs, actor)
      return 'resumed'
    },
    remove({ appId, endpointId }: { readonly appId: string; readonly endpointId: string }, nowMs: number): boolean {
      const removed = remove({ appId, endpointId }, nowMs)
      if (removed === undefined) return false
      statements.stopRecovery.run({ endpoint: removed.position })
      handOver(statements, removed, nowMs)
      return true
    },
  }
}

/** Hands what waits for a removed endpoint over to its lineage, and cancels the rest. */
function handOver(
  statements: EndpointStatements,
  removed: { readonly position: number; readonly appId: string; readonly lineageId: string },
  now: number,
): void {
  const { position: endpoint, appId, lineageId } = removed
  const lineage = statements.listLineage.all({ appId, lineageId })
  const waiting = statements.listWaitingTypes.all({ endpoint }).map(({ type }) => type)
  // One statement for each heir: each reads all that waits.
  for (const [heir, ofHeir] of groupBy(waiting, (type) => heirOf(lineage, type)?.position)) {
    const types = JSON.stringify(ofHeir)
    if (heir === undefined) {
      statements.cancelWaiting.run({ endpoint, types, now, reason: goneReason(lineage) })
      continue
    }
    statements.moveWaiting.run({ endpoint, types, heir })
    statements.ensureSchedule.run({ endpoint: heir })
    statements.refreshNextDue.run({ endpoint: heir })
  }
  statements.refreshNextDue.run({ endpoint })
}
