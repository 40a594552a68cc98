import { and, eq, isNotNull, isNull, lte, or, sql } from 'drizzle-orm'
import type { AuditChain } from '../audit/chain.sqlite.js'
import {
  erasureStartedEvent,
  holdPlacedEvent,
  holdReleasedEvent,
  reportConfirmedEvent,
  userClosedEvent,
} from '../audit/user-retention-events.js'
import { given, read, type DrizzleDatabase } from '../engine/sqlite/statement.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import { checkedLimit } from '../pages.js'
import { userRetention } from './tables.sqlite.js'
import type { UserRetention } from './user-retention.js'

const value = sql.placeholder
const ofUser = eq(userRetention.userId, value('userId'))

/** Starts an erasure unless the user is held, in a transaction of the caller. */
export function prepareErasureStart(db: DrizzleDatabase) {
  return db
    .insert(userRetention)
    .values({ userId: value('userId'), erasureId: value('erasureId'), erasureStartedAt: value('at') })
    .onConflictDoUpdate({
      target: userRetention.userId,
      set: {
        erasureId: sql`coalesce(excluded.erasure_id, kyc_relay_user_retention.erasure_id)`,
        erasureStartedAt: sql`coalesce(kyc_relay_user_retention.erasure_started_at, excluded.erasure_started_at)`,
      },
      setWhere: isNull(userRetention.heldAt),
    })
    .prepare()
}

function prepareStatements(db: DrizzleDatabase) {
  const closed = (held: boolean) =>
    db
      .select({ userId: userRetention.userId, closedAt: userRetention.closedAt })
      .from(userRetention)
      .where(
        and(
          lte(userRetention.closedAt, value('closedUntil')),
          held ? isNotNull(userRetention.heldAt) : isNull(userRetention.heldAt),
        ),
      )
      .orderBy(userRetention.closedAt, userRetention.userId)
      .limit(value('limit'))
      .prepare()
  return {
    find: db.select().from(userRetention).where(ofUser).prepare(),
    hold: db
      .insert(userRetention)
      .values({ userId: value('userId'), heldAt: value('at'), holdReason: value('reason') })
      .onConflictDoUpdate({
        target: userRetention.userId,
        set: {
          heldAt: sql`coalesce(kyc_relay_user_retention.held_at, excluded.held_at)`,
          holdReason: sql`excluded.hold_reason`,
        },
        setWhere: isNull(userRetention.erasureStartedAt),
      })
      .returning()
      .prepare(),
    release: db
      .update(userRetention)
      .set({ heldAt: null, holdReason: null })
      .where(and(ofUser, isNotNull(userRetention.heldAt)))
      .prepare(),
    close: db
      .insert(userRetention)
      .values({ userId: value('userId'), closedAt: value('closedAt') })
      .onConflictDoUpdate({
        target: userRetention.userId,
        set: { closedAt: given('closedAt') },
        setWhere: isNull(userRetention.erasureStartedAt),
      })
      .prepare(),
    listClosed: closed(false),
    listClosedAndHeld: closed(true),
    startErasure: prepareErasureStart(db),
    finishErasure: db
      .update(userRetention)
      .set({ erasedAt: given('at'), erasureId: null, erasureStartedAt: null, closedAt: null })
      .where(
        and(
          ofUser,
          isNotNull(userRetention.erasureStartedAt),
          or(isNull(userRetention.erasureId), eq(userRetention.erasureId, value('erasureId'))),
        ),
      )
      .prepare(),
  }
}

/** Creates the store of legal holds, closures and started erasures on one SQLite connection. */
export function createUserRetention(dependencies: {
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
  readonly clock: () => Date
  readonly audit: AuditChain | null
}): UserRetention {
  const { db, commits, clock, audit } = dependencies
  const statements = prepareStatements(db)

  return {
    find: (userId) =>
      read(() => {
        const row = statements.find.get({ userId })
        const dateOf = (at: number | null | undefined) => (at == null ? null : new Date(at))
        const heldAt = dateOf(row?.heldAt)
        return {
          hold: heldAt === null ? null : { heldAt, reason: row?.holdReason ?? '' },
          closedAt: dateOf(row?.closedAt),
          erasureStartedAt: dateOf(row?.erasureStartedAt),
        }
      }),
    hold: ({ userId, reason, actor }) =>
      commits.write(() => {
        const at = clock().getTime()
        const [held] = statements.hold.all({ userId, at, reason })
        if (held === undefined) return 'erasure_in_progress'
        audit?.append(holdPlacedEvent(audit.seal, held, at), actor)
        return 'held'
      }),
    release: ({ userId, actor }) =>
      commits.write(() => {
        if (statements.release.run({ userId }).changes === 0) return false
        audit?.append(holdReleasedEvent(audit.seal, userId, clock().getTime()), actor)
        return true
      }),
    close: (request) =>
      commits.write(() => {
        const { userId, closedAt } = request
        const { changes } = statements.close.run({ userId, closedAt: closedAt?.getTime() ?? null })
        if (changes === 0) return 'erasure_in_progress'
        audit?.append(userClosedEvent(audit.seal, request, clock().getTime()), request.actor)
        return 'recorded'
      }),
    listClosed: ({ closedUntil, held, limit }) =>
      read(() => {
        const statement = held ? statements.listClosedAndHeld : statements.listClosed
        const rows = statement.all({ closedUntil: closedUntil.getTime(), limit: checkedLimit(limit, 10_000) })
        return rows.map(({ userId, closedAt }) => ({ userId, closedAt: new Date(closedAt ?? 0) }))
      }),
    recordConfirmedReport: ({ reportId, actor }) =>
      commits.write(() => audit?.append(reportConfirmedEvent(audit.seal, reportId, clock().getTime()), actor)),
    startErasure: (request) =>
      commits.write(() => {
        const at = clock().getTime()
        const { userId, erasureId, closedUntil } = request
        const closedAt = statements.find.get({ userId })?.closedAt ?? Infinity
        if (closedUntil !== undefined && closedAt > closedUntil.getTime()) return 'not_due'
        if (statements.startErasure.run({ userId, erasureId, at }).changes === 0) return 'held'
        audit?.append(erasureStartedEvent(audit.seal, request, at), request.actor)
        return 'started'
      }),
    finishErasure: ({ userId, erasureId }) =>
      commits.write(() => {
        statements.finishErasure.run({ userId, erasureId, at: clock().getTime() })
      }),
  }
}
