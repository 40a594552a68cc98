import type { AttemptResult } from '../../../src/delivery/index.js'
import type { MemoryWebhookData } from '../../../src/testing/memory-webhook-data.js'
import { change, tick, waitingIn, type WrongStore } from './wrong-store.js'

const isUnsent = ({ attempt }: AttemptResult) => attempt.state === 'UNSENT'

/** Whether each endpoint fails, so that a wrong store can report the changes of health. */
const failingOf = ({ endpoints }: MemoryWebhookData) =>
  new Map([...endpoints].map(([id, { failingSinceMs }]) => [id, failingSinceMs !== null]))

const healthChangesSince = (before: ReadonlyMap<string, boolean>, data: MemoryWebhookData) =>
  [...failingOf(data)].flatMap(([endpointId, failing]) => {
    const appId = data.endpoints.get(endpointId)?.endpoint.appId ?? ''
    return failing === before.get(endpointId) ? [] : [{ appId, endpointId, failing }]
  })

/** Wrong stores of attempt results, cancellations and counts, each caught by one case. */
export const wrongResults: readonly WrongStore[] = [
  [
    'keeps reasons in ASCII',
    'WS-RESULT-1',
    (store) => ({
      async findDelivery(request) {
        const found = await store.findDelivery(request)
        return found && { ...found, cancelReason: found.cancelReason?.replace(/[^\x20-\x7e]/gu, '?') ?? null }
      },
    }),
  ],
  [
    'loses the answer of the receiver',
    'WS-RESULT-2',
    (store) => ({
      recordAttemptResults: (results) =>
        store.recordAttemptResults(
          results.map((one) =>
            one.attempt.report.responseBody == null
              ? one
              : { ...one, attempt: { ...one.attempt, report: { ...one.attempt.report, responseBody: null } } },
          ),
        ),
    }),
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
    'tells since when the last attempt was not sent',
    'WS-RESULT-4',
    (store, { deliveries }) => ({
      recordAttemptResults(results) {
        for (const { fence } of results.filter(isUnsent)) {
          Object.assign(deliveries.get(fence.deliveryId) ?? {}, { unsentSinceMs: null })
        }
        return store.recordAttemptResults(results)
      },
    }),
  ],
  [
    'looks whether a fence is current, then records the result',
    'WS-RESULT-5',
    (store, data) => ({
      async recordAttemptResults(results) {
        const open = results.map(({ fence }) => data.deliveries.get(fence.deliveryId)?.open)
        await tick()
        for (const [n, { fence }] of results.entries()) {
          const [delivery, attempt] = [data.deliveries.get(fence.deliveryId), open[n]]
          const wasCurrent = attempt?.token === fence.token && attempt.number === fence.attempt
          if (wasCurrent && delivery?.open === null) change(data, delivery, { open: attempt, state: 'PENDING' })
        }
        return store.recordAttemptResults(results)
      },
    }),
  ],
  [
    'stops at the first stale result of a call',
    'WS-RESULT-6',
    (store, data) => ({
      async recordAttemptResults(given) {
        const results = structuredClone(given)
        const before = failingOf(data)
        const stale: AttemptResult['fence'][] = []
        for (const result of results) {
          const answer = await store.recordAttemptResults(stale.length === 0 ? [result] : [])
          if (stale.length > 0 || answer.stale.length > 0) stale.push(result.fence)
        }
        return { stale, healthChanges: healthChangesSince(before, data) }
      },
    }),
  ],
  [
    'cancels at a removal what had failed before',
    'WS-RESULT-7',
    (store, { deliveries }) => ({
      async removeEndpoint(request) {
        const isGone = await store.removeEndpoint(request)
        for (const delivery of deliveries.values()) {
          const hadFailed = delivery.endpointId === request.endpointId && delivery.state === 'FAILED'
          if (isGone && hadFailed) delivery.state = 'CANCELLED'
        }
        return isGone
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
    'reports no change of health',
    'WS-RESULT-9',
    (store) => ({
      recordAttemptResults: async (results) => ({ ...(await store.recordAttemptResults(results)), healthChanges: [] }),
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
        return { stale, healthChanges: healthChangesSince(before, data) }
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
    'cancels what waits for the user in every app',
    'WS-CANCEL-1',
    (store, data) => ({
      async cancelPending(request) {
        const count = await store.cancelPending(request)
        const elsewhere = waitingIn(data).filter(({ event }) => event.userId === request.userId)
        for (const delivery of elsewhere) change(data, delivery, { state: 'CANCELLED' })
        return count
      },
    }),
  ],
  [
    'forgets a cancellation when the attempt in flight fails',
    'WS-CANCEL-2',
    (store, { deliveries }) => ({
      recordAttemptResults(results) {
        const given = results.map((result) => {
          const delivery = deliveries.get(result.fence.deliveryId)
          if (result.attempt.state !== 'FAILED' || delivery == null || delivery.cancelRequested === null) return result
          delivery.cancelRequested = null
          const report = { ...result.attempt.report, responseBody: null }
          return { ...result, attempt: { ...result.attempt, report } }
        })
        return store.recordAttemptResults(given)
      },
    }),
  ],
  [
    'forgets a cancellation when the attempt was not sent',
    'WS-CANCEL-3',
    (store, { deliveries }) => ({
      recordAttemptResults(results) {
        for (const { fence } of results.filter(isUnsent)) {
          Object.assign(deliveries.get(fence.deliveryId) ?? {}, { cancelRequested: null })
        }
        return store.recordAttemptResults(results)
      },
    }),
  ],
  [
    'keeps the answer to the attempt that a cancellation met',
    'WS-CANCEL-4',
    (store, { deliveries }) => ({
      async recordAttemptResults(results) {
        const answer = await store.recordAttemptResults(results)
        for (const result of results) {
          const attempt = deliveries.get(result.fence.deliveryId)?.attempts.at(-1)
          if (attempt?.ended?.result.attempt.state === result.attempt.state)
            attempt.ended = { ...attempt.ended, result }
        }
        return answer
      },
    }),
  ],
  [
    'counts nothing that failed',
    'WS-HOURS-1',
    (store) => ({
      listEndpointHours: async (request) =>
        (await store.listEndpointHours(request)).filter(({ cause }) => cause === null),
    }),
  ],
  [
    'counts attempts of any app',
    'WS-HOURS-1',
    (store, { endpoints }) => ({
      async listEndpointHours({ since }) {
        const apps = new Set([...endpoints.values()].map(({ endpoint }) => endpoint.appId))
        return (await Promise.all([...apps].map((appId) => store.listEndpointHours({ appId, since })))).flat()
      },
    }),
  ],
  [
    'counts from the beginning',
    'WS-HOURS-1',
    (store) => ({ listEndpointHours: ({ appId }) => store.listEndpointHours({ appId, since: new Date(0) }) }),
  ],
  [
    'reads a count, then writes it one higher',
    'WS-HOURS-2',
    (store, { hours }) => ({
      async recordAttemptResults(results) {
        const before = [...hours]
        await tick()
        hours.clear()
        for (const [key, count] of before) hours.set(key, count)
        return store.recordAttemptResults(results)
      },
    }),
  ],
]
