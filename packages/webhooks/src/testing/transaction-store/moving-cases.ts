import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { appA, appB, claimOne, listAll, racers, userTwo, wideClaim } from '../webhook-store/sample-records.js'
import { transactionStoreCase, type TransactionStoreCase } from './harness.js'
import { createMoveSamples, moved, standsAs } from './sample-moves.js'

const everyField = {
  text: 'Überweisung 😀 "\\ \u0001 …'.padEnd(4_000, 'é'),
  empty: '',
  none: null,
  number: -1234567.891,
  tiny: 1e-9,
  yes: true,
  list: [1, 'two', [3, null], {}],
  nested: { deep: { deeper: { createdAt: '2026-01-02T03:04:05.678Z' } } },
  'key with "quotes" and ünïcode': 1,
}

/** Cases about status changes of a transaction. */
export const movingCases: readonly TransactionStoreCase[] = [
  transactionStoreCase('TS-MOVE-1', 'An unknown transaction MUST be answered with null', async ({ store }) => {
    const { id } = createMoveSamples()
    deepEqual(await store.findTransaction({ transactionId: id(), appId: null, sourceEventId: 'deposit-1' }), {
      transaction: null,
      publishedBefore: null,
    })
  }),

  transactionStoreCase(
    'TS-MOVE-2',
    'A move, its event and its deliveries MUST be written together',
    async ({ store, other, webhooks }) => {
      const { registered, move } = createMoveSamples()
      const endpoints = [await registered(webhooks), await registered(webhooks)]
      const first = move(endpoints)
      deepEqual(await store.moveTransaction(first), {
        eventId: first.event.eventId,
        deliveries: first.event.deliveries.map(({ deliveryId, endpointId }) => ({ deliveryId, endpointId })),
        withheld: null,
        duplicate: false,
        original: null,
      })
      await standsAs(other, first, 1)
      const { claimed } = await webhooks.claimDue(wideClaim)
      deepEqual(
        claimed.map(({ eventId }) => eventId),
        [first.event.eventId, first.event.eventId],
      )
      deepEqual([...(claimed[0]?.body ?? [])], [...first.event.body])
    },
  ),

  transactionStoreCase(
    'TS-MOVE-12',
    'The deliveries of a transaction MUST be found by its id',
    async ({ store, webhooks }) => {
      const { registered, move } = createMoveSamples()
      const to = [await registered(webhooks)]
      const [first, another] = [move(to), move(to)]
      const { transactionId, appId } = first
      const last = move(to, { transactionId, fromRevision: 1, next: 'SETTLED', fields: null })
      for (const each of [first, another, last]) await moved(store, each)
      const { items } = await webhooks.listDeliveries({ appId, transactionId, limit: 9 })
      deepEqual(
        items.map(({ eventId }) => eventId),
        [last.event.eventId, first.event.eventId],
      )
      const both = await webhooks.listDeliveries({ appId, transactionId, eventId: last.event.eventId, limit: 9 })
      deepEqual(both.items.length, 1)
    },
  ),

  transactionStoreCase(
    'TS-MOVE-3',
    'Every move MUST make the revision one higher and replace the fields',
    async ({ store, other }) => {
      const { move } = createMoveSamples()
      const first = move([])
      const { transactionId } = first
      await moved(store, first)
      const second = move([], { transactionId, fromRevision: 1, fields: { note: 'only this' } })
      await moved(other, second)
      await standsAs(store, second, 2)
      const last = move([], { transactionId, fromRevision: 2, next: 'SETTLED', fields: null })
      await moved(store, last)
      await standsAs(other, last, 3)
    },
  ),

  transactionStoreCase(
    'TS-MOVE-4',
    'A move from an outdated revision MUST write nothing',
    async ({ store, webhooks }) => {
      const { registered, move } = createMoveSamples()
      const to = [await registered(webhooks)]
      const first = move(to)
      await moved(store, first)
      for (const fromRevision of [0, 2, 7]) {
        const stale = move(to, { transactionId: first.transactionId, fromRevision, next: 'SETTLED' })
        equal(await store.moveTransaction(stale), 'stale')
      }
      equal(await store.moveTransaction(move(to, { fromRevision: 1 })), 'stale', 'of an unknown transaction')
      await standsAs(store, first, 1)
      equal((await listAll(webhooks)).length, 1)
    },
  ),

  transactionStoreCase(
    'TS-MOVE-5',
    'Of racing moves from one revision exactly one MUST be written',
    async ({ store, other, webhooks }) => {
      const { registered, move } = createMoveSamples()
      const to = [await registered(webhooks)]
      const first = move([])
      const { transactionId } = first
      await moved(store, first)
      const racing = Array.from({ length: racers }, (_, racer) =>
        move(to, { transactionId, fromRevision: 1, next: racer % 2 ? 'SETTLED' : 'DECLINED', fields: { racer } }),
      )
      const answers = await Promise.all(racing.map((one, racer) => (racer % 2 ? store : other).moveTransaction(one)))
      const winners = racing.filter((_, racer) => answers[racer] !== 'stale')
      equal(winners.length, 1)
      for (const winner of winners) await standsAs(store, winner, 2)
      equal((await listAll(webhooks)).length, 1)
      equal((await claimOne(webhooks)).eventId, winners[0]?.event.eventId)
    },
  ),

  transactionStoreCase(
    'TS-MOVE-6',
    'Of racing first moves of one transaction exactly one MUST be written',
    async ({ store, other, webhooks }) => {
      const { id, registered, move } = createMoveSamples()
      const to = [await registered(webhooks)]
      const transactionId = id()
      const racing = Array.from({ length: racers }, () => move(to, { transactionId }))
      const answers = await Promise.all(racing.map((one, racer) => (racer % 2 ? store : other).moveTransaction(one)))
      equal(answers.filter((answer) => answer !== 'stale').length, 1)
      equal((await listAll(webhooks)).length, 1)
    },
  ),

  transactionStoreCase(
    'TS-MOVE-7',
    'A move whose event cannot be written MUST write nothing',
    async ({ store, webhooks }) => {
      const { registered, move } = createMoveSamples()
      const to = [await registered(webhooks)]
      const first = move(to)
      const { transactionId } = first
      await moved(store, first)
      const clashing = { ...move(to, { transactionId, fromRevision: 1, next: 'SETTLED' }), event: first.event }
      await rejects(store.moveTransaction(clashing))
      const fresh = {
        ...move(to, { sourceEventId: 'deposit-2' }),
        event: { ...first.event, sourceEventId: 'deposit-2' },
      }
      await rejects(store.moveTransaction(fresh))
      await standsAs(store, first, 1)
      const lookUp = { transactionId: fresh.transactionId, appId: appA, sourceEventId: 'deposit-2' }
      deepEqual(await store.findTransaction(lookUp), { transaction: null, publishedBefore: null })
      equal((await listAll(webhooks)).length, 1)
    },
  ),

  transactionStoreCase(
    'TS-MOVE-8',
    'Every legal value of the fields MUST come back as it went in',
    async ({ store, other }) => {
      const { move } = createMoveSamples()
      for (const fields of [everyField, {}, { list: Array.from({ length: 1_000 }, (_, index) => `item ${index}`) }]) {
        const written = move([], { fields, appId: appB, userId: userTwo })
        await moved(store, written)
        await standsAs(other, written, 1)
      }
    },
  ),

  transactionStoreCase(
    'TS-MOVE-9',
    'Later changes of the caller to its objects MUST NOT change stored fields, and reads MUST return copies',
    async ({ store }) => {
      const { move } = createMoveSamples()
      const fields = { nested: { amount: 1 } }
      const written = move([], { fields })
      await moved(store, written)
      fields.nested.amount = 2
      const asWritten = { ...written, fields: { nested: { amount: 1 } } }
      await standsAs(store, asWritten, 1)
      const lookUp = { transactionId: written.transactionId, appId: appA, sourceEventId: null }
      const { transaction } = await store.findTransaction(lookUp)
      Object.assign(transaction?.fields?.['nested'] as object, { amount: 3 })
      await standsAs(store, asWritten, 1)
    },
  ),

  {
    id: 'TS-MOVE-10',
    name: 'Written data MUST be found after every handle was closed',
    async run(harness) {
      const { move } = createMoveSamples()
      const written = move([], { sourceEventId: 'deposit-1' })
      const before = await harness.open()
      await moved(before.store, written)
      await before.close()
      const after = await harness.open()
      try {
        await standsAs(after.store, written, 1)
        const { transactionId, appId } = written
        const found = await after.store.findTransaction({ transactionId, appId, sourceEventId: 'deposit-1' })
        equal(found.publishedBefore?.event.eventId, written.event.eventId)
      } finally {
        await after.close()
      }
    },
  },

  transactionStoreCase(
    'TS-MOVE-11',
    'An error MUST NOT repeat a stored or given value',
    async ({ store, webhooks }) => {
      const { registered, move } = createMoveSamples()
      const to = [await registered(webhooks)]
      const first = move(to, { fields: { note: 'canary-field' }, sourceEventId: 'canary-source' })
      await moved(store, first)
      const clash = {
        ...move(to, { fields: { note: 'canary-other' } }),
        event: { ...first.event, sourceEventId: null },
      }
      const error: unknown = await store.moveTransaction(clash).catch((refusal: unknown) => refusal)
      ok(error instanceof Error, 'it is refused')
      const said = [error, error.cause].map((one) =>
        one instanceof Error ? `${one.stack} ${JSON.stringify(one, Object.getOwnPropertyNames(one))}` : '',
      )
      for (const value of [
        'canary',
        first.event.eventId,
        clash.transactionId,
        first.event.deliveries[0]?.deliveryId ?? '?',
      ]) {
        ok(!said.join(' ').includes(value), 'an error repeats a value')
      }
    },
  ),
]
