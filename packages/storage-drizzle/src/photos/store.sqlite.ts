import { and, asc, eq, inArray, isNotNull, lte, min, sql } from 'drizzle-orm'
import type { AppUser } from '@kyc-relay/kyc-core'
import type { ClaimedPhotoJob, PhotoFailure, PhotoFence, PhotoState } from '@kyc-relay/kyc-core/internal'
import type { PhotoJobStore } from '@kyc-relay/kyc-core/photos'
import type { AuditChain } from '../audit/chain.sqlite.js'
import { photoUrlReplacedEvent } from '../audit/photo-events.js'
import { checkedLimit } from '../pages.js'
import { bySide, checkedLeaseMs, mostPhotosPerClaim, outcomeColumns, seenState, type PhotoClaim } from './photo-jobs.js'
import { type DrizzleDatabase, given, read } from '../engine/sqlite/statement.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'
import { verifications } from '../verifications/tables.sqlite.js'
import { photoJobs } from './tables.sqlite.js'

const value = sql.placeholder

const instantOf = (ms: number | null) => (ms === null ? null : new Date(ms))

const noLease = { leaseToken: null, leaseUntil: null }

/** Statements that erase the photo jobs of a user. The erasure of a user uses them too. */
export function preparePhotoErasure(db: DrizzleDatabase) {
  const verificationsOfUser = db
    .select({ position: verifications.position })
    .from(verifications)
    .where(and(eq(verifications.appId, value('appId')), eq(verifications.userId, value('userId'))))
  const ofUser = inArray(photoJobs.verification, verificationsOfUser)
  return {
    countStored: db
      .select({ count: sql<number>`count(*)` })
      .from(photoJobs)
      .where(and(eq(photoJobs.state, 'STORED'), ofUser))
      .prepare(),
    end: db
      .update(photoJobs)
      .set({
        state: 'ERASED',
        sealedUrl: null,
        dueAt: null,
        ...noLease,
        endedAt: sql`ifnull(${photoJobs.endedAt}, ${value('now')})`,
      })
      .where(ofUser)
      .returning({ photoJobId: photoJobs.photoJobId })
      .prepare(),
  }
}

/** Ends all photo jobs of a user inside a write. */
export function erasePhotoJobs(
  statements: ReturnType<typeof preparePhotoErasure>,
  { appId, userId }: AppUser,
  now: Date,
): { readonly photoJobIds: readonly string[]; readonly photosErased: number } {
  const photosErased = statements.countStored.get({ appId, userId })?.count ?? 0
  const ended = statements.end.all({ appId, userId, now: now.getTime() })
  return { photoJobIds: ended.map((row) => row.photoJobId), photosErased }
}

function prepareStatements(db: DrizzleDatabase) {
  const id = { photoJobId: photoJobs.photoJobId }
  const isJob = eq(photoJobs.photoJobId, value('photoJobId'))
  const isLeased = and(isJob, eq(photoJobs.leaseToken, value('token')))
  const lastFailure = sql`ifnull(${value('failure')}, ${photoJobs.lastFailure})`
  return {
    listExpired: db
      .select(id)
      .from(photoJobs)
      .where(lte(photoJobs.leaseUntil, value('now')))
      .orderBy(asc(photoJobs.leaseUntil))
      .limit(value('limit'))
      .prepare(),
    listDue: db
      .select(id)
      .from(photoJobs)
      .where(lte(photoJobs.dueAt, value('now')))
      .orderBy(asc(photoJobs.dueAt))
      .limit(value('limit'))
      .prepare(),
    claim: db
      .update(photoJobs)
      .set({
        dueAt: null,
        leaseToken: given('token'),
        leaseUntil: given('until'),
        attemptsMade: sql`${photoJobs.attemptsMade} + 1`,
      })
      .where(isJob)
      .prepare(),
    findClaimed: db
      .select({
        verificationId: verifications.verificationId,
        appId: verifications.appId,
        userId: verifications.userId,
        side: photoJobs.side,
        sealedUrl: photoJobs.sealedUrl,
        attemptsMade: photoJobs.attemptsMade,
        createdAt: photoJobs.createdAt,
      })
      .from(photoJobs)
      .innerJoin(verifications, eq(verifications.position, photoJobs.verification))
      .where(isJob)
      .prepare(),
    findNextDue: db
      .select({ at: min(photoJobs.dueAt) })
      .from(photoJobs)
      .where(isNotNull(photoJobs.dueAt))
      .prepare(),
    findNextExpiry: db
      .select({ at: min(photoJobs.leaseUntil) })
      .from(photoJobs)
      .where(isNotNull(photoJobs.leaseUntil))
      .prepare(),
    renew: db
      .update(photoJobs)
      .set({ leaseUntil: given('until') })
      .where(isLeased)
      .prepare(),
    retry: db
      .update(photoJobs)
      .set({ dueAt: given('dueAt'), lastFailure, ...noLease })
      .where(isLeased)
      .prepare(),
    end: db
      .update(photoJobs)
      .set({ state: given('state'), lastFailure, sealedUrl: null, dueAt: null, ...noLease, endedAt: given('now') })
      .where(isLeased)
      .prepare(),
    replaceUrl: db
      .update(photoJobs)
      .set({
        state: 'PENDING',
        attemptsMade: 0,
        lastFailure: null,
        endedAt: null,
        sealedUrl: sql`${value('sealedUrl')}`,
        createdAt: given('now'),
        dueAt: given('now'),
      })
      .where(isJob)
      .prepare(),
    findState: db
      .select({ state: sql<PhotoState>`${sql.raw(seenState)}` })
      .from(photoJobs)
      .where(isJob)
      .prepare(),
    list: db
      .select({
        ...id,
        side: photoJobs.side,
        state: sql<PhotoState>`${sql.raw(seenState)}`,
        attemptsMade: photoJobs.attemptsMade,
        dueAt: photoJobs.dueAt,
        lastFailure: sql<PhotoFailure | null>`${photoJobs.lastFailure}`,
        endedAt: photoJobs.endedAt,
      })
      .from(photoJobs)
      .where(
        eq(
          photoJobs.verification,
          db
            .select({ position: verifications.position })
            .from(verifications)
            .where(
              and(
                eq(verifications.verificationId, value('verificationId')),
                eq(verifications.appId, value('appId')),
                eq(verifications.userId, value('userId')),
              ),
            ),
        ),
      )
      .prepare(),
  }
}

