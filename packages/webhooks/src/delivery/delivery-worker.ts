import { standardEventTypes } from '../events/event-type-registry.js'
import { authorizeDeliveries, runAttempt, type AttemptDeps } from './attempt-runner.js'
import { createProblemPrinter } from './print-problem.js'
import { createInFlightAttempts } from './in-flight-attempts.js'
import { defaultUnsentPolicy, reportOfCause, attemptResultOf } from './delivery-state.js'
import { createOwnOutage, outagePauseMs } from './own-outage.js'
import { createResultBatcher } from './result-batcher.js'
import { tellObserver } from './tell-observer.js'
import type { AttemptReport, ClaimedDelivery } from './webhook-store.js'
import type { DeliveryWorkerProblem } from './worker-observer.js'
import type { DeliveryWorkerDeps } from './worker-deps.js'
import { checkWorkerDeps, leaseMarginMs, withDefaults } from './worker-options.js'
import { createWorkerPauses } from './worker-pauses.js'
import { systemTimers } from './worker-timers.js'

/** From a start to its stop. Each has a flag of its own: a claim may outlive its stop, and must not see the next start. */
interface Run {
  isStopping: boolean
  ended: Promise<void>
}

/** Claims due deliveries, sends them and records the results. */
export interface DeliveryWorker {
  /** Starts the worker. Does nothing when it already runs. */
  start(): void
  /** Stops claiming and resolves when the attempts in flight have ended, after at most `stopTimeoutMs`. */
  stop(): Promise<void>
  /** Takes over interrupted attempts, claims due deliveries once, and resolves when all results are recorded. */
  runOnce(): Promise<{ readonly claimed: number; readonly takenOver: number }>
  /** Polls the store now. */
  wake(): void
  /** Returns the state for health checks. */
  status(): {
    readonly running: boolean
    readonly inFlight: number
    /** Number of consecutive failed polls. */
    readonly failures: number
    /** Milliseconds since the last successful poll; null before the first. */
    readonly sinceLastLookMs: number | null
  }
}

/**
 * Creates a worker. Any number of them may work on one store, in any number of processes.
 *
 * @throws WebhookError `OPTIONS_INVALID` for a missing dependency, or a setting outside its range
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
 *   signingKeys: { current: async (appIds) => appIds.map((appId) => ({ appId, key: 'an-api-key', version: 1 })) },
 *   send: createHttpsSender(),
 *   now: () => new Date(),
 *   random: Math.random,
 * })
 * worker.start()
 * process.once('SIGTERM', () => void worker.stop())
 * ```
 */
