import { movingCases } from './transaction-store/moving-cases.js'
import { publishingCases } from './transaction-store/publishing-cases.js'
import type { TransactionStoreCase } from './transaction-store/harness.js'

/**
 * Lists the rules of the `TransactionStore` port as cases for any test runner. Each case needs a fresh harness.
 *
 * @example
 * ```ts
 * import { createMemoryTransactionStore, createMemoryWebhookData, createMemoryWebhookStore, transactionStoreCases } from '@kyc-relay/webhooks/testing'
 *
 * for (const { run } of transactionStoreCases) {
 *   const data = createMemoryWebhookData()
 *   const store = createMemoryTransactionStore({ data })
 *   const webhooks = createMemoryWebhookStore({ data })
 *   await run({ open: async () => ({ store, webhooks, close: async () => {} }) })
 * }
 * ```
 */
export const transactionStoreCases: readonly TransactionStoreCase[] = [...movingCases, ...publishingCases]
