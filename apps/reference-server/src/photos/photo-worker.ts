import type { ClaimedPhotoJob, PhotoJobStore } from '@kyc-relay/kyc-core/photos'

/** Fetches photos for as long as it runs. */
export interface PhotoWorker {
  start(): void
  /** Something may have been queued: look now. */
  wake(): void
  /** Breaks off what is being fetched, gives it back to the queue, and resolves when nothing is under way. */
  stop(): Promise<void>
}

/** Fetched beside each other by one process: bounds the memory that photos take. */
const atOnce = 4
/** Longest time until a photo is seen that another process queued. */
const pollMs = 5_000
/** Shortest time between two looks, when others take what was seen. */
const restMs = 50

/** @param deps `process` never stores twice what it was stopped in; what it throws is told to `onProblem`. */
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

  /** Claims what there is room for; answers how long to wait for the next look. */
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
