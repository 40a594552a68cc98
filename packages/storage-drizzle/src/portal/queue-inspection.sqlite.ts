import { asc, isNotNull, sql } from 'drizzle-orm'
import { countingLimit, type QueueInspection } from './queue-inspection.js'
import { type DrizzleDatabase, read } from '../engine/sqlite/statement.js'
import { deliveries, endpointSchedules } from '../webhooks/tables.sqlite.js'

/** Creates the queue inspection of one SQLite database. */
export function createQueueInspection(db: DrizzleDatabase, clock: () => Date): QueueInspection {
  // The range bounds make each query search a partial index instead of all deliveries.
  const waiting = db
    .select({ one: sql`1` })
    .from(deliveries)
    .where(sql`${deliveries.dueAt} IS NOT NULL AND ${deliveries.endpoint} >= 0`)
    .limit(countingLimit)
    .as('bounded_rows')
  const leased = db
    .select({ one: sql`1` })
    .from(deliveries)
    .where(sql`${deliveries.leaseUntil} >= 0`)
    .limit(countingLimit)
    .as('bounded_rows')
  const countWaiting = db
    .select({ count: sql<number>`count(*)` })
    .from(waiting)
    .prepare()
  const countLeased = db
    .select({ count: sql<number>`count(*)` })
    .from(leased)
    .prepare()
  const findOldest = db
    .select({ dueAt: endpointSchedules.nextDueAt })
    .from(endpointSchedules)
    .where(isNotNull(endpointSchedules.nextDueAt))
    .orderBy(asc(endpointSchedules.nextDueAt))
    .limit(1)
    .prepare()
  return {
    inspectQueue: () =>
      read(() => {
        const dueAt = findOldest.get()?.dueAt ?? null
        return {
          waiting: countWaiting.get()?.count ?? 0,
          inFlight: countLeased.get()?.count ?? 0,
          oldestDueMs: dueAt === null ? 0 : Math.max(0, clock().getTime() - dueAt),
        }
      }),
  }
}
