import type { ClaimedPhotoJob, PhotoJobStore } from '../photos/photo-job-store.js'
import type { VerificationStore } from '../ingestion/verification-store.js'
import type { AppUser } from '../tokenization/pii-vault.js'
import { assertEqual, assertThat, type ConformanceCase } from './conformance-case.js'
import { createRecordedSubmission, keyOf, USERS, uuid } from './verification-submissions.js'

/** One handle on the data: the store that queues jobs, and the one under test. */
export interface PhotoJobStoreHandle {
  readonly verifications: VerificationStore
  readonly photoJobs: PhotoJobStore
  /** Called once per handle; the data stays. */
  close(): Promise<void>
}

/** What a backend gives the cases. Every case gets a harness of its own on empty data. */
export interface PhotoJobStoreHarness {
  /** A second call gives another handle on the same data, as another process would have it. */
  open(): Promise<PhotoJobStoreHandle>
  /** The store's clock. */
  now(): Date
  /** Moves the store's clock on. */
  advance(ms: number): Promise<void>
  /** What is stored as the sealed URL of a job, read behind the port's back; null when there is none. */
  readSealedUrl(photoJobId: string): Promise<Uint8Array | null>
}

const { maria, jonas, other } = USERS
const leaseMs = 60_000
const minuteMs = 60_000

const jobId = (number: number): string => uuid(5000 + number)
const verificationId = (number: number): string => uuid(1000 + number)
const idsOf = (jobs: readonly ClaimedPhotoJob[]): string[] => jobs.map(({ fence }) => fence.photoJobId)

/** Records a verification with photos of these sides; the job of the first side has the id of `jobId(number)`. */
async function queue(
  harness: PhotoJobStoreHarness,
  { verifications }: PhotoJobStoreHandle,
  number: number,
  owner: AppUser = maria,
  sides: readonly ('front' | 'back' | 'selfie')[] = ['front'],
): Promise<void> {
  const submission = createRecordedSubmission(keyOf(owner, `photo-${number}`), number)
  const photoJobs = sides.map((side, index) => ({
    photoJobId: uuid(5000 + number + index * 100),
    side,
    sealedUrl: new Uint8Array([7, 0, number % 256, index]),
  }))
  const verification = { ...submission.verification, photoJobs }
  const answer = await verifications.record({ ...submission, verification, recordedAt: harness.now() })
  assertThat(answer.kind === 'recorded', 'the verification is recorded')
}

async function claimOne(handle: PhotoJobStoreHandle): Promise<ClaimedPhotoJob> {
  const { claimed } = await handle.photoJobs.claimDue({ limit: 1, leaseMs })
  assertThat(claimed[0] !== undefined, 'a due job is claimed')
  return claimed[0]
}

async function stateOf(handle: PhotoJobStoreHandle, number: number, owner: AppUser = maria): Promise<unknown> {
  return (await handle.photoJobs.listPhotos(owner, verificationId(number)))[0]?.state
}

/** Runs the work with one handle and closes it. */
function withHandle(
  work: (handle: PhotoJobStoreHandle, harness: PhotoJobStoreHarness) => Promise<void>,
): (harness: PhotoJobStoreHarness) => Promise<void> {
  return async (harness) => {
    const handle = await harness.open()
    try {
      await work(handle, harness)
    } finally {
      await handle.close()
    }
  }
}

/**
 * Every MUST of the {@link PhotoJobStore} port, as data: no test runner inside.
 *
 * @example
 * ```ts
 * import { photoJobStoreCases, type PhotoJobStoreHarness } from '@kyc-relay/kyc-core/testing'
 *
 * async function check(newHarness: () => PhotoJobStoreHarness): Promise<void> {
 *   for (const each of photoJobStoreCases) await each.run(newHarness()) // or it(each.name, () => …)
 * }
 * ```
 */
