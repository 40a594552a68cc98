import { deepEqual, equal } from 'node:assert/strict'
import { appA, appB, listAll, racers } from '../webhook-store/sample-records.js'
import { transactionStoreCase, type TransactionStoreCase } from './harness.js'
import { originalOf } from '../memory-webhook-data.js'
import { createMoveSamples, moved, standsAs } from './sample-moves.js'

/** Cases about events with a `sourceEventId`. */
export const publishingCases: readonly TransactionStoreCase[] = [
  transactionStoreCase(
    'TS-SOURCE-1',
    'An event MUST be found by its sourceEventId with its move, also after later moves',
    async ({ store, other, webhooks }) => {
      const { registered, move } = createMoveSamples()
      const first = move([await registered(webhooks)], { sourceEventId: 'deposit-1' })
      const { transactionId } = first
      const written = await moved(store, first)
      const settled = move([], { transactionId, fromRevision: 1, next: 'SETTLED', sourceEventId: 'deposit-2' })
      await moved(store, settled)
      const publishedBefore = {
        event: { ...written, duplicate: true, original: originalOf(first.event) },
        move: { transactionId, state: 'PENDING', eventType: 'TRANSACTION_CREATE' },
      }
      for (const appId of [appA, null]) {
        const found = await other.findTransaction({ transactionId, appId, sourceEventId: 'deposit-1' })
        deepEqual(found.publishedBefore, publishedBefore)
        equal(found.transaction?.state, 'SETTLED')
      }
      const later = await other.findTransaction({ transactionId, appId: appA, sourceEventId: 'deposit-2' })
      deepEqual(later.publishedBefore?.move, { transactionId, state: 'SETTLED', eventType: 'TRANSACTION_UPDATE' })
      for (const sourceEventId of ['deposit-3', 'Deposit-1', null]) {
        equal((await other.findTransaction({ transactionId, appId: appA, sourceEventId })).publishedBefore, null)
      }
    },
  ),

  transactionStoreCase(
    'TS-SOURCE-2',
    'A move under a known sourceEventId MUST write nothing',
    async ({ store, other, webhooks }) => {
      const { registered, move } = createMoveSamples()
      const to = [await registered(webhooks)]
      const first = move(to, { sourceEventId: 'deposit-1' })
      await moved(store, first)
      const again = move(to, { sourceEventId: 'deposit-1' })
      equal(await other.moveTransaction(again), 'stale')
      const { transactionId } = first
      equal(
        await other.moveTransaction(move(to, { transactionId, fromRevision: 1, sourceEventId: 'deposit-1' })),
        'stale',
      )
      await standsAs(store, first, 1)
      const { transactionId: unwritten } = again
      equal(
        (await store.findTransaction({ transactionId: unwritten, appId: appA, sourceEventId: null })).transaction,
        null,
      )
      equal((await listAll(webhooks)).length, 1)
    },
  ),

  transactionStoreCase(
    'TS-SOURCE-3',
    'A sourceEventId of an event without a move MUST count as known, and be answered without a move',
    async ({ store, webhooks }) => {
      const { registered, event, move } = createMoveSamples()
      const to = [await registered(webhooks)]
      const prepared = event(to, { sourceEventId: 'widget-1' })
      const widget = await webhooks.insertEvent(prepared)
      const late = move(to, { sourceEventId: 'widget-1' })
      equal(await store.moveTransaction(late), 'stale')
      const { transactionId } = late
      deepEqual(await store.findTransaction({ transactionId, appId: appA, sourceEventId: 'widget-1' }), {
        transaction: null,
        publishedBefore: {
          event: { ...widget, duplicate: true, original: originalOf(prepared) },
          move: null,
        },
      })
    },
  ),

  transactionStoreCase(
    'TS-SOURCE-4',
    'The event of a move MUST be the original for the same sourceEventId without a move',
    async ({ store, webhooks }) => {
      const { registered, event, move } = createMoveSamples()
      const to = [await registered(webhooks)]
      const written = await moved(store, move(to, { sourceEventId: 'deposit-1' }))
      const again = await webhooks.insertEvent(event(to, { sourceEventId: 'deposit-1' }))
      deepEqual({ ...again, original: null }, { ...written, duplicate: true })
    },
  ),

  transactionStoreCase(
    'TS-SOURCE-5',
    'Of racing moves of several transactions with one sourceEventId exactly one MUST be written',
    async ({ store, other, webhooks }) => {
      const { registered, move } = createMoveSamples()
      const to = [await registered(webhooks)]
      const racing = Array.from({ length: racers }, () => move(to, { sourceEventId: 'deposit-1' }))
      const answers = await Promise.allSettled(
        racing.map((one, racer) => (racer % 2 ? store : other).moveTransaction(one)),
      )
      const written = answers.filter((answer) => answer.status === 'fulfilled' && answer.value !== 'stale')
      equal(written.length, 1)
      equal(answers.filter(({ status }) => status === 'rejected').length, 0, 'the others are told that it is known')
      equal((await listAll(webhooks)).length, 1)
      const lookUps = racing.map(({ transactionId }) =>
        store.findTransaction({ transactionId, appId: appA, sourceEventId: null }),
      )
      equal((await Promise.all(lookUps)).filter(({ transaction }) => transaction !== null).length, 1)
    },
  ),

  transactionStoreCase('TS-SOURCE-6', 'A sourceEventId MUST count within its app only', async ({ store }) => {
    const { move } = createMoveSamples()
    const ofA = move([], { sourceEventId: 'deposit-1' })
    const ofB = move([], { sourceEventId: 'deposit-1', appId: appB })
    await moved(store, ofA)
    await moved(store, ofB)
    for (const { transactionId, appId, event } of [ofA, ofB]) {
      // Without an app id, the app is that of the transaction.
      for (const asked of [appId, null]) {
        const found = await store.findTransaction({ transactionId, appId: asked, sourceEventId: 'deposit-1' })
        equal(found.publishedBefore?.event.eventId, event.eventId)
      }
    }
  }),

  transactionStoreCase(
    'TS-SOURCE-7',
    'A move whose endpoint was removed or is another app’s MUST be written without that delivery',
    async ({ store, webhooks }) => {
      const { registered, move } = createMoveSamples()
      const [kept, gone, foreign] = [
        await registered(webhooks),
        await registered(webhooks),
        await registered(webhooks, { appId: appB }),
      ]
      const written = move([gone, kept, foreign])
      await webhooks.removeEndpoint({ appId: appA, endpointId: gone.endpointId })
      const { deliveries } = await moved(store, written)
      deepEqual(
        deliveries.map(({ endpointId }) => endpointId),
        [kept.endpointId],
      )
      await standsAs(store, written, 1)
      equal((await listAll(webhooks)).length, 1)
    },
  ),

  transactionStoreCase(
    'TS-SOURCE-8',
    'A move whose event is withheld MUST be written, with the reason',
    async ({ store }) => {
      const { move } = createMoveSamples()
      const plain = move([], { sourceEventId: 'deposit-1' })
      const withheld = { ...plain, event: { ...plain.event, withheld: 'NO_ENDPOINT' as const, body: new Uint8Array() } }
      equal((await moved(store, withheld)).withheld, 'NO_ENDPOINT')
      const { transactionId } = plain
      const found = await store.findTransaction({ transactionId, appId: appA, sourceEventId: 'deposit-1' })
      deepEqual([found.publishedBefore?.event.withheld, found.publishedBefore?.event.deliveries], ['NO_ENDPOINT', []])
    },
  ),

  transactionStoreCase(
    'TS-SOURCE-9',
    'The event of a known sourceEventId MUST name the endpoint that has its delivery now',
    async ({ store, webhooks }) => {
      const { registered, endpoint, move } = createMoveSamples()
      const old = await registered(webhooks)
      const written = move([old], { sourceEventId: 'deposit-1' })
      await moved(store, written)
      const replacement = endpoint()
      equal(await webhooks.replaceEndpoint({ ...old, replacement }), 'replaced')
      const { transactionId } = written
      const found = await store.findTransaction({ transactionId, appId: appA, sourceEventId: 'deposit-1' })
      deepEqual(
        found.publishedBefore?.event.deliveries.map(({ endpointId }) => endpointId),
        [replacement.endpointId],
      )
    },
  ),
]
