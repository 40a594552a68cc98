import type { PublishedBefore, TransactionStore } from '../publishing/transaction-store.js'
import type { TransactionEventType } from '../events/transaction-status.js'
import {
  createMemoryWebhookData,
  findBySource,
  answerAgain,
  writeEvent,
  type MemoryWebhookData,
} from './memory-webhook-data.js'

/**
 * Creates a {@link TransactionStore} in memory, for tests.
 *
 * @param options.data - data of the webhook store for its events; default: separate data
 * @param options.nowMs - the store's clock, milliseconds since 1970; default `Date.now`
 *
 * @example
 * ```ts
 * import { createMemoryTransactionStore, createMemoryWebhookData, createMemoryWebhookStore } from '@kyc-relay/webhooks/testing'
 *
 * const data = createMemoryWebhookData()
 * const [transactions, webhooks] = [createMemoryTransactionStore({ data }), createMemoryWebhookStore({ data })]
 * ```
 */
export function createMemoryTransactionStore(
  options: { readonly data?: MemoryWebhookData; readonly nowMs?: () => number } = {},
): TransactionStore {
  const { data = createMemoryWebhookData(), nowMs = Date.now } = options

  function findPublished(appId: string, sourceEventId: string): PublishedBefore | null {
    const found = findBySource(data, appId, sourceEventId)
    if (found === undefined) return null
    const event = answerAgain(data, found)
    const move = data.moves.get(event.eventId)
    // Only a transaction event changes a transaction.
    const told = move && {
      transactionId: move.transactionId,
      state: move.next,
      eventType: move.event.type as TransactionEventType,
    }
    return { event, move: told ?? null }
  }

  return {
    async findTransaction({ transactionId, appId, sourceEventId }) {
      const transaction = structuredClone(data.transactions.get(transactionId) ?? null)
      const owner = appId ?? transaction?.appId ?? null
      const known = owner !== null && sourceEventId !== null
      return { transaction, publishedBefore: known ? findPublished(owner, sourceEventId) : null }
    },

    async moveTransaction(move) {
      const { transactionId, fromRevision, next, event } = move
      if (findBySource(data, event.appId, event.sourceEventId) !== undefined) return 'stale'
      const before = data.transactions.get(transactionId)
      if ((before?.revision ?? 0) !== fromRevision) return 'stale'
      // The event is written first: when it is refused, nothing is written.
      const inserted = writeEvent(data, event, nowMs())
      const { appId, userId } = before ?? move
      const fields = structuredClone(move.fields)
      data.transactions.set(transactionId, {
        transactionId,
        appId,
        userId,
        state: next,
        revision: fromRevision + 1,
        fields,
      })
      data.moves.set(event.eventId, move)
      return inserted
    },
  }
}
