import { eventListCases } from './recovery-store/event-list-cases.js'
import type { RecoveryStoreCase } from './recovery-store/harness.js'
import { lifeCases } from './recovery-store/life-cases.js'
import { stepCases } from './recovery-store/step-cases.js'

/**
 * Lists the rules of the `RecoveryStore` port as cases for any test runner. Each case needs a fresh harness.
 *
 * @example
 * ```ts
 * import { blankBodies, createMemoryRecoveryStore, createMemoryWebhookData, createMemoryWebhookStore, recoveryStoreCases } from '@kyc-relay/webhooks/testing'
 *
 * for (const { run } of recoveryStoreCases) {
 *   let now = Date.parse('2026-01-01T00:00:00Z')
 *   const options = { data: createMemoryWebhookData(), nowMs: () => now }
 *   const stores = { store: createMemoryRecoveryStore(options), webhooks: createMemoryWebhookStore(options) }
 *   const handle = { ...stores, blankBodies: async () => blankBodies(options.data), close: async () => {} }
 *   await run({ open: async () => handle, advance: async (ms) => void (now += ms) })
 * }
 * ```
 */
export const recoveryStoreCases: readonly RecoveryStoreCase[] = [...lifeCases, ...eventListCases, ...stepCases]
