import type { PhotoOutcome } from '../photos/photo-job-store.js'
import { assertEqual, assertThat, type ConformanceCase } from './conformance-case.js'
import {
  claimOne,
  idsOf,
  jobId,
  leaseMs,
  minuteMs,
  queue,
  retryIn,
  stateOf,
  verificationId,
  withHandle,
  type PhotoJobStoreHarness,
} from './photo-job-harness.js'
import { photoJobErasureCases } from './photo-job-erasure-cases.js'
import { photoJobStateCases } from './photo-job-state-cases.js'
import { USERS, uuid } from './verification-submissions.js'

const { maria } = USERS

/**
 * Lists the rules of the `PhotoJobStore` port as cases for any test runner.
 *
 * @example
 * ```ts
 * import { photoJobStoreCases } from '@kyc-relay/kyc-core/testing'
 *
 * type Harness = Parameters<(typeof photoJobStoreCases)[number]['run']>[0]
 * async function check(newHarness: () => Harness): Promise<void> {
 *   for (const each of photoJobStoreCases) await each.run(newHarness()) // or it(each.name, () => …)
 * }
 * ```
 */
export const photoJobStoreCases: readonly ConformanceCase<PhotoJobStoreHarness>[] = [
  {
    id: 'PJ-01',
    name: 'MUST claim a recorded photo at once, with all data to fetch it',
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
          fence: { userId: maria.userId, photoJobId: jobId(1) },
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
    name: 'MUST give each job to one of several concurrent claims, oldest first, at most `limit` jobs',
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
    name: 'MUST NOT give a claimed job to another claim during its lease, and say when the next job can be claimed',
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
    name: 'MUST let another claim take a job after its lease, count the attempt, and refuse the former token',
    run: withHandle(async (handle, harness) => {
      await queue(harness, handle, 1)
      const dead = await claimOne(handle)
      await harness.advance(leaseMs)
      const taken = await claimOne(handle)
      assertEqual([taken.fence.photoJobId, taken.attempt], [jobId(1), 2], 'the second attempt')
      assertThat(taken.fence.token !== dead.fence.token, 'under a fresh token')
      const { photoJobs } = handle
      assertThat(!(await photoJobs.renewLease(dead.fence, leaseMs)), 'the former claimer cannot renew')
      const stale = await photoJobs.recordOutcome(dead.fence, { state: 'UNAVAILABLE', failure: 'TIMEOUT' })
      assertEqual(stale, { recorded: false, state: 'RETRYING' }, 'nor record')
      assertEqual(
        await photoJobs.recordOutcome(taken.fence, { state: 'STORED' }),
        { recorded: true, state: 'STORED' },
        'end',
      )
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
    name: 'MUST return a job after its delay and not before, with its URL',
    run: withHandle(async (handle, harness) => {
      await queue(harness, handle, 1)
      const { fence, sealedUrl } = await claimOne(handle)
      const retry = await handle.photoJobs.recordOutcome(fence, retryIn(minuteMs))
      assertEqual(retry, { recorded: true, state: 'RETRYING' }, 'queued again')
      assertThat(!(await handle.photoJobs.renewLease(fence, leaseMs)), 'the claim is over')
      await harness.advance(minuteMs - 1)
      assertEqual(await handle.photoJobs.claimDue({ limit: 1, leaseMs }), { claimed: [], nextDueInMs: 1 }, 'not yet')
      await harness.advance(1)
      const again = await claimOne(handle)
      assertEqual([again.attempt, again.queuedForMs, again.sealedUrl], [2, minuteMs, sealedUrl], 'the next attempt')
      const now = await handle.photoJobs.recordOutcome(again.fence, retryIn(0))
      assertEqual(now, { recorded: true, state: 'RETRYING' }, 'given back')
      assertEqual((await claimOne(handle)).attempt, 3, 'due at once')
    }),
  },
  {
    id: 'PJ-07',
    name: 'MUST end a job permanently as STORED, REFUSED or UNAVAILABLE, and delete its URL',
    run: withHandle(async (handle, harness) => {
      const ends: readonly PhotoOutcome[] = [
        { state: 'STORED' },
        { state: 'REFUSED', failure: 'NOT_A_PHOTO' },
        { state: 'UNAVAILABLE', failure: 'TIMEOUT' },
      ]
      for (const [index, outcome] of ends.entries()) {
        const { state } = outcome
        const number = index + 1
        await queue(harness, handle, number)
        const { fence } = await claimOne(handle)
        assertThat((await harness.readSealedUrl(jobId(number))) !== null, 'the URL is kept until then')
        assertEqual(await handle.photoJobs.recordOutcome(fence, outcome), { recorded: true, state }, 'ended')
        assertEqual(await harness.readSealedUrl(jobId(number)), null, 'the URL is forgotten')
        const again = await handle.photoJobs.recordOutcome(fence, retryIn(0))
        assertEqual(again, { recorded: false, state }, 'an end is final')
        await harness.advance(leaseMs)
        assertEqual(await handle.photoJobs.claimDue({ limit: 1, leaseMs }), { claimed: [], nextDueInMs: null }, 'over')
        assertEqual(await stateOf(handle, number), state, 'the state shows')
      }
      const unknown = { userId: maria.userId, photoJobId: uuid(9), token: 'a' }
      const nothing = await handle.photoJobs.recordOutcome(unknown, { state: 'STORED' })
      assertEqual(nothing, { recorded: false, state: null }, 'no such job')
    }),
  },
  ...photoJobErasureCases,
  ...photoJobStateCases,
]
