import { eq, sql } from 'drizzle-orm'
import type { Fence, Settlement } from '@kyc-relay/webhooks/delivery'
import { settlementOutcome } from '../webhooks/settlement-outcome.js'
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

/** Applies each settlement whose fence is current, inside a transaction that the caller holds. */
export function settle(
  statements: SettlingStatements,
  settlements: readonly Settlement[],
  now: number,
): { readonly stale: readonly Fence[] } {
  const stale: Fence[] = []
  for (const settlement of settlements) {
    const { fence, attempt } = settlement
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
    const leased = {
      attemptsMade: row.attemptsMade,
      unsentSinceMs: row.unsentSince,
      cancelRequested: row.cancelRequested,
      endpointRemoved: row.endpointRemovedAt !== null,
    }
    const outcome = settlementOutcome(leased, settlement, now)
    statements.endLease.run({
      position: row.position,
      state: outcome.state,
      attemptsMade: outcome.attemptsMade,
      dueAt: outcome.dueAtMs,
      unsentSince: outcome.unsentSinceMs,
      endedAt: outcome.endedAtMs,
      cancelReason: outcome.cancelReason,
    })
    const failing = outcome.endpointFailing === null ? null : Number(outcome.endpointFailing)
    statements.endTurn.run({ endpoint: row.endpoint, failing, dueAt: outcome.dueAtMs })
  }
  return { stale }
}
