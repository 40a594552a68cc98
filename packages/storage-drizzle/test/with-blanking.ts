import type { FeedStore, RecoveryStore, WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { Retention } from '../src/retention/retention.js'

interface Storage {
  readonly feed: FeedStore
  readonly recoveries: RecoveryStore
  readonly webhooks: WebhookStore
  readonly retention: Retention
  close(): Promise<void>
}

/** Handle of a port beside the webhook store, with retention that blanks every body it may. */
export function withBlanking<Port extends 'feed' | 'recoveries'>(
  { webhooks, retention, close, ...ports }: Storage,
  port: Port,
  advance: (ms: number) => Promise<void>,
) {
  return {
    store: ports[port],
    webhooks,
    async blankBodies() {
      // Retention spares what ended in this millisecond.
      await advance(1)
      while ((await retention.removeOld({ bodyAgeMs: 0 })).more);
    },
    close,
  }
}
