import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { DrizzleDatabase } from '../engine/sqlite/statement.js'
import { deliveries, endpointSchedules } from './tables.sqlite.js'
import { sentClasses } from './values.js'

const value = sql.placeholder

/** An array as a literal of SQL. */
const jsonOf = (classes: readonly number[]) => `'${JSON.stringify(classes)}'`

export function prepareCancelling(db: DrizzleDatabase) {
  // Searches through the user's events: a separate index would cost every delivery two writes for this rare search.
  const pendingOfUser = and(
    sql`${deliveries.event} IN (SELECT position FROM kyc_relay_events
      WHERE user_id = ${value('userId')} AND app_id = ${value('appId')})`,
    isNull(deliveries.endedAt),
  )
  return {
    cancelOfUser: db
      .update(deliveries)
      .set({
        state: 'CANCELLED',
        dueAt: null,
        endedAt: sql`${value('now')}`,
        cancelReason: sql`${value('reason')}`,
      })
      .where(and(pendingOfUser, isNotNull(deliveries.dueAt)))
      .returning({ endpoint: deliveries.endpoint })
      .prepare(),
    refreshNextDue: db
      .update(endpointSchedules)
      .set({
        // The first of each class, found by its index.
        nextDueAt: sql`(SELECT min((SELECT due_at FROM kyc_relay_deliveries AS waiting
          WHERE waiting.endpoint = kyc_relay_endpoint_schedules.endpoint AND waiting.class = each.value
            AND waiting.due_at IS NOT NULL
          ORDER BY waiting.due_at LIMIT 1))
          FROM json_each(iif(paused, ${sql.raw(jsonOf(sentClasses(true)))}, ${sql.raw(jsonOf(sentClasses(false)))})) AS each)`,
      })
      .where(eq(endpointSchedules.endpoint, value('endpoint')))
      .prepare(),
    requestCancelOfUser: db
      .update(deliveries)
      .set({ cancelRequested: sql`${value('reason')}` })
      .where(and(pendingOfUser, isNotNull(deliveries.leaseUntil), isNull(deliveries.cancelRequested)))
      .prepare(),
  }
}

/** Cancels the pending deliveries for a user of an app, inside a transaction of the caller. Returns their number. */
export function cancelPending(
  statements: ReturnType<typeof prepareCancelling>,
  request: { readonly appId: string; readonly userId: string; readonly reason: string },
  now: Date,
): number {
  const { appId, userId, reason } = request
  const cancelled = statements.cancelOfUser.all({ appId, userId, reason, now: now.getTime() })
  for (const endpoint of new Set(cancelled.map((row) => row.endpoint))) statements.refreshNextDue.run({ endpoint })
  return cancelled.length + statements.requestCancelOfUser.run({ appId, userId, reason }).changes
}
