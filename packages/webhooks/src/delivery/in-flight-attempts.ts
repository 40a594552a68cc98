import type { AttemptReport } from './webhook-store.js'
import type { DeliveryWorkerOptions } from './worker-options.js'
import type { WorkerTimers } from './worker-timers.js'

/** One attempt in flight, until its result is recorded. */
export interface InFlightAttempt {
  /** Monotonic start time, in milliseconds. */
  readonly startedAtMs: number
}

/** Attempts in flight of one worker, and its free slots. */
export interface InFlightAttempts {
  /** Adds an attempt until it finishes. */
  start(): InFlightAttempt
  /** Records the latency of an attempt, to learn the usual latency. */
  recordLatency(one: InFlightAttempt, report: AttemptReport): void
  /**
   * Replaces the list of attempts whose results are being written. Their slots and sockets count as free. An attempt
   * that is slow gave up its slot before, and frees only its socket.
   */
  setBeingWritten(attempts: readonly InFlightAttempt[]): void
  /** Frees the slot of an attempt whose result is recorded. */
  finish(one: InFlightAttempt): void
  /** Number of attempts in flight, including those whose result is being recorded. */
  count(): number
  /** Resolves when no attempt is in flight. */
  drained(): Promise<void>
  /** Returns the number of attempts that may start now. */
  freeSlots(): number
  /**
   * Returns the milliseconds until an attempt becomes slow and frees its slot; null when only a finished attempt frees
   * one.
   */
  nextFreeInMs(): number | null
  /** Returns the current caps per endpoint for a claim. */
  caps(): { readonly healthy: number; readonly failing: number }
}

/** An attempt is slow at this multiple of the usual latency. */
const slowFactor = 2
/** Minimum age of a slow attempt in milliseconds: freeing a slot earlier has no benefit. */
const leastSlowAfterMs = 100
/** Weight of each new latency in the moving average: about the last hundred count. */
const weightOfOne = 1 / 32
/** When slow attempts hold this share of all sockets, each endpoint gets one socket only. */
const pressureForOneEach = 0.375

/** Tracks the attempts of one worker. Calls `onFinish` after each. */
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
  /** Attempts that are not slow, oldest first. */
  const recent = new Set<InFlightAttempt>()
  let beingWritten: readonly InFlightAttempt[] = []
  const whenDrained: (() => void)[] = []
  // Before the first latency, the upper limit applies.
  let usualMs = options.slowAfterMs / slowFactor

  const slowAfterMs = () => Math.min(options.slowAfterMs, Math.max(leastSlowAfterMs, slowFactor * usualMs))

  /** Removes slow attempts from the slots: waiting for a slow endpoint needs only a socket. */
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
      // A time-out is not a latency, and an interrupted attempt belongs to another process.
      if (cause === 'TIMEOUT' || cause === 'INTERRUPTED') return
      const tookMs = Math.min(timers.monotonicMs() - startedAtMs, options.slowAfterMs)
      usualMs += (tookMs - usualMs) * weightOfOne
    },
    setBeingWritten(attempts) {
      beingWritten = attempts
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
      let holdingSlots = recent.size
      for (const one of beingWritten) if (recent.has(one)) holdingSlots -= 1
      return Math.min(options.concurrency - holdingSlots, options.maxOpen - inFlight.size + beingWritten.length)
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
