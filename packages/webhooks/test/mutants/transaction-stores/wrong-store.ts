import type { TransactionStore, WebhookStore } from '@kyc-relay/webhooks/delivery'
import type { MemoryWebhookData } from '../../../src/testing/memory-webhook-data.js'

/** A transaction store with the webhook store on the same data. */
export type Store = TransactionStore & Required<WebhookStore>

/** Replaces some methods of a right store by wrong ones. `onClosed` runs a callback when the last handle is closed. */
export type Spoil = (store: Store, data: MemoryWebhookData, onClosed: (forget: () => void) => void) => Partial<Store>

/** A store with one mistake, and the only case that fails with it. */
export type WrongStore = readonly [what: string, caughtBy: string, spoil: Spoil]

export const sourceKey = (appId: string, sourceEventId: string | null) => JSON.stringify([appId, sourceEventId])
