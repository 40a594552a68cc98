import type { AttemptReport } from './webhook-store.js'
import type { DeliveryWorkerOptions } from './worker-options.js'
import type { WorkerTimers } from './worker-timers.js'

/** What one worker has under way, and how much more may begin. */
export interface AttemptsUnderWay {
  /**
   * Counts `work` until it ends.
   *
   * @param report What an attempt saw: how long answers usually take is learned from it.
   */
  track(work: Promise<void>, report?: Promise<AttemptReport>): Promise<void>
  /** All that is under way, settling included. */
  all(): ReadonlySet<Promise<void>>
  /** How many may begin now. */
  freePlaces(): number
  /** Milliseconds until time alone frees the next place; null when only an end can. */
  nextFreeInMs(): number | null
  /** Caps per endpoint for a claim at this moment. */
  caps(): { readonly healthy: number; readonly failing: number }
}

/** An attempt that takes so many times as long as usual waits for a slow endpoint. */
const slowFactor = 2
/** No attempt is slow before this age: a place that is freed sooner saves nothing. */
const leastSlowAfterMs = 100
/** Share of each new answer in what is usual: about the last hundred count. */
const weightOfOne = 1 / 32
/** With this share of all sockets waiting for slow endpoints, no endpoint gets a second one. */
const pressureForOneEach = 0.375

/** Keeps count for one worker. `onEnd` is called whenever something ended. */
export function createAttemptsUnderWay({
  timers,
  options,
  onEnd,
}: {
  readonly timers: WorkerTimers
  readonly options: Required<
    Pick<DeliveryWorkerOptions, 'concurrency' | 'slowAfterMs' | 'maxOpen' | 'maxInFlightPerEndpoint'>
  >
  readonly onEnd: () => void
}): AttemptsUnderWay {
  const underWay = new Set<Promise<void>>()
  /** Those that wait for no slow endpoint yet, oldest first, with their beginning. */
  const recent = new Map<Promise<void>, number>()
  // Until something was seen, slow is what is slow at the latest.
  let usualMs = options.slowAfterMs / slowFactor

  const slowAfterMs = () => Math.min(options.slowAfterMs, Math.max(leastSlowAfterMs, slowFactor * usualMs))

  /** Waiting for a slow endpoint costs a socket and nothing else, so it blocks no place. */
  function letSlowOnesGo(): void {
    const slowSinceMs = timers.monotonicMs() - slowAfterMs()
    for (const [work, beganAtMs] of recent) {
      if (beganAtMs > slowSinceMs) break
      recent.delete(work)
    }
  }

  function learn(report: Promise<AttemptReport>): void {
    const beganAtMs = timers.monotonicMs()
    const learned = ({ cause }: AttemptReport) => {
      // A time-out tells how long we waited, not how long answers take.
      if (cause === 'TIMEOUT') return
      const tookMs = Math.min(timers.monotonicMs() - beganAtMs, options.slowAfterMs)
      usualMs += (tookMs - usualMs) * weightOfOne
    }
    void report.then(learned, () => undefined)
  }

  return {
    track(work, report) {
      underWay.add(work)
      recent.set(work, timers.monotonicMs())
      if (report !== undefined) learn(report)
      const end = () => {
        underWay.delete(work)
        recent.delete(work)
        onEnd()
      }
      return work.then(end, (error: unknown) => {
        end()
        throw error
      })
    },
    all: () => underWay,
    freePlaces() {
      letSlowOnesGo()
      return Math.min(options.concurrency - recent.size, options.maxOpen - underWay.size)
    },
    nextFreeInMs() {
      if (underWay.size >= options.maxOpen) return null
      const [oldest] = recent.values()
      return oldest === undefined ? null : Math.max(1, oldest + slowAfterMs() - timers.monotonicMs())
    },
    caps() {
      letSlowOnesGo()
      const { healthy, failing } = options.maxInFlightPerEndpoint
      const pressure = (underWay.size - recent.size) / (options.maxOpen * pressureForOneEach)
      const lowered = (cap: number) => Math.max(Math.min(1, cap), Math.ceil(cap * (1 - pressure)))
      return { healthy: lowered(healthy), failing: lowered(failing) }
    },
  }
}
