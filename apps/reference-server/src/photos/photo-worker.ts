import type { PhotoJobStore } from '@kyc-relay/kyc-core/photos'
import type { ClaimedPhotoJob } from '@kyc-relay/kyc-core/internal'

/** Fetches photos for as long as it runs. */
export interface PhotoWorker {
  start(): void
  /** Polls the queue now. */
  wake(): void
  /** Aborts current downloads, returns their jobs to the queue, and resolves when none is running. */
  stop(): Promise<void>
}

/** Most concurrent downloads of one process, to limit memory. */
const atOnce = 4
/** Longest time until the process finds a photo queued by another process, in milliseconds. */
const pollMs = 5_000
/** Minimum time between two polls, in milliseconds. */
const restMs = 50

/** @param deps `process` handles one job and is safe to repeat. Its errors go to `onProblem`. */
export function createPhotoWorker(deps: {
  readonly jobs: Pick<PhotoJobStore, 'claimDue'>
  readonly process: (job: ClaimedPhotoJob, signal: AbortSignal) => Promise<void>
  readonly leaseMs: number
  readonly onProblem: (problem: 'CLAIM_FAILED' | 'RECORD_FAILED', error: unknown) => void
}): PhotoWorker {
  const { jobs, process, leaseMs, onProblem } = deps
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  let loop: Promise<void> = Promise.resolve()
  let woken = false
  let wakeUp: () => void = () => undefined

  function wake(): void {
    woken = true
    wakeUp()
  }

  function launch(job: ClaimedPhotoJob): void {
    const work = process(job, stopping.signal)
      .catch((error: unknown) => onProblem('RECORD_FAILED', error))
      .finally(() => {
        running.delete(work)
        wake()
      })
    running.add(work)
  }

  /** Claims jobs for the free slots and returns the delay of the next poll. */
  async function look(): Promise<number> {
    const room = atOnce - running.size
    if (room === 0) return pollMs
    try {
      const { claimed, nextDueInMs } = await jobs.claimDue({ limit: room, leaseMs })
      claimed.forEach(launch)
      if (claimed.length === room) return pollMs
      return Math.min(pollMs, Math.max(restMs, nextDueInMs ?? pollMs))
    } catch (error) {
      onProblem('CLAIM_FAILED', error)
      return pollMs
    }
  }

  function sleep(ms: number): Promise<void> {
    if (woken) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref()
      wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      woken = false
      await sleep(await look())
    }
  }

  return {
    start() {
      loop = run()
    },
    wake,
    async stop() {
      stopping.abort()
      wake()
      await loop
      await Promise.all(running)
    },
  }
}
