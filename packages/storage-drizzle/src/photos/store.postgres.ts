import { and, eq, sql, type SQL } from 'drizzle-orm'
import type { AppUser } from '@kyc-relay/kyc-core'
import type { ClaimedPhotoJob, PhotoFence, PhotoRecord, PhotoState } from '@kyc-relay/kyc-core/internal'
import type { PhotoJobStore } from '@kyc-relay/kyc-core/photos'
import type { AuditChain } from '../audit/chain.postgres.js'
import { photoUrlReplacedEvent } from '../audit/photo-events.js'
import { checkedLimit } from '../pages.js'
import { bySide, checkedLeaseMs, mostPhotosPerClaim, outcomeColumns, seenState } from './photo-jobs.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { asBuffer, now, timeOf } from '../engine/postgres/parameters.js'
import { queryBuilder, statement, type Queryable } from '../engine/postgres/statement.js'
import { photoJobs } from './tables.postgres.js'

const value = sql.placeholder

interface ClaimedRow {
  readonly photoJobId: string
  readonly token: string
  readonly verificationId: string
  readonly appId: string
  readonly userId: string
  readonly side: ClaimedPhotoJob['side']
  readonly sealedUrl: Buffer
  readonly attempt: number
  readonly queuedForMs: number
}

const inMs = (duration: SQL) => sql`floor(extract(epoch FROM ${duration}) * 1000)::float8`

/** Lists jobs that can be claimed: ended leases first, then due jobs, each oldest first. It locks nothing. */
const listClaimable = statement<{ userId: string; photoJobId: string }>(
  'list_claimable_photos',
  sql`
WITH clock AS MATERIALIZED (SELECT ${now} AS now)
(SELECT user_id AS "userId", photo_job_id AS "photoJobId" FROM kyc_relay_photo_jobs
  WHERE lease_until <= (SELECT now FROM clock) ORDER BY lease_until LIMIT ${value('limit')}::int)
UNION ALL
(SELECT user_id, photo_job_id FROM kyc_relay_photo_jobs
  WHERE due_at <= (SELECT now FROM clock) ORDER BY due_at LIMIT ${value('limit')}::int)`,
)

/** Claims one job, unless another process was first. */
const claimJob = statement<ClaimedRow>(
  'claim_photo',
  sql`
UPDATE kyc_relay_photo_jobs
SET due_at = NULL, lease_token = ${value('token')}, attempts_made = attempts_made + 1,
  lease_until = ${now} + ${value('leaseMs')}::float8 * interval '1 millisecond'
WHERE user_id = ${value('userId')} AND photo_job_id = ${value('photoJobId')}
  AND (lease_until <= ${now} OR due_at <= ${now})
RETURNING photo_job_id AS "photoJobId", lease_token AS token, side, verification_id AS "verificationId",
  sealed_url AS "sealedUrl", attempts_made AS attempt, app_id AS "appId", user_id AS "userId",
  greatest(0, ${inMs(sql`${now} - created_at`)}) AS "queuedForMs"`,
)

/** Earliest end of a wait or of a lease, from now on. Two index look-ups in one statement. */
const findNext = statement<{ nextDueInMs: number | null }>(
  'find_next_photo',
  sql`
SELECT ceil(extract(epoch FROM least(
  (SELECT min(due_at) FROM kyc_relay_photo_jobs WHERE due_at IS NOT NULL),
  (SELECT min(lease_until) FROM kyc_relay_photo_jobs WHERE lease_until IS NOT NULL)
) - ${now}) * 1000)::float8 AS "nextDueInMs"`,
)

const isJob = ({ userId, photoJobId }: PhotoFence) =>
  and(eq(photoJobs.userId, userId), eq(photoJobs.photoJobId, photoJobId))
const isLeased = (fence: PhotoFence) => and(isJob(fence), eq(photoJobs.leaseToken, fence.token))
const later = (at: Date | null, ms: number) => sql`${timeOf(at)} + ${ms}::float8 * interval '1 millisecond'`
const noLease = { leaseToken: null, leaseUntil: null }
const state = sql<PhotoState>`${sql.raw(seenState)}`

/** Ends all photo jobs of a user inside a transaction. The erasure of a user calls it too. */
export async function erasePhotoJobs(
  on: Queryable,
  { appId, userId }: AppUser,
  at: Date | null,
): Promise<{ readonly photoJobIds: readonly string[]; readonly photosErased: number }> {
  const query = queryBuilder(on)
  const ofOwner = and(eq(photoJobs.userId, userId), eq(photoJobs.appId, appId))
  // Locked first, so that the count matches the update.
  const locked = await query
    .select({ state: photoJobs.state })
    .from(photoJobs)
    .where(ofOwner)
    .orderBy(photoJobs.photoJobId)
    .for('no key update')
  const ended = await query
    .update(photoJobs)
    .set({
      state: 'ERASED',
      sealedUrl: null,
      dueAt: null,
      ...noLease,
      endedAt: sql`coalesce(${photoJobs.endedAt}, ${timeOf(at)})`,
    })
    .where(ofOwner)
    .returning({ photoJobId: photoJobs.photoJobId })
  return {
    photoJobIds: ended.map(({ photoJobId }) => photoJobId),
    photosErased: locked.filter((job) => job.state === 'STORED').length,
  }
}

