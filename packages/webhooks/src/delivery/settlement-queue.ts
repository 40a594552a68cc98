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
  readonly onError: () => void
}): SettlementQueue {
  const { store, timers } = deps
  const waiting: Waiting[] = []
  const pauses = new Set<() => void>()
  let flushing = false
  let abandoned = false

  async function write(batch: readonly Waiting[]): Promise<void> {
    const { stale } = await store.settle(batch.map(({ settlement }) => settlement))
    const staleKeys = new Set(stale.map(({ deliveryId, token }) => `${deliveryId} ${token}`))
    for (const { settlement, resolve } of batch) {
      resolve(staleKeys.has(`${settlement.fence.deliveryId} ${settlement.fence.token}`) ? 'stale' : 'applied')
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
      void flush()
    }
    const cancel = timers.schedule(again, deps.retryMs)
    const end = () => {
      cancel()
      again()
    }
    pauses.add(end)
  }

  async function flush(): Promise<void> {
    if (flushing) return
    flushing = true
    while (waiting.length > 0 && !abandoned) {
      const refused = await writeOrSplit(waiting.splice(0, deps.maxBatch))
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
        void flush()
      })
    },
    abandon() {
      abandoned = true
      void flush()
    },
  }
}
