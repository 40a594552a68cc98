import { deepEqual, equal, ok } from 'node:assert/strict'
import type { Endpoint } from '../../delivery/webhook-store.js'
import { webhookStoreCase } from './harness.js'
import { appB, between, claimOne, createSamples, near, recordResults, resultOf, wideClaim } from './sample-records.js'

const untouched = ({ endpointId }: Endpoint) => ({ endpointId, failingSince: null, lastSuccessAt: null })

/** Cases about the health of endpoints. */
export const endpointHealthCases = [
  webhookStoreCase(
    'WS-HEALTH-1',
    'Health MUST tell since when attempts fail, and the last success',
    async ({ store, other, advance }) => {
      const { registered, published } = createSamples()
      const [endpoint, beside] = [await registered(store), await registered(store)]
      const health = async () => {
        const found = await other.listEndpointHealth(endpoint.appId)
        deepEqual(
          found.find(({ endpointId }) => endpointId === beside.endpointId),
          untouched(beside),
        )
        return found.find(({ endpointId }) => endpointId === endpoint.endpointId)
      }
      deepEqual(await health(), untouched(endpoint))
      deepEqual(await store.listEndpointHealth(appB), [])
      const [succeeds = '', fails = ''] = await published(store, endpoint, 2)
      await recordResults(store, resultOf.delivered(await claimOne(store, { limit: 1 })))
      const endOf = async (deliveryId: string) =>
        (await store.findDelivery({ ...endpoint, deliveryId }))?.endedAt ?? null
      const lastSuccessAt = await endOf(succeeds)
      deepEqual(await health(), { ...untouched(endpoint), lastSuccessAt })
      await advance(100)
      await recordResults(store, resultOf.retry(await claimOne(store), 0))
      const failing = await health()
      deepEqual(failing?.lastSuccessAt, lastSuccessAt)
      near(between(lastSuccessAt, failing?.failingSince), 100, 'failingSince of listEndpointHealth after the success')
      await advance(100)
      await recordResults(store, resultOf.failed(await claimOne(store)))
      deepEqual(await health(), failing, 'still failing')
      await advance(100)
      await published(store, endpoint)
      await recordResults(store, resultOf.unsent(await claimOne(store), 0))
      deepEqual(await health(), failing, 'nothing was sent')
      await recordResults(store, resultOf.delivered(await claimOne(store)))
      const healthy = await health()
      equal(healthy?.failingSince, null)
      near(
        between(await endOf(fails), healthy?.lastSuccessAt),
        100,
        'lastSuccessAt of listEndpointHealth after the failure',
      )
    },
  ),

  webhookStoreCase(
    'WS-HEALTH-2',
    'An attempt that was not sent MUST NOT mark a healthy endpoint as failing, nor lower its cap',
    async ({ store, other }) => {
      const { registered, published } = createSamples()
      const endpoint = await registered(store)
      await published(store, endpoint, 5)
      await recordResults(store, resultOf.unsent(await claimOne(store, { limit: 1 }), 60_000))
      deepEqual(await other.listEndpointHealth(endpoint.appId), [untouched(endpoint)], 'listEndpointHealth')
      equal((await other.claimDue(wideClaim)).claimed.length, 4, 'claimDue gives up to the cap of a healthy endpoint')
    },
  ),

  webhookStoreCase(
    'WS-HEALTH-3',
    'The last success MUST be the one that ended last, also of an older delivery',
    async ({ store, other, advance }) => {
      const { registered, published } = createSamples()
      const endpoint = await registered(store)
      const [older = ''] = await published(store, endpoint, 3)
      const [first, second, third] = (await store.claimDue(wideClaim)).claimed
      ok(first && second && third, 'three deliveries are due')
      await recordResults(store, resultOf.delivered(third))
      await advance(100)
      await recordResults(store, resultOf.failed(second))
      await advance(100)
      await recordResults(store, resultOf.delivered(first))
      const end = (await store.findDelivery({ ...endpoint, deliveryId: older }))?.endedAt
      deepEqual(await other.listEndpointHealth(endpoint.appId), [{ ...untouched(endpoint), lastSuccessAt: end }])
    },
  ),

  webhookStoreCase(
    'WS-HEALTH-4',
    'An endpoint MUST fail since its last success, also if one call records both',
    async ({ store, other, advance }) => {
      const { registered, published } = createSamples()
      const endpoint = await registered(store)
      await published(store, endpoint, 3)
      const [first, second, third] = (await store.claimDue(wideClaim)).claimed
      ok(first && second && third, 'three deliveries are due')
      const since = async () => (await other.listEndpointHealth(endpoint.appId))[0]?.failingSince
      await recordResults(store, resultOf.failed(first))
      const began = await since()
      await advance(100)
      await recordResults(store, resultOf.delivered(second), resultOf.retry(third, 0))
      near(between(began, await since()), 100, 'failingSince after a success and a retry')
      await published(store, endpoint)
      const wide = { ...wideClaim, maxInFlight: { healthy: 4, failing: 4 } }
      const [one, two] = (await store.claimDue(wide)).claimed
      ok(one && two, 'two deliveries are due')
      await advance(100)
      await recordResults(store, resultOf.delivered(one), resultOf.failed(two))
      near(between(began, await since()), 200, 'failingSince after a success and a failure')
    },
  ),
]
