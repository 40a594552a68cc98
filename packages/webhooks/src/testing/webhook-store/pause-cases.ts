import { deepEqual, equal } from 'node:assert/strict'
import type { Endpoint, WebhookStore } from '../../delivery/webhook-store.js'
import { webhookStoreCase } from './harness.js'
import {
  appB,
  claimOne,
  createSamples,
  near,
  race,
  recordResults,
  resultOf,
  userOne,
  wideClaim,
} from './sample-records.js'

const pause = (store: WebhookStore, { appId, endpointId }: Endpoint, by: 'PARTNER' | 'OPERATOR' = 'PARTNER') =>
  store.pauseEndpoint({ appId, endpointId, by })

const resume = (store: WebhookStore, { appId, endpointId }: Endpoint, by: 'PARTNER' | 'OPERATOR' = 'PARTNER') =>
  store.resumeEndpoint({ appId, endpointId, by })

/** Claims, and returns the ids of the deliveries with the time until the next one. */
async function claimed(store: WebhookStore) {
  const { claimed: some, nextDueInMs } = await store.claimDue(wideClaim)
  return { ids: some.map(({ deliveryId }) => deliveryId), nextDueInMs }
}

const nothing = { ids: [], nextDueInMs: null }

/** Cases about paused endpoints. */
export const pauseCases = [
  webhookStoreCase(
    'WS-PAUSE-1',
    'Nothing MUST be claimed from a paused endpoint until it is resumed',
    async ({ store, other }) => {
      const { registered, published } = createSamples()
      const [paused, beside] = [await registered(store), await registered(store)]
      const before = await published(store, paused)
      equal(await pause(other, paused), 'paused')
      const meanwhile = await published(store, paused)
      deepEqual(await claimed(store), nothing)
      const ofOthers = await published(store, beside)
      deepEqual(await claimed(other), { ids: ofOthers, nextDueInMs: null })
      equal(await resume(store, paused), 'resumed')
      deepEqual(await claimed(other), { ids: [...before, ...meanwhile], nextDueInMs: null })
    },
  ),

  webhookStoreCase('WS-PAUSE-2', 'A pause MUST use up no attempt, and keep due times', async ({ store, advance }) => {
    const { registered, published } = createSamples()
    const endpoint = await registered(store)
    await published(store, endpoint)
    const first = await claimOne(store)
    await pause(store, endpoint)
    await recordResults(store, resultOf.retry(first, 10_000))
    await advance(4000)
    deepEqual(await claimed(store), nothing)
    await resume(store, endpoint)
    const { ids, nextDueInMs } = await claimed(store)
    deepEqual(ids, [])
    near(nextDueInMs ?? undefined, 6000, 'nextDueInMs of claimDue after the resume')
    await pause(store, endpoint)
    await advance(20_000)
    deepEqual(await claimed(store), nothing)
    await resume(store, endpoint)
    equal((await claimOne(store)).fence.attempt, 2)
  }),

  webhookStoreCase('WS-PAUSE-3', 'The success of an attempt in flight MUST count', async ({ store }) => {
    const { registered, published } = createSamples()
    const endpoint = await registered(store)
    const [deliveryId = ''] = await published(store, endpoint)
    const attempt = await claimOne(store)
    await pause(store, endpoint)
    await recordResults(store, resultOf.delivered(attempt))
    equal((await store.findDelivery({ ...endpoint, deliveryId }))?.state, 'DELIVERED')
  }),

  webhookStoreCase(
    'WS-PAUSE-4',
    'Test events MUST be sent all the same, with their retries, and before all others',
    async ({ store, advance }) => {
      const { registered, published } = createSamples()
      const endpoint = await registered(store)
      const [waiting] = await published(store, endpoint)
      await advance(10)
      await pause(store, endpoint)
      const [test] = await published(store, endpoint, 1, { test: true })
      const attempt = await claimOne(store)
      equal(attempt.deliveryId, test)
      await recordResults(store, resultOf.unsent(attempt, 500))
      const { ids, nextDueInMs } = await claimed(store)
      deepEqual(ids, [])
      near(nextDueInMs ?? undefined, 500, 'nextDueInMs of claimDue in the pause')
      await advance(501)
      await resume(store, endpoint)
      deepEqual(await claimed(store), { ids: [test, waiting], nextDueInMs: null })
    },
  ),

  webhookStoreCase('WS-PAUSE-5', 'A resend to a paused endpoint MUST wait', async ({ store, other }) => {
    const { registered, published, id } = createSamples()
    const endpoint = await registered(store)
    const [deliveryId = ''] = await published(store, endpoint)
    await recordResults(store, resultOf.delivered(await claimOne(store)))
    await pause(store, endpoint)
    const newDeliveryId = id()
    equal(await other.resendDelivery({ ...endpoint, deliveryId, newDeliveryId }), 'resent')
    deepEqual(await claimed(store), nothing)
    await resume(store, endpoint)
    deepEqual(await claimed(store), { ids: [newDeliveryId], nextDueInMs: null })
  }),

  webhookStoreCase(
    'WS-PAUSE-6',
    "A partner MUST NOT lift an operator's pause, nor register or replace it away",
    async ({ store, other }) => {
      const { registered, endpoint } = createSamples()
      const first = await registered(store)
      const pausedBy = async () => (await other.listEndpoints(first.appId)).map((one) => one.pausedBy)
      deepEqual(await pausedBy(), [null])
      await pause(store, first)
      deepEqual(await pausedBy(), ['PARTNER'])
      await pause(store, first, 'OPERATOR')
      await pause(store, first)
      deepEqual(await pausedBy(), ['OPERATOR'])
      equal(await resume(other, first), 'paused_by_operator')
      const replacement = endpoint()
      await store.replaceEndpoint({ ...first, replacement })
      deepEqual(await pausedBy(), ['OPERATOR'])
      const second = { ...first, endpointId: replacement.endpointId }
      await store.removeEndpoint(second)
      const again = await registered(store, { url: replacement.url })
      deepEqual(await pausedBy(), ['OPERATOR'])
      equal(await resume(store, again), 'paused_by_operator')
      equal(await resume(store, again, 'OPERATOR'), 'resumed')
      deepEqual(await pausedBy(), [null])
      equal(await resume(store, again), 'resumed')
    },
  ),

  webhookStoreCase(
    'WS-PAUSE-7',
    "A partner's pause MUST pass to a replacement with what waits, and not to a new registration",
    async ({ store }) => {
      const { registered, published, endpoint } = createSamples()
      const first = await registered(store)
      const waiting = await published(store, first)
      await pause(store, first)
      const replacement = endpoint()
      await store.replaceEndpoint({ ...first, replacement })
      deepEqual(await claimed(store), nothing)
      const second = { ...first, endpointId: replacement.endpointId }
      await resume(store, second)
      deepEqual(await claimed(store), { ids: waiting, nextDueInMs: null })
      await pause(store, second)
      await store.removeEndpoint(second)
      const again = await registered(store, { url: replacement.url })
      const published2 = await published(store, again)
      deepEqual(await claimed(store), { ids: published2, nextDueInMs: null })
    },
  ),

  webhookStoreCase(
    'WS-PAUSE-8',
    'What moves to a paused endpoint of the lineage MUST wait there',
    async ({ store, advance }) => {
      const { registered, published } = createSamples()
      const first = await registered(store)
      const second = await registered(store, { url: first.url })
      const waiting = await published(store, first, 2)
      await pause(store, second)
      const attempt = await claimOne(store, { limit: 1 })
      await store.removeEndpoint(first)
      await recordResults(store, resultOf.retry(attempt, 10))
      await advance(20)
      deepEqual(await claimed(store), nothing)
      await resume(store, second)
      deepEqual((await claimed(store)).ids.toSorted(), [...waiting].sort())
    },
  ),

  webhookStoreCase(
    'WS-PAUSE-9',
    'Only a live endpoint of the app MUST be paused or resumed',
    async ({ store, advance }) => {
      const { registered, published, id } = createSamples()
      const endpoint = await registered(store)
      const foreign = { ...endpoint, appId: appB }
      const unknown = { ...endpoint, endpointId: id() }
      for (const one of [foreign, unknown]) {
        equal(await pause(store, one), 'not_found')
        equal(await resume(store, one), 'not_found')
      }
      const ids = await published(store, endpoint)
      deepEqual((await claimed(store)).ids, ids)
      await store.removeEndpoint(endpoint)
      equal(await pause(store, endpoint), 'not_found')
      equal(await resume(store, endpoint), 'not_found')
      await advance(1)
    },
  ),

  webhookStoreCase(
    'WS-PAUSE-10',
    'What is published beside pauses MUST wait while paused, and all of it come after the last resume',
    async ({ store, other }) => {
      const { registered, event } = createSamples()
      const endpoint = await registered(store)
      const ids: string[] = []
      await race(store, other, async (one, racer) => {
        if (racer % 5 === 1) await pause(one, endpoint)
        else if (racer % 5 === 3) await resume(one, endpoint)
        else {
          const { deliveries } = await one.insertEvent(event([endpoint]))
          ids.push(...deliveries.map(({ deliveryId }) => deliveryId))
        }
      })
      await pause(store, endpoint)
      deepEqual(await claimed(other), nothing)
      await resume(other, endpoint)
      const got: string[] = []
      for (let turn = 0; turn < 100 && got.length < ids.length; turn += 1) {
        const { claimed: some } = await store.claimDue(wideClaim)
        got.push(...some.map(({ deliveryId }) => deliveryId))
        if (some.length > 0) await recordResults(store, ...some.map(resultOf.delivered))
      }
      deepEqual(got.toSorted(), ids.toSorted())
    },
  ),

  webhookStoreCase(
    'WS-PAUSE-11',
    'What waits in a pause MUST be cancelled with the rest of its user',
    async ({ store }) => {
      const { registered, published } = createSamples()
      const endpoint = await registered(store)
      await published(store, endpoint, 2)
      await pause(store, endpoint)
      equal(await store.cancelPending({ ...endpoint, userId: userOne, reason: 'GRANT_REVOKED' }), 2)
      await resume(store, endpoint)
      deepEqual(await claimed(store), nothing)
    },
  ),

  webhookStoreCase(
    'WS-PAUSE-12',
    'The retry of a test event MUST be sent when it moves to a paused endpoint of the lineage',
    async ({ store, advance }) => {
      const { registered, published, endpoint } = createSamples()
      const first = await registered(store)
      const [live] = await published(store, first)
      const [test] = await published(store, first, 1, { test: true })
      const [ofTest, ofLive] = (await store.claimDue(wideClaim)).claimed
      deepEqual([ofTest?.deliveryId, ofLive?.deliveryId], [test, live])
      await pause(store, first)
      await store.replaceEndpoint({ ...first, replacement: endpoint() })
      const results = [ofTest, ofLive].flatMap((one) => (one === undefined ? [] : [resultOf.retry(one, 10)]))
      await recordResults(store, ...results)
      await advance(20)
      deepEqual(await claimed(store), { ids: [test], nextDueInMs: null })
    },
  ),
]
