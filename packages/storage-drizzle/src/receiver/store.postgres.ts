import { sql } from 'drizzle-orm'
import type { ClaimAnswer, DeduplicationStore, MarkProcessed } from '@kyc-relay/webhooks'
import { openTransactionOf, type PostgresTransaction } from '../engine/postgres/caller-transaction.js'
import { openConnection, type PostgresLocation } from '../engine/postgres/pool.js'
import { checkOptions } from '../check-options.js'
import { createDatabase } from '../engine/postgres/database.js'
import { storageErrorOf } from '../engine/postgres/errors.js'
import { migrate, requireMigrated } from '../engine/postgres/migrate.js'
import { now } from '../engine/postgres/parameters.js'
import { statement, type Queryable } from '../engine/postgres/statement.js'
import { checkedLimit } from '../pages.js'
import { checkedAgeMs, checkedDurationMs } from '../checked-time.js'

const value = sql.placeholder

/** Options of {@link createPostgresDeduplicationStore}. */
export interface PostgresDeduplicationOptions {
  /** Replaces the database's clock. For tests. */
  readonly clock?: () => Date
  /** `apply` migrates at the start, `require` refuses a schema that is not up to date. Default: `apply`. */
  readonly migrations?: 'apply' | 'require'
}

const claimEvent = statement<{ fence: number }>(
  'receiver_claim',
  sql`
INSERT INTO kyc_relay_receiver_events AS event (event_id, fence, state, at)
VALUES (${value('eventId')}, 1, 'CLAIMED', ${now} + ${value('leaseMs')}::float8 * interval '1 millisecond')
ON CONFLICT (event_id) DO UPDATE SET fence = event.fence + 1, state = 'CLAIMED', at = excluded.at
WHERE event.state = 'RELEASED' OR (event.state = 'CLAIMED' AND event.at <= ${now})
RETURNING fence`,
)

const findEvent = statement<{ state: string; fence: number; leaseEndsInMs: number }>(
  'receiver_find',
  sql`
SELECT state, fence, (extract(epoch FROM at - ${now}) * 1000)::float8 AS "leaseEndsInMs"
FROM kyc_relay_receiver_events WHERE event_id = ${value('eventId')}`,
)

const endClaim = statement(
  'receiver_end',
  sql`
UPDATE kyc_relay_receiver_events SET state = ${value('state')}, at = ${now}
WHERE event_id = ${value('eventId')} AND fence = ${value('fence')} AND state = 'CLAIMED'`,
)

const forgetEvents = statement(
  'receiver_forget',
  sql`
WITH chosen AS MATERIALIZED (
  SELECT event_id FROM kyc_relay_receiver_events
  WHERE at < ${now} - ${value('olderThanMs')}::float8 * interval '1 millisecond'
  ORDER BY at LIMIT ${value('limit')} FOR UPDATE SKIP LOCKED
)
DELETE FROM kyc_relay_receiver_events WHERE event_id IN (SELECT event_id FROM chosen)`,
)

const markEvent = statement(
  'receiver_mark',
  sql`
INSERT INTO kyc_relay_receiver_events AS event (event_id, fence, state, at)
VALUES (${value('eventId')}, 1, 'COMPLETED', ${now})
ON CONFLICT (event_id) DO UPDATE SET fence = event.fence + 1, state = 'COMPLETED', at = excluded.at
WHERE event.state <> 'COMPLETED'`,
)

/**
 * Creates a deduplication store for a receiver in a PostgreSQL database. Any number of processes may share it.
 *
 * @throws StorageError `DATABASE_UNUSABLE`, `STORE_UNAVAILABLE`, `SCHEMA_NEWER`, `SCHEMA_EDITED`, `SCHEMA_OUTDATED`,
 *   `DURABILITY_NOT_GUARANTEED`
 *
 * @example
 * ```ts
 * import { createPostgresDeduplicationStore } from '@kyc-relay/storage-drizzle/postgres'
 * import { createWebhookHandler } from '@kyc-relay/webhooks'
 * import type { Pool } from 'pg'
 *
 * export async function createReceiver(pool: Pool, apiKey: string) {
 *   const deduplicate = await createPostgresDeduplicationStore({ pool })
 *   return createWebhookHandler({ secrets: apiKey, deduplicate, onEvent: ({ eventId }) => console.log(eventId) })
 * }
 * ```
 */
