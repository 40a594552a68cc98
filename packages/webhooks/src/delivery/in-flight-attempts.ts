import type { AttemptReport } from './webhook-store.js'
import type { DeliveryWorkerOptions } from './worker-options.js'
import type { WorkerTimers } from './worker-timers.js'

/** One attempt, from its opening to its settlement. */
export interface UnderWay {
  /** Monotonic. */
  readonly beganAtMs: number
}

/** What one worker has under way, and how much more may begin. */
export interface AttemptsUnderWay {
  /** Counts one more, until it ends. */
  begin(): UnderWay
  /** It was answered, or was not: how long answers usually take is learned from it. */
  saw(one: UnderWay, report: AttemptReport): void
  /** It is settled, and gives its place back. */
  end(one: UnderWay): void
  /** How many are under way, those that are being settled included. */
  count(): number
  /** Resolves once nothing is under way. */
  ended(): Promise<void>
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

/** Keeps count for one worker. `onEnd` is called whenever one ended. */
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
  const underWay = new Set<UnderWay>()
  /** Those that wait for no slow endpoint yet, oldest first. */
  const recent = new Set<UnderWay>()
  const whenEnded: (() => void)[] = []
  // Until something was seen, slow is what is slow at the latest.
  let usualMs = options.slowAfterMs / slowFactor

  const slowAfterMs = () => Math.min(options.slowAfterMs, Math.max(leastSlowAfterMs, slowFactor * usualMs))

  /** Waiting for a slow endpoint costs a socket and nothing else, so it blocks no place. */
  function letSlowOnesGo(): void {
    const slowSinceMs = timers.monotonicMs() - slowAfterMs()
    for (const one of recent) {
      if (one.beganAtMs > slowSinceMs) break
      recent.delete(one)
    }
  }

  return {
    begin() {
      const one = { beganAtMs: timers.monotonicMs() }
      underWay.add(one)
      recent.add(one)
      return one
    },
    saw({ beganAtMs }, { cause }) {
      // A time-out tells how long we waited, not how long answers take; what was interrupted was another process's.
      if (cause === 'TIMEOUT' || cause === 'INTERRUPTED') return
      const tookMs = Math.min(timers.monotonicMs() - beganAtMs, options.slowAfterMs)
      usualMs += (tookMs - usualMs) * weightOfOne
    },
    end(one) {
      underWay.delete(one)
      recent.delete(one)
      onEnd()
      if (underWay.size > 0) return
      for (const tell of whenEnded.splice(0)) tell()
    },
    count: () => underWay.size,
    ended: () => (underWay.size === 0 ? Promise.resolve() : new Promise((resolve) => whenEnded.push(resolve))),
    freePlaces() {
      letSlowOnesGo()
      return Math.min(options.concurrency - recent.size, options.maxOpen - underWay.size)
    },
    nextFreeInMs() {
      if (underWay.size >= options.maxOpen) return null
      const [oldest] = recent
      return oldest === undefined ? null : Math.max(1, oldest.beganAtMs + slowAfterMs() - timers.monotonicMs())
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
