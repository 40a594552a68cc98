import { sql } from 'drizzle-orm'
import { countingLimit, type QueueInspection, type QueueState } from './queue-inspection.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { now } from '../engine/postgres/parameters.js'
import { statement } from '../engine/postgres/statement.js'

const inspectQueue = statement<QueueState>(
  'inspect_queue',
  sql`
SELECT
  (SELECT count(*)::int FROM (SELECT FROM kyc_relay_delivery_queue WHERE due_at IS NOT NULL LIMIT ${countingLimit}) AS w)
    AS waiting,
  (SELECT count(*)::int FROM (SELECT FROM kyc_relay_delivery_queue WHERE lease_until IS NOT NULL LIMIT ${countingLimit}) AS l)
    AS "inFlight",
  coalesce(greatest(0, floor(extract(epoch FROM ${now} - least(
    (SELECT min(next_due_at) FROM kyc_relay_endpoint_schedules WHERE next_due_at IS NOT NULL),
    (SELECT min(due_at) FROM kyc_relay_due_notices))) * 1000)), 0)::float8 AS "oldestDueMs"`,
)

/** Creates the queue inspection of one PostgreSQL database. */
export function createQueueInspection(dependencies: {
  readonly database: PostgresDatabase
  /** Time of the store's clock; null for the database's clock. */
  readonly instant: () => Date | null
}): QueueInspection {
  const { database, instant } = dependencies
  return {
    inspectQueue: () =>
      database.run(async (on) => {
        const [state] = await inspectQueue.rows(on, { now: instant() })
        return state ?? { waiting: 0, inFlight: 0, oldestDueMs: 0 }
      }),
  }
}
