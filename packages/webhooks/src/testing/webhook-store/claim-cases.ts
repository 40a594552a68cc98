import { deepEqual, equal, ok } from 'node:assert/strict'
import { webhookStoreCase } from './harness.js'
import { appA, claimOne, createSamples, near, race, recordResults, resultOf, wideClaim } from './sample-records.js'

/** Caps without effect. */
const uncapped = { ...wideClaim, maxInFlight: { healthy: 1_000, failing: 1_000 } }

export const claimCases = [
  webhookStoreCase('WS-CLAIM-1', 'Of racing claimers exactly one MUST get a delivery', async ({ store, other }) => {
    const { registered, published } = createSamples()
    const [id] = await published(store, await registered(store))
    const answers = await race(store, other, (handle) => handle.claimDue(uncapped))
    deepEqual(
      answers.flatMap(({ claimed }) => claimed.map(({ deliveryId }) => deliveryId)),
      [id],
    )
  }),

  webhookStoreCase(
    'WS-CLAIM-2',
    'Racing claimers MUST share the due deliveries without overlap or loss',
    async ({ store, other }) => {
      const { registered, published } = createSamples()
      const ids: string[] = []
      for (let n = 0; n < 10; n += 1) ids.push(...(await published(store, await registered(store), 12)))
      const seen: string[] = []
      while (seen.length < ids.length) {
        const answers = await race(store, other, (handle) => handle.claimDue({ ...uncapped, limit: 3 }), 8)
        const claimed = answers.flatMap((answer) => answer.claimed)
        ok(claimed.length > 0, 'what is due is claimed')
        seen.push(...claimed.map(({ deliveryId }) => deliveryId))
      }
      deepEqual([...seen].sort(), [...ids].sort())
    },
  ),

  webhookStoreCase(
    'WS-CLAIM-3',
    'A claim MUST open the numbered attempt before it resolves',
    async ({ store, other }) => {
      const { registered, published } = createSamples()
      const [deliveryId = ''] = await published(store, await registered(store))
      const { fence } = await claimOne(store)
      deepEqual([fence.deliveryId, fence.attempt], [deliveryId, 1])
      const read = await other.findDelivery({ appId: appA, deliveryId })
      deepEqual([read?.state, read?.attemptsMade, read?.nextAttemptAt], ['PENDING', 1, null])
      deepEqual(
        read?.attempts.map(({ number, state, endedAt, report }) => ({ number, state, endedAt, report })),
        [{ number: 1, state: 'STARTED', endedAt: null, report: null }],
      )
    },
  ),

  webhookStoreCase(
    'WS-CLAIM-4',
    'A delivery MUST be claimed when it is due, and never earlier',
    async ({ store, advance }) => {
      const { registered, published } = createSamples()
      await published(store, await registered(store))
      await recordResults(store, resultOf.retry(await claimOne(store), 30_000))
      await advance(29_998)
      const { claimed, nextDueInMs } = await store.claimDue(wideClaim)
      deepEqual(claimed, [], 'claimDue gives nothing that is not due')
      near(nextDueInMs ?? undefined, 2, 'nextDueInMs of claimDue')
      await advance(3)
      equal((await claimOne(store)).fence.attempt, 2)
    },
  ),

  webhookStoreCase('WS-CLAIM-5', 'A claim MUST say when the next delivery is due', async ({ store, advance }) => {
    const { registered, published } = createSamples()
    const endpoint = await registered(store)
    equal((await store.claimDue(wideClaim)).nextDueInMs, null)
    await published(store, endpoint, 2)
    const first = await store.claimDue({ ...wideClaim, limit: 1 })
    equal(first.nextDueInMs, 0, 'one is left')
    const second = await store.claimDue(wideClaim)
    equal(second.nextDueInMs, null, 'in flight is not waiting')
    for (const [index, delivery] of [...first.claimed, ...second.claimed].entries()) {
      await recordResults(store, resultOf.retry(delivery, 5_000 * (index + 1)))
    }
    near((await store.claimDue(wideClaim)).nextDueInMs ?? undefined, 5_000, 'nextDueInMs of claimDue')
    for (let n = 0; n < 2; n += 1) await published(store, await registered(store))
    await store.claimDue({ ...wideClaim, limit: 1 })
    await advance(5_000)
    equal((await store.claimDue({ ...wideClaim, limit: 1 })).nextDueInMs, 0, 'a retry became due meanwhile')
  }),

  webhookStoreCase('WS-CLAIM-6', 'At most `limit` deliveries MUST be claimed', async ({ store }) => {
    const { registered, published } = createSamples()
    await published(store, await registered(store), 5)
    equal((await store.claimDue({ ...uncapped, limit: 2 })).claimed.length, 2)
    equal((await store.claimDue({ ...uncapped, limit: 100 })).claimed.length, 3)
  }),

  webhookStoreCase(
    'WS-CLAIM-7',
    'The cap of a healthy endpoint MUST hold over racing claimers',
    async ({ store, other }) => {
      const { registered, published } = createSamples()
      const [one, two] = [await registered(store), await registered(store)]
      await published(store, one, 20)
      await published(store, two, 20)
      const answers = await race(store, other, (handle) => handle.claimDue({ ...wideClaim, limit: 5 }))
      const claimed = answers.flatMap((answer) => answer.claimed)
      for (const { endpointId } of [one, two]) {
        equal(claimed.filter(({ endpoint }) => endpoint.endpointId === endpointId).length, 4)
      }
      deepEqual(await store.claimDue(wideClaim), { claimed: [], nextDueInMs: 0 })
      await recordResults(store, ...claimed.slice(0, 1).map(resultOf.delivered))
      equal((await other.claimDue(wideClaim)).claimed.length, 1, 'an ended attempt frees its place')
    },
  ),

  webhookStoreCase(
    'WS-CLAIM-8',
    'The lower cap MUST hold after a failed attempt until one succeeds',
    async ({ store, advance }) => {
      const { registered, published } = createSamples()
      await published(store, await registered(store), 9)
      await recordResults(store, resultOf.retry(await claimOne(store, { limit: 1 }), 60_000))
      const failing = await claimOne(store)
      await recordResults(store, resultOf.unsent(failing, 90_000))
      const still = await claimOne(store)
      await recordResults(store, resultOf.delivered(still))
      equal((await store.claimDue({ ...wideClaim, leaseMs: 90_000 })).claimed.length, 4)
      await advance(60_000)
      equal((await store.claimDue(wideClaim)).claimed.length, 0)
    },
  ),

  webhookStoreCase('WS-CLAIM-9', 'Slots kept for healthy endpoints MUST NOT go to failing ones', async ({ store }) => {
    const { registered, published } = createSamples()
    const healthy = await registered(store)
    const failing = []
    for (let n = 0; n < 6; n += 1) {
      const endpoint = await registered(store)
      failing.push(endpoint)
      await published(store, endpoint)
      await recordResults(store, resultOf.retry(await claimOne(store), 3_600_000))
    }
    for (const endpoint of failing) await published(store, endpoint, 2)
    await published(store, healthy, 2)
    const claim = async (limit: number, keepForHealthy: number) => {
      const { claimed } = await store.claimDue({ ...wideClaim, limit, keepForHealthy })
      const ofHealthy = claimed.filter(({ endpoint }) => endpoint.endpointId === healthy.endpointId)
      return [ofHealthy.length, claimed.length - ofHealthy.length]
    }
    deepEqual(await claim(6, 4), [2, 2], 'kept places stay empty rather than go to failing endpoints')
    deepEqual(await claim(3, 3), [0, 0])
    deepEqual(await claim(10, 0), [0, 4])
  }),

  webhookStoreCase(
    'WS-CLAIM-10',
    'Deliveries of an endpoint MUST be claimed by due time, earliest first',
    async ({ store, advance }) => {
      const { registered, published } = createSamples()
      const endpoint = await registered(store)
      const [late] = await published(store, endpoint)
      await recordResults(store, resultOf.retry(await claimOne(store), 500))
      const rest: string[] = []
      for (let n = 0; n < 3; n += 1) {
        await advance(200)
        rest.push(...(await published(store, endpoint)))
      }
      const order: string[] = []
      for (let n = 0; n < 4; n += 1) {
        const delivery = await claimOne(store, { limit: 1 })
        order.push(delivery.deliveryId)
        await recordResults(store, resultOf.delivered(delivery))
      }
      deepEqual(order, [rest[0], rest[1], late, rest[2]])
    },
  ),

  webhookStoreCase('WS-CLAIM-11', 'Within one claim, endpoints MUST take turns', async ({ store, advance }) => {
    const { registered, published } = createSamples()
    const [busy, quiet] = [await registered(store), await registered(store)]
    await published(store, busy, 20)
    await advance(10)
    await published(store, quiet, 2)
    const { claimed } = await store.claimDue({ ...uncapped, limit: 4 })
    equal(claimed.filter(({ endpoint }) => endpoint.endpointId === quiet.endpointId).length, 2)
  }),

  webhookStoreCase(
    'WS-CLAIM-12',
    'An endpoint with a long backlog MUST NOT delay another one over many claims',
    async ({ store, advance }) => {
      const { registered, published } = createSamples()
      const [busy, quiet] = [await registered(store), await registered(store)]
      await published(store, busy, 30)
      await store.claimDue({ ...uncapped, limit: 1 })
      await advance(10)
      await published(store, quiet, 3)
      const served: string[] = []
      for (let n = 0; n < 8; n += 1) {
        await advance(1)
        served.push((await claimOne(store, { ...uncapped, limit: 1 })).endpoint.endpointId)
      }
      equal(served.filter((endpointId) => endpointId === quiet.endpointId).length, 3)
    },
  ),

  webhookStoreCase('WS-CLAIM-13', 'Every claim MUST have a new fence token', async ({ store, advance }) => {
    const { registered, published } = createSamples()
    await published(store, await registered(store), 3)
    const tokens = new Set<string>()
    for (let n = 0; n < 4; n += 1) {
      const { claimed } = await store.claimDue(wideClaim)
      for (const delivery of claimed) {
        tokens.add(delivery.fence.token)
        await recordResults(store, resultOf.retry(delivery, 10))
      }
      await advance(10)
    }
    // Three at first, then one at a time because the endpoint fails.
    equal(tokens.size, 6)
  }),
]
