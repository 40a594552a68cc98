import { deepEqual, equal } from 'node:assert/strict'
import type { Endpoint, WebhookStore } from '../../delivery/webhook-store.js'
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

const remove = (store: WebhookStore, { appId, endpointId }: Endpoint) => store.removeEndpoint({ appId, endpointId })

const find = async (store: WebhookStore, deliveryId: string | undefined) => {
  const found = await store.findDelivery({ appId: appA, deliveryId: deliveryId ?? '' })
  return { state: found?.state, endpointId: found?.endpointId, cancelReason: found?.cancelReason }
}

/** Cases about endpoints that share a lineage, and about `replaceEndpoint`. */
export const lineageCases = [
  webhookStoreCase(
    'WS-LINEAGE-1',
    'An endpoint MUST inherit the lineage of its URL in its app, also of a removed endpoint',
    async ({ store, other }) => {
      const { endpoint, registered } = createSamples()
      const first = await registered(store)
      const beside = endpoint({ url: first.url })
      await other.registerEndpoint(beside, 50)
      await remove(store, first)
      await store.removeEndpoint({ appId: appA, endpointId: beside.endpointId })
      const again = endpoint({ url: first.url })
      const [elsewhere, different] = [endpoint({ appId: appB, url: first.url }), endpoint()]
      for (const one of [again, elsewhere, different]) await other.registerEndpoint(one, 50)
      deepEqual(await store.listEndpoints(appA), [asListed(again, first.endpointId), asListed(different)])
      deepEqual(await store.listEndpoints(appB), [asListed(elsewhere)])
    },
  ),

  webhookStoreCase(
    'WS-LINEAGE-2',
    'Of the deliveries with one X-Event-ID only the first whose endpoint is there MUST be made',
    async ({ store, other }) => {
      const { registered, event, id } = createSamples()
      const [one, two, three] = [await registered(store), await registered(store), await registered(store)]
      const shared = id()
      const toAll = () => {
        const made = event([one, two, three])
        const deliveries = made.deliveries.map((each, n) => (n === 2 ? each : { ...each, xEventId: shared }))
        return { ...made, deliveries }
      }
      const endpointsOf = (inserted: { deliveries: readonly { endpointId: string }[] }) =>
        inserted.deliveries.map(({ endpointId }) => endpointId)
      deepEqual(endpointsOf(await store.insertEvent(toAll())), [one.endpointId, three.endpointId])
      await remove(other, one)
      deepEqual(endpointsOf(await store.insertEvent(toAll())), [two.endpointId, three.endpointId])
    },
  ),

  webhookStoreCase(
    'WS-LINEAGE-3',
    'A removal MUST move what waits to the newest endpoint of its lineage that takes the type, and cancel the rest',
    async ({ store, other, advance }) => {
      const { registered, published } = createSamples()
      const gone = await registered(store)
      const { url } = gone
      const older = await registered(store, { url, eventTypes: ['WIDGET_DEPOSIT_COMPLETE', 'TRANSACTION_CREATE'] })
      const heir = await registered(store, { url, eventTypes: ['WIDGET_DEPOSIT_COMPLETE'] })
      const [tried] = await published(store, gone)
      await recordResults(store, resultOf.retry(await claimOne(store), 60_000))
      const [deposit] = await published(store, gone)
      const [created] = await published(store, gone, 1, { type: 'TRANSACTION_CREATE' })
      const [kyc] = await published(store, gone, 1, { type: 'WIDGET_KYC_INITIATION' })
      equal(await remove(other, gone), true)

      const waiting = { state: 'PENDING', cancelReason: null, endpointId: heir.endpointId }
      deepEqual(await find(store, tried), waiting)
      deepEqual(await find(store, deposit), waiting)
      deepEqual(await find(store, created), { ...waiting, endpointId: older.endpointId })
      const cancelled = { state: 'CANCELLED', cancelReason: 'TYPE_NOT_SUBSCRIBED', endpointId: gone.endpointId }
      deepEqual(await find(store, kyc), cancelled)
      const { claimed } = await other.claimDue(wideClaim)
      deepEqual(claimed.map(({ deliveryId }) => deliveryId).sort(), [deposit, created].sort())
      equal(claimed.find(({ deliveryId }) => deliveryId === deposit)?.endpoint.url, heir.url)
      await recordResults(other, ...claimed.map(resultOf.delivered))
      await advance(60_000)
      equal((await claimOne(store)).fence.attempt, 2)
    },
  ),

  webhookStoreCase(
    'WS-LINEAGE-4',
    'After the last endpoint of a lineage, what waits MUST be cancelled, and not come back with a new one',
    async ({ store, advance }) => {
      const { registered, published } = createSamples()
      const one = await registered(store)
      const two = await registered(store, { url: one.url })
      const [waiting] = await published(store, one)
      await remove(store, one)
      await remove(store, two)
      await registered(store, { url: one.url })
      await advance(1_000)
      deepEqual((await store.claimDue(wideClaim)).claimed, [])
      const cancelled = { state: 'CANCELLED', cancelReason: 'ENDPOINT_REMOVED', endpointId: two.endpointId }
      deepEqual(await find(store, waiting), cancelled)
    },
  ),

  webhookStoreCase(
    'WS-LINEAGE-5',
    'A resend after a removal MUST go to the lineage, under the same X-Event-ID',
    async ({ store, other }) => {
      const { registered, published, id } = createSamples()
      const old = await registered(store)
      const [first] = await published(store, old)
      const { xEventId, ...delivery } = await claimOne(store)
      await recordResults(store, resultOf.failed({ xEventId, ...delivery }))
      await remove(store, old)
      const resend = () => other.resendDelivery({ appId: appA, deliveryId: first ?? '', newDeliveryId: id() })
      equal(await resend(), 'endpoint_removed')
      await registered(store, { url: old.url, eventTypes: ['TRANSACTION_CREATE'] })
      equal(await resend(), 'endpoint_removed')
      const again = await registered(store, { url: old.url })
      equal(await resend(), 'resent')
      const resent = await claimOne(store)
      deepEqual([resent.endpoint.endpointId, resent.xEventId], [again.endpointId, xEventId])
    },
  ),

  webhookStoreCase(
    'WS-REPLACE-1',
    'A replacement MUST take over what waits with attempts and due times, and its types alone',
    async ({ store, other, advance }) => {
      const { endpoint, registered, published } = createSamples()
      const old = await registered(store)
      const [tried] = await published(store, old)
      await recordResults(store, resultOf.retry(await claimOne(store), 60_000))
      const [kyc] = await published(store, old, 1, { type: 'WIDGET_KYC_INITIATION' })
      const replacement = endpoint({ eventTypes: ['WIDGET_DEPOSIT_COMPLETE'], description: 'new' })
      const { appId, endpointId } = old
      equal(await other.replaceEndpoint({ appId, endpointId, replacement }), 'replaced')

      deepEqual(await store.listEndpoints(appA), [asListed(replacement, old.lineageId)])
      deepEqual(await find(store, kyc), { state: 'CANCELLED', cancelReason: 'TYPE_NOT_SUBSCRIBED', endpointId })
      deepEqual((await store.claimDue(wideClaim)).claimed, [])
      await advance(60_000)
      const { deliveryId, fence, endpoint: to } = await claimOne(store)
      deepEqual([deliveryId, fence.attempt, to.url], [tried, 2, replacement.url])
      equal(await other.replaceEndpoint({ appId, endpointId, replacement: endpoint() }), 'not_found')
    },
  ),

  webhookStoreCase(
    'WS-REPLACE-2',
    'An attempt in flight MUST end at the old endpoint; its retry MUST be the next attempt at the new one',
    async ({ store, other, advance }) => {
      const { endpoint, registered, published } = createSamples()
      const old = await registered(store)
      const ids = await published(store, old, 3)
      const kyc = await published(store, old, 1, { type: 'WIDGET_KYC_INITIATION' })
      const { claimed } = await store.claimDue(wideClaim)
      equal(claimed.length, 4)
      const replacement = endpoint({ eventTypes: ['WIDGET_DEPOSIT_COMPLETE'] })
      equal(await other.replaceEndpoint({ ...old, replacement }), 'replaced')
      const claimedOf = (deliveryId: string | undefined) => claimed.find((one) => one.deliveryId === deliveryId)!
      await recordResults(
        other,
        resultOf.delivered(claimedOf(ids[0])),
        resultOf.retry(claimedOf(ids[1]), 1_000),
        resultOf.failed(claimedOf(ids[2])),
        resultOf.retry(claimedOf(kyc[0]), 1_000),
      )
      equal((await find(store, ids[0])).state, 'DELIVERED')
      equal((await find(store, ids[2])).state, 'FAILED')
      deepEqual(await find(store, kyc[0]), {
        state: 'CANCELLED',
        cancelReason: 'TYPE_NOT_SUBSCRIBED',
        endpointId: old.endpointId,
      })
      await advance(1_000)
      const { deliveryId, fence, endpoint: to } = await claimOne(store)
      deepEqual([deliveryId, fence.attempt, to.endpointId], [ids[1], 2, replacement.endpointId])
    },
  ),

  webhookStoreCase(
    'WS-REPLACE-3',
    'A URL that another lineage of the app ever had MUST be refused, and nothing written',
    async ({ store, other }) => {
      const { endpoint, registered } = createSamples()
      const [old, beside, gone] = [await registered(store), await registered(store), await registered(store)]
      await remove(store, gone)
      for (const { url } of [beside, gone]) {
        equal(await other.replaceEndpoint({ ...old, replacement: endpoint({ url }) }), 'url_in_use')
      }
      deepEqual(await store.listEndpoints(appA), [old, beside])
      // Its own URL, and one that only another app has, are free.
      const foreign = await registered(store, { appId: appB })
      const same = endpoint({ url: old.url })
      equal(await store.replaceEndpoint({ ...old, replacement: same }), 'replaced')
      const moved = endpoint({ url: foreign.url })
      const { endpointId } = same
      equal(await store.replaceEndpoint({ appId: appA, endpointId, replacement: moved }), 'replaced')
      // The lineage keeps the URL that it left.
      const back = endpoint({ url: old.url })
      await store.registerEndpoint(back, 50)
      const lineages = (await store.listEndpoints(appA)).map(({ lineageId }) => lineageId)
      deepEqual(lineages.sort(), [old.lineageId, old.lineageId, beside.lineageId].sort())
    },
  ),

  webhookStoreCase(
    'WS-REPLACE-4',
    'Of racing replacements and removals of an endpoint exactly one MUST succeed, and no delivery is lost',
    async ({ store, other }) => {
      const { endpoint, registered, published } = createSamples()
      const old = await registered(store)
      const ids = await published(store, old, 3)
      const answers = await race(store, other, (handle) => handle.replaceEndpoint({ ...old, replacement: endpoint() }))
      equal(answers.filter((answer) => answer === 'replaced').length, 1)
      const [live, ...more] = await store.listEndpoints(appA)
      deepEqual(more, [])
      const deliveries = await listAll(store)
      deepEqual(deliveries.map(({ deliveryId }) => deliveryId).sort(), [...ids].sort())
      equal(
        deliveries.every((one) => one.state === 'PENDING' && one.endpointId === live?.endpointId),
        true,
      )
    },
  ),

  webhookStoreCase(
    'WS-LINEAGE-6',
    'A claim MUST find what moved to a replacement after an earlier claim left it waiting',
    async ({ store, other }) => {
      const { endpoint, registered, published } = createSamples()
      const first = await registered(store)
      const [deliveryId] = await published(store, first)
      await recordResults(store, resultOf.retry(await claimOne(store), 0))
      // Every slot is kept for healthy endpoints, and this one fails. WS-CLAIM-9 asks whether they are.
      const kept = await store.claimDue({ ...wideClaim, limit: 2, keepForHealthy: 2 })
      for (const one of kept.claimed) await recordResults(store, resultOf.retry(one, 0))
      equal(await other.replaceEndpoint({ ...first, replacement: endpoint() }), 'replaced')
      const { claimed } = await store.claimDue({ ...wideClaim, limit: 1 })
      deepEqual(
        claimed.map((one) => one.deliveryId),
        [deliveryId],
      )
    },
  ),

  webhookStoreCase(
    'WS-LINEAGE-7',
    'What moved to a replacement MUST fill the slots of a claim, but first deliveries come before second ones',
    async ({ store, other }) => {
      const { endpoint, registered, published } = createSamples()
      async function publishedAndMoved() {
        const old = await registered(store)
        const moved = await published(store, old, 2)
        equal(await other.replaceEndpoint({ ...old, replacement: endpoint() }), 'replaced')
        return moved
      }
      async function claimTwo() {
        // WS-CLAIM-6 and WS-CLAIM-11 ask the same of claims that keep no slot.
        const { claimed } = await store.claimDue({ ...wideClaim, limit: 2, keepForHealthy: 1 })
        return claimed.map(({ deliveryId }) => deliveryId).sort()
      }
      const alone = await publishedAndMoved()
      deepEqual(await claimTwo(), [...alone].sort())
      const [first = '', second = ''] = await publishedAndMoved()
      const [late = ''] = await published(store, await registered(store))
      deepEqual(await claimTwo(), [first, late].sort())
      deepEqual(await claimTwo(), [second])
    },
  ),
]
