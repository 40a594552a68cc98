import { deepEqual, equal, rejects } from 'node:assert/strict'
import { webhookStoreCase, type WebhookStoreCase } from './harness.js'
import { appA, appB, claimOne, createSamples, listAll, recordResults, resultOf, wideClaim } from './sample-records.js'

/** Cases about resending a delivery. */
export const resendCases: readonly WebhookStoreCase[] = [
  webhookStoreCase(
    'WS-RESEND-1',
    'A resend MUST be a new delivery of the same bytes under the same X-Event-ID',
    async ({ store, other }) => {
      const { registered, published, id } = createSamples()
      const [deliveryId = ''] = await published(store, await registered(store))
      const original = await claimOne(store)
      await recordResults(store, resultOf.failed(original))
      const before = await store.findDelivery({ appId: appA, deliveryId })
      const newDeliveryId = id()
      equal(await other.resendDelivery({ appId: appA, deliveryId, newDeliveryId }), 'resent')
      const again = await claimOne(store)
      deepEqual(
        [again.deliveryId, again.eventId, again.xEventId, again.fence.attempt, [...again.body]],
        [newDeliveryId, original.eventId, original.xEventId, 1, [...original.body]],
      )
      equal((await other.findDelivery({ appId: appA, deliveryId: newDeliveryId }))?.resendOf, deliveryId)
      await recordResults(store, resultOf.delivered(again))
      deepEqual(await store.findDelivery({ appId: appA, deliveryId }), before, 'the original stays as it ended')
    },
  ),

  webhookStoreCase(
    'WS-RESEND-3',
    'A resend MUST leave all other deliveries as they are, also when its id is taken',
    async ({ store, other }) => {
      const { registered, published, id } = createSamples()
      const endpoint = await registered(store)
      const [first = '', second = ''] = await published(store, endpoint, 2)
      const { claimed } = await store.claimDue(wideClaim)
      await recordResults(store, ...claimed.map(resultOf.failed))
      const read = async () =>
        Promise.all([first, second].map((deliveryId) => other.findDelivery({ appId: appA, deliveryId })))
      const before = await read()
      const resend = { appId: appA, deliveryId: first, newDeliveryId: id() }
      equal(await store.resendDelivery(resend), 'resent')
      deepEqual(await read(), before, 'findDelivery of the deliveries that were there, after the resend')
      for (const newDeliveryId of [second, first, resend.newDeliveryId]) {
        await rejects(
          async () => store.resendDelivery({ ...resend, newDeliveryId }),
          'resendDelivery rejects a newDeliveryId that is taken',
        )
      }
      deepEqual(await read(), before, 'findDelivery of the deliveries that were there, after the refusals')
      equal((await listAll(other)).length, 3, 'listDeliveries')
    },
  ),

  webhookStoreCase(
    'WS-RESEND-2',
    'What cannot be resent MUST be answered with its reason and write nothing',
    async ({ store }) => {
      const { registered, published, id } = createSamples()
      const endpoint = await registered(store)
      const [deliveryId = ''] = await published(store, endpoint)
      const resend = (appId: string, of: string) => store.resendDelivery({ appId, deliveryId: of, newDeliveryId: id() })
      equal(await resend(appA, deliveryId), 'not_finished', 'waiting')
      const claimed = await claimOne(store)
      equal(await resend(appA, deliveryId), 'not_finished', 'in flight')
      await recordResults(store, resultOf.delivered(claimed))
      equal(await resend(appA, id()), 'not_found')
      equal(await resend(appB, deliveryId), 'not_found')
      await store.removeEndpoint({ appId: appA, endpointId: endpoint.endpointId })
      equal(await resend(appA, deliveryId), 'endpoint_removed')
      equal((await store.listDeliveries({ appId: appA, limit: 10 })).items.length, 1)
    },
  ),
]
