import type { ClaimedPhotoJob, PhotoJobStore } from '@kyc-relay/kyc-core'
import { describe, expect, it } from 'vitest'
import { createPhotoWorker } from '../../src/workers/photo-worker.js'

const jobOf = (number: number): ClaimedPhotoJob => ({
  fence: { photoJobId: `job-${number}`, token: 'token' },
  owner: { appId: 'app', userId: 'user' },
  verificationId: 'verification',
  side: 'front',
  sealedUrl: new Uint8Array(),
  attempt: 1,
  queuedForMs: 0,
})

/** A queue of so many jobs, and jobs that end when the test says so or when they are stopped. */
function newSituation(queued: number, claimDue?: PhotoJobStore['claimDue']) {
  const waiting = Array.from({ length: queued }, (_, index) => jobOf(index))
  const started: string[] = []
  const ends: (() => void)[] = []
  const problems: string[] = []
  let changed: () => void = () => undefined
  const tell = () => changed()
  const worker = createPhotoWorker({
    jobs: {
      claimDue:
        claimDue ??
        (async ({ limit }) => {
          const claimed = waiting.splice(0, limit)
          return { claimed, nextDueInMs: waiting.length > 0 ? 0 : null }
        }),
    },
    leaseMs: 60_000,
    process: ({ fence }, signal) => {
      started.push(fence.photoJobId)
      tell()
      return new Promise((resolve, reject) => {
        if (fence.photoJobId === 'job-2') reject(new Error('the database is away'))
        ends.push(resolve)
        signal.addEventListener('abort', () => resolve())
      })
    },
    onProblem(problem) {
      problems.push(problem)
      tell()
    },
  })
  return {
    worker,
    waiting,
    started,
    ends,
    problems,
    async until(holds: () => boolean): Promise<void> {
      while (!holds()) await new Promise<void>((resolve) => (changed = resolve))
    },
  }
}

describe('the photo worker', () => {
  it('fetches four at once, goes on as soon as one ends, and tells what failed', async () => {
    const { worker, started, ends, problems, until } = newSituation(7)
    worker.start()
    // One of the first four fails, so a fifth takes its place.
    await until(() => started.length === 5)
    expect(problems).toEqual(['SETTLE_FAILED'])
    ends[0]?.()
    await until(() => started.length === 6)
    expect(started).toEqual([0, 1, 2, 3, 4, 5].map((number) => `job-${number}`))
    await worker.stop()
    expect(started).toHaveLength(6)
  })

  it('looks at once when it is woken', async () => {
    const { worker, waiting, started, until } = newSituation(0)
    worker.start()
    await new Promise((resolve) => setImmediate(resolve))
    waiting.push(jobOf(1))
    const startedAtMs = performance.now()
    worker.wake()
    await until(() => started.length === 1)
    expect(performance.now() - startedAtMs).toBeLessThan(2_000)
    await worker.stop()
  })

  it('stops at once, breaks off what is under way and waits for it', async () => {
    const { worker, started, until } = newSituation(2)
    worker.start()
    await until(() => started.length === 2)
    const startedAtMs = performance.now()
    await worker.stop()
    expect(performance.now() - startedAtMs).toBeLessThan(2_000)
    await worker.stop()
  })

  it('goes on after a look that failed', async () => {
    let looks = 0
    const { worker, started, problems, until } = newSituation(0, async () => {
      looks++
      if (looks === 1) throw new Error('the database is away')
      return { claimed: looks === 2 ? [jobOf(1)] : [], nextDueInMs: null }
    })
    worker.start()
    await until(() => problems.length === 1)
    expect(problems).toEqual(['CLAIM_FAILED'])
    worker.wake()
    await until(() => started.length === 1)
    await worker.stop()
  })

  it('that never started stops', async () => {
    await newSituation(3).worker.stop()
  })
})
