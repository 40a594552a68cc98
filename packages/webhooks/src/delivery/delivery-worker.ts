import type { GrantLookup } from '../publishing/grants.js'
import { authorizeDeliveries, runAttempt, type AttemptDeps } from './attempt-runner.js'
import { createInFlightAttempts } from './in-flight-attempts.js'
import { defaultUnsentPolicy, reportOfCause, attemptResultOf } from './delivery-state.js'
import { createOwnOutage, outagePauseMs } from './own-outage.js'
import type { Sender } from './sender.js'
import { createResultBatcher, type WriteOutcome } from './result-batcher.js'
import type { SigningKeys } from './signing-keys.js'
import type { AttemptReport, ClaimedDelivery, AttemptResult, WebhookStore } from './webhook-store.js'
import { withDefaults, type DeliveryWorkerOptions } from './worker-options.js'
import { systemTimers, type WorkerTimers } from './worker-timers.js'

/** What went wrong inside the worker. It goes on in every case. */
export type DeliveryWorkerProblem = 'CLAIM_FAILED' | 'TAKE_OVER_FAILED' | 'RECORD_FAILED' | 'SUBSCRIBE_FAILED'

/** What a worker tells an observer, for metrics and logs. What an observer throws is ignored. */
export interface DeliveryWorkerObserver {
  /** An attempt ended and its result was written, found stale, or given up at shutdown. */
  onResultWritten?(event: {
    readonly delivery: ClaimedDelivery
    readonly result: AttemptResult
    readonly outcome: WriteOutcome
  }): void
  /** Deliveries were claimed and their attempts begin; `takenOver`: from a worker whose lease ended, to be ended now. */
  onClaimed?(event: {
    readonly count: number
    readonly takenOver: boolean
    readonly deliveries: readonly ClaimedDelivery[]
  }): void
  /** Something kept the worker from working. It goes on by itself. */
  onProblem?(problem: DeliveryWorkerProblem): void
}

/** What a worker works with. */
export interface DeliveryWorkerDeps extends DeliveryWorkerObserver {
  readonly store: Pick<WebhookStore, 'claimDue' | 'claimExpired' | 'recordAttemptResults' | 'onDue'>
  readonly signingKeys: SigningKeys
  readonly grants: GrantLookup
  readonly send: Sender
  /** Wall clock, for `Retry-After` dates and signed timestamps. */
  readonly now: () => Date
  /** A number from 0 up to 1, for jitter. */
  readonly random: () => number
  /** Monotonic time and timers; default `performance.now()`, `setTimeout` and `setImmediate`. */
  readonly timers?: WorkerTimers
  readonly options?: DeliveryWorkerOptions
}

/** Claims due deliveries, sends them and records what came of it. */
export interface DeliveryWorker {
  /** Starts working until `stop()`. Does nothing when it works already. */
  start(): void
  /** Claims nothing more, lets attempts in flight end, and resolves when they have, within `stopTimeoutMs`. */
  stop(): Promise<void>
  /** One look at the store: takes over what was interrupted, claims what is due, resolves when all results are recorded. */
  runOnce(): Promise<{ readonly claimed: number; readonly takenOver: number }>
  /** Looks at the store now instead of at the next poll. */
  wake(): void
  /** For health checks. */
  status(): {
    readonly running: boolean
    readonly inFlight: number
    /** Looks at the store that failed in a row. */
    readonly failures: number
    /** Milliseconds since the store last answered; null before it did. */
    readonly sinceLastLookMs: number | null
  }
}

/**
 * Creates a worker. Any number of them may work on one store, in any number of processes.
 *
 * @example
 * ```ts
 * import { createDeliveryWorker } from '@kyc-relay/webhooks/delivery'
 * import { createHttpsSender } from '@kyc-relay/webhooks/https'
 * import { createMemoryWebhookStore } from '@kyc-relay/webhooks/testing'
 *
 * const worker = createDeliveryWorker({
 *   store: createMemoryWebhookStore(),
 *   grants: { find: async (pairs) => pairs.map(() => null) },
 *   signingKeys: { current: async (appIds) => appIds.map(() => ({ key: 'an-api-key', version: 1 })) },
 *   send: createHttpsSender(),
 *   now: () => new Date(),
 *   random: Math.random,
 * })
 * worker.start()
 * process.once('SIGTERM', () => void worker.stop())
 * ```
 */
