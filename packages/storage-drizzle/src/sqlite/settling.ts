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
        attemptsOpened: deliveries.attemptsOpened,
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
      .where(sql`${attempts.delivery} = ${value('delivery')} AND ${attempts.opened} = ${value('opened')}`)
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

/** What an attempt says about its endpoint; null when nothing of it reached the endpoint's own fault. */
function failingAfter(state: Settlement['attempt']['state']): 0 | 1 | null {
  if (state === 'SUCCEEDED') return 0
  return state === 'FAILED' ? 1 : null
}

/** The next state as columns. A delivery to a removed endpoint is never due again. */
function nextColumns(next: Settlement['next'], endpointRemoved: boolean, now: number) {
  if (next.state !== 'PENDING') {
    const cancelReason = next.state === 'CANCELLED' ? next.reason : null
    return { state: next.state, dueAt: null, endedAt: now, cancelReason }
  }
  if (endpointRemoved) return { state: 'CANCELLED', dueAt: null, endedAt: now, cancelReason: 'ENDPOINT_REMOVED' }
  return { state: 'PENDING', dueAt: now + next.delayMs, endedAt: null, cancelReason: null }
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
      opened: row.attemptsOpened,
      state: attempt.state,
      endedAt: now,
      report: JSON.stringify(report),
      responseBody,
    })
    const unsent = attempt.state === 'UNSENT'
    const columns = nextColumns(next, row.endpointRemovedAt !== null, now)
    statements.endLease.run({
      position: row.position,
      attemptsMade: unsent ? row.attemptsMade - 1 : row.attemptsMade,
      unsentSince: unsent ? (row.unsentSince ?? now) : row.unsentSince,
      ...columns,
    })
    statements.endTurn.run({ endpoint: row.endpoint, failing: failingAfter(attempt.state), dueAt: columns.dueAt })
  }
  return { stale }
}
