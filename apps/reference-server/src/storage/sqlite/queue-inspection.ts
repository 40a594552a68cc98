import type { SqliteOwnDatabase } from '@kyc-relay/storage-drizzle/internal'
import { sql } from 'drizzle-orm'
import { countingLimit, type QueueInspection } from '../queue-inspection.js'

const waitingSince = (failing: 0 | 1) => sql`
  (SELECT min(waiting_since) FROM kyc_relay_endpoint_schedules WHERE failing = ${sql.raw(String(failing))}
    AND next_due_at IS NOT NULL)`

// The range bounds make each count search a partial index instead of all deliveries.
const readQueue = sql`
SELECT
  (SELECT count(*) FROM (
    SELECT 1 FROM kyc_relay_deliveries WHERE due_at IS NOT NULL AND endpoint >= 0 LIMIT ${countingLimit}
  )) AS waiting,
  (SELECT count(*) FROM (
    SELECT 1 FROM kyc_relay_deliveries WHERE lease_until >= 0 LIMIT ${countingLimit}
  )) AS inFlight,
  ${waitingSince(0)} AS healthySince, ${waitingSince(1)} AS failingSince`

/** Creates the queue inspection on SQLite. */
export function createQueueInspection(database: SqliteOwnDatabase, clock: () => Date): QueueInspection {
  return {
    inspectQueue: () =>
      database.read((db) => {
        const { waiting, inFlight, healthySince, failingSince } = db.get<{
          waiting: number
          inFlight: number
          healthySince: number | null
          failingSince: number | null
        }>(readQueue)
        const sinceMs = Math.min(healthySince ?? Infinity, failingSince ?? Infinity)
        return { waiting, inFlight, oldestDueMs: Math.max(0, clock().getTime() - sinceMs) }
      }),
  }
}
