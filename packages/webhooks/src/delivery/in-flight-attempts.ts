import type { AttemptReport } from './webhook-store.js'
import type { DeliveryWorkerOptions } from './worker-options.js'
import type { WorkerTimers } from './worker-timers.js'

/** One attempt, from its opening to its recorded result. */
export interface InFlightAttempt {
  /** Monotonic. */
  readonly startedAtMs: number
}

/** The attempts that one worker has in flight, and how many more may start. */
export interface InFlightAttempts {
  /** Counts one more attempt until it finishes. */
  start(): InFlightAttempt
  /** Learns from the attempt how long answers usually take. */
  recordLatency(one: InFlightAttempt, report: AttemptReport): void
  /** Its result is recorded: its slot is free again. */
  finish(one: InFlightAttempt): void
  /** How many are in flight, including those whose result is being recorded. */
  count(): number
  /** Resolves once nothing is in flight. */
  drained(): Promise<void>
  /** How many may start now. */
  freeSlots(): number
  /** Milliseconds until time alone frees the next slot; null when only a finished attempt can. */
  nextFreeInMs(): number | null
  /** Caps per endpoint for a claim at this moment. */
  caps(): { readonly healthy: number; readonly failing: number }
}

/** An attempt that takes so many times as long as usual waits for a slow endpoint. */
const slowFactor = 2
/** No attempt is slow before this age: a slot that is freed sooner saves nothing. */
const leastSlowAfterMs = 100
/** Share of each new answer in what is usual: about the last hundred count. */
const weightOfOne = 1 / 32
/** With this share of all sockets waiting for slow endpoints, no endpoint gets a second one. */
const pressureForOneEach = 0.375

/** Counts the attempts of one worker. Calls `onFinish` whenever one finished. */
export function createInFlightAttempts({
  timers,
  options,
  onFinish,
}: {
  readonly timers: WorkerTimers
  readonly options: Required<
    Pick<DeliveryWorkerOptions, 'concurrency' | 'slowAfterMs' | 'maxOpen' | 'maxInFlightPerEndpoint'>
  >
  readonly onFinish: () => void
}): InFlightAttempts {
  const inFlight = new Set<InFlightAttempt>()
  /** Those that wait for no slow endpoint yet, oldest first. */
  const recent = new Set<InFlightAttempt>()
  const whenDrained: (() => void)[] = []
  // Until something was seen, slow is what is slow at the latest.
  let usualMs = options.slowAfterMs / slowFactor

  const slowAfterMs = () => Math.min(options.slowAfterMs, Math.max(leastSlowAfterMs, slowFactor * usualMs))

  /** Waiting for a slow endpoint costs a socket and nothing else, so it blocks no slot. */
  function letSlowOnesGo(): void {
    const slowSinceMs = timers.monotonicMs() - slowAfterMs()
    for (const one of recent) {
      if (one.startedAtMs > slowSinceMs) break
      recent.delete(one)
    }
  }

  return {
    start() {
      const one = { startedAtMs: timers.monotonicMs() }
      inFlight.add(one)
      recent.add(one)
      return one
    },
    recordLatency({ startedAtMs }, { cause }) {
      // A time-out tells how long we waited, not how long answers take; what was interrupted was another process's.
      if (cause === 'TIMEOUT' || cause === 'INTERRUPTED') return
      const tookMs = Math.min(timers.monotonicMs() - startedAtMs, options.slowAfterMs)
      usualMs += (tookMs - usualMs) * weightOfOne
    },
    finish(one) {
      inFlight.delete(one)
      recent.delete(one)
      onFinish()
      if (inFlight.size > 0) return
      for (const tell of whenDrained.splice(0)) tell()
    },
    count: () => inFlight.size,
    drained: () => (inFlight.size === 0 ? Promise.resolve() : new Promise((resolve) => whenDrained.push(resolve))),
    freeSlots() {
      letSlowOnesGo()
      return Math.min(options.concurrency - recent.size, options.maxOpen - inFlight.size)
    },
    nextFreeInMs() {
      if (inFlight.size >= options.maxOpen) return null
      const [oldest] = recent
      return oldest === undefined ? null : Math.max(1, oldest.startedAtMs + slowAfterMs() - timers.monotonicMs())
    },
    caps() {
      letSlowOnesGo()
      const { healthy, failing } = options.maxInFlightPerEndpoint
      const pressure = (inFlight.size - recent.size) / (options.maxOpen * pressureForOneEach)
      const lowered = (cap: number) => Math.max(Math.min(1, cap), Math.ceil(cap * (1 - pressure)))
      return { healthy: lowered(healthy), failing: lowered(failing) }
    },
  }
}
