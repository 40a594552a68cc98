import { deepEqual, equal, rejects } from 'node:assert/strict'
import type { DeliveryRecord, ListDeliveriesRequest, WebhookStore } from '../../delivery/webhook-store.js'
import { webhookStoreCase, type WebhookStoreCase } from './harness.js'
import {
  appA,
  appB,
  between,
  claimOne,
  createSamples,
  listAll,
  near,
  recordResults,
  resultOf,
  userOne,
  userTwo,
  wideClaim,
} from './sample-records.js'

async function readPages(store: WebhookStore, request: ListDeliveriesRequest): Promise<readonly DeliveryRecord[][]> {
  const pages: DeliveryRecord[][] = []
  let cursor: string | undefined
  do {
    const { items, nextCursor } = await store.listDeliveries({
      ...request,
      ...(cursor === undefined ? {} : { cursor }),
    })
    pages.push([...items])
    cursor = nextCursor ?? undefined
  } while (cursor !== undefined && pages.length < 100)
  return pages
}

/** No range of times. */
const createdNone: { createdAfter?: Date; createdBefore?: Date } = {}

const idsOf = (deliveries: readonly DeliveryRecord[]) => deliveries.map(({ deliveryId }) => deliveryId)

export const readingCases: readonly WebhookStoreCase[] = [
  webhookStoreCase('WS-READ-1', "Another app's delivery MUST NOT be found, nor an unknown one", async ({ store }) => {
    const { registered, published, id } = createSamples()
    const [deliveryId = ''] = await published(store, await registered(store))
    equal(await store.findDelivery({ appId: appB, deliveryId }), null)
    equal(await store.findDelivery({ appId: appA, deliveryId: id() }), null)
    deepEqual((await store.listDeliveries({ appId: appB, limit: 10 })).items, [])
  }),

  webhookStoreCase('WS-READ-2', 'A delivery MUST be read back whole', async ({ store, other }) => {
    const { registered, event } = createSamples()
    const endpoint = await registered(store)
    const prepared = event([endpoint], { test: true, type: 'TRANSACTION_CREATE' })
    const [delivery] = prepared.deliveries
    await store.insertEvent(prepared)
    const found = await other.findDelivery({ appId: appA, deliveryId: delivery?.deliveryId ?? '' })
    deepEqual(
      { ...found, body: null },
      {
        ...delivery,
        eventId: prepared.eventId,
        appId: appA,
        userId: prepared.userId,
        eventType: 'TRANSACTION_CREATE',
        test: true,
        url: endpoint.url,
        state: 'PENDING',
        attemptsMade: 0,
        createdAt: found?.createdAt,
        nextAttemptAt: found?.createdAt,
        endedAt: null,
        cancelReason: null,
        resendOf: null,
        httpStatus: null,
        latencyMs: null,
        body: null,
        attempts: [],
      },
    )
    deepEqual([...(found?.body ?? [])], [...prepared.body])
  }),

  webhookStoreCase(
    'WS-READ-3',
    'Pages MUST come newest first, without a gap or a repetition',
    async ({ store, other }) => {
      const { registered, published } = createSamples()
      const endpoint = await registered(store)
      const ids = [...(await published(store, endpoint, 23))].reverse()
      await published(store, await registered(store, { appId: appB }), 2)
      for (const [limit, sizes] of [
        [1, Array.from({ length: 23 }, () => 1)],
        [10, [10, 10, 3]],
        [23, [23]],
        [200, [23]],
      ] as const) {
        const pages = await readPages(other, { appId: appA, limit })
        deepEqual(idsOf(pages.flat()), ids)
        deepEqual(
          pages.map(({ length }) => length),
          sizes,
        )
      }
    },
  ),

  webhookStoreCase('WS-READ-4', 'What arrives between two pages MUST NOT shift them', async ({ store }) => {
    const { registered, published } = createSamples()
    const endpoint = await registered(store)
    const ids = [...(await published(store, endpoint, 6))].reverse()
    const first = await store.listDeliveries({ appId: appA, limit: 3 })
    await published(store, endpoint, 4)
    const second = await store.listDeliveries({ appId: appA, limit: 3, cursor: first.nextCursor ?? '' })
    deepEqual(idsOf([...first.items, ...second.items]), ids)
    equal(second.nextCursor, null)
  }),

  webhookStoreCase('WS-READ-5', 'Filters MUST hold one by one, together, and over pages', async ({ store }) => {
    const { registered, published } = createSamples()
    const [one, two] = [await registered(store), await registered(store)]
    for (let n = 0; n < 3; n += 1) {
      await published(store, one, 1, { type: 'WIDGET_KYC_INITIATION' })
      await published(store, two, 1, { type: 'TRANSACTION_UPDATE' })
      await published(store, two, 1, { type: 'WIDGET_KYC_INITIATION' })
    }
    for (let n = 0; n < 4; n += 1) await recordResults(store, resultOf.delivered(await claimOne(store, { limit: 1 })))
    const all = (await readPages(store, { appId: appA, limit: 200 })).flat()
    equal(all.filter(({ state }) => state === 'DELIVERED').length, 4)
    for (const state of ['DELIVERED', 'PENDING', undefined] as const) {
      for (const eventType of [
        'WIDGET_KYC_INITIATION',
        'TRANSACTION_UPDATE',
        'TRANSACTION_CREATE',
        undefined,
      ] as const) {
        for (const endpointId of [one.endpointId, two.endpointId, undefined]) {
          const filters = {
            ...(state === undefined ? {} : { state }),
            ...(eventType === undefined ? {} : { eventType }),
            ...(endpointId === undefined ? {} : { endpointId }),
          }
          const expected = all.filter((delivery) =>
            Object.entries(filters).every(([field, value]) => delivery[field as keyof typeof filters] === value),
          )
          deepEqual(idsOf((await readPages(store, { appId: appA, limit: 2, ...filters })).flat()), idsOf(expected))
        }
      }
    }
  }),

  webhookStoreCase(
    'WS-READ-7',
    'A delivery MUST be found by each of its fields, and by all',
    async ({ store, advance }) => {
      const { registered, event, published } = createSamples()
      const endpoint = await registered(store)
      await published(store, await registered(store, { appId: appB }))
      for (const userId of [userOne, userTwo, userOne]) {
        await store.insertEvent(event([endpoint], { userId }))
        await advance(1000)
      }
      const [first, second] = await Promise.all([claimOne(store, { limit: 1 }), claimOne(store, { limit: 1 })])
      await recordResults(store, resultOf.delivered(first), resultOf.retry(second, 60_000))
      const all = await listAll(store)
      equal(all.length, 3)
      for (const one of all) {
        const [eventId, xEventId] = [{ eventId: one.eventId }, { xEventId: one.xEventId }]
        const [createdAfter, createdBefore] = [{ createdAfter: one.createdAt }, { createdBefore: one.createdAt }]
        const filters = [
          ...[eventId, xEventId, { userId: one.userId }, createdAfter, createdBefore],
          ...(one.httpStatus === null ? [] : [{ httpStatus: one.httpStatus }]),
          { ...eventId, ...xEventId, ...createdAfter, userId: one.userId, eventType: one.eventType, state: one.state },
          { ...xEventId, ...createdBefore },
        ]
        for (const filter of filters) {
          const { createdAfter: from, createdBefore: until, ...equalTo } = { ...createdNone, ...filter }
          const expected = all.filter(
            (delivery) =>
              Object.entries(equalTo).every(([field, value]) => delivery[field as keyof typeof equalTo] === value) &&
              (from === undefined || delivery.createdAt >= from) &&
              (until === undefined || delivery.createdAt < until),
          )
          const found = await readPages(store, { appId: appA, limit: 1, ...filter })
          deepEqual(idsOf(found.flat()), idsOf(expected), Object.keys(filter).join())
          deepEqual((await store.listDeliveries({ appId: appB, limit: 9, ...eventId })).items, [], 'another app')
        }
      }
      for (const none of [
        { userId: appA },
        { eventId: appA },
        { xEventId: appA },
        { transactionId: 'x' },
        { httpStatus: 404 },
      ])
        deepEqual((await store.listDeliveries({ appId: appA, limit: 9, ...none })).items, [])
    },
  ),

  webhookStoreCase(
    'WS-READ-8',
    'The log MUST tell the HTTP status and the time of the last attempt that was sent',
    async ({ store, advance }) => {
      const { registered, published } = createSamples()
      await published(store, await registered(store))
      const told = async () => {
        const [one] = await listAll(store)
        return { httpStatus: one?.httpStatus, latencyMs: one?.latencyMs }
      }
      const nothing = { httpStatus: null, latencyMs: null }
      deepEqual(await told(), nothing)
      const refused = await claimOne(store)
      deepEqual(await told(), nothing, 'in flight')
      await recordResults(store, resultOf.retry(refused, 1))
      deepEqual(await told(), { httpStatus: 500, latencyMs: 12.5 })
      await advance(1)
      await recordResults(store, resultOf.unsent(await claimOne(store), 1))
      deepEqual(await told(), { httpStatus: 500, latencyMs: 12.5 }, 'unsent')
      await advance(1)
      await recordResults(store, resultOf.delivered(await claimOne(store)))
      deepEqual(await told(), { httpStatus: 200, latencyMs: 3.25 })
    },
  ),

  webhookStoreCase(
    'WS-READ-6',
    'A cursor that the store did not make for the app MUST be refused',
    async ({ store }) => {
      const { registered, published } = createSamples()
      await published(store, await registered(store), 2)
      const farAway = btoa(`t${'9'.repeat(15)}p1.${appA}`).replaceAll('=', '')
      for (const cursor of ['', 'x', '-1', '1e9', '0x10', "' OR 1=1 --", '9'.repeat(40), farAway]) {
        await rejects(store.listDeliveries({ appId: appA, limit: 10, cursor }), `cursor ${cursor.length}`)
      }
      const { nextCursor: cursor } = await store.listDeliveries({ appId: appA, limit: 1 })
      await rejects(store.listDeliveries({ appId: appB, limit: 10, cursor: cursor ?? '' }), 'the cursor of another app')
    },
  ),

  webhookStoreCase('WS-READ-9', 'Creation times MUST be kept to the millisecond', async ({ store, other, advance }) => {
    const { registered, published } = createSamples()
    const endpoint = await registered(store)
    const times: (Date | undefined)[] = []
    for (let n = 0; n < 3; n += 1) {
      const [deliveryId = ''] = await published(store, endpoint)
      times.push((await other.findDelivery({ appId: appA, deliveryId }))?.createdAt)
      await advance(337)
    }
    near(between(times[0], times[1]), 337, 'createdAt of findDelivery after that of the delivery before')
    near(between(times[1], times[2]), 337, 'createdAt of findDelivery after that of the delivery before')
    const listed = (await listAll(store)).map(({ createdAt }) => createdAt)
    deepEqual(listed, times.toReversed(), 'createdAt of listDeliveries')
  }),

  webhookStoreCase(
    'WS-DUE-1',
    'A due hint, where there is one, MUST be given a way to stop it',
    async ({ store, other }) => {
      const { registered, published } = createSamples()
      const endpoint = await registered(store)
      let hints = 0
      const stop = await store.onDue?.(() => (hints += 1))
      equal(typeof stop, store.onDue === undefined ? 'undefined' : 'function', 'onDue gives a function')
      await stop?.()
      const before = hints
      for (const handle of [store, other]) await published(handle, endpoint)
      await listAll(store)
      equal(hints, before, 'hints after onDue was stopped')
    },
  ),

  {
    id: 'WS-REOPEN-1',
    name: 'Everything MUST be found again after every handle was closed',
    async run(harness) {
      const { registered, event } = createSamples()
      const first = await harness.open()
      const endpoint = await registered(first.store, { eventTypes: ['WIDGET_DEPOSIT_COMPLETE'] })
      const prepared = event([endpoint], { sourceEventId: 'deposit-1' })
      await first.store.insertEvent(prepared)
      await recordResults(first.store, resultOf.retry(await claimOne(first.store), 1_000))
      const deliveryId = prepared.deliveries[0]?.deliveryId ?? ''
      const before = await first.store.findDelivery({ appId: appA, deliveryId })
      await first.close()

      const second = await harness.open()
      try {
        deepEqual(await second.store.listEndpoints(appA), [endpoint])
        deepEqual(await second.store.findDelivery({ appId: appA, deliveryId }), before)
        equal((await second.store.insertEvent(event([endpoint], { sourceEventId: 'deposit-1' }))).duplicate, true)
        await harness.advance(1_000)
        equal((await second.store.claimDue(wideClaim)).claimed[0]?.fence.attempt, 2)
      } finally {
        await second.close()
      }
    },
  },
]
