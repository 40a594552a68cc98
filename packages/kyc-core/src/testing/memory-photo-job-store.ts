import { KycError } from '../kyc-error.js'
import { isPhotoFailure, type PhotoFailure } from '../photos/photo-failure.js'
import type { PhotoFence, PhotoJobStore, PhotoRecord, PhotoSide, PhotoState } from '../photos/photo-job-store.js'
import type { AppUser } from '../tokenization/pii-vault.js'
import type { MemoryVerificationData } from './memory-verification-store.js'

/** A photo job in memory. */
export interface MemoryPhotoJob {
  readonly photoJobId: string
  readonly owner: AppUser
  readonly verificationId: string
  readonly side: PhotoSide
  createdAtMs: number
  sealedUrl: Uint8Array | null
  /** `PENDING` also for a job with a scheduled retry. */
  state: Exclude<PhotoState, 'RETRYING'>
  attemptsMade: number
  /** Time of the next possible claim: due time or end of the lease. Null for an ended job. */
  claimableAtMs: number | null
  token: string | null
  lastFailure: PhotoFailure | null
  endedAtMs: number | null
}

const sides: readonly PhotoSide[] = ['front', 'back', 'selfie']

function checked(value: number, least: number, most: number): number {
  if (!Number.isSafeInteger(value) || value < least || value > most) throw new KycError('ARGUMENT_INVALID')
  return value
}

/** An attempt in progress has not ended. */
function stateOf({ state, attemptsMade, token }: MemoryPhotoJob): PhotoState {
  return state === 'PENDING' && attemptsMade > (token === null ? 0 : 1) ? 'RETRYING' : state
}

function present(job: MemoryPhotoJob): PhotoRecord {
  const { photoJobId, side, attemptsMade, claimableAtMs, token, lastFailure, endedAtMs } = job
  return {
    photoJobId,
    side,
    state: stateOf(job),
    attemptsMade,
    nextAttemptAt: claimableAtMs === null || token !== null ? null : new Date(claimableAtMs),
    lastFailure,
    endedAt: endedAtMs === null ? null : new Date(endedAtMs),
  }
}

/**
 * Creates a {@link PhotoJobStore} in memory for unit tests. It passes every case of {@link photoJobStoreCases} except
 * durability. The verification store over the same data creates the jobs.
 *
 * @param options `newToken` creates fence tokens; it must never return the same token twice.
 *
 * @example
 * ```ts
 * import { randomUUID } from 'node:crypto'
 * import { createMemoryPhotoJobStore, createMemoryVerificationData } from '@kyc-relay/kyc-core/testing'
 *
 * const data = createMemoryVerificationData()
 * const jobs = createMemoryPhotoJobStore({ data, now: () => new Date(), newToken: randomUUID })
 * await jobs.claimDue({ limit: 1, leaseMs: 60_000 }) // { claimed: [], nextDueInMs: null }
 * ```
 */
export function createMemoryPhotoJobStore(options: {
  readonly data: MemoryVerificationData
  readonly now: () => Date
  readonly newToken: () => string
}): PhotoJobStore {
  const { now, newToken } = options
  const jobs = options.data.photoJobs

  const isOwn = (owner: AppUser, job: MemoryPhotoJob) =>
    job.owner.appId === owner.appId && job.owner.userId === owner.userId
  const held = ({ userId, photoJobId, token }: PhotoFence) =>
    jobs.find(
      (job) =>
        job.owner.userId === userId && job.photoJobId === photoJobId && job.token !== null && job.token === token,
    )

  function end(job: MemoryPhotoJob, state: 'STORED' | 'REFUSED' | 'UNAVAILABLE' | 'ERASED'): void {
    const endedAtMs = job.endedAtMs ?? now().getTime()
    Object.assign(job, { state, sealedUrl: null, claimableAtMs: null, token: null, endedAtMs })
  }

  return {
    async claimDue({ limit, leaseMs }) {
      checked(limit, 1, 100)
      checked(leaseMs, 1, 3_600_000)
      const nowMs = now().getTime()
      const waiting = jobs
        .filter((job) => job.claimableAtMs !== null)
        .sort((one, next) => Number(one.claimableAtMs) - Number(next.claimableAtMs))
      const due = waiting.filter((job) => Number(job.claimableAtMs) <= nowMs).slice(0, limit)
      const claimed = due.map((job) => {
        const token = newToken()
        Object.assign(job, { token, claimableAtMs: nowMs + leaseMs, attemptsMade: job.attemptsMade + 1 })
        return {
          fence: { userId: job.owner.userId, photoJobId: job.photoJobId, token },
          owner: job.owner,
          verificationId: job.verificationId,
          side: job.side,
          sealedUrl: job.sealedUrl ?? new Uint8Array(),
          attempt: job.attemptsMade,
          queuedForMs: Math.max(0, nowMs - job.createdAtMs),
        }
      })
      const times = waiting.map((job) => Number(job.claimableAtMs))
      return { claimed, nextDueInMs: times.length === 0 ? null : Math.max(0, Math.min(...times) - nowMs) }
    },
    async renewLease(fence, leaseMs) {
      checked(leaseMs, 1, 3_600_000)
      const job = held(fence)
      if (job) job.claimableAtMs = now().getTime() + leaseMs
      return job !== undefined
    },
    async recordOutcome(fence, outcome) {
      const failure = outcome.state === 'STORED' ? null : outcome.failure
      if (failure !== null && !isPhotoFailure(failure)) throw new KycError('ARGUMENT_INVALID')
      if (outcome.state === 'RETRYING') checked(outcome.retryInMs, 0, 604_800_000)
      const job = held(fence)
      if (!job) {
        const known = jobs.find(({ photoJobId }) => photoJobId === fence.photoJobId)
        return { recorded: false, state: known ? stateOf(known) : null }
      }
      job.lastFailure = failure ?? job.lastFailure
      if (outcome.state !== 'RETRYING') end(job, outcome.state)
      else Object.assign(job, { token: null, claimableAtMs: now().getTime() + outcome.retryInMs })
      return { recorded: true, state: outcome.state }
    },
    async replaceUrl({ owner, verificationId, side, sealedUrl }) {
      const job = jobs.find((one) => isOwn(owner, one) && one.verificationId === verificationId && one.side === side)
      if (job === undefined) return 'not_found'
      if (job.state !== 'UNAVAILABLE' && job.state !== 'REFUSED') return 'not_replaceable'
      const nowMs = now().getTime()
      const fresh = { state: 'PENDING', attemptsMade: 0, lastFailure: null, endedAtMs: null } as const
      Object.assign(job, { ...fresh, sealedUrl, createdAtMs: nowMs, claimableAtMs: nowMs })
      return 'replaced'
    },
    async listPhotos(owner, verificationId) {
      return jobs
        .filter((job) => isOwn(owner, job) && job.verificationId === verificationId)
        .map(present)
        .sort((one, next) => sides.indexOf(one.side) - sides.indexOf(next.side))
    },
    async eraseOwner(owner) {
      const own = jobs.filter((job) => isOwn(owner, job))
      const photosErased = own.filter(({ state }) => state === 'STORED').length
      for (const job of own) end(job, 'ERASED')
      return { photoJobIds: own.map(({ photoJobId }) => photoJobId), photosErased }
    },
  }
}
