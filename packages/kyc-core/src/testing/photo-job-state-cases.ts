import type { PhotoOutcome, PhotoRecord } from '../photos/photo-job-store.js'
import { assertEqual, type ConformanceCase } from './conformance-case.js'
import {
  claimOne,
  leaseMs,
  minuteMs,
  queue,
  retryIn,
  verificationId,
  withHandle,
  type PhotoJobStoreHandle,
  type PhotoJobStoreHarness,
} from './photo-job-harness.js'
import { USERS } from './verification-submissions.js'

const { maria } = USERS

type PhotoState = Omit<PhotoRecord, 'photoJobId' | 'side'>

/** Reads the state of the first photo of a verification. */
async function stateOf({ photoJobs }: PhotoJobStoreHandle, number: number): Promise<PhotoState | undefined> {
  const [photo] = await photoJobs.listPhotos(maria, verificationId(number))
  if (photo === undefined) return undefined
  const { state, attemptsMade, nextAttemptAt, lastFailure, endedAt } = photo
  return { state, attemptsMade, nextAttemptAt, lastFailure, endedAt }
}

const nothingYet = { nextAttemptAt: null, lastFailure: null, endedAt: null }

/** Cases about the visible states of a photo. */
export const photoJobStateCases: readonly ConformanceCase<PhotoJobStoreHarness>[] = [
  {
    id: 'PJ-13',
    name: 'MUST show `PENDING` until the first attempt ends, then `RETRYING`, with the time of the next attempt',
    run: withHandle(async (handle, harness) => {
      const { photoJobs } = handle
      const queuedAt = harness.now()
      await queue(harness, handle, 1)
      const queued = { ...nothingYet, state: 'PENDING', attemptsMade: 0, nextAttemptAt: queuedAt }
      assertEqual(await stateOf(handle, 1), queued, 'before its first attempt')
      const first = await claimOne(handle)
      const tried = { ...nothingYet, state: 'PENDING', attemptsMade: 1 }
      assertEqual(await stateOf(handle, 1), tried, 'during its first attempt')
      await photoJobs.recordOutcome(first.fence, retryIn(minuteMs))
      const dueAt = new Date(harness.now().getTime() + minuteMs)
      const failed = { ...nothingYet, state: 'RETRYING', attemptsMade: 1, nextAttemptAt: dueAt, lastFailure: 'TIMEOUT' }
      assertEqual(await stateOf(handle, 1), failed, 'between two attempts')
      await harness.advance(minuteMs)
      await claimOne(handle)
      const again = { ...failed, attemptsMade: 2, nextAttemptAt: null }
      assertEqual(await stateOf(handle, 1), again, 'during its second attempt')
    }),
  },
  {
    id: 'PJ-14',
    name: 'MUST count an interrupted attempt without changing the last failure',
    run: withHandle(async (handle, harness) => {
      await queue(harness, handle, 1)
      await claimOne(handle)
      await harness.advance(leaseMs)
      const taken = await claimOne(handle)
      const after = { ...nothingYet, state: 'RETRYING', attemptsMade: 2 }
      assertEqual(await stateOf(handle, 1), after, 'its worker died')
      await handle.photoJobs.recordOutcome(taken.fence, { state: 'RETRYING', retryInMs: 0, failure: 'DNS_FAILED' })
      const { fence } = await claimOne(handle)
      await handle.photoJobs.recordOutcome(fence, { state: 'RETRYING', retryInMs: 0, failure: null })
      const due = { ...after, attemptsMade: 3, nextAttemptAt: harness.now(), lastFailure: 'DNS_FAILED' }
      assertEqual(await stateOf(handle, 1), due, 'given back, and the earlier failure stays')
    }),
  },
  {
    id: 'PJ-15',
    name: 'MUST show the final state, its time and the last failure, also for a stored photo',
    run: withHandle(async (handle, harness) => {
      const ends: readonly (readonly [PhotoOutcome, PhotoRecord['lastFailure']])[] = [
        [{ state: 'STORED' }, 'TIMEOUT'],
        [{ state: 'REFUSED', failure: 'NOT_A_PHOTO' }, 'NOT_A_PHOTO'],
        [{ state: 'UNAVAILABLE', failure: 'HTTP_STATUS' }, 'HTTP_STATUS'],
      ]
      for (const [index, [outcome, lastFailure]] of ends.entries()) {
        await queue(harness, handle, index + 1)
        await handle.photoJobs.recordOutcome((await claimOne(handle)).fence, retryIn(0))
        const { fence } = await claimOne(handle)
        await harness.advance(1_234)
        const endedAt = harness.now()
        await handle.photoJobs.recordOutcome(fence, outcome)
        await harness.advance(minuteMs)
        const ended = { state: outcome.state, attemptsMade: 2, nextAttemptAt: null, lastFailure, endedAt }
        assertEqual(await stateOf(handle, index + 1), ended, 'ended')
      }
    }),
  },
  {
    id: 'PJ-16',
    name: 'MUST end open jobs at the time of an erasure, without changing earlier final states and failures',
    run: withHandle(async (handle, harness) => {
      const { photoJobs } = handle
      await queue(harness, handle, 1)
      await photoJobs.recordOutcome((await claimOne(handle)).fence, { state: 'UNAVAILABLE', failure: 'HTTP_STATUS' })
      const endedAt = harness.now()
      await queue(harness, handle, 2)
      await harness.advance(minuteMs)
      const erasedAt = harness.now()
      await photoJobs.eraseOwner(maria)
      await harness.advance(minuteMs)
      await photoJobs.eraseOwner(maria)
      const ended = { ...nothingYet, state: 'ERASED', attemptsMade: 1, lastFailure: 'HTTP_STATUS', endedAt }
      assertEqual(await stateOf(handle, 1), ended, 'it had ended before')
      const erased = { ...nothingYet, state: 'ERASED', attemptsMade: 0, endedAt: erasedAt }
      assertEqual(await stateOf(handle, 2), erased, 'the first erasure ended it')
    }),
  },
  {
    id: 'PJ-17',
    name: 'MUST queue a photo afresh under a new URL when it is `UNAVAILABLE` or `REFUSED`, and no other photo',
    run: withHandle(async (handle, harness) => {
      const { photoJobs } = handle
      const sealedUrl = new Uint8Array([9, 9, 9])
      const replace = (number: number, change: Partial<Parameters<typeof photoJobs.replaceUrl>[0]> = {}) =>
        photoJobs.replaceUrl({
          owner: maria,
          verificationId: verificationId(number),
          side: 'front',
          sealedUrl,
          ...change,
        })
      await queue(harness, handle, 1)
      assertEqual(await replace(1), 'not_replaceable', 'a pending photo')
      await photoJobs.recordOutcome((await claimOne(handle)).fence, { state: 'UNAVAILABLE', failure: 'HTTP_STATUS' })
      assertEqual(await replace(1, { owner: USERS.jonas }), 'not_found', 'a photo of another user')
      assertEqual(await replace(1, { side: 'back' }), 'not_found', 'a side without a photo')
      assertEqual(await replace(2), 'not_found', 'an unknown verification')
      await harness.advance(minuteMs)
      assertEqual(await replace(1), 'replaced', 'an unavailable photo')
      const fresh = { ...nothingYet, state: 'PENDING', attemptsMade: 0, nextAttemptAt: harness.now() }
      assertEqual(await stateOf(handle, 1), fresh, 'after the new URL')
      assertEqual(await replace(1), 'not_replaceable', 'the same photo again')
      await harness.advance(minuteMs)
      const claimed = await claimOne(handle)
      const { sealedUrl: url, attempt, queuedForMs } = claimed
      assertEqual({ url, attempt, queuedForMs }, { url: sealedUrl, attempt: 1, queuedForMs: minuteMs }, 'its claim')
      await photoJobs.recordOutcome(claimed.fence, { state: 'REFUSED', failure: 'NOT_A_PHOTO' })
      assertEqual(await replace(1), 'replaced', 'a refused photo')
      await photoJobs.recordOutcome((await claimOne(handle)).fence, { state: 'STORED' })
      assertEqual(await replace(1), 'not_replaceable', 'a stored photo')
      await photoJobs.eraseOwner(maria)
      assertEqual(await replace(1), 'not_replaceable', 'an erased photo')
    }),
  },
]
