export {
  deduplicationStoreCases,
  type DeduplicationStoreCase,
  type DeduplicationStoreHarness,
} from './deduplication-store-cases.js'
export { createMemoryTransactionStore } from './memory-transaction-store.js'
export { createMemoryWebhookData, type MemoryWebhookData } from './memory-webhook-data.js'
export { createMemoryWebhookStore } from './memory-webhook-store.js'
export { signatureVectors, type SignatureVector } from './signature-vectors.js'
export type {
  TransactionStoreCase,
  TransactionStoreHandle,
  TransactionStoreHarness,
} from './transaction-store/harness.js'
export { transactionStoreCases } from './transaction-store-cases.js'
export type { WebhookStoreCase, WebhookStoreHandle, WebhookStoreHarness } from './webhook-store/harness.js'
export { webhookStoreCases } from './webhook-store-cases.js'
