export {
  deduplicationStoreCases,
  type DeduplicationStoreCase,
  type DeduplicationStoreHarness,
} from './deduplication-store-cases.js'
export { createMemoryWebhookStore } from './memory-webhook-store.js'
export { signatureVectors, type SignatureVector } from './signature-vectors.js'
export type { WebhookStoreCase, WebhookStoreHandle, WebhookStoreHarness } from './webhook-store/harness.js'
export { webhookStoreCases } from './webhook-store-cases.js'
