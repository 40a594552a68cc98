import { change, isRemoved, liveOfLineage, tick, waitingIn, type WrongStore } from './wrong-store.js'

/** Wrong stores of endpoints, each caught by one case. */
export const wrongEndpoints: readonly WrongStore[] = [
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
    'counts the endpoints of an app, then registers one',
    'WS-ENDPOINT-3',
    (store) => ({
      async registerEndpoint(endpoint, limit) {
        const { length } = await store.listEndpoints(endpoint.appId)
        await tick()
        return length >= limit ? 'limit_reached' : store.registerEndpoint(endpoint, Infinity)
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
    'removes the endpoints of another app',
    'WS-ENDPOINT-5',
    (store, { endpoints }) => ({
      removeEndpoint: ({ appId, endpointId }) =>
        store.removeEndpoint({ appId: endpoints.get(endpointId)?.endpoint.appId ?? appId, endpointId }),
    }),
  ],
  [
    'counts removed endpoints for the limit',
    'WS-ENDPOINT-6',
    (store, { endpoints }) => ({
      async registerEndpoint(added, limit) {
        const ever = [...endpoints.values()].filter(({ endpoint }) => endpoint.appId === added.appId).length
        return ever >= limit ? 'limit_reached' : store.registerEndpoint(added, limit)
      },
    }),
  ],
  [
    'cancels what waits for other endpoints of the app after a removal',
    'WS-ENDPOINT-7',
    (store, data) => ({
      async removeEndpoint(request) {
        const lineage = new Set(liveOfLineage(data, request.endpointId).map(({ endpoint }) => endpoint.endpointId))
        const isGone = await store.removeEndpoint(request)
        for (const delivery of waitingIn(data)) {
          const isOfOthers = !lineage.has(delivery.endpointId) && delivery.event.appId === request.appId
          if (isGone && isOfOthers) change(data, delivery, { state: 'CANCELLED', cancelReason: 'ENDPOINT_REMOVED' })
        }
        return isGone
      },
    }),
  ],
  [
    'retries at a removed endpoint an attempt that its removal met in flight',
    'WS-ENDPOINT-8',
    (store, data) => ({
      async recordAttemptResults(results) {
        const answer = await store.recordAttemptResults(results)
        for (const { fence, next } of results) {
          const delivery = data.deliveries.get(fence.deliveryId)
          const isLast = delivery !== undefined && delivery.cancelReason === 'ENDPOINT_REMOVED'
          if (isLast && next.state === 'PENDING') change(data, delivery, { state: 'PENDING', cancelReason: null })
        }
        return answer
      },
    }),
  ],
  [
    'goes on with cancelled retries when their URL is registered again',
    'WS-ENDPOINT-9',
    (store, data) => ({
      async registerEndpoint(endpoint, limit) {
        const answer = await store.registerEndpoint(endpoint, limit)
        const lineageId = data.endpoints.get(endpoint.endpointId)?.endpoint.lineageId
        for (const delivery of data.deliveries.values()) {
          const isOfLineage = data.endpoints.get(delivery.endpointId)?.endpoint.lineageId === lineageId
          if (!isOfLineage || delivery.state !== 'CANCELLED' || delivery.attemptsMade === 0) continue
          change(data, delivery, { state: 'PENDING', cancelReason: null, endpointId: endpoint.endpointId })
        }
        return answer
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
    'keeps the static headers of a removed endpoint',
    'WS-ENDPOINT-12',
    (store, { endpoints }) => ({
      async removeEndpoint(request) {
        const headers = endpoints.get(request.endpointId)?.endpoint.headers ?? null
        const removed = await store.removeEndpoint(request)
        const stored = endpoints.get(request.endpointId)
        if (removed && stored) stored.endpoint = { ...stored.endpoint, headers }
        return removed
      },
    }),
  ],
  [
    'shares lineages between apps',
    'WS-LINEAGE-1',
    (store, { endpoints }) => ({
      async registerEndpoint(added, limit) {
        const foreign = [...endpoints.values()].find(
          ({ endpoint }) => endpoint.url === added.url && endpoint.appId !== added.appId,
        )
        const answer = await store.registerEndpoint(added, limit)
        const stored = endpoints.get(added.endpointId)
        if (foreign && stored) stored.endpoint = { ...stored.endpoint, lineageId: foreign.endpoint.lineageId }
        return answer
      },
    }),
  ],
  [
    'makes the last of the deliveries with one X-Event-ID',
    'WS-LINEAGE-2',
    (store, data) => ({
      insertEvent: (event) =>
        store.insertEvent({
          ...event,
          deliveries: event.deliveries.filter(
            ({ xEventId }, n) =>
              !event.deliveries.slice(n + 1).some((later) => later.xEventId === xEventId && !isRemoved(data, later)),
          ),
        }),
    }),
  ],
  [
    'hands what waits over to the oldest endpoint of the lineage',
    'WS-LINEAGE-3',
    (store, data) => ({
      async removeEndpoint(request) {
        const moved = waitingIn(data).filter(({ endpointId }) => endpointId === request.endpointId)
        const isGone = await store.removeEndpoint(request)
        for (const delivery of moved.filter(({ state }) => state === 'PENDING')) {
          const takes = liveOfLineage(data, request.endpointId).filter(
            ({ endpoint: { eventTypes } }) => eventTypes === null || eventTypes.includes(delivery.event.type),
          )
          delivery.endpointId = takes[0]?.endpoint.endpointId ?? delivery.endpointId
        }
        return isGone
      },
    }),
  ],
  [
    'cancels at the last removal only what was published to that endpoint',
    'WS-LINEAGE-4',
    (store, data) => {
      const moved = new Set<string>()
      return {
        async removeEndpoint(request) {
          const waiting = waitingIn(data).filter(({ endpointId }) => endpointId === request.endpointId)
          const isGone = await store.removeEndpoint(request)
          for (const delivery of waiting) {
            const inherited = moved.has(delivery.deliveryId)
            if (inherited && delivery.state === 'CANCELLED') change(data, delivery, { state: 'PENDING' })
            moved.add(delivery.deliveryId)
          }
          return isGone
        },
      }
    },
  ],
  [
    'resends nothing after a removal',
    'WS-LINEAGE-5',
    (store, data) => ({
      async resendDelivery(request) {
        const original = data.deliveries.get(request.deliveryId)
        const isGone = original !== undefined && isRemoved(data, original)
        return isGone ? 'endpoint_removed' : store.resendDelivery(request)
      },
    }),
  ],
  [
    'keeps a slot of a claim for a replaced endpoint',
    'WS-LINEAGE-7',
    (store, { endpoints }) => ({
      claimDue(request) {
        const isReplaced = [...endpoints.values()].some(({ removed }) => removed)
        return store.claimDue({ ...request, limit: isReplaced ? Math.max(1, request.limit - 1) : request.limit })
      },
    }),
  ],
  [
    'keeps to the endpoints of a claim that left them waiting',
    'WS-LINEAGE-6',
    (store) => {
      let isOutdated = false
      let hasLeft = false
      return {
        async claimDue(request) {
          const isSkipped = isOutdated
          isOutdated = false
          if (isSkipped) return { claimed: [], nextDueInMs: null }
          const answer = await store.claimDue(request)
          hasLeft = answer.claimed.length === 0 && request.keepForHealthy >= request.limit
          return answer
        },
        async replaceEndpoint(request) {
          isOutdated = hasLeft
          return store.replaceEndpoint(request)
        },
      }
    },
  ],
  [
    'makes what waits due at once when its endpoint is replaced',
    'WS-REPLACE-1',
    (store, data, { now }) => ({
      async replaceEndpoint(request) {
        const waiting = waitingIn(data).filter(({ endpointId }) => endpointId === request.endpointId)
        const answer = await store.replaceEndpoint(request)
        if (answer === 'replaced') for (const delivery of waiting) delivery.dueAtMs = now()
        return answer
      },
    }),
  ],
  [
    'counts attempts anew at a replacement after an attempt in flight',
    'WS-REPLACE-2',
    (store, data) => {
      const inFlight = new Set<string>()
      return {
        async replaceEndpoint(request) {
          for (const { deliveryId, endpointId, open } of data.deliveries.values()) {
            if (open !== null && endpointId === request.endpointId) inFlight.add(deliveryId)
          }
          return store.replaceEndpoint(request)
        },
        async recordAttemptResults(results) {
          const answer = await store.recordAttemptResults(results)
          for (const { fence } of results) {
            const delivery = data.deliveries.get(fence.deliveryId)
            if (delivery && inFlight.delete(fence.deliveryId)) delivery.attemptsMade = 0
          }
          return answer
        },
      }
    },
  ],
  [
    'refuses a replacement only for a URL that another endpoint has now',
    'WS-REPLACE-3',
    (store) => ({
      async replaceEndpoint(request) {
        const answer = await store.replaceEndpoint(request)
        if (answer !== 'url_in_use') return answer
        const urls = (await store.listEndpoints(request.appId)).map(({ url }) => url)
        return urls.includes(request.replacement.url) ? 'url_in_use' : 'replaced'
      },
    }),
  ],
  [
    'looks whether an endpoint is there, then replaces it',
    'WS-REPLACE-4',
    (store, { endpoints }) => ({
      async replaceEndpoint(request) {
        const stored = endpoints.get(request.endpointId)
        const wasThere = stored?.removed === false
        await tick()
        if (wasThere) stored.removed = false
        return store.replaceEndpoint(request)
      },
    }),
  ],
]
