import type { TransactionStore } from '@kyc-relay/webhooks/delivery'
import { describe, expect, test } from 'vitest'
import {
  createMemoryTransactionStore,
  createMemoryWebhookData,
  createMemoryWebhookStore,
  transactionStoreCases,
} from '../../src/testing/index.js'
import type { MemoryWebhookData } from '../../src/testing/memory-webhook-data.js'

/** One broken promise each, as somebody's first version of a backend would break it. */
const wrongStores: readonly {
  readonly what: string
  spoil(store: TransactionStore, data: MemoryWebhookData): Partial<TransactionStore>
}[] = [
  {
    what: 'looks at the revision, then writes',
    spoil: (store, data) => ({
      async moveTransaction(move) {
        const { transaction } = await store.findTransaction({ ...move, sourceEventId: null })
        if ((transaction?.revision ?? 0) !== move.fromRevision) return 'stale'
        await Promise.resolve()
        if (move.fromRevision > 0 && transaction !== null) data.transactions.set(move.transactionId, transaction)
        else data.transactions.delete(move.transactionId)
        return store.moveTransaction(move)
      },
    }),
  },
  {
    what: 'looks for the sourceEventId, then writes',
    spoil: (store) => ({
      async moveTransaction(move) {
        const { event, ...rest } = move
        const lookUp = { ...rest, sourceEventId: event.sourceEventId }
        if ((await store.findTransaction(lookUp)).publishedBefore !== null) return 'stale'
        await Promise.resolve()
        return store.moveTransaction({ ...rest, event: { ...event, sourceEventId: null } })
      },
    }),
  },
  {
    what: 'knows the source ids of transactions only',
    spoil: (store, data) => ({
      moveTransaction(move) {
        const { appId, sourceEventId } = move.event
        const key = JSON.stringify([appId, sourceEventId])
        const known = data.eventsBySource.get(key)
        if (known !== undefined && !data.moves.has(known)) data.eventsBySource.delete(key)
        return store.moveTransaction(move)
      },
    }),
  },
  {
    what: 'finds only events that moved something',
    spoil: (store) => ({
      async findTransaction(request) {
        const found = await store.findTransaction(request)
        return found.publishedBefore?.move === null ? { ...found, publishedBefore: null } : found
      },
    }),
  },
  {
    what: 'keeps the state when the event cannot be written',
    spoil: (store, data) => ({
      async moveTransaction(move) {
        const { transactionId, appId, userId, next: state, fields } = move
        try {
          return await store.moveTransaction(move)
        } catch (error) {
          const revision = move.fromRevision + 1
          data.transactions.set(transactionId, { transactionId, appId, userId, state, revision, fields })
          throw error
        }
      },
    }),
  },
  {
    what: 'publishes nothing',
    spoil: (store) => ({
      moveTransaction: (move) => store.moveTransaction({ ...move, event: { ...move.event, deliveries: [] } }),
    }),
  },
  {
    what: 'keeps fields of former moves',
    spoil: (store, data) => ({
      moveTransaction(move) {
        const before = data.transactions.get(move.transactionId)?.fields
        return store.moveTransaction({ ...move, fields: { ...before, ...move.fields } })
      },
    }),
  },
  {
    what: 'drops fields that are null',
    spoil: (store) => ({
      moveTransaction: (move) =>
        store.moveTransaction({
          ...move,
          fields: move.fields && Object.fromEntries(Object.entries(move.fields).filter(([, value]) => value !== null)),
        }),
    }),
  },
  {
    what: 'does not count revisions',
    spoil: (store) => ({
      async findTransaction(request) {
        const found = await store.findTransaction(request)
        return { ...found, transaction: found.transaction && { ...found.transaction, revision: 1 } }
      },
    }),
  },
  {
    what: 'tells the present state for an old sourceEventId',
    spoil: (store) => ({
      async findTransaction(request) {
        const { transaction, publishedBefore } = await store.findTransaction(request)
        const move = publishedBefore?.move && transaction && { ...publishedBefore.move, state: transaction.state }
        return { transaction, publishedBefore: publishedBefore && { ...publishedBefore, move: move ?? null } }
      },
    }),
  },
  {
    what: 'takes a sourceEventId for that of every app',
    spoil: (store, data) => ({
      moveTransaction(move) {
        const { sourceEventId } = move.event
        const known = [...data.eventsBySource.keys()].some(
          (key) => (JSON.parse(key) as [string, string])[1] === sourceEventId,
        )
        return known ? Promise.resolve('stale') : store.moveTransaction(move)
      },
    }),
  },
  {
    what: 'does not know the app of a transaction',
    spoil: (store) => ({
      async findTransaction(request) {
        const found = await store.findTransaction(request)
        return request.appId === null ? { ...found, publishedBefore: null } : found
      },
    }),
  },
  {
    what: 'refuses a racing sourceEventId with an error',
    spoil: (store) => ({
      async moveTransaction(move) {
        const written = await store.moveTransaction(move)
        if (written === 'stale' && move.fromRevision === 0) throw new Error('There is such a row.')
        return written
      },
    }),
  },
  {
    what: 'forgets why an event was withheld',
    spoil: (store) => ({
      moveTransaction: (move) => store.moveTransaction({ ...move, event: { ...move.event, withheld: null } }),
    }),
  },
  {
    what: 'gives out what it keeps',
    spoil: (store, data) => ({
      async findTransaction(request) {
        const found = await store.findTransaction(request)
        return { ...found, transaction: data.transactions.get(request.transactionId) ?? null }
      },
    }),
  },
  {
    what: 'repeats values in its errors',
    spoil: (store) => ({
      moveTransaction: (move) =>
        store.moveTransaction(move).catch(() => {
          throw new Error(`Not written: ${JSON.stringify(move)}`)
        }),
    }),
  },
]

/** Ids of the cases that a store over one memory does not pass. */
async function failingCases(spoil: (typeof wrongStores)[number]['spoil']): Promise<string[]> {
  const failing: string[] = []
  for (const { id, run } of transactionStoreCases) {
    const data = createMemoryWebhookData()
    const right = createMemoryTransactionStore({ data })
    const store = { ...right, ...spoil(right, data) }
    const webhooks = createMemoryWebhookStore({ data })
    const open = () => Promise.resolve({ store, webhooks, close: () => Promise.resolve() })
    await run({ open }).catch(() => failing.push(id))
  }
  return failing
}

describe('the transaction store cases', () => {
  test('pass a store that is right', async () => {
    expect(await failingCases(() => ({}))).toEqual([])
  })

  test.each(wrongStores)('catch a store that $what', async ({ spoil }) => {
    expect(await failingCases(spoil)).not.toEqual([])
  })

  test('are each failed by a store that forgets everything, but for what is unknown', async () => {
    const failing = await failingCases(() => ({
      findTransaction: () => Promise.resolve({ transaction: null, publishedBefore: null }),
      moveTransaction: () => Promise.resolve('stale'),
    }))
    const ids = transactionStoreCases.map(({ id }) => id)
    expect(ids.filter((id) => !failing.includes(id))).toEqual(['TS-MOVE-1'])
  })
})
