import { deepEqual } from 'node:assert/strict'
import type { Endpoint, InsertedEvent } from '../../delivery/webhook-store.js'
import type { TransactionMove, TransactionStore } from '../../publishing/transaction-store.js'
import { appA, createSamples, userOne } from '../webhook-store/sample-records.js'

/** Creates fresh ids, endpoints and moves for one case. */
export function createMoveSamples() {
  const samples = createSamples()

  /** Creates the first move of a new transaction, with its event to these endpoints. */
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

/** Writes a move and expects success. */
export async function moved(store: TransactionStore, move: TransactionMove): Promise<InsertedEvent> {
  const written = await store.moveTransaction(move)
  if (written === 'stale') throw new Error('The move was already written, or its revision is outdated.')
  return written
}

/** Expects the state of the transaction after a move. */
export async function standsAs(
  store: TransactionStore,
  { transactionId, appId, userId, next, fields }: TransactionMove,
  revision: number,
) {
  const { transaction } = await store.findTransaction({ transactionId, appId, sourceEventId: null })
  deepEqual(transaction, { transactionId, appId, userId, state: next, revision, fields })
}
