import { sql } from 'drizzle-orm'
import { checkedLimit } from '../page-cursor.js'
import { completePolicy, removedRows, type Retention } from './retention.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { now } from '../engine/postgres/parameters.js'
import { statement } from '../engine/postgres/statement.js'

const value = sql.placeholder
const before = sql`${now} - ${value('ageMs')}::float8 * interval '1 millisecond'`

// The selection is materialized: PostgreSQL may run a subquery once for each compared row, and with SKIP LOCKED each
// run selects different rows.
const blankBodies = statement(
  'retention_blank_bodies',
  sql`
WITH chosen AS MATERIALIZED (
  SELECT old.event_id FROM kyc_relay_events AS old
  WHERE old.body IS NOT NULL AND old.created_at < ${before} AND NOT EXISTS (
    SELECT FROM kyc_relay_deliveries AS pending WHERE pending.event_id = old.event_id AND pending.ended_at IS NULL
  )
  ORDER BY old.created_at LIMIT ${value('limit')} FOR UPDATE OF old SKIP LOCKED
)
UPDATE kyc_relay_events SET body = NULL WHERE event_id IN (SELECT event_id FROM chosen)`,
)

const removeAttempts = statement(
  'retention_remove_attempts',
  sql`
WITH chosen AS MATERIALIZED (
  SELECT old.delivery_id, old.number FROM kyc_relay_attempts AS old
  JOIN kyc_relay_deliveries AS ended ON ended.delivery_id = old.delivery_id AND ended.ended_at IS NOT NULL
  WHERE old.started_at < ${before} ORDER BY old.started_at LIMIT ${value('limit')} FOR UPDATE OF old SKIP LOCKED
)
DELETE FROM kyc_relay_attempts WHERE (delivery_id, number) IN (SELECT delivery_id, number FROM chosen)`,
)

const removeAccessTokens = statement(
  'retention_remove_access_tokens',
  sql`
WITH chosen AS MATERIALIZED (
  SELECT hash FROM kyc_relay_access_tokens WHERE expires_at < ${before}
  ORDER BY expires_at LIMIT ${value('limit')} FOR UPDATE SKIP LOCKED
)
DELETE FROM kyc_relay_access_tokens WHERE hash IN (SELECT hash FROM chosen)`,
)

/** Creates the retention on PostgreSQL. Each kind has a separate statement, so that locks are short. */
export function createRetention(dependencies: {
  readonly database: PostgresDatabase
  /** Time of the store's clock; null for the database's clock. */
  readonly instant: () => Date | null
}): Retention {
  const { database, instant } = dependencies
  return {
    async removeOld(given) {
      const policy = completePolicy(given)
      const limit = checkedLimit(policy.limit, 10_000)
      const at = instant()
      const remove = (step: typeof blankBodies, ageMs: number) =>
        database.run((on) => step.count(on, { ageMs, limit, now: at }))
      const counts = {
        bodiesBlanked: await remove(blankBodies, policy.bodyAgeMs),
        attemptsRemoved: await remove(removeAttempts, policy.attemptAgeMs),
        accessTokensRemoved: await remove(removeAccessTokens, policy.expiredTokenAgeMs),
      }
      return removedRows(counts, limit)
    },
  }
}
