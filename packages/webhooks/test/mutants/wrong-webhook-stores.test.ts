import { describe, expect, test } from 'vitest'
import type { InsertedEvent, WebhookStore } from '../../src/delivery/index.js'
import { createMemoryWebhookStore, webhookStoreCases } from '../../src/testing/index.js'
import { appA, appB, userOne } from '../../src/testing/webhook-store/sample-records.js'

type Store = Required<WebhookStore>

/** One broken promise each, as somebody's first version of a backend would break it. */
const wrongStores: readonly { readonly what: string; spoil(store: Store): Partial<Store> }[] = [
  {
    what: 'lets every registration through',
    spoil: (store) => ({ registerEndpoint: (endpoint) => store.registerEndpoint(endpoint, Infinity) }),
  },
  {
    what: 'removes the endpoints of another app',
    spoil: (store) => {
      const apps = new Map<string, string>()
      return {
        registerEndpoint(endpoint, limit) {
          apps.set(endpoint.endpointId, endpoint.appId)
          return store.registerEndpoint(endpoint, limit)
        },
        removeEndpoint: ({ appId, endpointId }) =>
          store.removeEndpoint({ appId: apps.get(endpointId) ?? appId, endpointId }),
      }
    },
  },
  {
    what: 'forgets source event ids',
    spoil: (store) => ({ insertEvent: (event) => store.insertEvent({ ...event, sourceEventId: null }) }),
  },
  {
    what: 'claims more than the cap of an endpoint',
    spoil: (store) => ({
      claimDue: (request) => store.claimDue({ ...request, maxInFlight: { healthy: 1_000, failing: 1_000 } }),
    }),
  },
  {
    what: 'does not lower the cap of a failing endpoint',
    spoil: (store) => ({
      claimDue: (request) =>
        store.claimDue({ ...request, maxInFlight: { ...request.maxInFlight, failing: request.maxInFlight.healthy } }),
    }),
  },
  {
    what: 'keeps no places for healthy endpoints',
    spoil: (store) => ({ claimDue: (request) => store.claimDue({ ...request, keepForHealthy: 0 }) }),
  },
  {
    what: 'gives a lease that never ends',
    spoil: (store) => ({ claimDue: (request) => store.claimDue({ ...request, leaseMs: Infinity }) }),
  },
  {
    what: 'gives a lease that has ended already',
    spoil: (store) => ({ claimDue: (request) => store.claimDue({ ...request, leaseMs: 0 }) }),
  },
  {
    what: 'takes over without a fresh fence',
    spoil: (store) => {
      const tokens = new Map<string, string>()
      return {
        async claimDue(request) {
          const answer = await store.claimDue(request)
          for (const { fence } of answer.claimed) tokens.set(fence.deliveryId, fence.token)
          return answer
        },
        async claimExpired(request) {
          const claimed = await store.claimExpired(request)
          return claimed.map((one) => ({
            ...one,
            fence: { ...one.fence, token: tokens.get(one.deliveryId) ?? one.fence.token },
          }))
        },
      }
    },
  },
  {
    what: 'answers a stale result as applied',
    spoil: (store) => ({
      async recordAttemptResults(results) {
        await store.recordAttemptResults(results)
        return { stale: [], turned: [] }
      },
    }),
  },
  {
    what: 'tells no endpoint that turned',
    spoil: (store) => ({
      recordAttemptResults: async (results) => ({ ...(await store.recordAttemptResults(results)), turned: [] }),
    }),
  },
  {
    what: 'counts attempts of any app',
    spoil: (store) => ({
      listEndpointHours: async ({ since }) =>
        (await Promise.all([appA, appB].map((appId) => store.listEndpointHours({ appId, since })))).flat(),
    }),
  },
  {
    what: 'counts from the beginning',
    spoil: (store) => ({ listEndpointHours: ({ appId }) => store.listEndpointHours({ appId, since: new Date(0) }) }),
  },
  {
    what: 'counts nothing that failed',
    spoil: (store) => ({
      listEndpointHours: async (request) =>
        (await store.listEndpointHours(request)).filter(({ cause }) => cause === null),
    }),
  },
  {
    what: 'applies only the first result of a call',
    spoil: (store) => ({ recordAttemptResults: (results) => store.recordAttemptResults(results.slice(0, 1)) }),
  },
  {
    what: 'counts an attempt that was never sent',
    spoil: (store) => ({
      recordAttemptResults: (results) =>
        store.recordAttemptResults(
          results.map((one) =>
            one.attempt.state === 'UNSENT' ? { ...one, attempt: { ...one.attempt, state: 'FAILED' } } : one,
          ),
        ),
    }),
  },
  {
    what: 'retries at once, whatever the delay',
    spoil: (store) => ({
      recordAttemptResults: (results) =>
        store.recordAttemptResults(
          results.map((one) => (one.next.state === 'PENDING' ? { ...one, next: { ...one.next, delayMs: 0 } } : one)),
        ),
    }),
  },
  {
    what: 'loses the answer of the receiver',
    spoil: (store) => ({
      recordAttemptResults: (results) =>
        store.recordAttemptResults(
          results.map((one) => ({
            ...one,
            attempt: { ...one.attempt, report: { ...one.attempt.report, responseBody: null } },
          })),
        ),
    }),
  },
  {
    what: 'loses the trace context when an attempt is taken over',
    spoil: (store) => ({
      claimExpired: async (request) =>
        (await store.claimExpired(request)).map((one) => ({ ...one, traceContext: null })),
    }),
  },
  { what: 'cancels nothing', spoil: () => ({ cancelPending: () => Promise.resolve(0) }) },
  {
    what: 'shows a delivery to every app',
    spoil: (store) => {
      const apps = new Map<string, string>()
      return {
        insertEvent(event) {
          for (const { deliveryId } of event.deliveries) apps.set(deliveryId, event.appId)
          return store.insertEvent(event)
        },
        findDelivery: ({ appId, deliveryId }) =>
          store.findDelivery({ appId: apps.get(deliveryId) ?? appId, deliveryId }),
      }
    },
  },
  {
    what: 'ignores a filter of the log',
    spoil: (store) => ({ listDeliveries: ({ state: _ignored, ...request }) => store.listDeliveries(request) }),
  },
  {
    what: 'ends the log after its first page',
    spoil: (store) => ({
      listDeliveries: async (request) => ({ ...(await store.listDeliveries(request)), nextCursor: null }),
    }),
  },
  {
    what: 'returns what was published now as the original of its source',
    spoil: (store) => ({
      async insertEvent(event) {
        const inserted = await store.insertEvent(event)
        return { ...inserted, original: inserted.original === null ? null : event }
      },
    }),
  },
  {
    what: 'keeps a source for an event that was withheld',
    spoil: (store) => {
      const withheld = new Map<string, InsertedEvent>()
      return {
        async insertEvent(event) {
          const known = withheld.get(event.sourceEventId ?? '')
          if (known !== undefined) return { ...known, duplicate: true }
          const inserted = await store.insertEvent(event)
          if (inserted.withheld !== null && event.sourceEventId !== null) withheld.set(event.sourceEventId, inserted)
          return inserted
        },
      }
    },
  },
  {
    what: 'gives each endpoint a lineage of its own',
    spoil: (store) => ({
      listEndpoints: async (appId) =>
        (await store.listEndpoints(appId)).map((one) => ({ ...one, lineageId: one.endpointId })),
    }),
  },
  {
    what: 'does not pause',
    spoil: () => ({ pauseEndpoint: () => Promise.resolve('paused') }),
  },
  {
    what: 'pauses also for test events',
    spoil: (store) => ({
      async claimDue(request) {
        const found = await store.claimDue(request)
        const paused = new Set<string>()
        for (const { endpointId, pausedBy } of await store.listEndpoints(appA)) {
          if (pausedBy !== null) paused.add(endpointId)
        }
        return { ...found, claimed: found.claimed.filter(({ endpoint }) => !paused.has(endpoint.endpointId)) }
      },
    }),
  },
  {
    what: "lets a partner lift an operator's pause",
    spoil: (store) => ({ resumeEndpoint: (request) => store.resumeEndpoint({ ...request, by: 'OPERATOR' }) }),
  },
  {
    what: 'forgets a pause when an endpoint is replaced',
    spoil: (store) => ({
      async replaceEndpoint(request) {
        const answer = await store.replaceEndpoint(request)
        const { appId, endpointId } = request.replacement
        await store.resumeEndpoint({ appId, endpointId, by: 'OPERATOR' })
        return answer
      },
    }),
  },
  {
    what: 'cancels what waits in a pause',
    spoil: (store) => ({
      async pauseEndpoint(request) {
        await store.cancelPending({ appId: request.appId, userId: userOne, reason: 'PAUSED' })
        return store.pauseEndpoint(request)
      },
    }),
  },
  {
    what: 'takes an attempt that was not sent for a failure',
    spoil: (store) => ({
      async listEndpointHealth(appId) {
        const health = await store.listEndpointHealth(appId)
        return health.map((one) => ({ ...one, failingSince: one.failingSince && new Date() }))
      },
    }),
  },
  {
    what: 'makes a delivery for each endpoint of a lineage',
    spoil: (store) => ({
      insertEvent: (event) =>
        store.insertEvent({
          ...event,
          deliveries: event.deliveries.map((one) => ({ ...one, xEventId: one.deliveryId })),
        }),
    }),
  },
  {
    what: 'cancels what waits although its lineage goes on',
    spoil: (store) => ({
      async removeEndpoint(request) {
        await store.cancelPending({ appId: request.appId, userId: userOne, reason: 'ENDPOINT_REMOVED' })
        return store.removeEndpoint(request)
      },
    }),
  },
  {
    what: 'replaces an endpoint by removing it and registering another one',
    spoil: (store) => ({
      async replaceEndpoint({ replacement, ...old }) {
        if (!(await store.removeEndpoint(old))) return 'not_found'
        await store.registerEndpoint(replacement, Infinity)
        return 'replaced'
      },
    }),
  },
  {
    what: 'refuses a replacement only for a URL that another endpoint has now',
    spoil: (store) => ({
      async replaceEndpoint(request) {
        const answer = await store.replaceEndpoint(request)
        if (answer !== 'url_in_use') return answer
        const urls = (await store.listEndpoints(request.appId)).map(({ url }) => url)
        return urls.includes(request.replacement.url) ? 'url_in_use' : 'replaced'
      },
    }),
  },
  {
    what: 'resends nothing after a removal',
    spoil: (store) => ({
      async resendDelivery(request) {
        const { appId, deliveryId } = request
        const found = await store.findDelivery({ appId, deliveryId })
        const endpoints = await store.listEndpoints(appId)
        const isThere = endpoints.some(({ endpointId }) => endpointId === found?.endpointId)
        return found === null || isThere ? store.resendDelivery(request) : 'endpoint_removed'
      },
    }),
  },
  {
    what: 'repeats a delivery that is still under way',
    spoil: (store) => ({
      async resendDelivery(request) {
        const answer = await store.resendDelivery(request)
        return answer === 'not_finished' ? 'resent' : answer
      },
    }),
  },
]

/** Ids of the cases that a store over one memory does not pass. */
async function failingCases(spoil: (store: Store) => Partial<Store>): Promise<string[]> {
  const failing: string[] = []
  for (const { id, run } of webhookStoreCases) {
    let now = Date.parse('2026-03-01T12:00:00Z')
    const right = createMemoryWebhookStore({ nowMs: () => now })
    const store = { ...right, ...spoil(right) }
    const harness = {
      open: () => Promise.resolve({ store, close: () => Promise.resolve() }),
      advance: (ms: number) => Promise.resolve(void (now += ms)),
    }
    await run(harness).catch(() => failing.push(id))
  }
  return failing
}

describe('the webhook store cases', () => {
  test('pass a store that is right', async () => {
    expect(await failingCases(() => ({}))).toEqual([])
  })

  test.each(wrongStores)('catch a store that $what', async ({ spoil }) => {
    expect(await failingCases(spoil)).not.toEqual([])
  })
})
