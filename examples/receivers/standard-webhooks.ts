// Refusing replays: the endpoint has opted in to the Standard Webhooks headers, which sign the id and the time too.
import { createWebhookHandler, type DeduplicationStore } from '@kyc-relay/webhooks'

/** What is yours: the application's API key, and what to do about one kind of event. */
interface Options {
  readonly apiKey: string
  readonly onDeposit: (customer: string, amount: number) => Promise<void>
  readonly deduplicate: DeduplicationStore
  readonly now: () => Date
}

export function createReplayProofHandler({ apiKey, onDeposit, deduplicate, now }: Options) {
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
