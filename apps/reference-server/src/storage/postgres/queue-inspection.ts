import type { PostgresOwnDatabase } from '@kyc-relay/storage-drizzle/internal'
import { sql } from 'drizzle-orm'
import { countingLimit, type QueueInspection } from '../queue-inspection.js'
import { databaseTime } from './database-time.js'

/** True for a row of an endpoint that nothing is being sent to. */
const hasNoneInFlight = (table: string) =>
  sql.raw(`NOT EXISTS (
      SELECT FROM kyc_relay_delivery_queue f
      WHERE f.app_id = ${table}.app_id AND f.endpoint_id = ${table}.endpoint_id AND f.lease_until IS NOT NULL)`)

// Citus cannot keep rows without a column for a count.
const readQueue = (now: Date | null) => sql`
SELECT
  (SELECT count(*)::int FROM (SELECT 1 FROM kyc_relay_delivery_queue WHERE due_at IS NOT NULL LIMIT ${countingLimit}) AS w)
    AS waiting,
  (SELECT count(*)::int FROM (SELECT 1 FROM kyc_relay_delivery_queue WHERE lease_until IS NOT NULL LIMIT ${countingLimit}) AS l)
    AS "inFlight",
  coalesce(greatest(0, floor(extract(epoch FROM ${databaseTime(now)} - least(
    (SELECT min(next_due_at) FROM kyc_relay_endpoint_schedules s
      WHERE next_due_at IS NOT NULL AND ${hasNoneInFlight('s')}),
    (SELECT min(due_at) FROM kyc_relay_due_notices n WHERE ${hasNoneInFlight('n')}),
    (SELECT min(lease_until) FROM kyc_relay_delivery_queue WHERE lease_until IS NOT NULL))) * 1000)), 0)::float8 AS "oldestDueMs"`

/**
 * Creates the queue inspection on PostgreSQL.
 *
 * @param clock Replaces the database's clock; null reads it.
 */
export function createQueueInspection(database: PostgresOwnDatabase, clock: () => Date | null): QueueInspection {
  return {
    inspectQueue: () =>
      database.read(async (db) => {
        const { rows } = await db.execute<{ waiting: number; inFlight: number; oldestDueMs: number }>(
          readQueue(clock()),
        )
        return rows[0] ?? { waiting: 0, inFlight: 0, oldestDueMs: 0 }
      }),
  }
}
