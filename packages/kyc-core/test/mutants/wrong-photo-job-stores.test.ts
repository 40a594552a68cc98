import { beforeAll, describe, expect, it } from 'vitest'
import { isPhotoFailure } from '../../src/photos/photo-failure.js'
import type { PhotoJobStore } from '@kyc-relay/kyc-core/photos'
import type { PhotoOutcome, PhotoRecord } from '@kyc-relay/kyc-core/internal'
import { photoJobStoreCases } from '@kyc-relay/kyc-core/testing'
import type { MemoryPhotoJob } from '../../src/testing/memory-photo-job-store.js'
import type { MemoryVerificationData } from '../../src/testing/memory-verification-store.js'
import { createMemoryPhotoJobHarness } from '../testing/memory-photo-job-harness.js'

/*
 * Photo job stores that are wrong on purpose, each in one way. The cases must catch every one of them, or a wrong backend
 * of somebody else would pass as well.
 */

type Wrong = (store: PhotoJobStore, data: MemoryVerificationData) => PhotoJobStore
type Claim = Awaited<ReturnType<PhotoJobStore['claimDue']>>

const changeClaim =
  (change: (claim: Claim) => Claim): Wrong =>
  (store) => ({ ...store, claimDue: async (request) => change(await store.claimDue(request)) })
const changeJob = (change: (job: Claim['claimed'][number]) => Claim['claimed'][number]): Wrong =>
  changeClaim((claim) => ({ ...claim, claimed: claim.claimed.map(change) }))

const changePhoto =
  (change: (photo: PhotoRecord, data: MemoryVerificationData) => PhotoRecord): Wrong =>
  (store, data) => ({
    ...store,
    listPhotos: async (owner, verificationId) =>
      (await store.listPhotos(owner, verificationId)).map((photo) => change(photo, data)),
  })
/** A store that does something to the job after it was recorded. */
const afterRecording =
  (spoil: (job: MemoryPhotoJob, before: MemoryPhotoJob, outcome: PhotoOutcome) => void): Wrong =>
  (store, data) => ({
    ...store,
    async recordOutcome(fence, outcome) {
      const job = data.photoJobs.find(({ photoJobId }) => photoJobId === fence.photoJobId)
      const before = job && { ...job }
      const recorded = await store.recordOutcome(fence, outcome)
      if (job && before) spoil(job, before, outcome)
      return recorded
    },
  })

