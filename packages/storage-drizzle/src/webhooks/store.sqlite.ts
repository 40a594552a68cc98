import type Database from 'better-sqlite3'
import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { WebhookStore } from '@kyc-relay/webhooks/delivery'
import { checkedOwner } from '../checked-owner.js'
import { checkedClaim, checkedLease } from './claim-request.js'
import type { AuditChain } from '../audit/chain.sqlite.js'
import { cancelPending, prepareCancelling } from './cancelling.sqlite.js'
import { prepareClaiming } from './claim-statements.sqlite.js'
import { claimDue, claimExpired } from './claims.sqlite.js'
import { createDeliveryLog } from './delivery-log.sqlite.js'
import { createEndpointChanges } from './endpoints.sqlite.js'
import { prepareHours } from './endpoint-hours.sqlite.js'
import { heirOf } from './lineage.js'
import { createLocalNotifications } from '../engine/due-notifications.js'
import { type DrizzleDatabase, read } from '../engine/sqlite/statement.js'
import { preparePublishing, writeEvent } from './publishing.sqlite.js'
import { prepareResultStatements, recordAttemptResults } from './attempt-results.sqlite.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import { deliveries, endpoints, events } from './tables.sqlite.js'
import { classOf, deliveryClass } from './values.js'
import { readEndpoint } from './stored-rows.js'

const value = sql.placeholder

export interface WebhookStoreDependencies {
  readonly client: Database.Database
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
  /** The store's clock, which converts durations of the port to times. */
  readonly clock: () => Date
  /** Creates a unique fence token. */
  readonly newToken: () => string
  /** The audit log; null if there is none. */
  readonly audit: AuditChain | null
}

/** A SQLite webhook store, with the start-up step of the worker. */
export interface SqliteWebhookStore extends WebhookStore {
  /** Ends every lease now, after a former worker process has ended. Returns their number. */
  voidLeases(): Promise<number>
}

function prepareReading(db: DrizzleDatabase) {
  return {
    list: db
      .select()
      .from(endpoints)
      .where(and(eq(endpoints.appId, value('appId')), isNull(endpoints.removedAt)))
      .orderBy(asc(endpoints.createdAt), asc(endpoints.position))
      .prepare(),
    findForResend: db
      .select({
        delivery: deliveries,
        lineageId: endpoints.lineageId,
        removedAt: endpoints.removedAt,
        body: events.body,
      })
      .from(deliveries)
      .innerJoin(endpoints, eq(endpoints.position, deliveries.endpoint))
      .innerJoin(events, eq(events.position, deliveries.event))
      .where(and(eq(deliveries.deliveryId, value('deliveryId')), eq(deliveries.appId, value('appId'))))
      .prepare(),
  }
}

/** Creates the webhook store on one SQLite connection. */
export function createWebhookStore(dependencies: WebhookStoreDependencies): SqliteWebhookStore {
  const { client, db, commits, clock, newToken, audit } = dependencies
  const publishing = preparePublishing(db)
  const claiming = prepareClaiming(client)
  const resultStatements = prepareResultStatements(client, db)
  const cancelling = prepareCancelling(db)
  const statements = prepareReading(db)
  const endpointChanges = createEndpointChanges(db, audit)
  const log = createDeliveryLog(db)
  const listHours = prepareHours(db)
  const notifications = createLocalNotifications()

  function resend(request: Parameters<WebhookStore['resendDelivery']>[0]) {
    const row = statements.findForResend.get({ deliveryId: request.deliveryId, appId: request.appId })
    if (row === undefined) return 'not_found'
    const { delivery, lineageId, removedAt, body } = row
    if (delivery.state === 'PENDING') return 'not_finished'
    const lineage = removedAt === null ? [] : endpointChanges.statements.listLineage.all({ ...request, lineageId })
    const endpoint = removedAt === null ? delivery.endpoint : heirOf(lineage, delivery.eventType)?.position
    if (endpoint === undefined) return 'endpoint_removed'
    // Erasure or retention has blanked the body, so nothing can be sent.
    if (body === null) return 'not_found'
    const { event, xEventId, appId, userId, eventType, deliveryId, class: ofClass } = delivery
    const againClass = classOf(ofClass === deliveryClass.test)
    const createdAt = clock().getTime()
    const again = { event, endpoint, xEventId, appId, userId, eventType, createdAt, resendOf: deliveryId }
    publishing.insertDelivery.run({ ...again, class: againClass, deliveryId: request.newDeliveryId })
    publishing.advanceNextDue.run({ endpoint, class: againClass, dueAt: createdAt })
    return 'resent'
  }

  return {
    registerEndpoint: (endpoint, limitPerApp) =>
      commits.write(() => endpointChanges.register(endpoint, limitPerApp, clock().getTime())),

    async replaceEndpoint(request) {
      const answer = await commits.write(() => endpointChanges.replace(request, clock().getTime()))
      if (answer === 'replaced') notifications.notify()
      return answer
    },

    async removeEndpoint(request) {
      const isRemoved = await commits.write(() => endpointChanges.remove(request, clock().getTime()))
      if (isRemoved) notifications.notify()
      return isRemoved
    },

    listEndpoints: (appId) => read(() => statements.list.all({ appId }).map(readEndpoint)),

    listEndpointHealth: (appId) => read(() => endpointChanges.listHealth(appId)),

    listEndpointHours: (request) => read(() => listHours(request)),

    pauseEndpoint: (request) => commits.write(() => endpointChanges.pause(request, clock().getTime())),

    async resumeEndpoint(request) {
      const answer = await commits.write(() => endpointChanges.resume(request, clock().getTime()))
      if (answer === 'resumed') notifications.notify()
      return answer
    },

    async insertEvent(event) {
      const inserted = await commits.write(() => writeEvent(publishing, event, clock()))
      if (!inserted.duplicate && inserted.deliveries.length > 0) notifications.notify()
      return inserted
    },

    claimDue: (request) => commits.write(() => claimDue(claiming, checkedClaim(request), clock().getTime(), newToken)),

    claimExpired: (request) =>
      commits.write(() => claimExpired(claiming, checkedLease(request), clock().getTime(), newToken)),

    recordAttemptResults: (results) =>
      commits.write(() => recordAttemptResults(resultStatements, results, clock().getTime())),

    cancelPending: (request) => commits.write(() => cancelPending(cancelling, checkedOwner(request), clock())),

    findDelivery: (request) => read(() => log.findDelivery(request)),

    listDeliveries: (request) => read(() => log.listDeliveries(request)),

    async resendDelivery(request) {
      const answer = await commits.write(() => resend(request))
      if (answer === 'resent') notifications.notify()
      return answer
    },

    onDue: (wake) => notifications.listen(wake),

    voidLeases: () =>
      commits.write(() => {
        const now = clock().getTime()
        return claiming.endLeases.run(now, now).changes
      }),
  }
}
