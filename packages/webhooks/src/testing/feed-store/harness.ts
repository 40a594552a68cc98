import { ok } from 'node:assert/strict'
import type { WebhookStore } from '../../delivery/webhook-store.js'
import type { FeedStore, ListedEvent } from '../../feed/feed-store.js'
import { createRecordedCalls } from '../recorded-calls.js'

/** One handle on a harness's data. */
export interface FeedStoreHandle {
  readonly store: FeedStore
  /** Webhook store on the same data, for the events. */
  readonly webhooks: WebhookStore
  /** Blanks the bodies of all events without a pending delivery, as retention does. */
  blankBodies(): Promise<void>
  /** Closes only this handle. */
  close(): Promise<void>
}

/** What a backend provides. Every case gets a fresh harness on empty data. */
export interface FeedStoreHarness {
  /**
   * Opens a handle. A second call opens another one on the same data, like another process. A call after all handles
   * were closed sees the written data.
   */
  open(): Promise<FeedStoreHandle>
  /** Advances the store's clock by `ms` milliseconds for every handle. The clock does not move otherwise. */
  advance(ms: number): Promise<void>
}

/** One rule of the {@link FeedStore} port. `run` rejects when the store breaks it. */
export interface FeedStoreCase {
  /** Stable, `FS-…`. */
  readonly id: string
  /** A sentence with MUST. */
  readonly name: string
  /** Rejects when the store breaks the rule in `name`. */
  run(harness: FeedStoreHarness): Promise<void>
}

/** Creates a case that closes its handles afterwards, also after a failure. */
export function feedStoreCase(
  id: string,
  name: string,
  run: (use: {
    readonly store: FeedStore
    readonly webhooks: WebhookStore
    readonly other: FeedStoreHandle
    advance(ms: number): Promise<void>
  }) => Promise<void>,
): FeedStoreCase {
  return {
    id,
    name,
    async run(harness) {
      const [one, other] = [await harness.open(), await harness.open()]
      const { record, explain } = createRecordedCalls()
      const recorded = (handle: FeedStoreHandle) => {
        return { ...handle, store: record(handle.store), webhooks: record(handle.webhooks) }
      }
      try {
        const { store, webhooks } = recorded(one)
        const advance = (ms: number) => harness.advance(ms)
        await explain(() => run({ store, webhooks, other: recorded(other), advance }))
      } finally {
        await one.close()
        await other.close()
      }
    },
  }
}

/** Waits until no open transaction holds back events, at most 20 seconds. */
export async function settled(store: FeedStore): Promise<void> {
  for (const until = Date.now() + 20_000; ((await store.measureLag()) ?? 0) > 0;) {
    ok(Date.now() < until, 'measureLag becomes 0 when no transaction is open')
  }
}

/** Lists the events after a cursor once nothing holds them back; fails if the cursor is unknown. */
export async function listSettled(
  store: FeedStore,
  request: Parameters<FeedStore['listAfter']>[0],
): Promise<readonly ListedEvent[]> {
  await settled(store)
  const listed = await store.listAfter(request)
  ok(listed !== null, 'listAfter knows a cursor of findCursor or of an event')
  return listed
}
