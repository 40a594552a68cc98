import type { Settlement, WebhookStore } from './webhook-store.js'
import type { WorkerTimers } from './worker-timers.js'

/** What became of a settlement: written, refused as stale, or given up because the worker had to stop. */
export type SettlementFate = 'applied' | 'stale' | 'abandoned'

/** Writes settlements in batches: what arrives while one write is under way shares the next. */
export interface SettlementQueue {
  add(settlement: Settlement): Promise<SettlementFate>
  /** Stops retrying; whatever is unwritten, now or later, is answered `abandoned`. */
  abandon(): void
}

interface Waiting {
  readonly settlement: Settlement
  readonly resolve: (fate: SettlementFate) => void
}

/** Longest wait for company. */
const lingerMs = 8

/** A write of so many shows that the store is busy: the next one waits for company. */
const busyBatch = 8

/** When so large a share of all attempts under way has ended, their settlements are written without waiting. */
const shareWorthACommit = 0.5

/** So many refusals in a row, one by one, mean that the store is down rather than a settlement bad. */
const refusalsBeforeGivingUp = 3

/**
 * A settlement is retried until the store took it or called it stale: the fence makes a late write harmless, while a
 * lost one would send again what a partner already has.
 */
export function createSettlementQueue(deps: {
  readonly store: Pick<WebhookStore, 'settle'>
  readonly timers: WorkerTimers
  readonly maxBatch: number
  readonly retryMs: number
  /** Attempts whose settlement is still to come, those that wait here included. */
  readonly inFlight: () => number
  /** A write of so many settlements is under way; 0 when it ended. Called before anything else can run. */
  readonly onWriting: (count: number) => void
  readonly onError: () => void
}): SettlementQueue {
  const { store, timers } = deps
  const waiting: Waiting[] = []
  const pauses = new Set<() => void>()
  let flushing = false
  let abandoned = false

  async function write(batch: readonly Waiting[]): Promise<void> {
    const { stale } = await announced(batch.length, store.settle(batch.map(({ settlement }) => settlement)))
    const isStale = ({ fence }: Settlement) =>
      stale.some(({ deliveryId, token }) => deliveryId === fence.deliveryId && token === fence.token)
    for (const { settlement, resolve } of batch) resolve(isStale(settlement) ? 'stale' : 'applied')
  }

  async function announced<T>(count: number, write: Promise<T>): Promise<T> {
    deps.onWriting(count)
    try {
      return await write
    } finally {
      deps.onWriting(0)
    }
  }

  /** Writes a batch; one by one if the store refuses it, so that one bad settlement keeps no neighbour waiting. */
  async function writeOrSplit(batch: readonly Waiting[]): Promise<Waiting[]> {
    try {
      await write(batch)
      return []
    } catch {
      deps.onError()
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
  let endLinger = () => {}

  /** Waits a moment for company, since what is written together shares one durable commit. Nothing waits at leisure. */
  async function linger(): Promise<void> {
    if (isWorthACommit()) return
    await new Promise<void>((resolve) => {
      const cancel = timers.schedule(resolve, lingerMs)
      endLinger = () => {
        cancel()
        resolve()
      }
    })
    endLinger = () => {}
  }

  const isWorthACommit = () =>
    abandoned ||
    lastBatch < busyBatch ||
    waiting.length >= deps.maxBatch ||
    waiting.length >= deps.inFlight() * shareWorthACommit

  function flush(): void {
    if (!flushing) void writeWaiting()
    else if (isWorthACommit()) endLinger()
  }

  async function writeWaiting(): Promise<void> {
    flushing = true
    while (waiting.length > 0 && !abandoned) {
      await linger()
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
    add(settlement) {
      return new Promise((resolve) => {
        waiting.push({ settlement, resolve })
        flush()
      })
    },
    abandon() {
      abandoned = true
      flush()
    },
  }
}
