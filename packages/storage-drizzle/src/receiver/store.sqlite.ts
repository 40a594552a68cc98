import { and, asc, eq, inArray, lt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import type { ClaimAnswer, DeduplicationStore, MarkProcessed } from '@kyc-relay/webhooks'
import { checkOptions } from '../check-options.js'
import { StorageError } from '../storage-error.js'
import { assertDurable, openConnection, type SqliteLocation } from '../engine/sqlite/open.js'
import { storageErrorOf } from '../engine/sqlite/errors.js'
import type { DrizzleDatabase } from '../engine/sqlite/statement.js'
import { connectionOf, databaseOf, type SqliteTransaction } from '../engine/sqlite/caller-transaction.js'
import { migrate, requireMigrated } from '../engine/sqlite/migrate.js'
import { createGroupCommit } from '../engine/sqlite/group-commit.js'
import { checkedLimit } from '../pages.js'
import { receiverEvents } from './tables.sqlite.js'
import { checkedAgeMs, checkedDurationMs } from '../checked-time.js'

const value = sql.placeholder

/** Options of {@link createSqliteDeduplicationStore}. */
export interface SqliteDeduplicationOptions {
  /** The store's clock, for leases. Default: the system clock. */
  readonly clock?: () => Date
  /** `apply` migrates at the start, `require` refuses a schema that is not up to date. Default: `apply`. */
  readonly migrations?: 'apply' | 'require'
}

function prepareStatements(db: DrizzleDatabase) {
  const leaseEnds = sql`${value('now')} + ${value('leaseMs')}`
  const isCurrent = and(eq(receiverEvents.eventId, value('eventId')), eq(receiverEvents.fence, value('fence')))
  return {
    claim: db
      .insert(receiverEvents)
      .values({ eventId: value('eventId'), fence: 1, state: 'CLAIMED', at: leaseEnds })
      .onConflictDoUpdate({
        target: receiverEvents.eventId,
        set: { fence: sql`fence + 1`, state: 'CLAIMED', at: sql`excluded.at` },
        setWhere: sql`state = 'RELEASED' OR (state = 'CLAIMED' AND at <= ${value('now')})`,
      })
      .returning({ fence: receiverEvents.fence })
      .prepare(),
    find: db
      .select()
      .from(receiverEvents)
      .where(eq(receiverEvents.eventId, value('eventId')))
      .prepare(),
    end: db
      .update(receiverEvents)
      .set({ state: sql`${value('state')}`, at: sql`${value('now')}` })
      .where(and(isCurrent, eq(receiverEvents.state, 'CLAIMED')))
      .prepare(),
    forget: db
      .delete(receiverEvents)
      .where(
        inArray(
          receiverEvents.eventId,
          db
            .select({ eventId: receiverEvents.eventId })
            .from(receiverEvents)
            .where(lt(receiverEvents.at, value('before')))
            .orderBy(asc(receiverEvents.at))
            .limit(value('limit')),
        ),
      )
      .prepare(),
  }
}

/**
 * Creates a deduplication store for a receiver, in a SQLite file or on a connection of the caller.
 *
 * @throws StorageError `SCHEMA_NEWER`, `SCHEMA_EDITED`, `SCHEMA_OUTDATED`, `STORE_UNAVAILABLE`, `DATABASE_DAMAGED`,
 *   `DURABILITY_NOT_GUARANTEED`
 *
 * @example
 * ```ts
 * import { createSqliteDeduplicationStore } from '@kyc-relay/storage-drizzle/sqlite'
 * import { createWebhookHandler } from '@kyc-relay/webhooks'
 *
 * export async function createReceiver(apiKey: string) {
 *   const deduplicate = await createSqliteDeduplicationStore({ path: 'data/received.db' })
 *   return createWebhookHandler({ secrets: apiKey, deduplicate, onEvent: ({ eventId }) => console.log(eventId) })
 * }
 * ```
 */
export async function createSqliteDeduplicationStore(
  location: SqliteLocation,
  options: SqliteDeduplicationOptions = {},
): Promise<DeduplicationStore & { close(): Promise<void> }> {
  return openStore(location, options)
}

function openStore(location: SqliteLocation, options: SqliteDeduplicationOptions) {
  checkOptions(options)
  const { clock = () => new Date(), migrations = 'apply' } = options
  const { client, close } = openConnection(location)
  try {
    if (migrations === 'require') requireMigrated(client, 'sqlite-receiver')
    migrate(client, 'sqlite-receiver', { now: clock })
    assertDurable(client)
  } catch (error) {
    close()
    throw error
  }
  const statements = prepareStatements(drizzle({ client }))
  const commits = createGroupCommit(client)

  function claim({ eventId, leaseMs }: { readonly eventId: string; readonly leaseMs: number }): ClaimAnswer {
    const now = clock().getTime()
    const [taken] = statements.claim.all({ eventId, leaseMs: checkedDurationMs(leaseMs), now })
    if (taken !== undefined) return { kind: 'claimed', fence: taken.fence }
    const row = statements.find.get({ eventId })
    if (row === undefined) throw new StorageError('STORE_FAILED')
    return row.state === 'COMPLETED' ? { kind: 'completed' } : { kind: 'in_progress', leaseEndsInMs: row.at - now }
  }

  return {
    claim: (request: { readonly eventId: string; readonly leaseMs: number }) => commits.write(() => claim(request)),
    complete: ({ eventId, fence }: { readonly eventId: string; readonly fence: number }) =>
      commits.write(() => {
        const ended = statements.end.run({ eventId, fence, state: 'COMPLETED', now: clock().getTime() }).changes === 1
        const row = ended ? undefined : statements.find.get({ eventId })
        return ended || (row?.fence === fence && row.state === 'COMPLETED') ? 'completed' : 'stale'
      }),
    fail: ({ eventId, fence }: { readonly eventId: string; readonly fence: number }) =>
      commits.write(() => {
        const { changes } = statements.end.run({ eventId, fence, state: 'RELEASED', now: clock().getTime() })
        return changes === 1 ? 'released' : 'stale'
      }),
    forget: ({ olderThanMs, limit }: { readonly olderThanMs: number; readonly limit: number }) =>
      commits.write(() => {
        const before = clock().getTime() - checkedAgeMs(olderThanMs)
        return statements.forget.run({ before, limit: checkedLimit(limit, Number.MAX_SAFE_INTEGER) }).changes
      }),
    close: async () => {
      commits.close()
      close()
    },
  }
}

/**
 * Marks an event as processed inside a transaction of the caller (better-sqlite3 or Drizzle). The mark and the caller's
 * writes commit together. {@link createSqliteDeduplicationStore} or `kyc-relay-migrate up --receiver` creates the
 * tables.
 *
 * Without a `fence`, the first transaction to commit processes the event. A current claim of the event becomes stale.
 *
 * @returns true when this transaction must process the event; on false do nothing.
 * @throws StorageError `TRANSACTION_REQUIRED` outside a transaction; `STORE_UNAVAILABLE` (retryable, the transaction)
 *
 * @example
 * ```ts
 * import { markProcessed } from '@kyc-relay/storage-drizzle/sqlite'
 * import type Database from 'better-sqlite3'
 *
 * export function addToBalance(database: Database.Database, eventId: string, userId: string, amount: number) {
 *   const add = database.prepare('UPDATE balances SET amount = amount + ? WHERE user_id = ?')
 *   database
 *     .transaction(() => {
 *       if (markProcessed(database, { eventId })) add.run(amount, userId)
 *     })
 *     .immediate()
 * }
 * ```
 */
export const markProcessed = ((
  tx: SqliteTransaction,
  { eventId, fence }: Parameters<MarkProcessed<SqliteTransaction>>[1],
  clock: () => Date = () => new Date(),
): boolean => {
  try {
    const client = connectionOf(tx)
    if (client !== null && !client.inTransaction) throw new StorageError('TRANSACTION_REQUIRED')
    const db = databaseOf(tx)
    const now = clock().getTime()
    if (fence != null) {
      const { changes } = db
        .update(receiverEvents)
        .set({ state: 'COMPLETED', at: now })
        .where(
          and(
            eq(receiverEvents.eventId, eventId),
            eq(receiverEvents.fence, fence),
            eq(receiverEvents.state, 'CLAIMED'),
          ),
        )
        .run()
      return changes === 1
    }
    const { changes } = db
      .insert(receiverEvents)
      .values({ eventId, fence: 1, state: 'COMPLETED', at: now })
      .onConflictDoUpdate({
        target: receiverEvents.eventId,
        set: { fence: sql`fence + 1`, state: 'COMPLETED', at: now },
        setWhere: sql`state <> 'COMPLETED'`,
      })
      .run()
    return changes === 1
  } catch (error) {
    throw storageErrorOf(error)
  }
}) satisfies MarkProcessed<SqliteTransaction, boolean>
