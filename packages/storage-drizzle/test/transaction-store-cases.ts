import type { TransactionStore, WebhookStore } from '@kyc-relay/webhooks/delivery'
import { expect } from 'vitest'
import { endpoint, transactionMove, uuid } from './samples.js'

/** What an engine opens for one case: its stores on empty data. */
export interface OpenedForTransactions {
  readonly transactions: TransactionStore
  readonly webhooks: WebhookStore
}

const hook = endpoint('a')
const deliveriesOf = async (webhooks: WebhookStore) =>
  (await webhooks.listDeliveries({ appId: hook.appId, limit: 200 })).items.length

/** What a `TransactionStore` must do, for every engine. */
export const transactionStoreCases: readonly {
  readonly name: string
  run(opened: OpenedForTransactions): Promise<void>
}[] = [
  {
    name: 'writes a move, its event and its deliveries together and reads them back',
    async run({ transactions, webhooks }) {
      const move = transactionMove('one', [hook], { sourceEventId: 'ledger-1' })
      const { transactionId } = move
      const lookUp = { transactionId, appId: hook.appId, sourceEventId: 'ledger-1' }
      expect(await transactions.findTransaction(lookUp)).toEqual({ transaction: null, publishedBefore: null })
      const written = await transactions.moveTransaction(move)
      const deliveries = move.event.deliveries.map(({ deliveryId, endpointId }) => ({ deliveryId, endpointId }))
      expect(written).toEqual({ eventId: move.event.eventId, deliveries, withheld: null, duplicate: false })
      expect(await deliveriesOf(webhooks)).toBe(1)
      const { appId, userId, fields } = move
      const found = {
        transaction: { transactionId, appId, userId, state: 'PENDING', revision: 1, fields },
        publishedBefore: {
          event: { eventId: move.event.eventId, deliveries, withheld: null, duplicate: true },
          move: { transactionId, state: 'PENDING', eventType: move.event.type },
        },
      }
      expect(await transactions.findTransaction(lookUp)).toEqual(found)
      expect(await transactions.findTransaction({ ...lookUp, appId: null })).toEqual(found)
      expect(await transactions.findTransaction({ ...lookUp, sourceEventId: null })).toEqual({
        ...found,
        publishedBefore: null,
      })
      const otherApp = await transactions.findTransaction({ ...lookUp, appId: uuid('other app') })
      expect(otherApp.publishedBefore).toBeNull()
    },
  },
  {
    name: 'writes nothing from a revision that is not the present one',
    async run({ transactions, webhooks }) {
      await transactions.moveTransaction(transactionMove('one', [hook]))
      const next = 'SETTLED' as const
      for (const fromRevision of [0, 2, 7]) {
        const stale = transactionMove(`one`, [hook], { fromRevision, next })
        const renamed = { ...stale, event: { ...stale.event, eventId: uuid(`stale ${fromRevision}`) } }
        expect(await transactions.moveTransaction(renamed)).toBe('stale')
      }
      expect(await deliveriesOf(webhooks)).toBe(1)
      await transactions.moveTransaction(transactionMove('one', [hook], { fromRevision: 1, next, fields: null }))
      const { transactionId } = transactionMove('one', [])
      const { transaction } = await transactions.findTransaction({ transactionId, appId: null, sourceEventId: null })
      expect(transaction).toMatchObject({ state: 'SETTLED', revision: 2, fields: null })
    },
  },
  {
    name: 'writes nothing under a sourceEventId that is known, also that of an event without a transaction',
    async run({ transactions, webhooks }) {
      const first = transactionMove('one', [hook], { sourceEventId: 'ledger-1' })
      await transactions.moveTransaction(first)
      const again = transactionMove('two', [hook], { sourceEventId: 'ledger-1' })
      expect(await transactions.moveTransaction(again)).toBe('stale')
      const widget = { ...transactionMove('three', [hook]).event, sourceEventId: 'widget-1' }
      await webhooks.insertEvent(widget)
      expect(await transactions.moveTransaction(transactionMove('four', [], { sourceEventId: 'widget-1' }))).toBe(
        'stale',
      )
      const { transactionId } = again
      const lookUp = { transactionId, appId: hook.appId, sourceEventId: 'widget-1' }
      expect(await transactions.findTransaction(lookUp)).toMatchObject({
        transaction: null,
        publishedBefore: { event: { eventId: widget.eventId }, move: null },
      })
      expect(await deliveriesOf(webhooks)).toBe(2)
    },
  },
  {
    name: 'writes exactly one of many concurrent moves from one revision',
    async run({ transactions, webhooks }) {
      await transactions.moveTransaction(transactionMove('one', []))
      const moves = Array.from({ length: 20 }, (_, racer) => {
        const move = transactionMove('one', [hook], { fromRevision: 1, next: racer % 2 ? 'SETTLED' : 'DECLINED' })
        const [delivery] = move.event.deliveries
        const ids = { deliveryId: uuid(`delivery ${racer}`), xEventId: uuid(`x ${racer}`), endpointId: hook.endpointId }
        return {
          ...move,
          event: { ...move.event, eventId: uuid(`race ${racer}`), deliveries: [{ ...delivery, ...ids }] },
        }
      })
      const answers = await Promise.all(moves.map((move) => transactions.moveTransaction(move)))
      expect(answers.filter((answer) => answer !== 'stale')).toHaveLength(1)
      expect(await deliveriesOf(webhooks)).toBe(1)
      const { transactionId } = transactionMove('one', [])
      const { transaction } = await transactions.findTransaction({ transactionId, appId: null, sourceEventId: null })
      expect(transaction?.revision).toBe(2)
    },
  },
]