export function createDeliveryWorker(deps: DeliveryWorkerDeps): DeliveryWorker {
  checkWorkerDeps(deps)
  const { store } = deps
  const timers = deps.timers ?? systemTimers
  const options = withDefaults(deps.options)
  const printProblem = createProblemPrinter('delivery worker', () => timers.monotonicMs())
  const pauses = createWorkerPauses(timers)
  const outage = createOwnOutage(timers, options.maxBatch)
  const { eventTypes = standardEventTypes } = deps
  const attemptDeps: AttemptDeps = {
    ...deps,
    ...options,
    timers,
    eventTypes,
    onLookUpFailed: outage.lookUpFailed,
    tell,
  }
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
    // Free slots are claimed at once: a store with group commit writes results and claims in one commit.
    onWriting: (attempts) => {
      inFlight.setBeingWritten(attempts)
      if (attempts.length > 0) pauses.wake()
    },
    onHealthChanged: (change) => tellObserver(() => deps.onEndpointHealthChanged?.(change)),
    onError: (error) => tell('RECORD_FAILED', error),
  })

  const inFlight = createInFlightAttempts({ timers, options, onFinish: pauses.wake })
  let running: Run | null = null
  let stopping: Promise<void> | null = null
  let failures = 0
  let takeOverAtMs = -Infinity
  let lookedAtMs: number | null = null

  function tell(problem: DeliveryWorkerProblem, error: unknown): void {
    tellObserver(() => (deps.onProblem === undefined ? printProblem(problem, error) : deps.onProblem(problem, error)))
  }

  /** Returns the number of free slots, and how many of them are reserved for healthy endpoints. */
  function slotsToClaim(): { limit: number; keepForHealthy: number } {
    const free = inFlight.freeSlots()
    const limit = Math.min(free, options.maxBatch, outage.slotsLeft())
    const freeForFailing = free - Math.floor(options.concurrency * options.shareForHealthy)
    return { limit, keepForHealthy: limit - Math.max(0, Math.min(freeForFailing, limit)) }
  }

  /** Runs one attempt and records its result. */
  async function attempt(delivery: ClaimedDelivery, seen: AttemptReport | Promise<AttemptReport>): Promise<void> {
    const one = inFlight.start()
    try {
      const report = await seen
      inFlight.recordLatency(one, report)
      outage.recordCause(report.cause)
      const result = attemptResultOf(delivery, report, resultContext(delivery))
      const outcome = await batcher.add(one, result)
      tellObserver(() => deps.onResultWritten?.({ delivery, result, outcome }))
    } catch (error) {
      // The clock or `random` threw. Nobody awaits an attempt, so its rejection would end the process.
      tell('ATTEMPT_FAILED', error)
    } finally {
      inFlight.finish(one)
    }
  }

  /**
   * Records attempts of crashed workers as interrupted. They count as attempts because the partner may have received
   * them.
   *
   * A take-over sends nothing, so its own lease is short: if this worker dies too, the next one need not wait as long as
   * for a request.
   */
  async function takeOver(): Promise<{ count: number; work: Promise<void>[] }> {
    const expired = await store.claimExpired({ limit: options.maxBatch, leaseMs: leaseMarginMs })
    if (expired.length > 0)
      tellObserver(() => deps.onClaimed?.({ count: expired.length, takenOver: true, deliveries: expired }))
    const work = expired.map((delivery) => attempt(delivery, reportOfCause('INTERRUPTED')))
    return { count: expired.length, work }
  }

  /** Claims deliveries for the free slots and starts their attempts. */
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
    tellObserver(() => deps.onClaimed?.({ count: claimed.length, takenOver: false, deliveries: claimed }))
    const full = claimed.length === limit
    // A full claim is followed by another one at once: the store works on it during signing and sending.
    const yieldFirst = full && running !== null
    const authorizations = authorizeDeliveries(claimed, yieldFirst, attemptDeps)
    const work = claimed.map((delivery, index) =>
      attempt(delivery, runAttempt(delivery, authorizations, index, openedAtMs, attemptDeps)),
    )
    return { count: claimed.length, full, nextDueInMs, work }
  }

  async function takeOverWhenDue(): Promise<void> {
    if (timers.monotonicMs() < takeOverAtMs) return
    const { count } = await takeOver()
    // More may follow a full page.
    takeOverAtMs = count < options.maxBatch ? timers.monotonicMs() + options.takeOverIntervalMs : -Infinity
  }

  /** Returns the pause after a claim, in milliseconds. */
  function restMs(claimed: { count: number; full: boolean; nextDueInMs: number | null }): number {
    if (takeOverAtMs === -Infinity || claimed.full) return 0
    // Due, but an endpoint's cap is reached. The end of an attempt wakes the worker; polling detects the end of an
    // attempt in another process.
    if (claimed.nextDueInMs === null || claimed.nextDueInMs === 0) return options.pollIntervalMs
    return Math.min(Math.max(1, Math.ceil(claimed.nextDueInMs)), options.pollIntervalMs)
  }

  async function work(run: Run): Promise<void> {
    while (!run.isStopping) {
      let pauseMs: number
      try {
        await takeOverWhenDue()
        const claimed = run.isStopping ? null : await claim()
        failures = 0
        lookedAtMs = timers.monotonicMs()
        pauseMs = claimed === null ? 0 : restMs(claimed)
      } catch (error) {
        failures += 1
        pauseMs = Math.min(options.errorPauseMs * 2 ** Math.min(failures - 1, 10), outagePauseMs)
        // During a long outage, leases of own attempts can end. Their results are written before anything is taken
        // over.
        takeOverAtMs = Math.max(takeOverAtMs, timers.monotonicMs() + options.takeOverIntervalMs)
        tell('CLAIM_FAILED', error)
        // An attempt that ends during the pause must not wake the worker: the store is down, and it would poll in a
        // busy loop.
        if (!run.isStopping) await pauses.rest(pauseMs)
        continue
      }
      if (pauseMs > 0 && !run.isStopping) await pauses.sleep(pauseMs)
    }
  }

  async function stopRun(): Promise<void> {
    if (running !== null) running.isStopping = true
    pauses.endAll()
    const drained = Promise.resolve(running?.ended).then(() => inFlight.drained())
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
  }

  async function workSubscribed(run: Run): Promise<void> {
    let unsubscribe: (() => Promise<void>) | undefined
    try {
      unsubscribe = await store.onDue?.(pauses.wake)
    } catch (error) {
      tell('SUBSCRIBE_FAILED', error)
    }
    await work(run)
    await unsubscribe?.().catch(() => {})
  }

  return {
    start() {
      if (running !== null) return
      batcher.resume()
      running = { isStopping: false, ended: Promise.resolve() }
      running.ended = workSubscribed(running)
    },
    stop() {
      // A second call waits for the same end: a later one of its own could end the next run.
      return (stopping ??= stopRun().finally(() => (stopping = null)))
    },
    async runOnce() {
      const takenOver = await takeOver()
      const claimed = await claim()
      await Promise.all([...takenOver.work, ...claimed.work])
      return { claimed: claimed.count, takenOver: takenOver.count }
    },
    wake: pauses.wake,
    status: () => ({
      running: running !== null && !running.isStopping,
      inFlight: inFlight.count(),
      failures,
      sinceLastLookMs: lookedAtMs === null ? null : timers.monotonicMs() - lookedAtMs,
    }),
  }
}
