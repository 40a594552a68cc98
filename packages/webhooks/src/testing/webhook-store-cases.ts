import { cancelCases } from './webhook-store/cancel-cases.js'
import { claimCases } from './webhook-store/claim-cases.js'
import { endpointHourCases } from './webhook-store/endpoint-hour-cases.js'
import { endpointCases } from './webhook-store/endpoint-cases.js'
import { eventCases } from './webhook-store/event-cases.js'
import type { WebhookStoreCase } from './webhook-store/harness.js'
import { leaseCases } from './webhook-store/lease-cases.js'
import { lineageCases } from './webhook-store/lineage-cases.js'
import { endpointHealthCases } from './webhook-store/endpoint-health-cases.js'
import { pauseCases } from './webhook-store/pause-cases.js'
import { readingCases } from './webhook-store/reading-cases.js'
import { resendCases } from './webhook-store/resend-cases.js'
import { sourceCases } from './webhook-store/source-cases.js'
import { attemptResultCases } from './webhook-store/attempt-result-cases.js'

/**
 * Lists the rules of the `WebhookStore` port as cases for any test runner. Each case needs a fresh harness.
 *
 * @example
 * ```ts
 * import { createMemoryWebhookStore, webhookStoreCases } from '@kyc-relay/webhooks/testing'
 *
 * for (const { run } of webhookStoreCases) {
 *   let nowMs = Date.parse('2026-01-01T00:00:00Z')
 *   const store = createMemoryWebhookStore({ nowMs: () => nowMs })
 *   await run({ open: async () => ({ store, close: async () => {} }), advance: async (ms) => void (nowMs += ms) })
 * }
 * ```
 */
export const webhookStoreCases: readonly WebhookStoreCase[] = [
  ...endpointCases,
  ...lineageCases,
  ...pauseCases,
  ...endpointHealthCases,
  ...eventCases,
  ...sourceCases,
  ...claimCases,
  ...leaseCases,
  ...attemptResultCases,
  ...cancelCases,
  ...endpointHourCases,
  ...readingCases,
  ...resendCases,
]