const WRONG: readonly (readonly [what: string, caughtBy: string, wrong: Wrong])[] = [
  [
    'gives a new URL the age of the old one',
    'PJ-17',
    (store, data) => ({
      ...store,
      async replaceUrl(request) {
        const ages = new Map(data.photoJobs.map((job) => [job, job.createdAtMs]))
        const answer = await store.replaceUrl(request)
        for (const [job, createdAtMs] of ages) job.createdAtMs = createdAtMs
        return answer
      },
    }),
  ],
  ['counts attempts from zero', 'PJ-01', changeJob((job) => ({ ...job, attempt: job.attempt - 1 }))],
  ['forgets whose photo it is', 'PJ-01', changeJob((job) => ({ ...job, owner: { ...job.owner, userId: '' } }))],
  ['forgets for how long a job has waited', 'PJ-01', changeJob((job) => ({ ...job, queuedForMs: 0 }))],
  [
    'never says that there is more',
    'PJ-02',
    changeClaim((claim) => ({ ...claim, nextDueInMs: claim.nextDueInMs === 0 ? 1 : claim.nextDueInMs })),
  ],
  ['claims the newest first', 'PJ-02', changeClaim((claim) => ({ ...claim, claimed: [...claim.claimed].reverse() }))],
  [
    'claims more than it is asked for',
    'PJ-02',
    (store) => ({ ...store, claimDue: (request) => store.claimDue({ ...request, limit: 100 }) }),
  ],
  [
    'gives one job to two claims',
    'PJ-02',
    (store, data) => ({
      ...store,
      async claimDue(request) {
        const before = structuredClone(data.photoJobs)
        await new Promise((resolve) => setImmediate(resolve))
        data.photoJobs.splice(0, data.photoJobs.length, ...before)
        return store.claimDue(request)
      },
    }),
  ],
  [
    'gives a lease of no length',
    'PJ-03',
    (store) => ({ ...store, claimDue: (request) => store.claimDue({ ...request, leaseMs: 1 }) }),
  ],
  [
    'does not say when a lease ends',
    'PJ-03',
    changeClaim((claim) => ({ ...claim, nextDueInMs: claim.nextDueInMs === 0 ? 0 : null })),
  ],
  [
    'gives a lease that never ends',
    'PJ-04',
    (store) => ({ ...store, claimDue: (request) => store.claimDue({ ...request, leaseMs: 3_600_000 }) }),
  ],
  [
    'lets anybody record',
    'PJ-04',
    (store, data) => ({
      ...store,
      recordOutcome: (fence, outcome) => {
        const token = data.photoJobs.find(({ photoJobId }) => photoJobId === fence.photoJobId)?.token ?? fence.token
        return store.recordOutcome({ ...fence, token }, outcome)
      },
    }),
  ],
  [
    'lets anybody renew',
    'PJ-04',
    (store, data) => ({
      ...store,
      renewLease: (fence, leaseMs) => {
        const token = data.photoJobs.find(({ photoJobId }) => photoJobId === fence.photoJobId)?.token ?? fence.token
        return store.renewLease({ ...fence, token }, leaseMs)
      },
    }),
  ],
  ['renews in words only', 'PJ-05', (store) => ({ ...store, renewLease: async () => true })],
  ['cannot renew', 'PJ-05', (store) => ({ ...store, renewLease: async () => false })],
  [
    'retries at once',
    'PJ-06',
    (store) => ({
      ...store,
      recordOutcome: (fence, outcome) =>
        store.recordOutcome(fence, outcome.state === 'RETRYING' ? { ...outcome, retryInMs: 0 } : outcome),
    }),
  ],
  [
    'forgets the URL with the first attempt',
    'PJ-06',
    (store, data) => ({
      ...store,
      async recordOutcome(fence, outcome) {
        const recorded = await store.recordOutcome(fence, outcome)
        for (const job of data.photoJobs) if (job.photoJobId === fence.photoJobId) job.sealedUrl = null
        return recorded
      },
    }),
  ],
  [
    'keeps the URL of an ended job',
    'PJ-07',
    (store, data) => ({
      ...store,
      async recordOutcome(fence, outcome) {
        const job = data.photoJobs.find(({ photoJobId }) => photoJobId === fence.photoJobId)
        const url = job?.sealedUrl ?? null
        const recorded = await store.recordOutcome(fence, outcome)
        if (job) job.sealedUrl = url
        return recorded
      },
    }),
  ],
  [
    'calls every end a success',
    'PJ-07',
    (store) => ({
      ...store,
      recordOutcome: (fence, outcome) =>
        store.recordOutcome(fence, outcome.state === 'UNAVAILABLE' ? { state: 'STORED' } : outcome),
    }),
  ],
  [
    'says of every job that it is pending when it cannot be recorded',
    'PJ-07',
    (store) => ({
      ...store,
      async recordOutcome(fence, outcome) {
        const answer = await store.recordOutcome(fence, outcome)
        return answer.recorded ? answer : { recorded: false, state: 'PENDING' }
      },
    }),
  ],
  [
    'erases what waits only',
    'PJ-08',
    (store, data) => ({
      ...store,
      async eraseOwner(owner) {
        const claimed = data.photoJobs.filter(({ token }) => token !== null).map((job) => [job, { ...job }] as const)
        const erased = await store.eraseOwner(owner)
        for (const [job, before] of claimed) Object.assign(job, before)
        return erased
      },
    }),
  ],
  [
    'names the jobs of an erasure once',
    'PJ-08',
    (store, data) => ({
      ...store,
      async eraseOwner(owner) {
        const ended = new Set(data.photoJobs.filter(({ state }) => state === 'ERASED').map((job) => job.photoJobId))
        const { photoJobIds, photosErased } = await store.eraseOwner(owner)
        return { photoJobIds: photoJobIds.filter((id) => !ended.has(id)), photosErased }
      },
    }),
  ],
  [
    'counts every job of an erasure as a photo',
    'PJ-08',
    (store) => ({
      ...store,
      async eraseOwner(owner) {
        const { photoJobIds } = await store.eraseOwner(owner)
        return { photoJobIds, photosErased: photoJobIds.length }
      },
    }),
  ],
  [
    'keeps the URLs of an erased owner',
    'PJ-08',
    (store, data) => ({
      ...store,
      async eraseOwner(owner) {
        const urls = data.photoJobs.map(({ sealedUrl }) => sealedUrl)
        const erased = await store.eraseOwner(owner)
        data.photoJobs.forEach((job, index) => (job.sealedUrl = urls[index] ?? null))
        return erased
      },
    }),
  ],
  [
    'erases the user in every app',
    'PJ-09',
    (store, data) => ({
      ...store,
      async eraseOwner(owner) {
        for (const { owner: each } of [...data.photoJobs])
          if (each.userId === owner.userId && each.appId !== owner.appId) await store.eraseOwner(each)
        return store.eraseOwner(owner)
      },
    }),
  ],
  [
    'lists in the order of queueing',
    'PJ-10',
    (store, data) => ({
      ...store,
      async listPhotos(owner, verificationId) {
        const listed = await store.listPhotos(owner, verificationId)
        const place = (id: string) => data.photoJobs.findIndex(({ photoJobId }) => photoJobId === id)
        return [...listed].sort((one, next) => place(one.photoJobId) - place(next.photoJobId))
      },
    }),
  ],
  [
    'lists to everybody',
    'PJ-10',
    (store, data) => ({
      ...store,
      listPhotos(owner, verificationId) {
        const job = data.photoJobs.find((each) => each.verificationId === verificationId)
        return store.listPhotos(job?.owner ?? owner, verificationId)
      },
    }),
  ],
  [
    'keeps whatever it is told as a failure',
    'PJ-11',
    (store) => ({
      ...store,
      recordOutcome: (fence, outcome) =>
        store.recordOutcome(
          fence,
          outcome.state === 'STORED' || outcome.failure === null || isPhotoFailure(outcome.failure)
            ? outcome
            : { ...outcome, failure: 'INTERNAL_ERROR' },
        ),
    }),
  ],
  [
    'calls a photo pending that is retried',
    'PJ-13',
    changePhoto((photo) => (photo.state === 'RETRYING' ? { ...photo, state: 'PENDING' } : photo)),
  ],
  [
    'calls a photo retried during its first attempt',
    'PJ-13',
    changePhoto((photo) =>
      photo.state === 'PENDING' && photo.attemptsMade > 0 ? { ...photo, state: 'RETRYING' } : photo,
    ),
  ],
  [
    'counts attempts that ended only',
    'PJ-13',
    changePhoto((photo) =>
      photo.endedAt === null && photo.nextAttemptAt === null
        ? { ...photo, attemptsMade: photo.attemptsMade - 1 }
        : photo,
    ),
  ],
  ['does not say when the next attempt is due', 'PJ-13', changePhoto((photo) => ({ ...photo, nextAttemptAt: null }))],
  [
    'takes the end of a lease for a next attempt',
    'PJ-13',
    changePhoto((photo, data) => {
      const at = data.photoJobs.find(({ photoJobId }) => photoJobId === photo.photoJobId)?.claimableAtMs ?? null
      return { ...photo, nextAttemptAt: at === null ? null : new Date(at) }
    }),
  ],
  ['forgets failures', 'PJ-13', afterRecording((job) => void (job.lastFailure = null))],
  [
    'calls an attempt that was taken over the first one',
    'PJ-14',
    changePhoto((photo) =>
      photo.state === 'RETRYING' && photo.lastFailure === null ? { ...photo, state: 'PENDING' } : photo,
    ),
  ],
  [
    'forgets a failure when the next attempt is broken off',
    'PJ-14',
    afterRecording((job, _before, outcome) => {
      if (outcome.state === 'RETRYING') job.lastFailure = outcome.failure
    }),
  ],
  [
    'forgets a failure when the photo is stored',
    'PJ-15',
    afterRecording((job, _before, outcome) => {
      if (outcome.state === 'STORED') job.lastFailure = null
    }),
  ],
  [
    'keeps the first failure',
    'PJ-15',
    afterRecording((job, before) => void (job.lastFailure = before.lastFailure ?? job.lastFailure)),
  ],
  [
    'calls a refused photo unavailable',
    'PJ-15',
    changePhoto((photo) => (photo.state === 'REFUSED' ? { ...photo, state: 'UNAVAILABLE' } : photo)),
  ],
  ['does not say when a photo ended', 'PJ-15', changePhoto((photo) => ({ ...photo, endedAt: null }))],
  [
    'takes the erasure for the end of everything',
    'PJ-16',
    (store, data) => ({
      ...store,
      async eraseOwner(owner) {
        const before = data.photoJobs.map(({ endedAtMs }) => endedAtMs)
        for (const job of data.photoJobs) job.endedAtMs = null
        const erased = await store.eraseOwner(owner)
        data.photoJobs.forEach((job, index) => (job.endedAtMs ??= before[index] ?? null))
        return erased
      },
    }),
  ],
  [
    'forgets failures with an erasure',
    'PJ-16',
    (store, data) => ({
      ...store,
      async eraseOwner(owner) {
        const erased = await store.eraseOwner(owner)
        for (const job of data.photoJobs) job.lastFailure = null
        return erased
      },
    }),
  ],
  [
    'does not say when the first lease of a job ends',
    'PJ-03',
    (store, { photoJobs }) => {
      const renewed = new Set<string | null>()
      return {
        ...store,
        async renewLease(fence, leaseMs) {
          renewed.add(fence.token)
          return store.renewLease(fence, leaseMs)
        },
        async claimDue(request) {
          const answer = await store.claimDue(request)
          const waiting = photoJobs.filter(({ claimableAtMs }) => claimableAtMs !== null)
          const areHeld = waiting.every(({ token }) => token !== null && !renewed.has(token))
          return answer.claimed.length === 0 && areHeld ? { ...answer, nextDueInMs: null } : answer
        },
      }
    },
  ],
  [
    'lengthens a lease from its end',
    'PJ-05',
    (store, { photoJobs }) => ({
      ...store,
      async renewLease(fence, leaseMs) {
        const job = photoJobs.find(({ token }) => token === fence.token)
        const before = job?.claimableAtMs
        const isRenewed = await store.renewLease(fence, leaseMs)
        if (isRenewed && job && before) job.claimableAtMs = before + leaseMs
        return isRenewed
      },
    }),
  ],
  [
    'takes any number',
    'PJ-11',
    (store) => ({
      ...store,
      claimDue: (request) => store.claimDue(request).catch(() => ({ claimed: [], nextDueInMs: null })),
    }),
  ],
]

