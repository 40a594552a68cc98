import type { DeliveryState, Endpoint, NewEndpoint, PausedBy, WebhookStore } from '../delivery/webhook-store.js'
import type { EventName } from '../events/event-types.js'
import type { StoredDelivery, StoredEndpoint } from './memory-records.js'
import { stop } from './memory-recovery-store.js'
import { findHeir, listLive, nextSequence, notifyListeners, type MemoryWebhookData } from './memory-webhook-data.js'

type EndpointMethods = Pick<
  WebhookStore,
  | 'registerEndpoint'
  | 'replaceEndpoint'
  | 'removeEndpoint'
  | 'listEndpoints'
  | 'listEndpointHealth'
  | 'pauseEndpoint'
  | 'resumeEndpoint'
>

/** Creates the part of the store in memory that changes endpoints. */
export function createMemoryEndpoints(data: MemoryWebhookData, nowMs: () => number) {
  const { endpoints, pending } = data

  function end(delivery: StoredDelivery, state: DeliveryState, cancelReason: string | null = null): void {
    delivery.state = state
    pending.delete(delivery.deliveryId)
    delivery.endedAtMs = nowMs()
    delivery.cancelReason = cancelReason
  }

  const heirOf = (removed: StoredEndpoint, type: EventName) => findHeir(data, removed, type)
  const liveEndpoints = (appId: string) => listLive(data, appId)

  /** Adds an endpoint with a lineage that its URL already has, or gets now. */
  function add(endpoint: NewEndpoint, lineageId: string, pausedBy: PausedBy | null): void {
    if (endpoints.has(endpoint.endpointId)) throw new Error('This endpoint id is taken.')
    data.lineages.set(urlKey(endpoint), lineageId)
    const { description = null, headers = null } = endpoint
    const added = { ...structuredClone({ ...endpoint, description, headers }), lineageId, pausedBy }
    const sequence = nextSequence(data)
    endpoints.set(endpoint.endpointId, {
      endpoint: added,
      sequence,
      removed: false,
      failingSinceMs: null,
      lastSuccessAtMs: null,
      lastClaimedAtMs: 0,
    })
  }

  function findLive({ appId, endpointId }: Pick<Endpoint, 'appId' | 'endpointId'>): StoredEndpoint | undefined {
    const stored = endpoints.get(endpointId)
    return stored?.removed === false && stored.endpoint.appId === appId ? stored : undefined
  }

  /** Whether a waiting delivery waits for the end of a pause. */
  const isHeld = (delivery: StoredDelivery) => endpointOf(delivery).endpoint.pausedBy !== null && !delivery.event.test

  function remove(stored: StoredEndpoint): void {
    stored.removed = true
    stored.endpoint = { ...stored.endpoint, headers: null }
    handOver(stored)
  }

  /** Hands what waits for a removed endpoint over to its lineage. */
  function handOver(removed: StoredEndpoint): void {
    for (const delivery of pending.values()) {
      if (delivery.endpointId !== removed.endpoint.endpointId || delivery.open !== null) continue
      const { heir, reason } = heirOf(removed, delivery.event.type)
      if (heir === undefined) end(delivery, 'CANCELLED', reason)
      else delivery.endpointId = heir.endpointId
    }
  }

  function endpointOf(delivery: StoredDelivery): StoredEndpoint {
    const stored = endpoints.get(delivery.endpointId)
    if (stored === undefined) throw new Error('A delivery refers to an endpoint that does not exist.')
    return stored
  }

  const methods: EndpointMethods = {
    async registerEndpoint(endpoint, limitPerApp) {
      if (liveEndpoints(endpoint.appId).length >= limitPerApp) return 'limit_reached'
      const lineageId = data.lineages.get(urlKey(endpoint)) ?? endpoint.endpointId
      const lineage = [...endpoints.values()].filter((one) => one.endpoint.lineageId === lineageId)
      const last = lineage.sort((one, other) => one.sequence - other.sequence).at(-1)?.endpoint.pausedBy
      add(endpoint, lineageId, last === 'OPERATOR' ? last : null)
      return 'registered'
    },

    async replaceEndpoint({ appId, endpointId, replacement }) {
      const stored = findLive({ appId, endpointId })
      if (stored === undefined) return 'not_found'
      const { lineageId, pausedBy } = stored.endpoint
      if ((data.lineages.get(urlKey(replacement)) ?? lineageId) !== lineageId) return 'url_in_use'
      add(replacement, lineageId, pausedBy)
      for (const recovery of data.recoveries.values()) {
        if (recovery.endpointId === endpointId) recovery.endpointId = replacement.endpointId
      }
      remove(stored)
      notifyListeners(data)
      return 'replaced'
    },

    async removeEndpoint(request) {
      const stored = findLive(request)
      if (stored === undefined) return false
      for (const recovery of data.recoveries.values()) {
        if (recovery.endpointId === request.endpointId) stop(recovery)
      }
      remove(stored)
      notifyListeners(data)
      return true
    },

    async listEndpoints(appId) {
      return structuredClone(liveEndpoints(appId))
    },

    async listEndpointHealth(appId) {
      return liveEndpoints(appId).map(({ endpointId }) => {
        const stored = endpoints.get(endpointId)
        const instant = (ms: number | null = null) => (ms === null ? null : new Date(ms))
        return {
          endpointId,
          failingSince: instant(stored?.failingSinceMs),
          lastSuccessAt: instant(stored?.lastSuccessAtMs),
        }
      })
    },

    async pauseEndpoint(request) {
      const stored = findLive(request)
      if (stored === undefined) return 'not_found'
      const pausedBy = stored.endpoint.pausedBy === 'OPERATOR' ? 'OPERATOR' : request.by
      stored.endpoint = { ...stored.endpoint, pausedBy }
      return 'paused'
    },

    async resumeEndpoint(request) {
      const stored = findLive(request)
      if (stored === undefined) return 'not_found'
      if (stored.endpoint.pausedBy === 'OPERATOR' && request.by === 'PARTNER') return 'paused_by_operator'
      stored.endpoint = { ...stored.endpoint, pausedBy: null }
      notifyListeners(data)
      return 'resumed'
    },
  }

  return { end, endpointOf, handOver, heirOf, isHeld, methods }
}

const urlKey = ({ appId, url }: Pick<Endpoint, 'appId' | 'url'>) => JSON.stringify([appId, url])
