import { blankBodies, createMemoryWebhookData, createMemoryWebhookStore } from '../../src/testing/index.js'
import type { RecoveryStoreHandle } from '../../src/testing/recovery-store/harness.js'
import type { FeedStoreHandle } from '../../src/testing/feed-store/harness.js'
import { createMemoryRecoveryStore } from '../../src/testing/memory-recovery-store.js'
import { createMemoryFeedStore } from '../../src/testing/memory-feed-store.js'
import type { MemoryWebhookData } from '../../src/testing/memory-webhook-data.js'

type Stores<Store> = { store: Store; webhooks: FeedStoreHandle['webhooks'] }
type Spoil<Store> = (stores: Stores<Store>, data: MemoryWebhookData) => Partial<Stores<Store>>

function harnessOf<Store>(create: (data: MemoryWebhookData, nowMs: () => number) => Store, spoil?: Spoil<Store>) {
  let now = Date.parse('2026-03-01T12:00:00.000Z')
  const nowMs = () => now
  const data = createMemoryWebhookData()
  const right = { store: create(data, nowMs), webhooks: createMemoryWebhookStore({ data, nowMs }) }
  const wrong = { ...right, ...spoil?.(right, data) }
  return {
    open: async () => ({ ...wrong, blankBodies: async () => blankBodies(data), close: async () => {} }),
    advance: async (ms: number) => void (now += ms),
  }
}

/** Harness on a feed in memory, and if asked one that is wrong. */
export const feedHarness = (spoil?: Spoil<FeedStoreHandle['store']>) =>
  harnessOf((data) => createMemoryFeedStore({ data }), spoil)

/** Harness on recoveries in memory, and if asked ones that are wrong. */
export const recoveryHarness = (spoil?: Spoil<RecoveryStoreHandle['store']>) =>
  harnessOf((data, nowMs) => createMemoryRecoveryStore({ data, nowMs }), spoil)
