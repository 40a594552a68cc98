import { sql, type SQL } from 'drizzle-orm'
import type { AppUser } from '@kyc-relay/kyc-core'
import type { ClaimedPhotoJob, PhotoJobStore, PhotoRecord, PhotoState } from '@kyc-relay/kyc-core/photos'
import { checkedLimit } from '../page-cursor.js'
import { bySide, checkedLeaseMs, mostPhotosPerClaim, outcomeColumns, seenState } from './photo-jobs.js'
import type { PostgresDatabase } from '../engine/postgres/database.js'
import { now } from '../engine/postgres/parameters.js'
import { statement, type Queryable } from '../engine/postgres/statement.js'

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
const later = (name: string) => sql`${now} + ${value(name)}::float8 * interval '1 millisecond'`

/** Claims due jobs, oldest first. Skips jobs that another process is claiming. */
function claimBy(name: string, since: SQL) {
  return statement<ClaimedRow>(
    name,
    sql`
WITH clock AS MATERIALIZED (SELECT ${now} AS now),
chosen AS (
  SELECT photo_job_id, ${since} AS since FROM kyc_relay_photo_jobs
  WHERE ${since} <= (SELECT now FROM clock)
  ORDER BY ${since} LIMIT ${value('limit')} FOR NO KEY UPDATE SKIP LOCKED
), numbered AS (
  SELECT photo_job_id, row_number() OVER (ORDER BY since) AS number FROM chosen
), claimed AS (
  UPDATE kyc_relay_photo_jobs AS job
  SET due_at = NULL, lease_token = fresh.token, attempts_made = job.attempts_made + 1,
    lease_until = (SELECT now FROM clock) + ${value('leaseMs')}::float8 * interval '1 millisecond'
  FROM numbered JOIN unnest(${value('tokens')}::text[]) WITH ORDINALITY AS fresh (token, number) USING (number)
  WHERE job.photo_job_id = numbered.photo_job_id
  RETURNING job.*, numbered.number
)
SELECT claimed.photo_job_id AS "photoJobId", claimed.lease_token AS token, claimed.side,
  claimed.verification_id AS "verificationId", claimed.sealed_url AS "sealedUrl", claimed.attempts_made AS attempt,
  verification.app_id AS "appId", verification.user_id AS "userId",
  greatest(0, ${inMs(sql`(SELECT now FROM clock) - claimed.created_at`)}) AS "queuedForMs"
FROM claimed JOIN kyc_relay_verifications AS verification ON verification.verification_id = claimed.verification_id
ORDER BY claimed.number`,
  )
}

const takeOverExpired = claimBy('take_over_photos', sql`lease_until`)
const claimWaiting = claimBy('claim_photos', sql`due_at`)

const findNext = statement<{ nextDueInMs: number | null }>(
  'find_next_photo',
  sql`
SELECT ceil(extract(epoch FROM least(
  (SELECT min(due_at) FROM kyc_relay_photo_jobs WHERE due_at IS NOT NULL),
  (SELECT min(lease_until) FROM kyc_relay_photo_jobs WHERE lease_until IS NOT NULL)
) - ${now}) * 1000)::float8 AS "nextDueInMs"`,
)

const held = sql`photo_job_id = ${value('photoJobId')} AND lease_token = ${value('token')}`

const renew = statement(
  'renew_photo_lease',
  sql`UPDATE kyc_relay_photo_jobs SET lease_until = ${later('leaseMs')} WHERE ${held}`,
)

const keepFailure = sql`last_failure = coalesce(${value('failure')}::text, last_failure)`

const retry = statement(
  'retry_photo',
  sql`
UPDATE kyc_relay_photo_jobs
SET due_at = ${later('retryInMs')}, ${keepFailure}, lease_token = NULL, lease_until = NULL
WHERE ${held}`,
)

const end = statement(
  'end_photo',
  sql`
UPDATE kyc_relay_photo_jobs
SET state = ${value('state')}, ${keepFailure}, sealed_url = NULL, due_at = NULL, lease_token = NULL, lease_until = NULL,
  ended_at = ${now}
WHERE ${held}`,
)

const findState = statement<{ state: PhotoState }>(
  'find_photo_state',
  sql`SELECT ${sql.raw(seenState)} AS state FROM kyc_relay_photo_jobs WHERE photo_job_id = ${value('photoJobId')}`,
)

