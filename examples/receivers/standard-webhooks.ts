// Refusing replays: the endpoint has opted in to the Standard Webhooks headers, which sign the id and the time too.
import { createWebhookHandler, type DeduplicationStore } from '@kyc-relay/webhooks'
import type { RecipeOptions } from './recipe-options.js'

export function createReplayProofHandler({
  apiKey,
  onDeposit,
  deduplicate,
  now,
}: RecipeOptions & { deduplicate: DeduplicationStore; now: () => Date }) {
  return createWebhookHandler({
    secrets: apiKey,
    // Older or newer than five minutes is refused. Within them the store knows every id that was processed.
    standardWebhooks: { now, toleranceMs: 300_000 },
    deduplicate,
    onEvent: async ({ type, event }) => {
      if (type === 'WIDGET_DEPOSIT_COMPLETE') await onDeposit(event.externalReferenceId, event.amount)
    },
  })
}