export async function createPostgresDeduplicationStore(
  location: PostgresLocation,
  options: PostgresDeduplicationOptions = {},
): Promise<DeduplicationStore & { close(): Promise<void> }> {
  checkOptions(options)
  const { clock, migrations = 'apply' } = options
  const connection = await openConnection(location)
  const { pool, close } = connection
  try {
    if (migrations === 'require') await requireMigrated(pool, 'postgres-receiver')
    else await migrate(connection, 'postgres-receiver')
  } catch (error) {
    await close()
    throw error
  }
  const database = createDatabase(pool, connection)
  const instant = () => clock?.() ?? null

  async function claim(on: Queryable, eventId: string, leaseMs: number): Promise<ClaimAnswer> {
    for (;;) {
      const [taken] = await claimEvent.rows(on, { eventId, leaseMs, now: instant() })
      if (taken !== undefined) return { kind: 'claimed', fence: taken.fence }
      const [row] = await findEvent.rows(on, { eventId, now: instant() })
      if (row?.state === 'COMPLETED') return { kind: 'completed' }
      if (row?.state === 'CLAIMED' && row.leaseEndsInMs > 0) {
        return { kind: 'in_progress', leaseEndsInMs: row.leaseEndsInMs }
      }
      // The event was released or deleted, or its lease ended, between the two statements.
    }
  }

  return {
    claim: ({ eventId, leaseMs }) => database.run((on) => claim(on, eventId, checkedDurationMs(leaseMs))),
    complete: ({ eventId, fence }) =>
      database.run(async (on) => {
        const ended = await endClaim.count(on, { eventId, fence, state: 'COMPLETED', now: instant() })
        if (ended === 1) return 'completed'
        const [row] = await findEvent.rows(on, { eventId, now: instant() })
        return row?.fence === fence && row.state === 'COMPLETED' ? 'completed' : 'stale'
      }),
    fail: ({ eventId, fence }) =>
      database.run(async (on) => {
        const ended = await endClaim.count(on, { eventId, fence, state: 'RELEASED', now: instant() })
        return ended === 1 ? 'released' : 'stale'
      }),
    forget: (request) =>
      database.run((on) => {
        const olderThanMs = checkedAgeMs(request.olderThanMs)
        const limit = checkedLimit(request.limit, Number.MAX_SAFE_INTEGER)
        return forgetEvents.count(on, { olderThanMs, limit, now: instant() })
      }),
    close,
  }
}

/**
 * Marks an event as processed inside a transaction of the caller (pg or Drizzle). The mark and the caller's writes
 * commit together. {@link createPostgresDeduplicationStore} or `kyc-relay-migrate up --receiver` creates the tables.
 *
 * Without a `fence`, the first transaction to commit processes the event, and concurrent ones wait for it. A current
 * claim of the event becomes stale.
 *
 * @returns true when this transaction must process the event; on false do nothing.
 * @throws StorageError `TRANSACTION_REQUIRED` outside a transaction, and for a pool; `STORE_UNAVAILABLE`
 *   (retryable, the whole transaction)
 *
 * @example
 * ```ts
 * import { markProcessed } from '@kyc-relay/storage-drizzle/postgres'
 * import type { PoolClient } from 'pg'
 *
 * export async function addToBalance(client: PoolClient, eventId: string, userId: string, amount: number) {
 *   await client.query('BEGIN')
 *   try {
 *     if (await markProcessed(client, { eventId })) {
 *       await client.query('UPDATE balances SET amount = amount + $2 WHERE user_id = $1', [userId, amount])
 *     }
 *     await client.query('COMMIT')
 *   } catch (error) {
 *     await client.query('ROLLBACK')
 *     throw error
 *   }
 * }
 * ```
 */
export const markProcessed: MarkProcessed<PostgresTransaction, Promise<boolean>> = async (tx, { eventId, fence }) => {
  try {
    const on = await openTransactionOf(tx)
    const marked =
      fence == null
        ? await markEvent.count(on, { eventId, now: null })
        : await endClaim.count(on, { eventId, fence, state: 'COMPLETED', now: null })
    return marked === 1
  } catch (error) {
    throw storageErrorOf(error)
  }
}