const list = statement<PhotoRecord>(
  'list_photos',
  sql`
SELECT photo_job_id AS "photoJobId", side, ${sql.raw(seenState)} AS state, attempts_made AS "attemptsMade",
  due_at AS "nextAttemptAt", last_failure AS "lastFailure", ended_at AS "endedAt"
FROM kyc_relay_photo_jobs
WHERE verification_id = (
  SELECT verification_id FROM kyc_relay_verifications
  WHERE verification_id = ${value('verificationId')} AND app_id = ${value('appId')} AND user_id = ${value('userId')}
)`,
)

const ofOwner = sql`verification_id IN (
  SELECT verification_id FROM kyc_relay_verifications WHERE app_id = ${value('appId')} AND user_id = ${value('userId')}
)`

/** Locks the rows, so that the count matches the following update in the same transaction. */
const lockOfOwner = statement<{ state: PhotoState }>(
  'lock_photos_of_owner',
  sql`
SELECT state FROM kyc_relay_photo_jobs WHERE ${ofOwner} ORDER BY photo_job_id FOR NO KEY UPDATE`,
)

const endOfOwner = statement<{ photoJobId: string }>(
  'erase_photos_of_owner',
  sql`
UPDATE kyc_relay_photo_jobs
SET state = 'ERASED', sealed_url = NULL, due_at = NULL, lease_token = NULL, lease_until = NULL,
  ended_at = coalesce(ended_at, ${now})
WHERE ${ofOwner} RETURNING photo_job_id AS "photoJobId"`,
)

/** Ends all photo jobs of a user inside a transaction. The erasure of a user calls it too. */
export async function erasePhotoJobs(
  on: Queryable,
  owner: AppUser,
  at: Date | null,
): Promise<{ readonly photoJobIds: readonly string[]; readonly photosErased: number }> {
  const { appId, userId } = owner
  const locked = await lockOfOwner.rows(on, { appId, userId })
  const ended = await endOfOwner.rows(on, { appId, userId, now: at })
  return {
    photoJobIds: ended.map(({ photoJobId }) => photoJobId),
    photosErased: locked.filter(({ state }) => state === 'STORED').length,
  }
}

function readClaimed({ photoJobId, token, appId, userId, sealedUrl, ...row }: ClaimedRow): ClaimedPhotoJob {
  return {
    ...row,
    fence: { photoJobId, token },
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
}): PhotoJobStore {
  const { database, instant, newToken } = dependencies

  async function claimOnce(on: Queryable, limit: number, leaseMs: number, at: Date | null) {
    const claim = (by: typeof claimWaiting, most: number) =>
      by.rows(on, { limit: most, leaseMs, tokens: Array.from({ length: most }, () => newToken()), now: at })
    const expired = await claim(takeOverExpired, limit)
    const due = expired.length < limit ? await claim(claimWaiting, limit - expired.length) : []
    return [...expired, ...due].map(readClaimed)
  }

  // `async`, so that a refused argument rejects.
  return {
    async claimDue(request) {
      const limit = checkedLimit(request.limit, mostPhotosPerClaim)
      const leaseMs = checkedLeaseMs(request.leaseMs)
      const at = instant()
      // One transaction, so that a claim that fails to return is rolled back.
      return database.transaction(async (on) => {
        const claimed = await claimOnce(on, limit, leaseMs, at)
        const nextDueInMs = (await findNext.rows(on, { now: at }))[0]?.nextDueInMs ?? null
        return { claimed, nextDueInMs: nextDueInMs === null ? null : Math.max(0, nextDueInMs) }
      })
    },
    async renewLease({ photoJobId, token }, leaseMs) {
      const values = { photoJobId, token, leaseMs: checkedLeaseMs(leaseMs), now: instant() }
      return (await database.run((on) => renew.count(on, values))) > 0
    },
    async recordOutcome({ photoJobId, token }, outcome) {
      const values = { photoJobId, token, ...outcomeColumns(outcome), now: instant() }
      const by = values.state === 'RETRYING' ? retry : end
      return database.transaction(async (on) => {
        const recorded = (await by.count(on, values)) > 0
        return { recorded, state: (await findState.rows(on, { photoJobId }))[0]?.state ?? null }
      })
    },
    listPhotos: ({ appId, userId }, verificationId) =>
      database.run(async (on) => [...(await list.rows(on, { appId, userId, verificationId }))].sort(bySide)),
    eraseOwner: (owner) => database.transaction((on) => erasePhotoJobs(on, owner, instant())),
  }
}