/** Creates the photo job store on one SQLite connection. */
export function createPhotoJobStore(dependencies: {
  readonly db: DrizzleDatabase
  readonly commits: GroupCommit
  /** The store's clock. */
  readonly clock: () => Date
  readonly newToken: () => string
  readonly audit: AuditChain | null
}): PhotoJobStore {
  const { db, commits, clock, newToken, audit } = dependencies
  const statements = prepareStatements(db)
  const erasure = preparePhotoErasure(db)

  /** When the next job is due or the next lease expires. */
  function findNext(): number | null {
    const instants = [statements.findNextDue.get()?.at, statements.findNextExpiry.get()?.at]
    const known = instants.filter((at) => typeof at === 'number')
    return known.length === 0 ? null : Math.min(...known)
  }

  function claimDue(limit: number, leaseMs: number): PhotoClaim {
    const now = clock().getTime()
    const next = findNext()
    const nextDueInMs = next === null ? null : Math.max(0, next - now)
    if (nextDueInMs !== 0) return { claimed: [], nextDueInMs }
    const expired = statements.listExpired.all({ now, limit })
    const due = expired.length < limit ? statements.listDue.all({ now, limit: limit - expired.length }) : []
    const claimed = [...expired, ...due].flatMap(({ photoJobId }): ClaimedPhotoJob[] => {
      const token = newToken()
      statements.claim.run({ token, until: now + leaseMs, photoJobId })
      const row = statements.findClaimed.get({ photoJobId })
      if (row === undefined) return []
      return [
        {
          fence: { userId: row.userId, photoJobId, token },
          owner: { appId: row.appId, userId: row.userId },
          verificationId: row.verificationId,
          side: row.side,
          sealedUrl: new Uint8Array(row.sealedUrl ?? []),
          attempt: row.attemptsMade,
          queuedForMs: Math.max(0, now - row.createdAt),
        },
      ]
    })
    const left = findNext()
    return { claimed, nextDueInMs: left === null ? null : Math.max(0, left - now) }
  }

  function recordOutcome({ photoJobId, token }: PhotoFence, outcome: ReturnType<typeof outcomeColumns>) {
    const now = clock().getTime()
    const { changes } =
      outcome.state === 'RETRYING'
        ? statements.retry.run({ dueAt: now + outcome.retryInMs, failure: outcome.failure, photoJobId, token })
        : statements.end.run({ state: outcome.state, failure: outcome.failure, now, photoJobId, token })
    return { recorded: changes > 0, state: statements.findState.get({ photoJobId })?.state ?? null }
  }

  return {
    claimDue: ({ limit, leaseMs }) =>
      commits.write(() => claimDue(checkedLimit(limit, mostPhotosPerClaim), checkedLeaseMs(leaseMs))),
    renewLease: ({ photoJobId, token }, leaseMs) =>
      commits.write(() => {
        const until = clock().getTime() + checkedLeaseMs(leaseMs)
        return statements.renew.run({ until, photoJobId, token }).changes > 0
      }),
    recordOutcome: (fence, outcome) => commits.write(() => recordOutcome(fence, outcomeColumns(outcome))),
    listPhotos: ({ appId, userId }, verificationId) =>
      read(() =>
        statements.list
          .all({ verificationId, appId, userId })
          .map(({ dueAt, endedAt, ...row }) => ({
            ...row,
            nextAttemptAt: instantOf(dueAt),
            endedAt: instantOf(endedAt),
          }))
          .sort(bySide),
      ),
    replaceUrl: ({ owner: { appId, userId }, verificationId, side, sealedUrl, actor }) =>
      commits.write(() => {
        const photo = statements.list.all({ verificationId, appId, userId }).find((one) => one.side === side)
        if (photo === undefined) return 'not_found'
        if (photo.state !== 'UNAVAILABLE' && photo.state !== 'REFUSED') return 'not_replaceable'
        const { photoJobId } = photo
        const now = clock().getTime()
        statements.replaceUrl.run({ photoJobId, sealedUrl, now })
        audit?.append(
          photoUrlReplacedEvent(audit.seal, { owner: { appId, userId }, photoJobId, sealedUrl }, now),
          actor,
        )
        return 'replaced'
      }),
    eraseOwner: (owner) => commits.write(() => erasePhotoJobs(erasure, owner, clock())),
  }
}
