import type { AttemptResult } from '../../../src/delivery/index.js'
import { liveOfLineage, tick, waitingIn, without, type WrongStore } from './wrong-store.js'

/** Wrong stores of pauses and of health, each caught by one case. */
export const wrongPauses: readonly WrongStore[] = [
  [
    'sends nothing to any endpoint of an app while one is paused',
    'WS-PAUSE-1',
    (store, { endpoints, deliveries }) => ({
      async claimDue(request) {
        const paused = [...endpoints.values()].find(({ endpoint, removed }) => !removed && endpoint.pausedBy !== null)
        const answer = await store.claimDue(request)
        if (paused === undefined) return answer
        const { lineageId } = paused.endpoint
        const claimed = answer.claimed.filter(
          ({ endpoint }) => endpoints.get(endpoint.endpointId)?.endpoint.lineageId === lineageId,
        )
        for (const { deliveryId } of answer.claimed.filter((one) => !claimed.includes(one))) {
          Object.assign(deliveries.get(deliveryId) ?? {}, { open: null })
        }
        return { ...answer, claimed }
      },
    }),
  ],
  [
    'makes retries due at once when their endpoint is resumed',
    'WS-PAUSE-2',
    (store, data, { now }) => ({
      async resumeEndpoint(request) {
        const answer = await store.resumeEndpoint(request)
        const waiting = waitingIn(data).filter(({ endpointId }) => endpointId === request.endpointId)
        for (const delivery of waiting) delivery.dueAtMs = Math.min(delivery.dueAtMs, now())
        return answer
      },
    }),
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
  [
    'holds the first attempts of test events back too',
    'WS-PAUSE-4',
    (store, { endpoints }) => ({
      async claimDue(request) {
        const { claimed, ...rest } = await store.claimDue(request)
        const isPaused = (endpointId: string) => endpoints.get(endpointId)?.endpoint.pausedBy != null
        const isSent = ({ fence, endpoint }: (typeof claimed)[number]) =>
          fence.attempt > 1 || !isPaused(endpoint.endpointId)
        return { ...rest, claimed: claimed.filter(isSent) }
      },
    }),
  ],
  [
    'sends a resend in spite of a pause',
    'WS-PAUSE-5',
    (store, { deliveries, endpoints }) => ({
      async resendDelivery(request) {
        const answer = await store.resendDelivery(request)
        const resent = deliveries.get(request.newDeliveryId)
        const isPaused = resent && endpoints.get(resent.endpointId)?.endpoint.pausedBy != null
        if (isPaused) Object.assign(resent, { event: { ...resent.event, test: true } })
        return answer
      },
    }),
  ],
  [
    "lets a partner lift an operator's pause",
    'WS-PAUSE-6',
    (store) => ({ resumeEndpoint: (request) => store.resumeEndpoint({ ...request, by: 'OPERATOR' }) }),
  ],
  [
    "lets a new registration inherit a partner's pause",
    'WS-PAUSE-7',
    (store, { endpoints }) => ({
      async registerEndpoint(added, limit) {
        const last = [...endpoints.values()].findLast(({ endpoint }) => endpoint.url === added.url)?.endpoint
        const answer = await store.registerEndpoint(added, limit)
        if (last?.pausedBy === 'PARTNER') await store.pauseEndpoint({ ...added, by: 'PARTNER' })
        return answer
      },
    }),
  ],
  [
    'resumes an endpoint when deliveries move to it',
    'WS-PAUSE-8',
    (store, data) => ({
      async removeEndpoint(request) {
        const isGone = await store.removeEndpoint(request)
        for (const { endpoint } of liveOfLineage(data, request.endpointId)) {
          await store.resumeEndpoint({ ...endpoint, by: 'OPERATOR' })
        }
        return isGone
      },
    }),
  ],
  [
    'pauses the endpoints of another app',
    'WS-PAUSE-9',
    (store, { endpoints }) => ({
      pauseEndpoint: (request) =>
        store.pauseEndpoint({
          ...request,
          appId: endpoints.get(request.endpointId)?.endpoint.appId ?? request.appId,
        }),
    }),
  ],
  [
    'looks whether an endpoint is paused, then writes an event that its resume forgets',
    'WS-PAUSE-10',
    (store, { deliveries, endpoints }) => ({
      async insertEvent(event) {
        const isPaused = () =>
          event.deliveries.some(({ endpointId }) => endpoints.get(endpointId)?.endpoint.pausedBy != null)
        const wasPaused = isPaused()
        await tick()
        const inserted = await store.insertEvent(event)
        for (const { deliveryId } of inserted.deliveries) {
          const delivery = deliveries.get(deliveryId)
          if (delivery && wasPaused && !isPaused()) delivery.dueAtMs = Infinity
        }
        return inserted
      },
    }),
  ],
  [
    'cancels nothing that waits in a pause',
    'WS-PAUSE-11',
    (store, data) => ({
      cancelPending(request) {
        const held = waitingIn(data).filter(
          ({ endpointId }) => data.endpoints.get(endpointId)?.endpoint.pausedBy != null,
        )
        return without(data, held, () => store.cancelPending(request))
      },
    }),
  ],
  [
    'holds the retry of a test event that moves to a paused endpoint',
    'WS-PAUSE-12',
    (store, { deliveries, endpoints }) => ({
      async recordAttemptResults(results) {
        const before = new Map([...deliveries].map(([deliveryId, { endpointId }]) => [deliveryId, endpointId]))
        const answer = await store.recordAttemptResults(results)
        for (const [deliveryId, delivery] of deliveries) {
          const isMoved = before.get(deliveryId) !== delivery.endpointId
          const isPaused = endpoints.get(delivery.endpointId)?.endpoint.pausedBy != null
          if (isMoved && isPaused && delivery.event.test) delivery.dueAtMs = Infinity
        }
        return answer
      },
    }),
  ],
  [
    'forgets the last success when an attempt fails',
    'WS-HEALTH-1',
    (store) => ({
      listEndpointHealth: async (appId) =>
        (await store.listEndpointHealth(appId)).map((one) =>
          one.failingSince === null ? one : { ...one, lastSuccessAt: null },
        ),
    }),
  ],
  [
    'takes the end of the newest delivery that was acknowledged',
    'WS-HEALTH-3',
    (store, { deliveries }) => ({
      async listEndpointHealth(appId) {
        const health = await store.listEndpointHealth(appId)
        return health.map((one) => {
          const ends = [...deliveries.values()]
            .filter(({ endpointId, state }) => endpointId === one.endpointId && state === 'DELIVERED')
            .map(({ endedAtMs }) => endedAtMs)
          const last = ends.at(-1) ?? null
          return { ...one, lastSuccessAt: last === null ? null : new Date(last) }
        })
      },
    }),
  ],
  [
    'overlooks a success between failures of one call',
    'WS-HEALTH-4',
    (store, { endpoints }) => ({
      async recordAttemptResults(results) {
        const before = new Map([...endpoints].map(([id, { failingSinceMs }]) => [id, failingSinceMs]))
        const answer = await store.recordAttemptResults(results)
        for (const [id, endpoint] of endpoints) {
          const since = before.get(id)
          if (endpoint.failingSinceMs !== null && since != null) endpoint.failingSinceMs = since
        }
        return answer
      },
    }),
  ],
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
]
