import type { WebhookStore } from '@kyc-relay/webhooks/delivery'
import { endpoint, uuid } from '../samples.js'

/** One filter of each kind, and some together. */
export const orderedFilters: readonly Omit<Parameters<WebhookStore['listDeliveries']>[0], 'appId' | 'limit'>[] = [
  ...([{}, { state: 'PENDING' }, { state: 'DELIVERED' }, { state: 'FAILED' }, { state: 'CANCELLED' }] as const),
  ...([{ eventType: 'TRANSACTION_CREATE' }, { endpointId: endpoint('a').endpointId }, { httpStatus: 500 }] as const),
  ...[{ httpStatus: 200 }, { httpStatus: 202 }, { createdAfter: new Date(1) }, { createdBefore: new Date(1) }],
  ...([{ state: 'FAILED', endpointId: uuid('x'), httpStatus: 500, createdAfter: new Date(1) }] as const),
]
/** Filters that leave a few rows, which are sorted. */
export const selectiveFilters = [
  ...[{ eventId: uuid('x') }, { xEventId: uuid('x') }, { userId: uuid('x') }, { transactionId: uuid('x') }],
  { eventId: uuid('x'), userId: uuid('x'), state: 'FAILED', httpStatus: 500 },
] as const
