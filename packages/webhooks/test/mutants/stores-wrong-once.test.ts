import { describe, expect, test } from 'vitest'
import type { AttemptResult, WebhookStore } from '../../src/delivery/index.js'
import { createMemoryWebhookData, createMemoryWebhookStore, webhookStoreCases } from '../../src/testing/index.js'
import type { MemoryWebhookData } from '../../src/testing/memory-webhook-data.js'

type Store = Required<WebhookStore>
type Spoil = (store: Store, data: MemoryWebhookData) => Partial<Store>

const tick = () => new Promise((resolve) => setImmediate(resolve))
const isUnsent = ({ attempt }: AttemptResult) => attempt.state === 'UNSENT'
const toSeconds = (at: Date) => new Date(Math.floor(at.getTime() / 1000) * 1000)

const withSource =
  (change: (id: string) => string | null): Spoil =>
  (store) => ({
    insertEvent: (event) =>
      store.insertEvent({
        ...event,
        sourceEventId: event.sourceEventId === null ? null : change(event.sourceEventId),
      }),
  })

/** Whether each endpoint fails, so that a wrong store can tell its turns rightly. */
const failingOf = ({ endpoints }: MemoryWebhookData) =>
  new Map([...endpoints].map(([id, { failingSinceMs }]) => [id, failingSinceMs !== null]))

