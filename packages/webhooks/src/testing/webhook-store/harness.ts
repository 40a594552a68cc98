import type { WebhookStore } from '../../delivery/webhook-store.js'

/** One handle on a harness's data. */
export interface WebhookStoreHandle {
  readonly store: WebhookStore
  /** Closes this handle alone. */
  close(): Promise<void>
}

/**
 * What a backend gives the cases: its store, and control over the store's clock.
 *
 * Every case gets a harness of its own on empty data.
 */
export interface WebhookStoreHarness {
  /**
   * A handle on the harness's data. A second call gives another handle on the same data, as another process would have
   * it; a call after every handle was closed finds what was written.
   */
  open(): Promise<WebhookStoreHandle>
  /** Moves the store's clock forward by `ms` milliseconds, for every handle. Nothing else moves it. */
  advance(ms: number): Promise<void>
}

/** One MUST of the {@link WebhookStore} port. `run` rejects when the store breaks it. */
export interface WebhookStoreCase {
  /** Stable, `WS-…`. */
  readonly id: string
  /** A sentence with MUST. */
  readonly name: string
  /** Rejects when the store breaks the promise in `name`. */
  run(harness: WebhookStoreHarness): Promise<void>
}

/** A case whose handles are closed afterwards, however it ends. */
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
      try {
        await run({ store: one.store, other: two.store, advance: (ms) => harness.advance(ms) })
      } finally {
        await one.close()
        await two.close()
      }
    },
  }
}