export const photoJobStoreCases: readonly ConformanceCase<PhotoJobStoreHarness>[] = [
  {
    id: 'PJ-01',
    name: 'MUST claim a recorded photo at once, with everything that is needed to fetch it',
    run: withHandle(async (handle, harness) => {
      const idle = await handle.photoJobs.claimDue({ limit: 5, leaseMs })
      assertEqual(idle, { claimed: [], nextDueInMs: null }, 'nothing is queued')
      await queue(harness, handle, 1)
      await harness.advance(1_234)
      const { claimed } = await handle.photoJobs.claimDue({ limit: 5, leaseMs })
      const [job] = claimed
      assertThat(job !== undefined && claimed.length === 1, 'one job is claimed')
      assertThat(job.fence.token !== '', 'the claim has a token')
      const { token: _token, ...fence } = job.fence
      assertEqual(
        { ...job, fence },
        {
          fence: { photoJobId: jobId(1) },
          owner: { appId: maria.appId, userId: maria.userId },
          verificationId: verificationId(1),
          side: 'front',
          sealedUrl: new Uint8Array([7, 0, 1, 0]),
          attempt: 1,
          queuedForMs: 1_234,
        },
        'the job',
      )
    }),
  },
  {
    id: 'PJ-02',
    name: 'MUST give each job to one of concurrent claims, oldest first, at most as many as asked for',
    async run(harness) {
      const handles = [await harness.open(), await harness.open()] as const
      for (let number = 1; number <= 9; number++) {
        await queue(harness, handles[0], number)
        await harness.advance(1)
      }
      const first = await handles[0].photoJobs.claimDue({ limit: 2, leaseMs })
      assertEqual(idsOf(first.claimed), [jobId(1), jobId(2)], 'the oldest two')
      assertEqual(first.nextDueInMs, 0, 'there is more now')
      const claims = await Promise.all(
        handles.flatMap(({ photoJobs }) => [1, 2, 3].map(() => photoJobs.claimDue({ limit: 2, leaseMs }))),
      )
      const rest = await handles[1].photoJobs.claimDue({ limit: 10, leaseMs })
      const all = [...claims, rest].flatMap(({ claimed }) => idsOf(claimed)).sort()
      assertEqual(all, [3, 4, 5, 6, 7, 8, 9].map(jobId), 'each of the others once')
      for (const handle of handles) await handle.close()
    },
  },
  {
    id: 'PJ-03',
    name: 'MUST keep a claimed job to its claimer for as long as the lease, and say when the next can be claimed',
    run: withHandle(async (handle, harness) => {
      await queue(harness, handle, 1)
      await claimOne(handle)
      assertEqual(
        await handle.photoJobs.claimDue({ limit: 5, leaseMs }),
        { claimed: [], nextDueInMs: leaseMs },
        'held for the whole lease',
      )
      await harness.advance(leaseMs - 1)
      assertEqual(await handle.photoJobs.claimDue({ limit: 5, leaseMs }), { claimed: [], nextDueInMs: 1 }, 'held')
    }),
  },
  {
    id: 'PJ-04',
    name: 'MUST let another take a job over when the lease ended, count the attempt, and void the former token',
    run: withHandle(async (handle, harness) => {
      await queue(harness, handle, 1)
      const dead = await claimOne(handle)
      await harness.advance(leaseMs)
      const taken = await claimOne(handle)
      assertEqual([taken.fence.photoJobId, taken.attempt], [jobId(1), 2], 'the second attempt')
      assertThat(taken.fence.token !== dead.fence.token, 'under a fresh token')
      const { photoJobs } = handle
      assertThat(!(await photoJobs.renewLease(dead.fence, leaseMs)), 'the former claimer cannot renew')
      const stale = await photoJobs.settle(dead.fence, { state: 'UNAVAILABLE' })
      assertEqual(stale, { settled: false, state: 'PENDING' }, 'nor settle')
      assertEqual(await photoJobs.settle(taken.fence, { state: 'STORED' }), { settled: true, state: 'STORED' }, 'end')
    }),
  },
  {
    id: 'PJ-05',
    name: 'MUST lengthen a lease from now on',
    run: withHandle(async (handle, harness) => {
      await queue(harness, handle, 1)
      const { fence } = await claimOne(handle)
      await harness.advance(leaseMs - 1)
      assertThat(await handle.photoJobs.renewLease(fence, leaseMs), 'renewed')
      await harness.advance(leaseMs - 1)
      assertEqual(await handle.photoJobs.claimDue({ limit: 1, leaseMs }), { claimed: [], nextDueInMs: 1 }, 'held')
      await harness.advance(1)
      assertEqual((await claimOne(handle)).attempt, 2, 'until it ends')
      assertThat(!(await handle.photoJobs.renewLease({ ...fence, photoJobId: uuid(9) }, leaseMs)), 'no such job')
    }),
  },
  {
    id: 'PJ-06',
    name: 'MUST fetch again when the wait is over and not before, and keep the URL for it',
    run: withHandle(async (handle, harness) => {
      await queue(harness, handle, 1)
      const { fence, sealedUrl } = await claimOne(handle)
      const retry = await handle.photoJobs.settle(fence, { state: 'PENDING', retryInMs: minuteMs })
      assertEqual(retry, { settled: true, state: 'PENDING' }, 'queued again')
      assertThat(!(await handle.photoJobs.renewLease(fence, leaseMs)), 'the claim is over')
      await harness.advance(minuteMs - 1)
      assertEqual(await handle.photoJobs.claimDue({ limit: 1, leaseMs }), { claimed: [], nextDueInMs: 1 }, 'not yet')
      await harness.advance(1)
      const again = await claimOne(handle)
      assertEqual([again.attempt, again.queuedForMs, again.sealedUrl], [2, minuteMs, sealedUrl], 'the next attempt')
      const now = await handle.photoJobs.settle(again.fence, { state: 'PENDING', retryInMs: 0 })
      assertEqual(now, { settled: true, state: 'PENDING' }, 'given back')
      assertEqual((await claimOne(handle)).attempt, 3, 'due at once')
    }),
  },
  {
    id: 'PJ-07',
    name: 'MUST end a job for ever as STORED or UNAVAILABLE, and forget its URL',
    run: withHandle(async (handle, harness) => {
      for (const [number, state] of [[1, 'STORED'] as const, [2, 'UNAVAILABLE'] as const]) {
        await queue(harness, handle, number)
        const { fence } = await claimOne(handle)
        assertThat((await harness.readSealedUrl(jobId(number))) !== null, 'the URL is kept until then')
        assertEqual(await handle.photoJobs.settle(fence, { state }), { settled: true, state }, 'ended')
        assertEqual(await harness.readSealedUrl(jobId(number)), null, 'the URL is forgotten')
        const again = await handle.photoJobs.settle(fence, { state: 'PENDING', retryInMs: 0 })
        assertEqual(again, { settled: false, state }, 'an end is final')
        await harness.advance(leaseMs)
        assertEqual(await handle.photoJobs.claimDue({ limit: 1, leaseMs }), { claimed: [], nextDueInMs: null }, 'over')
        assertEqual(await stateOf(handle, number), state, 'the state shows')
      }
      const unknown = { photoJobId: uuid(9), token: 'a' }
      const nothing = await handle.photoJobs.settle(unknown, { state: 'STORED' })
      assertEqual(nothing, { settled: false, state: null }, 'no such job')
    }),
  },
  {
    id: 'PJ-08',
    name: 'MUST end all jobs of an erased owner, claimed and stored ones too, and forget their URLs',
    run: withHandle(async (handle, harness) => {
      const { photoJobs } = handle
      for (const number of [1, 2, 3]) {
        await queue(harness, handle, number)
        await harness.advance(1)
      }
      await photoJobs.settle((await claimOne(handle)).fence, { state: 'STORED' })
      const { fence } = await claimOne(handle)
      const first = await photoJobs.eraseOwner(maria)
      const all = [1, 2, 3].map(jobId)
      assertEqual([[...first.photoJobIds].sort(), first.photosErased], [all, 1], 'three jobs, one stored photo')
      assertThat(!(await photoJobs.renewLease(fence, leaseMs)), 'the claimer has lost it')
      const late = await photoJobs.settle(fence, { state: 'STORED' })
      assertEqual(late, { settled: false, state: 'ERASED' }, 'and learns why')
      for (const number of [1, 2, 3]) {
        assertEqual(await stateOf(handle, number), 'ERASED', 'the state shows')
        assertEqual(await harness.readSealedUrl(jobId(number)), null, 'the URL is forgotten')
      }
      await harness.advance(leaseMs)
      assertEqual(await photoJobs.claimDue({ limit: 5, leaseMs }), { claimed: [], nextDueInMs: null }, 'none is left')
      const second = await photoJobs.eraseOwner(maria)
      assertEqual([[...second.photoJobIds].sort(), second.photosErased], [all, 0], 'repeating names them again')
    }),
  },
  {
    id: 'PJ-09',
    name: 'MUST leave other owners alone when one is erased, the same user of another app included',
    run: withHandle(async (handle, harness) => {
      const elsewhere = { appId: other.appId, userId: maria.userId }
      await queue(harness, handle, 1, jonas)
      await queue(harness, handle, 2, elsewhere)
      const erased = await handle.photoJobs.eraseOwner(maria)
      assertEqual(erased, { photoJobIds: [], photosErased: 0 }, 'nothing of hers')
      const { claimed } = await handle.photoJobs.claimDue({ limit: 5, leaseMs })
      assertEqual(idsOf(claimed).sort(), [1, 2].map(jobId), 'theirs are fetched')
    }),
  },
  {
    id: 'PJ-10',
    name: 'MUST list the photos of a verification in the order front, back, selfie, to their owner alone',
    run: withHandle(async (handle, harness) => {
      await queue(harness, handle, 1, maria, ['selfie', 'front', 'back'])
      const listed = await handle.photoJobs.listPhotos(maria, verificationId(1))
      assertEqual(
        listed,
        [
          { photoJobId: uuid(5101), side: 'front', state: 'PENDING' },
          { photoJobId: uuid(5201), side: 'back', state: 'PENDING' },
          { photoJobId: uuid(5001), side: 'selfie', state: 'PENDING' },
        ],
        'in order',
      )
      const strangers = [jonas, { appId: other.appId, userId: maria.userId }]
      for (const stranger of strangers) {
        assertEqual(await handle.photoJobs.listPhotos(stranger, verificationId(1)), [], 'nobody else')
      }
      assertEqual(await handle.photoJobs.listPhotos(maria, uuid(9)), [], 'no such verification')
    }),
  },
  {
    id: 'PJ-11',
    name: 'MUST refuse a limit or a time outside its range',
    run: withHandle(async (handle, harness) => {
      await queue(harness, handle, 1)
      const { photoJobs } = handle
      const { fence } = await claimOne(handle)
      const calls = [
        ...[0, 101, 1.5, Number.NaN].map((limit) => () => photoJobs.claimDue({ limit, leaseMs })),
        ...[0, 3_600_001, 0.5].map((ms) => () => photoJobs.claimDue({ limit: 1, leaseMs: ms })),
        ...[0, 3_600_001].map((ms) => () => photoJobs.renewLease(fence, ms)),
        ...[-1, 604_800_001, 0.5].map((retryInMs) => () => photoJobs.settle(fence, { state: 'PENDING', retryInMs })),
      ]
      for (const call of calls) {
        const refused = await call().then(
          () => false,
          () => true,
        )
        assertThat(refused, 'refused')
      }
      assertEqual(await photoJobs.settle(fence, { state: 'STORED' }), { settled: true, state: 'STORED' }, 'untouched')
    }),
  },
  {
    id: 'PJ-12',
    name: 'MUST keep jobs, claims and ends when every handle is closed',
    async run(harness) {
      const first = await harness.open()
      for (const number of [1, 2, 3]) {
        await queue(harness, first, number)
        await harness.advance(1)
      }
      await first.photoJobs.settle((await claimOne(first)).fence, { state: 'STORED' })
      const { fence } = await claimOne(first)
      await first.close()
      const second = await harness.open()
      assertEqual((await claimOne(second)).fence.photoJobId, jobId(3), 'only the unclaimed one')
      assertEqual(await stateOf(second, 1), 'STORED', 'the end is kept')
      assertThat(await second.photoJobs.renewLease(fence, leaseMs), 'the claim is kept')
      await second.close()
    },
  },
]
