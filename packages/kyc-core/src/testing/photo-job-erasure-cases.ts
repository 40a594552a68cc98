import type { PhotoFailure } from '../photos/photo-failure.js'
import { assertEqual, assertThat, type ConformanceCase } from './conformance-case.js'
import {
  claimOne,
  idsOf,
  jobId,
  leaseMs,
  queue,
  retryIn,
  stateOf,
  verificationId,
  withHandle,
  type PhotoJobStoreHarness,
} from './photo-job-harness.js'
import { uuid, USERS } from './verification-submissions.js'

const { maria, jonas, other } = USERS

/** Cases about reading and erasing photos, refused arguments, and durability. */
export const photoJobErasureCases: readonly ConformanceCase<PhotoJobStoreHarness>[] = [
  {
    id: 'PJ-08',
    name: 'MUST end all jobs of an erased owner, claimed and stored ones too, and forget their URLs',
    run: withHandle(async (handle, harness) => {
      const { photoJobs } = handle
      for (const number of [1, 2, 3]) {
        await queue(harness, handle, number)
        await harness.advance(1)
      }
      await photoJobs.recordOutcome((await claimOne(handle)).fence, { state: 'STORED' })
      const { fence } = await claimOne(handle)
      const first = await photoJobs.eraseOwner(maria)
      const all = [1, 2, 3].map(jobId)
      assertEqual([[...first.photoJobIds].sort(), first.photosErased], [all, 1], 'three jobs, one stored photo')
      assertThat(!(await photoJobs.renewLease(fence, leaseMs)), 'the claimer has lost it')
      const late = await photoJobs.recordOutcome(fence, { state: 'STORED' })
      assertEqual(late, { recorded: false, state: 'ERASED' }, 'and learns why')
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
    name: 'MUST NOT change other owners when one is erased, including the same user of another app',
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
    name: 'MUST list the photos of a verification in the order front, back, selfie, only to their owner',
    run: withHandle(async (handle, harness) => {
      await queue(harness, handle, 1, maria, ['selfie', 'front', 'back'])
      const listed = await handle.photoJobs.listPhotos(maria, verificationId(1))
      assertEqual(
        listed.map(({ photoJobId, side, state }) => ({ photoJobId, side, state })),
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
    name: 'MUST refuse a limit or a time outside its range, and an unknown failure code',
    run: withHandle(async (handle, harness) => {
      await queue(harness, handle, 1)
      const { photoJobs } = handle
      const { fence } = await claimOne(handle)
      const calls = [
        ...[0, 101, 1.5, Number.NaN].map((limit) => () => photoJobs.claimDue({ limit, leaseMs })),
        ...[0, 3_600_001, 0.5].map((ms) => () => photoJobs.claimDue({ limit: 1, leaseMs: ms })),
        ...[0, 3_600_001].map((ms) => () => photoJobs.renewLease(fence, ms)),
        ...[-1, 604_800_001, 0.5].map((retryInMs) => () => photoJobs.recordOutcome(fence, retryIn(retryInMs))),
        ...['', 'https://partner.com/front.jpg'].flatMap((text) => {
          const failure = text as PhotoFailure
          return [
            () => photoJobs.recordOutcome(fence, { state: 'UNAVAILABLE', failure }),
            () => photoJobs.recordOutcome(fence, { state: 'RETRYING', retryInMs: 0, failure }),
          ]
        }),
      ]
      for (const call of calls) {
        const refused = await call().then(
          () => false,
          () => true,
        )
        assertThat(refused, 'refused')
      }
      assertEqual(
        await photoJobs.recordOutcome(fence, { state: 'STORED' }),
        { recorded: true, state: 'STORED' },
        'untouched',
      )
    }),
  },
  {
    id: 'PJ-12',
    name: 'MUST keep jobs, claims and final states when every handle is closed',
    async run(harness) {
      const first = await harness.open()
      for (const number of [1, 2, 3]) {
        await queue(harness, first, number)
        await harness.advance(1)
      }
      await first.photoJobs.recordOutcome((await claimOne(first)).fence, { state: 'STORED' })
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
