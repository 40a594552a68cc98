// Refuses replays. The endpoint asked for the Standard Webhooks headers, which sign the id and the time too.
import { createWebhookHandler, type DeduplicationStore } from '@kyc-relay/webhooks'

/** The app's API key, and your code for one event type. */
interface Options {
  readonly apiKey: string
  readonly onDeposit: (customer: string, amount: number) => Promise<void>
  readonly deduplicate: DeduplicationStore
  readonly now: () => Date
}

export function createReplayProofHandler({ apiKey, onDeposit, deduplicate, now }: Options) {
  return createWebhookHandler({
    secrets: apiKey,
    // Refuses a time that differs by more than five minutes. Within them, the store knows every processed id.
    standardWebhooks: { now, toleranceMs: 300_000 },
    deduplicate,
    onEvent: async ({ type, event, test }) => {
      if (test) return
      if (type === 'WIDGET_DEPOSIT_COMPLETE') await onDeposit(event.externalReferenceId, event.amount)
    },
  })
}
