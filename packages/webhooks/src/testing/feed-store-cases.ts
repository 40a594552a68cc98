import { cursorCases } from './feed-store/cursor-cases.js'
import type { FeedStoreCase } from './feed-store/harness.js'
import { listingCases } from './feed-store/listing-cases.js'

/**
 * Lists the rules of the `FeedStore` port as cases for any test runner. Each case needs a fresh harness. A cursor that is
 * ahead of the database is left to the tests of each store: it takes the restore of a backup.
 *
 * @example
 * ```ts
 * import { blankBodies, createMemoryFeedStore, createMemoryWebhookData, createMemoryWebhookStore, feedStoreCases } from '@kyc-relay/webhooks/testing'
 *
 * for (const { run } of feedStoreCases) {
 *   let nowMs = Date.parse('2026-01-01T00:00:00Z')
 *   const data = createMemoryWebhookData()
 *   const store = createMemoryFeedStore({ data })
 *   const webhooks = createMemoryWebhookStore({ data, nowMs: () => nowMs })
 *   const handle = { store, webhooks, blankBodies: async () => blankBodies(data), close: async () => {} }
 *   await run({ open: async () => handle, advance: async (ms) => void (nowMs += ms) })
 * }
 * ```
 */
export const feedStoreCases: readonly FeedStoreCase[] = [...listingCases, ...cursorCases]
