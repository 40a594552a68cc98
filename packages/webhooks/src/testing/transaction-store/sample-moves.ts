import { deepEqual } from 'node:assert/strict'
import type { Endpoint, InsertedEvent } from '../../delivery/webhook-store.js'
import type { TransactionMove, TransactionStore } from '../../publishing/transaction-store.js'
import { appA, createSamples, userOne } from '../webhook-store/sample-records.js'

/** Fresh ids, endpoints and moves for one case. */
export function createMoveSamples() {
  const samples = createSamples()

  /** The first move of a new transaction, with its event to these endpoints. */
  function move(
    to: readonly Endpoint[],
    fields: Partial<Omit<TransactionMove, 'event'>> & { readonly sourceEventId?: string } = {},
  ): TransactionMove {
    const { sourceEventId = null, ...given } = fields
    const { appId = appA, userId = userOne, fromRevision = 0 } = given
    const type = fromRevision === 0 ? 'TRANSACTION_CREATE' : 'TRANSACTION_UPDATE'
    return {
      transactionId: samples.id(),
      appId,
      userId,
      fromRevision,
      next: 'PENDING',
      fields: { amount: 42.5 },
      movedAt: new Date('2026-01-02T03:04:05.678Z'),
      event: samples.event(to, { appId, userId, type, sourceEventId }),
      ...given,
    }
  }

  return { ...samples, move }
}

/** Moves a transaction and expects it to be written. */
export async function moved(store: TransactionStore, move: TransactionMove): Promise<InsertedEvent> {
  const written = await store.moveTransaction(move)
  if (written === 'stale') throw new Error('The move was written before, or its revision is not the present one.')
  return written
}

/** Expects the transaction to stand as a move left it. */
export async function standsAs(
  store: TransactionStore,
  { transactionId, appId, userId, next, fields }: TransactionMove,
  revision: number,
) {
  const { transaction } = await store.findTransaction({ transactionId, appId, sourceEventId: null })
  deepEqual(transaction, { transactionId, appId, userId, state: next, revision, fields })
}
