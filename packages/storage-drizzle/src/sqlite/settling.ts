import { eq, sql } from 'drizzle-orm'
import type { Fence, Settlement } from '@kyc-relay/webhooks/delivery'
import type { DrizzleDatabase } from './drizzle-database.js'
import { attempts, deliveries, endpoints, endpointTurns } from './tables/webhooks.js'

const value = sql.placeholder

export function prepareSettling(db: DrizzleDatabase) {
  return {
    findLeased: db
      .select({
        position: deliveries.position,
        endpoint: deliveries.endpoint,
        leaseToken: deliveries.leaseToken,
        attemptsMade: deliveries.attemptsMade,
        cancelRequested: deliveries.cancelRequested,
        unsentSince: deliveries.unsentSince,
        endpointRemovedAt: endpoints.removedAt,
      })
      .from(deliveries)
      .innerJoin(endpoints, eq(endpoints.position, deliveries.endpoint))
      .where(eq(deliveries.deliveryId, value('deliveryId')))
      .prepare(),
    endAttempt: db
      .update(attempts)
      .set({
        state: sql`${value('state')}`,
        endedAt: sql`${value('endedAt')}`,
        report: sql`${value('report')}`,
        responseBody: sql`${value('responseBody')}`,
      })
      .where(sql`${attempts.delivery} = ${value('delivery')} AND ${attempts.number} = ${value('number')}`)
      .prepare(),
    endLease: db
      .update(deliveries)
      .set({
        state: sql`${value('state')}`,
        attemptsMade: sql`${value('attemptsMade')}`,
        dueAt: sql`${value('dueAt')}`,
        leaseToken: null,
        leaseUntil: null,
        unsentSince: sql`${value('unsentSince')}`,
        endedAt: sql`${value('endedAt')}`,
        cancelReason: sql`${value('cancelReason')}`,
      })
      .where(eq(deliveries.position, value('position')))
      .prepare(),
    endTurn: db
      .update(endpointTurns)
      .set({
        inFlight: sql`in_flight - 1`,
        failing: sql`ifnull(${value('failing')}, failing)`,
        nextDueAt: sql`CASE WHEN ${value('dueAt')} IS NULL THEN next_due_at
          ELSE min(ifnull(next_due_at, ${value('dueAt')}), ${value('dueAt')}) END`,
      })
      .where(eq(endpointTurns.endpoint, value('endpoint')))
      .prepare(),
  }
}

export type SettlingStatements = ReturnType<typeof prepareSettling>

/** The next state as columns. What was cancelled meanwhile, or has nowhere to go any more, is never due again. */
function nextColumns(next: Settlement['next'], cancelRequested: string | null, now: number) {
  if (next.state === 'PENDING' && cancelRequested === null) {
    return { state: next.state, dueAt: now + next.delayMs, endedAt: null, cancelReason: null }
  }
  if (next.state === 'PENDING') {
    return { state: 'CANCELLED', dueAt: null, endedAt: now, cancelReason: cancelRequested }
  }
  const cancelReason = next.state === 'CANCELLED' ? next.reason : null
  return { state: next.state, dueAt: null, endedAt: now, cancelReason }
}

/** Applies each settlement whose fence is current, inside a transaction that the caller holds. */
export function settle(
  statements: SettlingStatements,
  settlements: readonly Settlement[],
  now: number,
): { readonly stale: readonly Fence[] } {
  const stale: Fence[] = []
  for (const { fence, attempt, next } of settlements) {
    const row = statements.findLeased.get({ deliveryId: fence.deliveryId })
    if (row?.leaseToken !== fence.token || row.attemptsMade !== fence.attempt) {
      stale.push(fence)
      continue
    }
    const { responseBody, ...report } = attempt.report
    statements.endAttempt.run({
      delivery: row.position,
      number: row.attemptsMade,
      state: attempt.state,
      endedAt: now,
      report: JSON.stringify(report),
      responseBody,
    })
    const unsent = attempt.state === 'UNSENT'
    const removed = row.endpointRemovedAt === null ? null : 'ENDPOINT_REMOVED'
    const columns = nextColumns(next, row.cancelRequested ?? removed, now)
    statements.endLease.run({
      position: row.position,
      attemptsMade: unsent ? row.attemptsMade - 1 : row.attemptsMade,
      unsentSince: unsent ? (row.unsentSince ?? now) : null,
      ...columns,
    })
    // What was never sent says nothing about its endpoint.
    const failing = unsent ? null : attempt.state === 'SUCCEEDED' ? 0 : 1
    statements.endTurn.run({ endpoint: row.endpoint, failing, dueAt: columns.dueAt })
  }
  return { stale }
}