function readClaimed({ photoJobId, token, appId, userId, sealedUrl, ...row }: ClaimedRow): ClaimedPhotoJob {
  return {
    ...row,
    fence: { userId, photoJobId, token },
    owner: { appId, userId },
    sealedUrl: new Uint8Array(sealedUrl),
  }
}

/** Creates the photo job store on PostgreSQL. */
export function createPhotoJobStore(dependencies: {
  readonly database: PostgresDatabase
  /** Time of the store's clock; null for the database's clock. */
  readonly instant: () => Date | null
  readonly newToken: () => string
  readonly audit: AuditChain | null
}): PhotoJobStore {
  const { database, instant, newToken, audit } = dependencies

  /** Claims job after job: each belongs to another user. */
  async function claimJobs(on: Queryable, limit: number, leaseMs: number, at: Date | null) {
    const claimed: ClaimedPhotoJob[] = []
    for (const job of await listClaimable.rows(on, { limit, now: at })) {
      if (claimed.length === limit) break
      const [row] = await claimJob.rows(on, { ...job, token: newToken(), leaseMs, now: at })
      if (row !== undefined) claimed.push(readClaimed(row))
    }
    return claimed
  }

  // `async`, so that a refused argument rejects.
  return {
    async claimDue(request) {
      const limit = checkedLimit(request.limit, mostPhotosPerClaim)
      const leaseMs = checkedLeaseMs(request.leaseMs)
      const at = instant()
      // One transaction, so that a claim that fails to return is rolled back.
      return database.transaction(async (on) => {
        const claimed = await claimJobs(on, limit, leaseMs, at)
        const nextDueInMs = (await findNext.rows(on, { now: at }))[0]?.nextDueInMs ?? null
        return { claimed, nextDueInMs: nextDueInMs === null ? null : Math.max(0, nextDueInMs) }
      })
    },
    async renewLease(fence, leaseMs) {
      const leaseUntil = later(instant(), checkedLeaseMs(leaseMs))
      const { rowCount } = await database.run((on) =>
        queryBuilder(on).update(photoJobs).set({ leaseUntil }).where(isLeased(fence)),
      )
      return rowCount === 1
    },
    async recordOutcome(fence, outcome) {
      const columns = outcomeColumns(outcome)
      const at = instant()
      const ends =
        columns.state === 'RETRYING'
          ? { dueAt: later(at, columns.retryInMs) }
          : { state: columns.state, sealedUrl: null, dueAt: null, endedAt: timeOf(at) }
      return database.transaction(async (on) => {
        const query = queryBuilder(on)
        const lastFailure = sql`coalesce(${columns.failure}::text, ${photoJobs.lastFailure})`
        const { rowCount } = await query
          .update(photoJobs)
          .set({ ...ends, ...noLease, lastFailure })
          .where(isLeased(fence))
        const [job] = await query.select({ state }).from(photoJobs).where(isJob(fence))
        return { recorded: rowCount === 1, state: job?.state ?? null }
      })
    },
    listPhotos: ({ appId, userId }, verificationId) =>
      database.run(async (on) => {
        const photos = await queryBuilder(on)
          .select({
            photoJobId: photoJobs.photoJobId,
            side: photoJobs.side,
            state,
            attemptsMade: photoJobs.attemptsMade,
            nextAttemptAt: photoJobs.dueAt,
            lastFailure: sql<PhotoRecord['lastFailure']>`${photoJobs.lastFailure}`,
            endedAt: photoJobs.endedAt,
          })
          .from(photoJobs)
          .where(
            and(eq(photoJobs.userId, userId), eq(photoJobs.appId, appId), eq(photoJobs.verificationId, verificationId)),
          )
        return photos.sort(bySide)
      }),
    replaceUrl: ({ owner: { appId, userId }, verificationId, side, sealedUrl, actor }) =>
      database.transaction(async (on) => {
        const query = queryBuilder(on)
        const [photo] = await query
          .select({ photoJobId: photoJobs.photoJobId, state: photoJobs.state })
          .from(photoJobs)
          .where(
            and(
              ...[eq(photoJobs.userId, userId), eq(photoJobs.appId, appId)],
              ...[eq(photoJobs.verificationId, verificationId), eq(photoJobs.side, side)],
            ),
          )
          .for('no key update')
        if (photo === undefined) return 'not_found'
        if (photo.state !== 'UNAVAILABLE' && photo.state !== 'REFUSED') return 'not_replaceable'
        const { photoJobId } = photo
        const at = timeOf(instant())
        await query
          .update(photoJobs)
          .set({
            state: 'PENDING',
            attemptsMade: 0,
            lastFailure: null,
            endedAt: null,
            sealedUrl: asBuffer(sealedUrl),
            createdAt: at,
            dueAt: at,
          })
          .where(and(eq(photoJobs.userId, userId), eq(photoJobs.photoJobId, photoJobId)))
        const replaced = { owner: { appId, userId }, photoJobId, sealedUrl }
        await audit?.append(on, userId, (nowMs) => photoUrlReplacedEvent(audit.seal, replaced, nowMs), actor)
        return 'replaced'
      }),
    eraseOwner: (owner) => database.transaction((on) => erasePhotoJobs(on, owner, instant())),
  }
}
