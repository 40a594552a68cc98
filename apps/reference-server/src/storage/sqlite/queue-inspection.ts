import type { SqliteOwnDatabase } from '@kyc-relay/storage-drizzle/internal'
import { sql } from 'drizzle-orm'
import { countingLimit, type QueueInspection } from '../queue-inspection.js'

// The range bounds make each count search a partial index instead of all deliveries.
const readQueue = sql`
SELECT
  (SELECT count(*) FROM (
    SELECT 1 FROM kyc_relay_deliveries WHERE due_at IS NOT NULL AND endpoint >= 0 LIMIT ${countingLimit}
  )) AS waiting,
  (SELECT count(*) FROM (
    SELECT 1 FROM kyc_relay_deliveries WHERE lease_until >= 0 LIMIT ${countingLimit}
  )) AS inFlight,
  (SELECT min(due) FROM (
    SELECT min(next_due_at) AS due FROM kyc_relay_endpoint_schedules WHERE next_due_at IS NOT NULL AND in_flight = 0
    UNION ALL SELECT min(lease_until) FROM kyc_relay_deliveries WHERE lease_until >= 0
  )) AS dueAt`

/** Creates the queue inspection on SQLite. */
export function createQueueInspection(database: SqliteOwnDatabase, clock: () => Date): QueueInspection {
  return {
    inspectQueue: () =>
      database.read((db) => {
        const { waiting, inFlight, dueAt } = db.get<{ waiting: number; inFlight: number; dueAt: number | null }>(
          readQueue,
        )
        return { waiting, inFlight, oldestDueMs: dueAt === null ? 0 : Math.max(0, clock().getTime() - dueAt) }
      }),
  }
}
