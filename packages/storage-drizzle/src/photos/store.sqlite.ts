import type Database from 'better-sqlite3'
import type { AppUser } from '@kyc-relay/kyc-core'
import type {
  ClaimedPhotoJob,
  PhotoFailure,
  PhotoFence,
  PhotoJobStore,
  PhotoRecord,
  PhotoState,
} from '@kyc-relay/kyc-core/photos'
import { checkedLimit } from '../page-cursor.js'
import {
  bySide,
  checkedLeaseMs,
  mostPhotosPerClaim,
  outcomeColumns,
  seenState,
  type PhotoClaim,
  type StoredPhotoState,
} from './photo-jobs.js'
import { prepare } from '../engine/sqlite/prepared.js'
import { read } from '../engine/sqlite/read.js'
import type { GroupCommit } from '../engine/sqlite/group-commit.js'

interface ListedRow extends Omit<PhotoRecord, 'nextAttemptAt' | 'endedAt'> {
  readonly dueAt: number | null
  readonly endedAt: number | null
}

interface ClaimedRow {
  readonly verification_id: string
  readonly app_id: string
  readonly user_id: string
  readonly side: ClaimedPhotoJob['side']
  readonly sealed_url: Buffer
  readonly attempts_made: number
  readonly created_at: number
}

const instantOf = (ms: number | null) => (ms === null ? null : new Date(ms))

const ofOwner = 'verification IN (SELECT position FROM kyc_relay_verifications WHERE app_id = ? AND user_id = ?)'

/** Statements that erase the photo jobs of a user. The erasure of a user uses them too. */
export function preparePhotoErasure(client: Database.Database) {
  return {
    countStored: prepare<[string, string], { count: number }>(
      client,
      `SELECT count(*) AS count FROM kyc_relay_photo_jobs WHERE state = 'STORED' AND ${ofOwner}`,
    ),
    end: prepare<[number, string, string], { photo_job_id: string }>(
      client,
      `UPDATE kyc_relay_photo_jobs
       SET state = 'ERASED', sealed_url = NULL, due_at = NULL, lease_token = NULL, lease_until = NULL,
         ended_at = ifnull(ended_at, ?)
       WHERE ${ofOwner} RETURNING photo_job_id`,
    ),
  }
}

/** Ends all photo jobs of a user inside a write. */
export function erasePhotoJobs(
  statements: ReturnType<typeof preparePhotoErasure>,
  { appId, userId }: AppUser,
  now: Date,
): { readonly photoJobIds: readonly string[]; readonly photosErased: number } {
  const photosErased = statements.countStored.get(appId, userId)?.count ?? 0
  const ended = statements.end.all(now.getTime(), appId, userId)
  return { photoJobIds: ended.map((row) => row.photo_job_id), photosErased }
}

function prepareStatements(client: Database.Database) {
  return {
    listExpired: prepare<[number, number], { photo_job_id: string }>(
      client,
      `SELECT photo_job_id FROM kyc_relay_photo_jobs WHERE lease_until <= ? ORDER BY lease_until LIMIT ?`,
    ),
    listDue: prepare<[number, number], { photo_job_id: string }>(
      client,
      `SELECT photo_job_id FROM kyc_relay_photo_jobs WHERE due_at <= ? ORDER BY due_at LIMIT ?`,
    ),
    claim: prepare<[string, number, string], never>(
      client,
      `UPDATE kyc_relay_photo_jobs
       SET due_at = NULL, lease_token = ?, lease_until = ?, attempts_made = attempts_made + 1 WHERE photo_job_id = ?`,
    ),
    findClaimed: prepare<[string], ClaimedRow>(
      client,
      `SELECT verification_id, app_id, user_id, side, sealed_url, attempts_made, created_at
       FROM kyc_relay_photo_jobs JOIN kyc_relay_verifications ON position = verification WHERE photo_job_id = ?`,
    ),
    findNext: prepare<[], { at: number | null }>(
      client,
      `SELECT min(at) AS at FROM (
         SELECT min(due_at) AS at FROM kyc_relay_photo_jobs WHERE due_at IS NOT NULL
         UNION ALL SELECT min(lease_until) FROM kyc_relay_photo_jobs WHERE lease_until IS NOT NULL
       )`,
    ),
    renew: prepare<[number, string, string]>(
      client,
      'UPDATE kyc_relay_photo_jobs SET lease_until = ? WHERE photo_job_id = ? AND lease_token = ?',
    ),
    retry: prepare<[number, PhotoFailure | null, string, string]>(
      client,
      `UPDATE kyc_relay_photo_jobs
       SET due_at = ?, last_failure = ifnull(?, last_failure), lease_token = NULL, lease_until = NULL
       WHERE photo_job_id = ? AND lease_token = ?`,
    ),
    end: prepare<[StoredPhotoState, PhotoFailure | null, number, string, string]>(
      client,
      `UPDATE kyc_relay_photo_jobs
       SET state = ?, last_failure = ifnull(?, last_failure), sealed_url = NULL, due_at = NULL, lease_token = NULL,
         lease_until = NULL, ended_at = ?
       WHERE photo_job_id = ? AND lease_token = ?`,
    ),
    findState: prepare<[string], { state: PhotoState }>(
      client,
      `SELECT ${seenState} AS state FROM kyc_relay_photo_jobs WHERE photo_job_id = ?`,
    ),
    list: prepare<[string, string, string], ListedRow>(
      client,
      `SELECT photo_job_id AS photoJobId, side, ${seenState} AS state, attempts_made AS attemptsMade, due_at AS dueAt,
         last_failure AS lastFailure, ended_at AS endedAt
       FROM kyc_relay_photo_jobs
       WHERE verification = (
         SELECT position FROM kyc_relay_verifications WHERE verification_id = ? AND app_id = ? AND user_id = ?
       )`,
    ),
  }
}

