import { and, asc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { NewEndpoint, WebhookStore } from '@kyc-relay/webhooks/delivery'
import { endpointRegisteredEvent, endpointRemovedEvent } from '../audit/access-events.js'
import type { AuditChain } from '../audit/chain.sqlite.js'
import type { DrizzleDatabase } from '../engine/sqlite/statement.js'
import { prepareCancelling } from './cancelling.sqlite.js'
import { goneReason, heirOf } from './lineage.js'
import { preparePublishing } from './publishing.sqlite.js'
import { deliveries, endpoints } from './tables.sqlite.js'

const value = sql.placeholder

/** Prepares the list of the endpoints of a lineage, oldest first. */
export const prepareLineage = (db: DrizzleDatabase) =>
  db
    .select({ position: endpoints.position, eventTypes: endpoints.eventTypes })
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
  const waitingOfType = and(waiting, eq(deliveries.eventType, value('type')))
  return {
    ...{ announceDue: preparePublishing(db).announceDue, refreshNextDue: prepareCancelling(db).refreshNextDue },
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
    insert: db
      .insert(endpoints)
      .values({
        endpointId: value('endpointId'),
        appId: value('appId'),
        url: value('url'),
        lineageId: value('lineageId'),
        description: value('description'),
        eventTypes: value('eventTypes'),
        standardWebhooks: value('standardWebhooks'),
        createdAt: value('createdAt'),
      })
      .prepare(),
    find: db
      .select({ lineageId: endpoints.lineageId })
      .from(endpoints)
      .where(and(eq(endpoints.endpointId, value('endpointId')), eq(endpoints.appId, value('appId')), live))
      .prepare(),
    remove: db
      .update(endpoints)
      .set({ removedAt: sql`${value('now')}` })
      .where(and(eq(endpoints.endpointId, value('endpointId')), eq(endpoints.appId, value('appId')), live))
      .returning({ position: endpoints.position, appId: endpoints.appId, lineageId: endpoints.lineageId })
      .prepare(),
    listWaitingTypes: db.selectDistinct({ type: deliveries.eventType }).from(deliveries).where(waiting).prepare(),
    moveWaiting: db
      .update(deliveries)
      .set({ endpoint: sql`${value('heir')}` })
      .where(waitingOfType)
      .prepare(),
    findNextDue: db
      .select({ dueAt: deliveries.dueAt })
      .from(deliveries)
      .where(waiting)
      .orderBy(asc(deliveries.dueAt))
      .limit(1)
      .prepare(),
    cancelWaiting: db
      .update(deliveries)
      .set({
        state: 'CANCELLED',
        dueAt: null,
        endedAt: sql`${value('now')}`,
        cancelReason: sql`${value('reason')}`,
      })
      .where(waitingOfType)
      .prepare(),
  }
}

type EndpointStatements = ReturnType<typeof prepareEndpoints>

/** What changes endpoints, inside a transaction of the caller. */
export function createEndpointChanges(db: DrizzleDatabase, audit: AuditChain | null) {
  const statements = prepareEndpoints(db)

  function insert(endpoint: NewEndpoint, lineageId: string, nowMs: number): void {
    statements.insert.run({
      endpointId: endpoint.endpointId,
      appId: endpoint.appId,
      url: endpoint.url,
      lineageId,
      description: endpoint.description ?? null,
      eventTypes: endpoint.eventTypes === null ? null : JSON.stringify(endpoint.eventTypes),
      standardWebhooks: endpoint.standardWebhooks ? 1 : 0,
      createdAt: endpoint.createdAt.getTime(),
    })
    audit?.append(endpointRegisteredEvent(audit.seal, endpoint, nowMs))
  }

  function remove(removed: { readonly appId: string; readonly endpointId: string }, nowMs: number) {
    const [row] = statements.remove.all({ ...removed, now: nowMs })
    if (row !== undefined) audit?.append(endpointRemovedEvent(audit.seal, removed, nowMs))
    return row
  }

  return {
    statements,
    register(endpoint: NewEndpoint, limitPerApp: number, nowMs: number) {
      const { appId, url } = endpoint
      if ((statements.countLive.get({ appId })?.count ?? 0) >= limitPerApp) return 'limit_reached'
      const known = statements.findLineageOfUrl.get({ appId, url })
      insert(endpoint, known?.lineageId ?? endpoint.endpointId, nowMs)
      return 'registered'
    },
    replace({ appId, endpointId, replacement }: Parameters<WebhookStore['replaceEndpoint']>[0], nowMs: number) {
      const old = statements.find.get({ appId, endpointId })
      if (old === undefined) return 'not_found'
      const known = statements.findLineageOfUrl.get({ appId, url: replacement.url })
      if (known !== undefined && known.lineageId !== old.lineageId) return 'url_in_use'
      insert(replacement, old.lineageId, nowMs)
      const removed = remove({ appId, endpointId }, nowMs)
      if (removed !== undefined) handOver(statements, removed, nowMs)
      return 'replaced'
    },
    remove({ appId, endpointId }: { readonly appId: string; readonly endpointId: string }, nowMs: number): boolean {
      const removed = remove({ appId, endpointId }, nowMs)
      if (removed === undefined) return false
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
  for (const { type } of statements.listWaitingTypes.all({ endpoint })) {
    const heir = heirOf(lineage, type)
    if (heir === undefined) {
      statements.cancelWaiting.run({ endpoint, type, now, reason: goneReason(lineage) })
      continue
    }
    statements.moveWaiting.run({ endpoint, type, heir: heir.position })
    const next = statements.findNextDue.get({ endpoint: heir.position })
    statements.announceDue.run({ endpoint: heir.position, dueAt: next?.dueAt ?? now })
  }
  statements.refreshNextDue.run({ endpoint })
}
