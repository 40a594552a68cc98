import type { TransactionStore } from '@kyc-relay/webhooks/delivery'

type Move = Parameters<TransactionStore['moveTransaction']>[0]

/** What a `TransactionStore` does, as plainly as it can be said. */
export function createTransactionModel(rest: {
  isKnownSource(appId: string, sourceEventId: string | null): boolean
  insertEvent(event: Move['event']): unknown
}) {
  const transactions = new Map<
    string,
    Pick<Move, 'transactionId' | 'appId' | 'userId' | 'fields'> & { state: string; revision: number }
  >()

  return {
    revisionOf: (transactionId: string) => transactions.get(transactionId)?.revision ?? 0,
    findTransaction: (transactionId: string) => transactions.get(transactionId) ?? null,
    moveTransaction(move: Move) {
      const { transactionId, fromRevision, next, fields, event } = move
      const before = transactions.get(transactionId)
      if (rest.isKnownSource(event.appId, event.sourceEventId) || (before?.revision ?? 0) !== fromRevision)
        return 'stale'
      const { appId, userId } = before ?? move
      transactions.set(transactionId, { transactionId, appId, userId, state: next, revision: fromRevision + 1, fields })
      return rest.insertEvent(event)
    },
  }
}
