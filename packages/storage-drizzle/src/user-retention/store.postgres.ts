import { eq, sql } from 'drizzle-orm'
import type { AuditChain } from '../audit/chain.postgres.js'
import {
  erasureStartedEvent,
  holdPlacedEvent,
  holdReleasedEvent,
  reportConfirmedEvent,
  userClosedEvent,
} from '../audit/user-retention-events.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { now } from '../engine/postgres/parameters.js'
import { queryBuilder, statement, type Queryable } from '../engine/postgres/statement.js'
import { checkedLimit } from '../pages.js'
import { StorageError } from '../storage-error.js'
import { lockStatus } from '../verifications/statements.postgres.js'
import { userRetention } from './tables.postgres.js'
import { isDuringErasure, type ClosedUser, type UserRetention } from './user-retention.js'

const value = sql.placeholder

/** Lock between a new hold and steps of the retention. It lasts until the end of the transaction. */
const lockName = sql`hashtextextended(current_schema() || 'kyc_relay_user_retention', 0)`

/** Waits for running steps of the retention, and delays new ones. */
const excludeRetention = statement('exclude_retention', sql`SELECT pg_advisory_xact_lock(${lockName})`)

/** Waits for a hold that is being placed, and delays new holds. */
const excludeHolds = statement('exclude_holds', sql`SELECT pg_advisory_xact_lock_shared(${lockName})`)

const listHeld = statement<{ userId: string }>(
  'list_held_users',
  sql`SELECT user_id AS "userId" FROM kyc_relay_user_retention WHERE held_at IS NOT NULL ORDER BY user_id`,
)

/** Lists the users under a legal hold. */
export async function listHeldUsers(on: Queryable): Promise<readonly string[]> {
  return (await listHeld.rows(on, {})).map(({ userId }) => userId)
}

/** Lists the users under a legal hold. Until the end of the transaction no hold is placed. */
export async function lockHeldUsers(on: Queryable): Promise<readonly string[]> {
  await excludeHolds.rows(on, {})
  // A statement of its own: it sees the holds that the lock waited for.
  return listHeldUsers(on)
}

const hold = statement<{ userId: string; heldAt: Date; holdReason: string; closedAt: Date | null }>(
  'hold_user',
  sql`
INSERT INTO kyc_relay_user_retention AS known (user_id, held_at, hold_reason)
VALUES (${value('userId')}, ${now}, ${value('reason')})
ON CONFLICT (user_id) DO UPDATE
SET held_at = coalesce(known.held_at, excluded.held_at), hold_reason = excluded.hold_reason
WHERE known.erasure_started_at IS NULL
RETURNING user_id AS "userId", held_at AS "heldAt", hold_reason AS "holdReason", closed_at AS "closedAt"`,
)

const release = statement(
  'release_user',
  sql`
UPDATE kyc_relay_user_retention SET held_at = NULL, hold_reason = NULL
WHERE user_id = ${value('userId')} AND held_at IS NOT NULL`,
)

const close = statement(
  'close_user',
  sql`
INSERT INTO kyc_relay_user_retention AS known (user_id, closed_at)
VALUES (${value('userId')}, ${value('closedAt')}::timestamptz)
ON CONFLICT (user_id) DO UPDATE SET closed_at = excluded.closed_at
WHERE known.erasure_started_at IS NULL`,
)

const listClosed = statement<ClosedUser>(
  'list_closed_users',
  sql`
SELECT user_id AS "userId", closed_at AS "closedAt" FROM kyc_relay_user_retention
WHERE closed_at <= ${value('closedUntil')}::timestamptz AND (held_at IS NOT NULL) = ${value('held')}::boolean
ORDER BY closed_at, user_id LIMIT ${value('limit')}`,
)

const startErasure = statement(
  'start_erasure',
  sql`
INSERT INTO kyc_relay_user_retention AS known (user_id, erasure_id, erasure_started_at)
VALUES (${value('userId')}, ${value('erasureId')}, ${now})
ON CONFLICT (user_id) DO UPDATE
SET erasure_id = coalesce(excluded.erasure_id, known.erasure_id),
  erasure_started_at = coalesce(known.erasure_started_at, excluded.erasure_started_at)
WHERE known.held_at IS NULL`,
)

/** Locks the row of a user whose account was closed in time. */
const lockClosed = statement(
  'lock_closed_user',
  sql`
SELECT FROM kyc_relay_user_retention
WHERE user_id = ${value('userId')} AND closed_at <= ${value('closedUntil')}::timestamptz FOR UPDATE`,
)