/** One mistake each that other cases do not see, and the case that does. */
const wrong: readonly (readonly [what: string, caughtBy: string, spoil: Spoil])[] = [
  [
    'answers for a known source with the endpoints of the first answer',
    'WS-SOURCE-5',
    (store) => {
      const answers = new Map<string, Awaited<ReturnType<Store['insertEvent']>>['deliveries']>()
      return {
        async insertEvent(event) {
          const answer = await store.insertEvent(event)
          const deliveries = answers.get(answer.eventId) ?? answer.deliveries
          answers.set(answer.eventId, deliveries)
          return { ...answer, deliveries }
        },
      }
    },
  ],
  [
    'counts a lease from the due time',
    'WS-LEASE-12',
    (store, { deliveries }) => ({
      async claimDue(request) {
        const answer = await store.claimDue(request)
        for (const { deliveryId } of answer.claimed) {
          const delivery = deliveries.get(deliveryId)
          if (delivery?.open) delivery.open.leaseEndsAtMs = delivery.dueAtMs + request.leaseMs
        }
        return answer
      },
    }),
  ],
  [
    'forgets a cancellation when the attempt was not sent',
    'WS-CANCEL-3',
    (store, { deliveries }) => ({
      recordAttemptResults(results) {
        for (const { fence } of results.filter(isUnsent)) {
          const delivery = deliveries.get(fence.deliveryId)
          if (delivery) delivery.cancelRequested = null
        }
        return store.recordAttemptResults(results)
      },
    }),
  ],
  [
    'looks for the endpoints of an event, then writes it',
    'WS-ENDPOINT-10',
    (store, { endpoints }) => ({
      async insertEvent(event) {
        const live = [...endpoints.values()].filter(({ removed }) => !removed)
        await Promise.resolve()
        const gone = live.filter(({ removed }) => removed)
        for (const one of gone) one.removed = false
        const inserted = await store.insertEvent(event)
        for (const one of gone) one.removed = true
        return inserted
      },
    }),
  ],
  ['trims source ids', 'WS-SOURCE-4', withSource((id) => (id.trim() === '' ? id : id.trim()))],
  ['pads source ids as CHAR columns do', 'WS-SOURCE-4', withSource((id) => id.trimEnd())],
  ['composes source ids', 'WS-SOURCE-4', withSource((id) => id.normalize('NFC'))],
  ['takes an empty source id for none', 'WS-SOURCE-4', withSource((id) => (id === '' ? null : id))],
  [
    'marks an endpoint as failing after an attempt that was not sent',
    'WS-HEALTH-2',
    (store, { deliveries }) => ({
      async listEndpointHealth(appId) {
        const health = await store.listEndpointHealth(appId)
        return health.map((one) => {
          const attempts = [...deliveries.values()]
            .filter(({ endpointId }) => endpointId === one.endpointId)
            .flatMap((delivery) => delivery.attempts)
          const isLastUnsent = attempts.at(-1)?.ended?.result.attempt.state === 'UNSENT'
          return isLastUnsent ? { ...one, failingSince: one.failingSince ?? new Date(0) } : one
        })
      },
    }),
  ],
  [
    'puts a resend in the place of a delivery with its id',
    'WS-RESEND-3',
    (store, { deliveries }) => ({
      async resendDelivery(request) {
        const before = deliveries.get(request.newDeliveryId)
        deliveries.delete(request.newDeliveryId)
        const answer = await store.resendDelivery(request)
        if (answer !== 'resent' && before) deliveries.set(request.newDeliveryId, before)
        return answer
      },
    }),
  ],
  [
    'cuts creation times to seconds',
    'WS-READ-9',
    (store) => ({
      async findDelivery(request) {
        const found = await store.findDelivery(request)
        return found && { ...found, createdAt: toSeconds(found.createdAt) }
      },
      async listDeliveries(request) {
        const page = await store.listDeliveries(request)
        return { ...page, items: page.items.map((one) => ({ ...one, createdAt: toSeconds(one.createdAt) })) }
      },
    }),
  ],
  [
    'applies the results of a call one by one',
    'WS-RESULT-10',
    (store, data) => ({
      async recordAttemptResults(given) {
        const results = structuredClone(given)
        const before = failingOf(data)
        const stale = []
        for (const [n, result] of results.entries()) {
          if (n > 0) await tick()
          stale.push(...(await store.recordAttemptResults([result])).stale)
        }
        const turned = [...failingOf(data)].flatMap(([endpointId, failing]) => {
          const appId = data.endpoints.get(endpointId)?.endpoint.appId ?? ''
          return failing === before.get(endpointId) ? [] : [{ appId, endpointId, failing }]
        })
        return { stale, turned }
      },
    }),
  ],
  [
    'keeps the results before one that it cannot write',
    'WS-RESULT-11',
    (store) => ({
      async recordAttemptResults(results) {
        try {
          structuredClone(results)
        } catch (error) {
          await store.recordAttemptResults(results.slice(0, 1))
          throw error
        }
        return store.recordAttemptResults(results)
      },
    }),
  ],
  [
    'takes the id of a removed endpoint for a new one',
    'WS-ENDPOINT-11',
    (store, { endpoints }) => ({
      registerEndpoint(endpoint, limit) {
        if (endpoints.get(endpoint.endpointId)?.removed) endpoints.delete(endpoint.endpointId)
        return store.registerEndpoint(endpoint, limit)
      },
    }),
  ],
  [
    'forgets which endpoints want Standard Webhooks',
    'WS-ENDPOINT-1',
    (store) => ({
      listEndpoints: async (appId) =>
        (await store.listEndpoints(appId)).map((endpoint) => ({ ...endpoint, standardWebhooks: false })),
    }),
  ],
  [
    'lists the endpoints of every app for one without any',
    'WS-ENDPOINT-2',
    (store, { endpoints }) => ({
      async listEndpoints(asked) {
        const own = await store.listEndpoints(asked)
        if (own.length > 0) return own
        const apps = new Set([...endpoints.values()].map(({ endpoint }) => endpoint.appId))
        return (await Promise.all([...apps].map((appId) => store.listEndpoints(appId)))).flat()
      },
    }),
  ],
  [
    'looks whether an endpoint is there, then removes it',
    'WS-ENDPOINT-4',
    (store) => ({
      async removeEndpoint(request) {
        const live = await store.listEndpoints(request.appId)
        const isThere = live.some(({ endpointId }) => endpointId === request.endpointId)
        await tick()
        await store.removeEndpoint(request)
        return isThere
      },
    }),
  ],
  [
    'knows the source ids of other apps',
    'WS-EVENT-5',
    (store, { events }) => ({
      async insertEvent(event) {
        for (const { event: known, inserted } of events.values()) {
          const isOfOther = known.appId !== event.appId && known.sourceEventId === event.sourceEventId
          if (event.sourceEventId !== null && isOfOther) return { ...inserted, duplicate: true }
        }
        return store.insertEvent(event)
      },
    }),
  ],
  [
    'repeats in its errors what was given',
    'WS-EVENT-9',
    (store) => ({
      insertEvent: (event) =>
        store.insertEvent(event).catch((error: unknown) => {
          throw new Error(`${String(error)} ${JSON.stringify(event)} ${new TextDecoder().decode(event.body)}`)
        }),
    }),
  ],
  [
    'keeps the bytes of the caller',
    'WS-EVENT-10',
    (store) => {
      const bodies = new Map<string, Uint8Array>()
      return {
        insertEvent(event) {
          bodies.set(event.eventId, event.body)
          return store.insertEvent(event)
        },
        async claimDue(request) {
          const { claimed, ...rest } = await store.claimDue(request)
          return { ...rest, claimed: claimed.map((one) => ({ ...one, body: bodies.get(one.eventId) ?? one.body })) }
        },
      }
    },
  ],
  [
    'logs attempts newest first',
    'WS-RESULT-3',
    (store) => ({
      async findDelivery(request) {
        const found = await store.findDelivery(request)
        const isSent = found?.attempts.every(({ state }) => state !== 'UNSENT')
        return found && isSent ? { ...found, attempts: [...found.attempts].reverse() } : found
      },
    }),
  ],
  [
    'refuses an empty list of results',
    'WS-RESULT-8',
    (store) => ({
      recordAttemptResults: (results) =>
        results.length === 0 ? Promise.reject(new Error('no results')) : store.recordAttemptResults(results),
    }),
  ],
  [
    'takes the cursor of another app',
    'WS-READ-6',
    (store) => {
      const appOf = new Map<string, string>()
      return {
        async listDeliveries({ cursor, ...request }) {
          const isOfOther = cursor !== undefined && (appOf.get(cursor) ?? request.appId) !== request.appId
          const page = await store.listDeliveries(cursor === undefined || isOfOther ? request : { ...request, cursor })
          if (page.nextCursor !== null) appOf.set(page.nextCursor, request.appId)
          return page
        },
      }
    },
  ],
  [
    'forgets the success of an attempt that a pause met in flight',
    'WS-PAUSE-3',
    (store, { deliveries, endpoints }) => ({
      recordAttemptResults: (results) =>
        store.recordAttemptResults(
          results.map((result) => {
            const endpointId = deliveries.get(result.fence.deliveryId)?.endpointId ?? ''
            const isPaused = endpoints.get(endpointId)?.endpoint.pausedBy != null
            if (!isPaused || result.next.state !== 'DELIVERED') return result
            return { ...result, next: { state: 'PENDING', delayMs: 0 } } satisfies AttemptResult
          }),
        ),
    }),
  ],
]