/** Creates the photo job store on one SQLite connection. */
export function createPhotoJobStore(dependencies: {
  readonly client: Database.Database
  readonly commits: GroupCommit
  /** The store's clock. */
  readonly clock: () => Date
  readonly newToken: () => string
}): PhotoJobStore {
  const { client, commits, clock, newToken } = dependencies
  const statements = prepareStatements(client)
  const erasure = preparePhotoErasure(client)

  function claimDue(limit: number, leaseMs: number): PhotoClaim {
    const now = clock().getTime()
    const next = statements.findNext.get()?.at ?? null
    const nextDueInMs = next === null ? null : Math.max(0, next - now)
    if (nextDueInMs !== 0) return { claimed: [], nextDueInMs }
    const expired = statements.listExpired.all(now, limit)
    const due = expired.length < limit ? statements.listDue.all(now, limit - expired.length) : []
    const claimed = [...expired, ...due].flatMap(({ photo_job_id: photoJobId }): ClaimedPhotoJob[] => {
      const token = newToken()
      statements.claim.run(token, now + leaseMs, photoJobId)
      const row = statements.findClaimed.get(photoJobId)
      if (row === undefined) return []
      return [
        {
          fence: { photoJobId, token },
          owner: { appId: row.app_id, userId: row.user_id },
          verificationId: row.verification_id,
          side: row.side,
          sealedUrl: new Uint8Array(row.sealed_url),
          attempt: row.attempts_made,
          queuedForMs: Math.max(0, now - row.created_at),
        },
      ]
    })
    const left = statements.findNext.get()?.at ?? null
    return { claimed, nextDueInMs: left === null ? null : Math.max(0, left - now) }
  }

  function recordOutcome({ photoJobId, token }: PhotoFence, outcome: ReturnType<typeof outcomeColumns>) {
    const now = clock().getTime()
    const { changes } =
      outcome.state === 'RETRYING'
        ? statements.retry.run(now + outcome.retryInMs, outcome.failure, photoJobId, token)
        : statements.end.run(outcome.state, outcome.failure, now, photoJobId, token)
    return { recorded: changes > 0, state: statements.findState.get(photoJobId)?.state ?? null }
  }

  return {
    claimDue: ({ limit, leaseMs }) =>
      commits.write(() => claimDue(checkedLimit(limit, mostPhotosPerClaim), checkedLeaseMs(leaseMs))),
    renewLease: ({ photoJobId, token }, leaseMs) =>
      commits.write(() => {
        const until = clock().getTime() + checkedLeaseMs(leaseMs)
        return statements.renew.run(until, photoJobId, token).changes > 0
      }),
    recordOutcome: (fence, outcome) => commits.write(() => recordOutcome(fence, outcomeColumns(outcome))),
    listPhotos: ({ appId, userId }, verificationId) =>
      read(() =>
        statements.list
          .all(verificationId, appId, userId)
          .map(({ dueAt, endedAt, ...row }) => ({
            ...row,
            nextAttemptAt: instantOf(dueAt),
            endedAt: instantOf(endedAt),
          }))
          .sort(bySide),
      ),
    eraseOwner: (owner) => commits.write(() => erasePhotoJobs(erasure, owner, clock())),
  }
}
