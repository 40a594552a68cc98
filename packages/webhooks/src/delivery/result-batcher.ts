import type { InFlightAttempt } from './in-flight-attempts.js'
import type { AttemptResult, EndpointHealthChange, WebhookStore } from './webhook-store.js'
import type { WorkerTimers } from './worker-timers.js'

/** Outcome of a write: applied, refused as stale, or abandoned at shutdown. */
export type WriteOutcome = 'applied' | 'stale' | 'abandoned'

/** Writes attempt results in batches: results that arrive during a write share the next one. */
export interface ResultBatcher {
  /** Adds the result of an attempt, and resolves when it is written, stale or abandoned. */
  add(attempt: InFlightAttempt, result: AttemptResult): Promise<WriteOutcome>
  /** Stops retrying. Unwritten and later results resolve as `abandoned`. */
  abandon(): void
  /** Writes and retries again after {@link abandon}. */
  resume(): void
}

interface Waiting {
  readonly attempt: InFlightAttempt
  readonly result: AttemptResult
  readonly resolve: (outcome: WriteOutcome) => void
}

/** Delay of a write, so that more results share its commit. */
const batchDelayMs = 8

/**
 * Most turns of the event loop that a write waits after the delay, while each of them brings results. After a busy time the
 * timer runs before the answers that arrived meanwhile are read. In an idle process a turn takes 1 ms.
 */
const batchTurns = 8

/** From this batch size on the store counts as busy, and the next write is delayed. */
const busyBatch = 8

/** Share of the attempts in flight: a batch of this size is written without delay. */
const shareWorthACommit = 0.5

/** After this many consecutive failures the store counts as down; before, a single bad result can be the cause. */
const refusalsBeforeGivingUp = 3

/**
 * Creates a result batcher. A result is retried until the store has applied it or reported it as stale. The fence makes
 * a late write harmless; a lost result would send the event again.
 */
export function createResultBatcher(deps: {
  readonly store: Pick<WebhookStore, 'recordAttemptResults'>
  readonly timers: WorkerTimers
  readonly maxBatch: number
  readonly retryMs: number
  /** Returns the number of attempts without a written result, including results in this batcher. */
  readonly inFlight: () => number
  /** Called with the attempts whose results are being written; with none at the end. Called synchronously. */
  readonly onWriting: (attempts: readonly InFlightAttempt[]) => void
  readonly onHealthChanged: (change: EndpointHealthChange) => void
  readonly onError: (error: unknown) => void
}): ResultBatcher {
  const { store, timers } = deps
  const waiting: Waiting[] = []
  const pauses = new Set<() => void>()
  let flushing = false
  let abandoned = false

  async function write(batch: readonly Waiting[]): Promise<void> {
    const results = batch.map(({ result }) => result)
    const { stale, healthChanges } = await whileWriting(batch, store.recordAttemptResults(results))
    for (const change of healthChanges) deps.onHealthChanged(change)
    const isStale = ({ fence }: AttemptResult) =>
      stale.some(({ deliveryId, token }) => deliveryId === fence.deliveryId && token === fence.token)
    for (const { result, resolve } of batch) resolve(isStale(result) ? 'stale' : 'applied')
  }

  async function whileWriting<T>(batch: readonly Waiting[], write: Promise<T>): Promise<T> {
    deps.onWriting(batch.map(({ attempt }) => attempt))
    try {
      return await write
    } finally {
      deps.onWriting([])
    }
  }

  /** Writes a batch; one by one if the store refuses it, so that one bad result does not delay the rest. */
  async function writeOrSplit(batch: readonly Waiting[]): Promise<Waiting[]> {
    try {
      await write(batch)
      return []
    } catch (error) {
      deps.onError(error)
    }
    if (batch.length === 1) return [...batch]
    const refused: Waiting[] = []
    let inARow = 0
    for (const [index, one] of batch.entries()) {
      if (inARow === refusalsBeforeGivingUp) return [...batch.slice(index), ...refused]
      try {
        await write([one])
        inARow = 0
      } catch {
        refused.push(one)
        inARow += 1
      }
    }
    return refused
  }

  function retryLater(refused: readonly Waiting[]): void {
    const again = () => {
      pauses.delete(end)
      waiting.push(...refused)
      flush()
    }
    const cancel = timers.schedule(again, deps.retryMs)
    const end = () => {
      cancel()
      again()
    }
    pauses.add(end)
  }

  let lastBatch = 0
  let endBatchDelay = () => {}

  /** Delays a write so that results share a commit; never when the store is idle. */
  async function waitForBatch(): Promise<void> {
    if (isWorthACommit()) return
    await new Promise<void>((resolve) => {
      const endUnlessMore = (before: number, turnsLeft: number) => {
        const count = waiting.length
        if (turnsLeft === 0 || count === before) resolve()
        else cancel = timers.schedule(() => endUnlessMore(count, turnsLeft - 1), 0)
      }
      let cancel = timers.schedule(() => endUnlessMore(0, batchTurns), batchDelayMs)
      endBatchDelay = () => {
        cancel()
        resolve()
      }
    })
    endBatchDelay = () => {}
  }

  const isWorthACommit = () =>
    abandoned ||
    lastBatch < busyBatch ||
    waiting.length >= deps.maxBatch ||
    waiting.length >= deps.inFlight() * shareWorthACommit

  function flush(): void {
    if (!flushing) void writeWaiting()
    else if (isWorthACommit()) endBatchDelay()
  }

  async function writeWaiting(): Promise<void> {
    flushing = true
    while (waiting.length > 0 && !abandoned) {
      await waitForBatch()
      const batch = waiting.splice(0, deps.maxBatch)
      lastBatch = batch.length
      const refused = await writeOrSplit(batch)
      if (refused.length > 0) retryLater(refused)
    }
    flushing = false
    if (abandoned) {
      for (const end of [...pauses]) end()
      for (const { resolve } of waiting.splice(0)) resolve('abandoned')
    }
  }

  return {
    add(attempt, result) {
      return new Promise((resolve) => {
        waiting.push({ attempt, result, resolve })
        flush()
      })
    },
    abandon() {
      abandoned = true
      flush()
    },
    resume() {
      abandoned = false
    },
  }
}