/** The cases that a store does not pass, with the texts of their errors. */
async function failingCases(spoil: Spoil): Promise<Record<string, string>> {
  const failing: Record<string, string> = {}
  for (const { id, run } of webhookStoreCases) {
    let now = Date.parse('2026-03-01T12:00:00Z')
    const data = createMemoryWebhookData()
    const right = createMemoryWebhookStore({ data, nowMs: () => now })
    const store = { ...right, ...spoil(right, data) }
    const harness = {
      open: async () => ({ store, close: async () => {} }),
      advance: async (ms: number) => void (now += ms),
    }
    await run(harness).catch((error: unknown) => (failing[id] = String(error)))
  }
  return failing
}

describe('the webhook store cases', () => {
  test.each(wrong)('catch a store that %s, by %s alone', async (_what, caughtBy, spoil) => {
    expect(Object.keys(await failingCases(spoil))).toEqual([caughtBy])
  })

  test('say which call gave what', async () => {
    const failing = await failingCases(() => ({ findDelivery: () => Promise.resolve(null) }))
    expect(failing['WS-CANCEL-3']).toContain('The last calls, oldest first:')
    expect(failing['WS-CANCEL-3']).toMatch(/cancelPending\(\{ appId: '.*reason: 'ERASED' \}\) gave 1/)
    expect(failing['WS-CANCEL-3']).toMatch(/findDelivery\(\{ appId: '.*\}\) gave null/)
  })
})
