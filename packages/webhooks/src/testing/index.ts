export { createMemoryWebhookStore } from './memory-webhook-store.js'
export { webhookStoreCases, type WebhookStoreCase, type WebhookStoreHarness } from './webhook-store-cases.js'
