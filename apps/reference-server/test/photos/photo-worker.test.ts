import { randomBytes, randomUUID } from 'node:crypto'
import { createIngestion } from '@kyc-relay/kyc-core'
import type { ClaimedPhotoJob } from '@kyc-relay/kyc-core/internal'
import type { PhotoJobStore, PhotoStore } from '@kyc-relay/kyc-core/photos'
import { createKeyFile, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import { createMemoryVault, createMemoryVerificationStore, sampleSubmission } from '@kyc-relay/kyc-core/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createPhotoFetching } from '../../src/photos/photo-fetching.js'
import { createPhotoWorker } from '../../src/photos/photo-worker.js'
import { observedVerificationStore } from '../../src/submissions/observed-ports.js'

const jobOf = (number: number): ClaimedPhotoJob => ({
  fence: { userId: 'user', photoJobId: `job-${number}`, token: 'token' },
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

/** Holds all time-outs, so that nothing happens because time has passed. */
function holdTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

describe('the photo worker', () => {
  it('fetches four at once, goes on as soon as one ends, and tells what failed', async () => {
    const { worker, started, ends, problems, until } = newSituation(7)
    worker.start()
    // One of the first four fails, so a fifth takes its place.
    await until(() => started.length === 5)
    expect(problems).toEqual(['RECORD_FAILED'])
    ends[0]?.()
    await until(() => started.length === 6)
    expect(started).toEqual([0, 1, 2, 3, 4, 5].map((number) => `job-${number}`))
    await worker.stop()
    expect(started).toHaveLength(6)
  })

  it('looks at once when it is woken', async () => {
    holdTimers()
    const { worker, waiting, started, until } = newSituation(0)
    worker.start()
    await new Promise((resolve) => setImmediate(resolve))
    waiting.push(jobOf(1))
    worker.wake()
    await until(() => started.length === 1)
    await worker.stop()
  })

  it('stops at once, breaks off what is under way and waits for it', async () => {
    holdTimers()
    const { worker, started, until } = newSituation(2)
    worker.start()
    await until(() => started.length === 2)
    await worker.stop()
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

it('a submission wakes the worker when it is recorded with photos, and only then', async () => {
  let woken = 0
  const verifications = observedVerificationStore(createMemoryVerificationStore(), () => {
    woken += 1
  })
  const now = () => new Date()
  const cipher = createLocalCipher({ keys: parseKeyFile(createKeyFile({ randomBytes, now: now() })) })
  const ingestion = createIngestion({
    verifications,
    tokenizer: createMemoryVault({ cipher, now, randomBytes }),
    now,
    newId: randomUUID,
  })
  const submit = async (externalVerificationId: string, photos?: { readonly front: string }) => {
    const { verifications: sections, ...rest } = sampleSubmission()
    const document = {
      ...(sections as { readonly document: object }).document,
      ...(photos === undefined ? {} : { photos }),
    }
    const input = { ...rest, externalVerificationId, verifications: { ...(sections as object), document } }
    const { kind } = await ingestion.ingestSubmission({ appId: 'app', userId: 'user' }, input)
    return { kind, woken }
  }
  const photos = { front: 'https://photos.example.com/front.jpg' }
  expect(await submit('without')).toEqual({ kind: 'recorded', woken: 0 })
  expect(await submit('with', photos)).toEqual({ kind: 'recorded', woken: 1 })
  expect(await submit('with', photos)).toEqual({ kind: 'replayed', woken: 1 })
})

it('photos wait while disk space is low', async () => {
  let low = true
  let looked: () => void = () => undefined
  const looks: number[] = []
  const unused = (): never => {
    throw new Error('not used')
  }
  const worker = createPhotoFetching({
    jobs: {
      claimDue: async ({ limit }: { limit: number }) => {
        looks.push(limit)
        looked()
        return { claimed: [], nextDueInMs: null }
      },
    } as unknown as PhotoJobStore,
    photos: {} as PhotoStore,
    vault: {} as Parameters<typeof createPhotoFetching>[0]['vault'],
    download: unused,
    metrics: { onProcessed: unused, onProblem: unused },
    log: { info: unused, warn: unused, error: unused },
    disk: { isLow: () => low },
  })
  worker.start()
  await new Promise((resolve) => setImmediate(resolve))
  expect(looks).toEqual([])
  low = false
  const look = new Promise<void>((resolve) => (looked = resolve))
  worker.wake()
  await look
  expect(looks).toEqual([4])
  await worker.stop()
})
