import type { WebhookStore } from '../../delivery/webhook-store.js'
import type { TransactionStore } from '../../publishing/transaction-store.js'
import { createRecordedCalls } from '../recorded-calls.js'

/** One handle on a harness's data. */
export interface TransactionStoreHandle {
  readonly store: TransactionStore
  /** Webhook store on the same data, for the events. */
  readonly webhooks: WebhookStore
  /** Closes only this handle. */
  close(): Promise<void>
}

/** What a backend provides. Every case gets a fresh harness on empty data. */
export interface TransactionStoreHarness {
  /**
   * Opens a handle. A second call opens another one on the same data, like another process. A call after all handles
   * were closed sees the written data.
   */
  open(): Promise<TransactionStoreHandle>
}

/** One rule of the `TransactionStore` port. `run` rejects when the store breaks it. */
export interface TransactionStoreCase {
  /** Stable, `TS-…`. */
  readonly id: string
  /** A sentence with MUST. */
  readonly name: string
  /** Rejects when the store breaks the rule in `name`. */
  run(harness: TransactionStoreHarness): Promise<void>
}

/** Two handles on the same data, for most cases. */
export interface TransactionStores {
  readonly store: TransactionStore
  readonly other: TransactionStore
  readonly webhooks: WebhookStore
}

/** Creates a case that closes its handles afterwards, also after a failure. */
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
      const { record, explain } = createRecordedCalls()
      try {
        const stores = { store: record(one.store), other: record(two.store), webhooks: record(one.webhooks) }
        await explain(() => run(stores))
      } finally {
        await one.close()
        await two.close()
      }
    },
  }
}
