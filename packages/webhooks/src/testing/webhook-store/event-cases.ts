import { deepEqual, equal, notEqual, ok, rejects } from 'node:assert/strict'
import { webhookStoreCase } from './harness.js'
import {
  appA,
  appB,
  claimOne,
  createSamples,
  listAll,
  race,
  recordResults,
  resultOf,
  userTwo,
  wideClaim,
} from './sample-records.js'

const everyByte = Uint8Array.from({ length: 1_024 }, (_, index) => index % 256)

/** The example of W3C Trace Context §3.2. */
const sampleTraceContext = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

export const eventCases = [
  webhookStoreCase(
    'WS-EVENT-1',
    'A prepared event MUST be claimed byte for byte, at once',
    async ({ store, other }) => {
      const { registered, event } = createSamples()
      const headers = { names: ['X-Tenant'], sealed: 'opaque', dataKey: 'key' }
      const endpoint = await registered(store, { standardWebhooks: true, headers })
      const prepared = event([endpoint], {
        userId: userTwo,
        type: 'TRANSACTION_DECLINE',
        body: everyByte,
        test: true,
        sourceEventId: 'Überweisung 😀 "\\ \u0001'.padEnd(255, '…'),
      })
      const inserted = await store.insertEvent(prepared)
      const [delivery] = prepared.deliveries
      deepEqual(inserted, {
        eventId: prepared.eventId,
        deliveries: [{ deliveryId: delivery?.deliveryId, endpointId: endpoint.endpointId }],
        withheld: null,
        duplicate: false,
        original: null,
      })
      const { fence, body, traceContext, ...claimed } = await claimOne(other)
      deepEqual(claimed, {
        deliveryId: delivery?.deliveryId,
        eventId: prepared.eventId,
        xEventId: delivery?.xEventId,
        appId: appA,
        userId: userTwo,
        eventType: 'TRANSACTION_DECLINE',
        test: true,
        endpoint: { endpointId: endpoint.endpointId, url: endpoint.url, standardWebhooks: true, headers },
        unsentForMs: 0,
      })
      deepEqual([...body], [...everyByte])
      equal(fence.attempt, 1)
      equal(traceContext ?? null, null)
    },
  ),

  webhookStoreCase('WS-EVENT-2', 'Every matching endpoint MUST get its own delivery', async ({ store }) => {
    const { registered, event } = createSamples()
    const endpoints = [await registered(store), await registered(store), await registered(store)]
    const prepared = event(endpoints)
    equal((await store.insertEvent(prepared)).deliveries.length, 3)
    const { claimed } = await store.claimDue(wideClaim)
    const seen = claimed.map(({ deliveryId, xEventId, endpoint }) => [deliveryId, xEventId, endpoint.endpointId].join())
    const expected = prepared.deliveries.map((one) => [one.deliveryId, one.xEventId, one.endpointId].join())
    deepEqual(seen.sort(), expected.sort())
  }),

  webhookStoreCase(
    'WS-EVENT-3',
    'A known sourceEventId MUST write nothing and return the original',
    async ({ store, other }) => {
      const { registered, event } = createSamples()
      const endpoint = await registered(store)
      const first = await store.insertEvent(event([endpoint], { sourceEventId: 'deposit-1' }))
      const { original, ...again } = await other.insertEvent(event([endpoint], { sourceEventId: 'deposit-1' }))
      deepEqual({ ...again, original: null }, { ...first, duplicate: true })
      notEqual(original, null)
      equal((await listAll(store)).length, 1)
    },
  ),

  webhookStoreCase(
    'WS-EVENT-4',
    'Of racing events with one sourceEventId exactly one MUST be written',
    async ({ store, other }) => {
      const { registered, event } = createSamples()
      const endpoint = await registered(store)
      const answers = await race(store, other, (handle) =>
        handle.insertEvent(event([endpoint], { sourceEventId: 'deposit-1' })),
      )
      equal(answers.filter(({ duplicate }) => !duplicate).length, 1)
      equal(new Set(answers.map(({ eventId }) => eventId)).size, 1)
      equal((await store.claimDue(wideClaim)).claimed.length, 1)
    },
  ),

  webhookStoreCase(
    'WS-EVENT-5',
    'A sourceEventId MUST count within its app only, and null MUST never match',
    async ({ store }) => {
      const { registered, event } = createSamples()
      const [ofA, ofB] = [await registered(store), await registered(store, { appId: appB })]
      for (const prepared of [
        event([ofA], { sourceEventId: 'deposit-1' }),
        event([ofB], { sourceEventId: 'deposit-1', appId: appB }),
        event([ofA], { sourceEventId: 'Deposit-1' }),
        event([ofA]),
        event([ofA]),
      ]) {
        equal((await store.insertEvent(prepared)).duplicate, false)
      }
    },
  ),

  webhookStoreCase(
    'WS-EVENT-6',
    'An endpoint removed since the event was prepared MUST be left out',
    async ({ store }) => {
      const { registered, event } = createSamples()
      const [gone, kept] = [await registered(store), await registered(store)]
      const prepared = event([gone, kept])
      await store.removeEndpoint({ appId: appA, endpointId: gone.endpointId })
      const inserted = await store.insertEvent(prepared)
      deepEqual(
        inserted.deliveries.map(({ endpointId }) => endpointId),
        [kept.endpointId],
      )
      equal((await store.claimDue(wideClaim)).claimed.length, 1)
    },
  ),

  webhookStoreCase(
    'WS-EVENT-13',
    'A delivery to an endpoint replaced since the event was prepared MUST go to its lineage',
    async ({ store }) => {
      const { registered, event, endpoint } = createSamples()
      const [first, kept] = [await registered(store), await registered(store)]
      const prepared = event([first, kept])
      const [second, third] = [endpoint(), endpoint()]
      equal(await store.replaceEndpoint({ ...first, replacement: second }), 'replaced')
      equal(await store.replaceEndpoint({ ...second, replacement: third }), 'replaced')
      const inserted = await store.insertEvent(prepared)
      deepEqual(
        inserted.deliveries.map(({ endpointId }) => endpointId),
        [third.endpointId, kept.endpointId],
      )
      const { claimed } = await store.claimDue(wideClaim)
      deepEqual(new Set(claimed.map(({ endpoint: { url } }) => url)), new Set([third.url, kept.url]))
    },
  ),

  webhookStoreCase('WS-EVENT-7', "Another app's endpoint MUST be left out", async ({ store }) => {
    const { registered, event } = createSamples()
    const foreign = await registered(store, { appId: appB })
    const inserted = await store.insertEvent(event([foreign]))
    deepEqual(inserted.deliveries, [])
    deepEqual((await store.claimDue(wideClaim)).claimed, [])
  }),

  webhookStoreCase('WS-EVENT-8', 'An event MUST be written completely or not at all', async ({ store }) => {
    const { registered, event } = createSamples()
    const endpoints = [await registered(store), await registered(store)]
    const [taken] = event(endpoints).deliveries
    await store.insertEvent(event([], { deliveries: taken === undefined ? [] : [taken] }))
    const clash = event(endpoints, { sourceEventId: 'deposit-1' })
    const [fine, clashing] = clash.deliveries
    const deliveries = [fine, { ...clashing, deliveryId: taken?.deliveryId }] as typeof clash.deliveries
    await rejects(store.insertEvent({ ...clash, deliveries }))
    equal((await listAll(store)).length, 1)
    equal((await store.insertEvent({ ...clash, eventId: clash.eventId })).duplicate, false)
  }),

  webhookStoreCase('WS-EVENT-9', 'An error MUST NOT repeat a stored or given value', async ({ store }) => {
    const { registered, event } = createSamples()
    const endpoint = await registered(store, { url: 'https://secret-path.example.com/canary-url' })
    const prepared = event([endpoint], {
      body: new TextEncoder().encode('{"canary-body":1}'),
      sourceEventId: 'canary-source',
    })
    await store.insertEvent(prepared)
    const errors: unknown[] = []
    const attempts = [
      () => store.insertEvent({ ...prepared, sourceEventId: 'canary-other' }),
      () => store.registerEndpoint(endpoint, 50),
      () => store.listDeliveries({ appId: appA, limit: 10, cursor: 'canary-cursor' }),
    ]
    for (const attempt of attempts) await attempt().catch((error: unknown) => errors.push(error))
    equal(errors.length, attempts.length, 'each of them is refused')
    for (const error of errors) {
      const said = [error, (error as Error).cause].map((one) =>
        one instanceof Error
          ? `${one.message} ${one.stack} ${JSON.stringify(one, Object.getOwnPropertyNames(one))}`
          : '',
      )
      for (const value of [
        'canary',
        endpoint.endpointId,
        prepared.eventId,
        prepared.deliveries[0]?.deliveryId ?? '?',
      ]) {
        ok(!said.join(' ').includes(value), 'an error repeats a value')
      }
    }
  }),

  webhookStoreCase(
    'WS-EVENT-10',
    'Later changes of the caller to a body MUST NOT change the sent bytes',
    async ({ store }) => {
      const { registered, event } = createSamples()
      const endpoint = await registered(store)
      const body = new TextEncoder().encode('{"amount":1}')
      await store.insertEvent(event([endpoint], { body }))
      body.fill(0)
      equal(new TextDecoder().decode((await claimOne(store)).body), '{"amount":1}')
    },
  ),

  webhookStoreCase(
    'WS-EVENT-12',
    'Every claim of an event MUST return its trace context, also after a crash and on a resend',
    async ({ store, other, advance }) => {
      const { registered, event, id } = createSamples()
      const endpoint = await registered(store)
      const traced = event([endpoint], { traceContext: sampleTraceContext })
      await store.insertEvent(traced)
      const first = await claimOne(other, { leaseMs: 1_000 })
      equal(first.traceContext, sampleTraceContext)
      await advance(1_000)
      const [takenOver] = await store.claimExpired({ limit: 10, leaseMs: 1_000 })
      ok(takenOver)
      equal(takenOver.traceContext, sampleTraceContext)
      await recordResults(store, resultOf.failed(takenOver))
      const resent = { appId: appA, deliveryId: takenOver.deliveryId, newDeliveryId: id() }
      equal(await store.resendDelivery(resent), 'resent')
      const again = await claimOne(store)
      equal(again.traceContext, sampleTraceContext)
      await recordResults(store, resultOf.delivered(again))
      await store.insertEvent(event([endpoint], { traceContext: null }))
      equal((await claimOne(other)).traceContext ?? null, null)
    },
  ),

  webhookStoreCase('WS-EVENT-11', 'A withheld event MUST be stored with its reason', async ({ store, other }) => {
    const { event } = createSamples()
    for (const withheld of ['NO_GRANT', 'SCOPE_NOT_GRANTED', 'NO_ENDPOINT'] as const) {
      const prepared = event([], { withheld, body: new Uint8Array(), sourceEventId: withheld })
      deepEqual(await store.insertEvent(prepared), {
        eventId: prepared.eventId,
        deliveries: [],
        withheld,
        duplicate: false,
        original: null,
      })
      const again = await other.insertEvent(event([], { withheld, sourceEventId: withheld }))
      deepEqual([again.eventId, again.withheld, again.duplicate], [prepared.eventId, withheld, true])
    }
  }),
]
