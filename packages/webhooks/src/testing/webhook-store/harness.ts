import type { WebhookStore } from '../../delivery/webhook-store.js'
import { createRecordedCalls } from '../recorded-calls.js'

/** One handle on a harness's data. */
export interface WebhookStoreHandle {
  readonly store: WebhookStore
  /** Closes only this handle. */
  close(): Promise<void>
}

/**
 * What a backend provides: its store, and control over the store's clock.
 *
 * Every case gets a fresh harness on empty data.
 */
export interface WebhookStoreHarness {
  /**
   * Opens a handle. A second call opens another one on the same data, like another process. A call after all handles
   * were closed sees the written data.
   */
  open(): Promise<WebhookStoreHandle>
  /** Advances the store's clock by `ms` milliseconds for every handle. The clock does not move otherwise. */
  advance(ms: number): Promise<void>
}

/** One rule of the {@link WebhookStore} port. `run` rejects when the store breaks it. */
export interface WebhookStoreCase {
  /** Stable, `WS-…`. */
  readonly id: string
  /** A sentence with MUST. */
  readonly name: string
  /** Rejects when the store breaks the rule in `name`. */
  run(harness: WebhookStoreHarness): Promise<void>
}

/** Creates a case that closes its handles afterwards, also after a failure. */
export function webhookStoreCase(
  id: string,
  name: string,
  run: (use: {
    readonly store: WebhookStore
    readonly other: WebhookStore
    advance(ms: number): Promise<void>
  }) => Promise<void>,
): WebhookStoreCase {
  return {
    id,
    name,
    async run(harness) {
      const [one, two] = [await harness.open(), await harness.open()]
      const { record, explain } = createRecordedCalls()
      try {
        const stores = { store: record(one.store), other: record(two.store) }
        await explain(() => run({ ...stores, advance: (ms) => harness.advance(ms) }))
      } finally {
        await one.close()
        await two.close()
      }
    },
  }
}