const finishErasure = statement(
  'finish_erasure',
  sql`
UPDATE kyc_relay_user_retention
SET erased_at = ${now}, erasure_id = NULL, erasure_started_at = NULL, closed_at = NULL
WHERE user_id = ${value('userId')} AND erasure_started_at IS NOT NULL
  AND (erasure_id IS NULL OR erasure_id = ${value('erasureId')})`,
)

const findErasure = statement<{ startedAt: Date | null; erasedAt: Date | null }>(
  'find_erasure',
  sql`
SELECT erasure_started_at AS "startedAt", erased_at AS "erasedAt" FROM kyc_relay_user_retention
WHERE user_id = ${value('userId')}`,
)

/**
 * Refuses a submission that an erasure would miss: one that arrived before its end. Call it after `lockStatus`, for
 * which a starting erasure waits.
 *
 * @throws StorageError `ERASURE_IN_PROGRESS`.
 */
export async function refuseDuringErasure(on: Queryable, userId: string, arrivedAt: Date): Promise<void> {
  const [found] = await findErasure.rows(on, { userId })
  if (isDuringErasure(found, arrivedAt)) throw new StorageError('ERASURE_IN_PROGRESS')
}

/**
 * Starts an erasure unless the user is held; false then. It waits for submissions that are being recorded: the rows of
 * the user stay locked until the end of the transaction.
 *
 * @param erasureId Null to keep the id of a started erasure.
 */
export async function markErasure(
  on: Queryable,
  request: { readonly userId: string; readonly erasureId: string | null },
  at: Date | null,
): Promise<boolean> {
  const { userId, erasureId } = request
  if ((await startErasure.count(on, { userId, erasureId, now: at })) === 0) return false
  await lockStatus.rows(on, { userId, now: at })
  return true
}

/** Creates the store of legal holds, closures and started erasures on PostgreSQL. */
export function createUserRetention(dependencies: {
  readonly database: PostgresDatabase
  /** Time of the store's clock; null for the database's clock. */
  readonly instant: () => Date | null
  readonly audit: AuditChain | null
}): UserRetention {
  const { database, instant, audit } = dependencies
  return {
    find: (userId) =>
      database.run(async (on) => {
        const [row] = await queryBuilder(on).select().from(userRetention).where(eq(userRetention.userId, userId))
        const heldAt = row?.heldAt ?? null
        return {
          hold: heldAt === null ? null : { heldAt, reason: row?.holdReason ?? '' },
          closedAt: row?.closedAt ?? null,
          erasureStartedAt: row?.erasureStartedAt ?? null,
        }
      }),
    hold: (request) =>
      database.transaction(async (on) => {
        await excludeRetention.rows(on, {})
        const { userId, reason } = request
        const [held] = await hold.rows(on, { userId, reason, now: instant() })
        if (held === undefined) return 'erasure_in_progress'
        await audit?.append(on, userId, (nowMs) => holdPlacedEvent(audit.seal, held, nowMs), request.actor)
        return 'held'
      }),
    release: (request) =>
      database.transaction(async (on) => {
        const { userId, actor } = request
        if ((await release.count(on, { userId })) === 0) return false
        await audit?.append(on, userId, (nowMs) => holdReleasedEvent(audit.seal, userId, nowMs), actor)
        return true
      }),
    close: (request) =>
      database.transaction(async (on) => {
        const { userId, closedAt } = request
        if ((await close.count(on, { userId, closedAt })) === 0) return 'erasure_in_progress'
        await audit?.append(on, userId, (nowMs) => userClosedEvent(audit.seal, request, nowMs), request.actor)
        return 'recorded'
      }),
    listClosed: ({ closedUntil, held, limit }) =>
      database.run((on) => listClosed.rows(on, { closedUntil, held, limit: checkedLimit(limit, 10_000) })),
    recordConfirmedReport: ({ reportId, actor }) =>
      database.transaction(async (on) =>
        audit?.append(on, reportId, (nowMs) => reportConfirmedEvent(audit.seal, reportId, nowMs), actor),
      ),
    startErasure: (request) =>
      database.transaction(async (on) => {
        const { userId, closedUntil } = request
        if (closedUntil !== undefined && (await lockClosed.count(on, { userId, closedUntil })) === 0) return 'not_due'
        if (!(await markErasure(on, request, instant()))) return 'held'
        await audit?.append(on, userId, (nowMs) => erasureStartedEvent(audit.seal, request, nowMs), request.actor)
        return 'started'
      }),
    finishErasure: ({ userId, erasureId }) =>
      database.run(async (on) => {
        await finishErasure.count(on, { userId, erasureId, now: instant() })
      }),
  }
}
