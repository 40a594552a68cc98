import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { AttemptResult, WebhookStore } from '@kyc-relay/webhooks/delivery'
import { checkedOwner } from '../checked-owner.js'
import { checkedClaim, checkedLease } from './claim-request.js'
import type { AuditChain } from '../audit/chain.postgres.js'
import { claimDue } from './claims.postgres.js'
import { claimExpired } from './expired-leases.postgres.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { createDeliveryLog } from './delivery-log.postgres.js'
import { createDueEndpoints } from './due-endpoints.postgres.js'
import { groupByApp, type AppGroup } from './by-app.postgres.js'
import type { DueNotifications } from '../engine/due-notifications.js'
import * as statements from './endpoint-statements.postgres.js'
import { createEndpointChanges, listEndpointHealth, listLineage } from './endpoints.postgres.js'
import { listEndpointHours } from './endpoint-hours.postgres.js'
import { heirOf } from './lineage.js'
import { writeEvent, writeToLive } from './publishing.postgres.js'
import { areAllEnded, recordEndedResults } from './ended-results.postgres.js'
import { recordAttemptResults, type RecordedResults } from './attempt-results.postgres.js'
import { type Queryable } from '../engine/postgres/statement.js'
import { endpoints } from './tables.postgres.js'
import { classOf } from './values.js'
import { readEndpoint } from './stored-rows.js'

const value = sql.placeholder

export interface WebhookStoreDependencies {
  readonly db: NodePgDatabase
  readonly database: PostgresDatabase
  readonly notifications: DueNotifications
  /** True if the tables are distributed by app: each transaction of claims and results is then of one app. */
  readonly distributed: boolean
  /** Time of the store's clock; null for the database's clock. */
  readonly instant: () => Date | null
  /** Creates a unique fence token. */
  readonly newToken: () => string
  /** The audit log; null if there is none. */
  readonly audit: AuditChain | null
}

/** Creates the webhook store on PostgreSQL. */
export function createWebhookStore(dependencies: WebhookStoreDependencies): Required<WebhookStore> {
  const { db, database, notifications, instant, audit, distributed } = dependencies
  const due = createDueEndpoints(database)
  const log = createDeliveryLog(db)
  const endpointChanges = createEndpointChanges(audit)
  const listEndpoints = db
    .select()
    .from(endpoints)
    .where(and(eq(endpoints.appId, value('appId')), isNull(endpoints.removedAt)))
    .orderBy(asc(endpoints.createdAt), asc(endpoints.position))
    .prepare('kyc_relay_list_endpoints')

  /** Most results end their deliveries: one statement, which Citus does not take. */
  function recordResults(group: AppGroup<AttemptResult>): Promise<RecordedResults> {
    const record = group.appId === null && areAllEnded(group.rows) ? recordEndedResults : recordAttemptResults
    return database.transaction((on) => record(on, group, instant()))
  }

  return {
    registerEndpoint: (endpoint, limitPerApp) =>
      database.transaction((on) => endpointChanges.register(on, endpoint, limitPerApp)),

    async replaceEndpoint(request) {
      const answer = await database.transaction((on) => endpointChanges.replace(on, request, instant()))
      if (answer === 'replaced') notifications.notify()
      return answer
    },

    async removeEndpoint(request) {
      const isRemoved = await database.transaction((on) => endpointChanges.remove(on, request, instant()))
      if (isRemoved) notifications.notify()
      return isRemoved
    },

    listEndpoints: (appId) => database.run(async () => (await listEndpoints.execute({ appId })).map(readEndpoint)),

    listEndpointHealth: (appId) => database.run((on) => listEndpointHealth(on, appId)),

    listEndpointHours: (request) => database.run((on) => listEndpointHours(on, request)),

    pauseEndpoint: (request) => database.transaction((on) => endpointChanges.pause(on, request)),

    async resumeEndpoint(request) {
      const answer = await database.transaction((on) => endpointChanges.resume(on, request))
      if (answer === 'resumed') notifications.notify()
      return answer
    },

    async insertEvent(event) {
      const tried = await database.run((on) => writeToLive(on, event, instant()))
      const inserted =
        typeof tried === 'string' ? await database.transaction((on) => writeEvent(on, event, instant())) : tried
      if (!inserted.duplicate && inserted.deliveries.length > 0) notifications.notify()
      return inserted
    },

    claimDue: async (request) => claimDue({ ...dependencies, due }, checkedClaim(request)),

    claimExpired: async (request) => claimExpired({ ...dependencies, due }, checkedLease(request)),

    async recordAttemptResults(results) {
      const groups = groupByApp(results, ({ fence }) => fence.appId, distributed)
      const recorded = await Promise.all(groups.map(recordResults))
      const stale = new Set(recorded.flatMap((one) => one.stale))
      return {
        stale: results.filter((result) => stale.has(result)).map(({ fence }) => fence),
        healthChanges: recorded.flatMap(({ healthChanges }) => healthChanges),
      }
    },

    cancelPending: (request) => database.transaction((on) => cancelPending(on, checkedOwner(request), instant())),

    findDelivery: (request) => database.run(() => log.findDelivery(request)),

    listDeliveries: (request) => database.run(() => log.listDeliveries(request)),

    async resendDelivery(request) {
      const answer = await database.transaction(async (on) => {
        const [found] = await statements.findForResend.rows(on, request)
        if (found === undefined) return 'not_found'
        if (found.state === 'PENDING') return 'not_finished'
        const { appId } = request
        const lineage = found.removed ? await listLineage(on, { appId, lineageId: found.lineageId }, true) : []
        const endpoint = found.removed ? heirOf(lineage, found.eventType) : found
        if (endpoint === undefined) return 'endpoint_removed'
        // Erasure or retention has blanked the body, so nothing can be sent.
        if (found.blanked) return 'not_found'
        const { endpointId, paused } = endpoint
        const held = paused && !found.test
        const resend = { ...request, endpointId, held, class: classOf(found.test), now: instant() }
        await statements.insertResend.count(on, resend)
        return 'resent'
      })
      if (answer === 'resent') notifications.notify()
      return answer
    },

    onDue: (wake) => notifications.listen(wake),
  }
}

/** Cancels the pending deliveries for a user of an app, inside a transaction. Returns their number. */
export async function cancelPending(
  on: Queryable,
  request: { readonly appId: string; readonly userId: string; readonly reason: string },
  now: Date | null,
): Promise<number> {
  // Deliveries in flight first: recording results also locks deliveries before the schedules of their endpoints.
  const requested = await statements.requestCancelOfUser.count(on, request)
  const locked = new Set<string>()
  let cancelled = 0
  for (;;) {
    const found = (await statements.lockSchedulesOfUser.rows(on, request)).map(({ endpointId }) => endpointId)
    const endpointIds = found.filter((endpointId) => !locked.has(endpointId))
    if (endpointIds.length === 0) break
    for (const endpointId of endpointIds) locked.add(endpointId)
    cancelled += await statements.cancelOfUser.count(on, { ...request, endpointIds, now })
    // Looks again: a removal that held a schedule may have given deliveries to another endpoint.
  }
  // Also deliveries that were claimed before the schedules were locked.
  const claimed = await statements.requestCancelOfUser.count(on, request)
  await statements.refreshNextDue.count(on, { ...request, endpointIds: [...locked] })
  return requested + cancelled + claimed
}
