import type { WebhookStore } from '../../delivery/webhook-store.js'
import type { TransactionStore } from '../../publishing/transaction-store.js'

/** One handle on a harness's data. */
export interface TransactionStoreHandle {
  readonly store: TransactionStore
  /** Where the events of the moves go, on the same data. */
  readonly webhooks: WebhookStore
  /** Closes this handle alone. */
  close(): Promise<void>
}

/** What a backend gives the cases. Every case gets a harness of its own on empty data. */
export interface TransactionStoreHarness {
  /**
   * A handle on the harness's data. A second call gives another handle on the same data, as another process would have
   * it; a call after every handle was closed finds what was written.
   */
  open(): Promise<TransactionStoreHandle>
}

/** One MUST of the `TransactionStore` port. `run` rejects when the store breaks it. */
export interface TransactionStoreCase {
  /** Stable, `TS-…`. */
  readonly id: string
  /** A sentence with MUST. */
  readonly name: string
  /** Rejects when the store breaks the promise in `name`. */
  run(harness: TransactionStoreHarness): Promise<void>
}

/** What most cases work with: two handles on the same data. */
export interface TransactionStores {
  readonly store: TransactionStore
  readonly other: TransactionStore
  readonly webhooks: WebhookStore
}

/** A case whose handles are closed afterwards, however it ends. */
export function transactionStoreCase(
  id: string,
  name: string,
  run: (stores: TransactionStores) => Promise<void>,
): TransactionStoreCase {
  return {
    id,
    name,
    async run(harness) {
      const [one, two] = [await harness.open(), await harness.open()]
      try {
        await run({ store: one.store, other: two.store, webhooks: one.webhooks })
      } finally {
        await one.close()
        await two.close()
      }
    },
  }
}