export function createDeliveryWorker(deps: DeliveryWorkerDeps): DeliveryWorker {
  const { store } = deps
  const timers = deps.timers ?? systemTimers
  const options = withDefaults(deps.options)
  const outage = createOwnOutage(timers, options.maxBatch)
  const attemptDeps: AttemptDeps = { ...deps, ...options, timers, onLookUpFailed: outage.lookUpFailed }
  const unsentPolicy = { ...defaultUnsentPolicy, ...options.unsent }
  const resultContext = ({ unsentForMs }: ClaimedDelivery) => ({
    now: deps.now(),
    random: deps.random,
    retry: options.retry,
    unsent: { ...unsentPolicy, retryMs: outage.delayMs(unsentForMs, unsentPolicy.retryMs) },
  })
  const batcher = createResultBatcher({
    store,
    timers,
    maxBatch: options.maxBatch,
    retryMs: options.errorPauseMs,
    inFlight: () => inFlight.count(),
    // The slots that these give back are claimed at once: a store that shares commits writes both in one.
    onWriting: (count) => {
      beingRecorded = count
      if (count > 0) wake()
    },
    onError: () => observe(() => deps.onProblem?.('RECORD_FAILED')),
  })

  const inFlight = createInFlightAttempts({ timers, options, onFinish: () => wake() })
  let running: Promise<void> | null = null
  let stopping = false
  let beingRecorded = 0
  let failures = 0
  let wokenUp = false
  let wakeUp = () => {}
  let endRest = () => {}
  let takeOverAtMs = -Infinity
  let lookedAtMs: number | null = null

  function observe(tell: () => void): void {
    try {
      tell()
    } catch {
      // An observer's own failure must not end the worker.
    }
  }

  function wake(): void {
    wokenUp = true
    wakeUp()
  }

  async function sleep(ms: number): Promise<void> {
    if (!wokenUp) {
      await new Promise<void>((resolve) => {
        const cancel = timers.schedule(resolve, ms)
        wakeUp = () => {
          cancel()
          resolve()
        }
      })
      wakeUp = () => {}
    }
    wokenUp = false
  }

  /** How many may be claimed now, and how many of these failing endpoints may not have. */
  function slotsToClaim(): { limit: number; keepForHealthy: number } {
    const free = Math.min(inFlight.freeSlots() + beingRecorded, options.concurrency)
    const limit = Math.min(free, options.maxBatch, outage.slotsLeft())
    const freeForFailing = free - Math.floor(options.concurrency * options.shareForHealthy)
    return { limit, keepForHealthy: limit - Math.max(0, Math.min(freeForFailing, limit)) }
  }

  /** One attempt from its opening to its result. */
  async function attempt(delivery: ClaimedDelivery, seen: AttemptReport | Promise<AttemptReport>): Promise<void> {
    const one = inFlight.start()
    try {
      const report = await seen
      inFlight.recordLatency(one, report)
      outage.recordCause(report.cause)
      const result = attemptResultOf(delivery, report, resultContext(delivery))
      const outcome = await batcher.add(result)
      observe(() => deps.onResultWritten?.({ delivery, result, outcome }))
    } finally {
      inFlight.finish(one)
    }
  }

  /** Ends what crashed attempts left open. Their number counts: the partner may have seen them. */
  async function takeOver(): Promise<{ count: number; work: Promise<void>[] }> {
    const expired = await store.claimExpired({ limit: options.maxBatch, leaseMs: options.leaseMs })
    if (expired.length > 0)
      observe(() => deps.onClaimed?.({ count: expired.length, takenOver: true, deliveries: expired }))
    const work = expired.map((delivery) => attempt(delivery, reportOfCause('INTERRUPTED')))
    return { count: expired.length, work }
  }

  /** Claims what fits into the free slots and starts all of it at once. */
  async function claim(): Promise<{ count: number; full: boolean; nextDueInMs: number | null; work: Promise<void>[] }> {
    const { limit, keepForHealthy } = slotsToClaim()
    if (limit <= 0) {
      const isOutage = outage.slotsLeft() <= 0
      const nextDueInMs = isOutage ? outage.moreSlotsInMs() : (inFlight.nextFreeInMs() ?? 0)
      return { count: 0, full: false, nextDueInMs, work: [] }
    }
    const openedAtMs = timers.monotonicMs()
    const { claimed, nextDueInMs } = await store.claimDue({
      limit,
      leaseMs: options.leaseMs,
      maxInFlight: inFlight.caps(),
      keepForHealthy,
    })
    if (claimed.length === 0) return { count: 0, full: false, nextDueInMs, work: [] }
    outage.claimed(claimed.length)
    observe(() => deps.onClaimed?.({ count: claimed.length, takenOver: false, deliveries: claimed }))
    const full = claimed.length === limit
    // Another claim follows a full one at once: the store works on it while these are signed and sent.
    const soon = full && running !== null
    const authorizations = authorizeDeliveries(claimed, soon, attemptDeps)
    const work = claimed.map((delivery, index) =>
      attempt(delivery, runAttempt(delivery, authorizations, index, openedAtMs, attemptDeps)),
    )
    return { count: claimed.length, full, nextDueInMs, work }
  }

  async function takeOverWhenDue(): Promise<void> {
    if (timers.monotonicMs() < takeOverAtMs) return
    const { count } = await takeOver()
    // A full page means that there may be more.
    takeOverAtMs = count < options.maxBatch ? timers.monotonicMs() + options.takeOverIntervalMs : -Infinity
  }

  /** How long to rest after a claim. */
  function restMs(claimed: { count: number; full: boolean; nextDueInMs: number | null }): number {
    if (takeOverAtMs === -Infinity || claimed.full) return 0
    // Due but held back by a cap: the end of an attempt wakes the worker, or another process's end is seen by polling.
    if (claimed.nextDueInMs === null || claimed.nextDueInMs === 0) return options.pollIntervalMs
    return Math.min(Math.max(1, Math.ceil(claimed.nextDueInMs)), options.pollIntervalMs)
  }

  async function work(): Promise<void> {
    while (!stopping) {
      let pauseMs: number
      try {
        await takeOverWhenDue()
        const claimed = stopping ? null : await claim()
        failures = 0
        lookedAtMs = timers.monotonicMs()
        pauseMs = claimed === null ? 0 : restMs(claimed)
      } catch {
        failures += 1
        pauseMs = Math.min(options.errorPauseMs * 2 ** Math.min(failures - 1, 10), outagePauseMs)
        // Attempts of ours outlive an outage that is longer than their leases: their outcomes are written first.
        takeOverAtMs = Math.max(takeOverAtMs, timers.monotonicMs() + options.takeOverIntervalMs)
        observe(() => deps.onProblem?.('CLAIM_FAILED'))
        // An attempt that ends meanwhile must not turn the pause into a busy loop on a store that is down.
        await restUnlessStopped(pauseMs)
        continue
      }
      if (pauseMs > 0 && !stopping) await sleep(pauseMs)
    }
  }

  async function restUnlessStopped(ms: number): Promise<void> {
    if (stopping) return
    await new Promise<void>((resolve) => {
      const cancel = timers.schedule(resolve, ms)
      endRest = () => {
        cancel()
        resolve()
      }
    })
    endRest = () => {}
  }

  async function workSubscribed(): Promise<void> {
    let unsubscribe: (() => Promise<void>) | undefined
    try {
      unsubscribe = await store.onDue?.(wake)
    } catch {
      observe(() => deps.onProblem?.('SUBSCRIBE_FAILED'))
    }
    await work()
    await unsubscribe?.().catch(() => {})
  }

  return {
    start() {
      if (running !== null) return
      stopping = false
      running = workSubscribed()
    },
    async stop() {
      stopping = true
      wake()
      endRest()
      const drained = (async () => {
        await running
        await inFlight.drained()
        return 'drained' as const
      })()
      await new Promise<void>((resolve) => {
        const cancel = timers.schedule(() => {
          batcher.abandon()
          resolve()
        }, options.stopTimeoutMs)
        void drained.then(() => {
          cancel()
          resolve()
        })
      })
      running = null
    },
    async runOnce() {
      const takenOver = await takeOver()
      const claimed = await claim()
      await Promise.all([...takenOver.work, ...claimed.work])
      return { claimed: claimed.count, takenOver: takenOver.count }
    },
    wake,
    status: () => ({
      running: running !== null && !stopping,
      inFlight: inFlight.count(),
      failures,
      sinceLastLookMs: lookedAtMs === null ? null : timers.monotonicMs() - lookedAtMs,
    }),
  }
}
