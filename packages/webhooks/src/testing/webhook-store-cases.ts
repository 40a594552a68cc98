import type { WebhookStore } from '../delivery/webhook-store.js'

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
  open(): Promise<{ readonly store: WebhookStore; close(): Promise<void> }>
  /** Moves the store's clock forward by `ms` milliseconds, for every handle. Nothing else moves it. */
  advance(ms: number): Promise<void>
}

/** One MUST of the {@link WebhookStore} port. `run` rejects when the store breaks it. */
export interface WebhookStoreCase {
  /** Stable, `WS-…`. */
  readonly id: string
  /** A sentence with MUST. */
  readonly name: string
  run(harness: WebhookStoreHarness): Promise<void>
}

/** Every MUST of the {@link WebhookStore} port. */
export const webhookStoreCases: readonly WebhookStoreCase[] = []
