import { deepEqual, equal, notEqual, rejects } from 'node:assert/strict'
import { eventTypes } from '../../events/event-types.js'
import { webhookStoreCase } from './harness.js'
import {
  appA,
  appB,
  asListed,
  claimOne,
  createSamples,
  listAll,
  race,
  recordResults,
  resultOf,
  wideClaim,
} from './sample-records.js'

export const endpointCases = [
  webhookStoreCase(
    'WS-ENDPOINT-1',
    'Endpoints MUST be listed oldest first, every field as given',
    async ({ store, other }) => {
      const { endpoint } = createSamples()
      const late = endpoint({
        createdAt: new Date('2026-05-06T07:08:09.123Z'),
        url: `https://partner.example.com/${'a'.repeat(2_000)}?q=%F0%9F%98%80`,
        standardWebhooks: true,
        description: 'Büro 漢',
        headers: { names: ['X-Tenant', 'Authorization'], sealed: 'opaque …', dataKey: '{"opaque":"…"}' },
      })
      const early = endpoint({ createdAt: new Date('2026-05-06T07:08:09.122Z'), eventTypes: [...eventTypes].reverse() })
      for (const one of [late, early]) equal(await store.registerEndpoint(one, 50), 'registered')
      deepEqual(await other.listEndpoints(appA), [asListed(early), asListed(late)])
    },
  ),

  webhookStoreCase('WS-ENDPOINT-2', "An app's endpoints MUST NOT be listed for another app", async ({ store }) => {
    const { registered } = createSamples()
    await registered(store, { appId: appA })
    deepEqual(await store.listEndpoints(appB), [])
  }),

  webhookStoreCase(
    'WS-ENDPOINT-3',
    'Racing registrations MUST NOT exceed the limit of an app',
    async ({ store, other }) => {
      const { endpoint, registered } = createSamples()
      await registered(store, { appId: appB })
      const answers = await race(store, other, (handle) => handle.registerEndpoint(endpoint(), 5))
      equal(answers.filter((answer) => answer === 'registered').length, 5)
      equal((await store.listEndpoints(appA)).length, 5)
    },
  ),

  webhookStoreCase(
    'WS-ENDPOINT-4',
    'Exactly one of many racing removals MUST return true',
    async ({ store, other }) => {
      const { registered, id } = createSamples()
      const { endpointId } = await registered(store)
      const removals = await race(store, other, (handle) => handle.removeEndpoint({ appId: appA, endpointId }))
      equal(removals.filter(Boolean).length, 1)
      deepEqual(await other.listEndpoints(appA), [])
      equal(await store.removeEndpoint({ appId: appA, endpointId: id() }), false)
    },
  ),

  webhookStoreCase('WS-ENDPOINT-5', "Another app's endpoint MUST NOT be removed", async ({ store }) => {
    const { registered } = createSamples()
    const endpoint = await registered(store)
    equal(await store.removeEndpoint({ appId: appB, endpointId: endpoint.endpointId }), false)
    deepEqual(await store.listEndpoints(appA), [endpoint])
  }),

  webhookStoreCase('WS-ENDPOINT-6', 'A removal MUST free one endpoint of the limit', async ({ store }) => {
    const { endpoint } = createSamples()
    const first = endpoint()
    equal(await store.registerEndpoint(first, 1), 'registered')
    equal(await store.registerEndpoint(endpoint(), 1), 'limit_reached')
    await store.removeEndpoint({ appId: appA, endpointId: first.endpointId })
    equal(await store.registerEndpoint(endpoint(), 1), 'registered')
  }),

  webhookStoreCase(
    'WS-ENDPOINT-7',
    'A removal MUST cancel only the pending deliveries of that endpoint',
    async ({ store, other }) => {
      const { registered, published } = createSamples()
      const [gone, kept] = [await registered(store), await registered(store)]
      const cancelled = await published(store, gone, 3)
      const pending = await published(store, kept, 2)
      await store.removeEndpoint({ appId: appA, endpointId: gone.endpointId })
      const { claimed } = await other.claimDue(wideClaim)
      deepEqual(claimed.map(({ deliveryId }) => deliveryId).sort(), [...pending].sort())
      for (const delivery of await listAll(store)) {
        equal(delivery.state, cancelled.includes(delivery.deliveryId) ? 'CANCELLED' : 'PENDING')
        if (delivery.state === 'CANCELLED') notEqual(delivery.cancelReason, null)
      }
    },
  ),

  webhookStoreCase(
    'WS-ENDPOINT-8',
    'A removal MUST NOT abort an attempt in flight, and no attempt MUST follow it',
    async ({ store, other, advance }) => {
      const { registered, published } = createSamples()
      const endpoint = await registered(store)
      const [first, second] = await published(store, endpoint, 2)
      const { claimed } = await store.claimDue(wideClaim)
      await other.removeEndpoint({ appId: appA, endpointId: endpoint.endpointId })
      for (const delivery of claimed) {
        const { delivered, retry } = resultOf
        await recordResults(store, delivery.deliveryId === first ? delivered(delivery) : retry(delivery, 1))
      }
      await advance(1_000)
      deepEqual((await store.claimDue(wideClaim)).claimed, [])
      equal((await store.findDelivery({ appId: appA, deliveryId: first ?? '' }))?.state, 'DELIVERED')
      equal((await store.findDelivery({ appId: appA, deliveryId: second ?? '' }))?.state, 'CANCELLED')
    },
  ),

  webhookStoreCase(
    'WS-ENDPOINT-10',
    'An event that races a removal MUST leave nothing that waits for the removed endpoint',
    async ({ store, other }) => {
      const { registered, event } = createSamples()
      for (let round = 0; round < 10; round += 1) {
        const endpoint = await registered(store)
        const publish = (n: number) => (n % 2 === 0 ? store : other).insertEvent(event([endpoint]))
        const [, , removed] = await Promise.all([
          publish(0),
          publish(1),
          other.removeEndpoint({ appId: appA, endpointId: endpoint.endpointId }),
          publish(2),
          publish(3),
        ])
        equal(removed, true, 'removeEndpoint')
        const { items } = await store.listDeliveries({ appId: appA, endpointId: endpoint.endpointId, limit: 10 })
        const waiting = items.filter(({ state }) => state !== 'CANCELLED')
        deepEqual(waiting, [], 'listDeliveries of the removed endpoint gives cancelled deliveries only')
      }
      deepEqual((await store.claimDue(wideClaim)).claimed, [], 'claimDue gives nothing of removed endpoints')
    },
  ),

  webhookStoreCase(
    'WS-ENDPOINT-11',
    'An endpoint id that the app ever had MUST be rejected, and nothing changed',
    async ({ store, other }) => {
      const { registered, endpoint } = createSamples()
      const [here, gone] = [await registered(store), await registered(store)]
      await store.removeEndpoint({ appId: appA, endpointId: gone.endpointId })
      for (const { endpointId } of [here, gone]) {
        await rejects(
          async () => other.registerEndpoint(endpoint({ endpointId }), 50),
          'registerEndpoint rejects an endpointId that is taken',
        )
        const replace = { appId: appA, endpointId: here.endpointId, replacement: endpoint({ endpointId }) }
        await rejects(async () => other.replaceEndpoint(replace), 'replaceEndpoint rejects an endpointId that is taken')
      }
      deepEqual(await store.listEndpoints(appA), [here], 'listEndpoints after the refusals')
    },
  ),

  webhookStoreCase(
    'WS-ENDPOINT-9',
    'Deliveries of a removed endpoint MUST NOT go to a new one with the same URL',
    async ({ store, advance }) => {
      const { registered, published } = createSamples()
      const old = await registered(store)
      await published(store, old)
      const delivery = await claimOne(store)
      await recordResults(store, resultOf.retry(delivery, 10))
      await store.removeEndpoint({ appId: appA, endpointId: old.endpointId })
      const again = await registered(store, { url: old.url })
      await advance(10)
      deepEqual((await store.claimDue(wideClaim)).claimed, [])
      const [fresh] = await published(store, again)
      equal((await claimOne(store)).deliveryId, fresh)
    },
  ),

  webhookStoreCase(
    'WS-ENDPOINT-12',
    'A removal MUST erase the static headers of the endpoint',
    async ({ store, other, advance }) => {
      const { registered, published } = createSamples()
      const endpoint = await registered(store, { headers: { names: ['X-Tenant'], sealed: 'opaque', dataKey: 'key' } })
      await published(store, endpoint)
      await claimOne(store)
      await store.removeEndpoint({ appId: appA, endpointId: endpoint.endpointId })
      await advance(wideClaim.leaseMs)
      const [taken] = await other.claimExpired({ limit: 1, leaseMs: wideClaim.leaseMs })
      deepEqual(taken?.endpoint.headers, null, 'claimExpired gives the attempt in flight without them')
    },
  ),
]