async function failingCases(wrong: Wrong, durable = true): Promise<string[]> {
  const failing: string[] = []
  for (const each of photoJobStoreCases) {
    const passes = await each.run(createMemoryPhotoJobHarness(wrong, durable)).then(
      () => true,
      () => false,
    )
    if (!passes) failing.push(each.id)
  }
  return failing
}

describe('a photo job store that', () => {
  const caught = new Map<string, readonly string[]>()
  beforeAll(async () => {
    for (const [what, , wrong] of WRONG) caught.set(what, await failingCases(wrong))
    caught.set('forgets everything', await failingCases((store) => store, false))
  })

  it.each(WRONG)('%s is caught by %s', (what, caughtBy) => {
    expect(caught.get(what)).toContain(caughtBy)
  })

  it('forgets everything when it is closed is caught by PJ-12', () => {
    expect(caught.get('forgets everything')).toEqual(['PJ-12'])
  })

  it('is caught by one case alone: there is one for each case', () => {
    const alone = new Set([...caught.values()].flatMap((ids) => (ids.length === 1 ? ids : [])))
    expect([...alone].sort()).toEqual(photoJobStoreCases.map(({ id }) => id).sort())
  })

  it('is right is not caught', async () => {
    expect(await failingCases((store) => store)).toEqual([])
  })
})
