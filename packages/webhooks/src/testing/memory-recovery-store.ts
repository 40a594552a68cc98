import { matchEndpoints } from '../publishing/match-endpoints.js'
import type { EventPlace, RecoverableEvent, RecoveryStore, SkippedEvents } from '../recovery/recovery-store.js'
import {
  addDelivery,
  createMemoryWebhookData,
  isTime,
  notifyListeners,
  type MemoryWebhookData,
  type StoredEvent,
  type StoredRecovery,
} from './memory-webhook-data.js'

/**
 * Creates a {@link RecoveryStore} in memory, for tests.
 *
 * @param options.nowMs - the store's clock, milliseconds since 1970; default `Date.now`
 * @param options.data - data of the webhook store with the events and endpoints; default: separate data
 *
 * @example
 * ```ts
 * import { createMemoryRecoveryStore, createMemoryWebhookData, createMemoryWebhookStore } from '@kyc-relay/webhooks/testing'
 *
 * const data = createMemoryWebhookData()
 * const [recoveries, webhooks] = [createMemoryRecoveryStore({ data }), createMemoryWebhookStore({ data })]
 * ```
 */
export function createMemoryRecoveryStore(
  options: { readonly nowMs?: () => number; readonly data?: MemoryWebhookData } = {},
): RecoveryStore {
  const { nowMs = Date.now, data = createMemoryWebhookData() } = options

  function findEndpoint({ appId, endpointId }: { readonly appId: string; readonly endpointId: string }) {
    const stored = data.endpoints.get(endpointId)
    return stored?.removed === false && stored.endpoint.appId === appId ? stored.endpoint : undefined
  }

  function find({ appId, recoveryId }: { readonly appId: string; readonly recoveryId: string }) {
    const stored = data.recoveries.get(recoveryId)
    return stored?.range.appId === appId ? stored : undefined
  }

  function recoverableOf({ event, inserted, place }: StoredEvent, lineageId: string): RecoverableEvent {
    const states = [...data.deliveries.values()]
      .filter((one) => one.event.eventId === event.eventId)
      .filter((one) => data.endpoints.get(one.endpointId)?.endpoint.lineageId === lineageId)
      .map(({ state }) => state)
    const delivered = states.includes('DELIVERED') ? 'ACKNOWLEDGED' : states.includes('PENDING') ? 'PENDING' : null
    const { eventId, userId, type, body } = event
    return { eventId, userId, type, place, withheld: inserted.withheld, erased: body.length === 0, delivered }
  }

  /** Deliveries with this `X-Event-ID` that are acknowledged or may still be. */
  const isCovered = (appId: string, xEventId: string) =>
    [...data.deliveries.values()].some(
      (one) => one.event.appId === appId && one.xEventId === xEventId && ['PENDING', 'DELIVERED'].includes(one.state),
    )

  return {
    async startRecovery({ recoveryId, appId, endpointId, since, until, eventTypes }) {
      if (findEndpoint({ appId, endpointId }) === undefined) return 'not_found'
      if ([...data.recoveries.values()].some((one) => one.endpointId === endpointId && isRunning(one))) return 'running'
      if (data.recoveries.has(recoveryId)) throw new Error('This recovery id is taken.')
      const end = new Date(Math.min(until?.getTime() ?? nowMs(), nowMs()))
      const skipped = { acknowledged: 0, pending: 0, scope: 0, erased: 0 }
      data.recoveries.set(recoveryId, {
        range: { appId, since, until: end, eventTypes },
        endpointId,
        after: null,
        progress: { recoveryId, state: 'RUNNING', matched: 0, created: 0, skipped },
      })
      return 'started'
    },

    async findRecovery(request) {
      return structuredClone(find(request)?.progress ?? null)
    },

    async stopRecovery(request) {
      const stored = find(request)
      if (stored !== undefined) stop(stored)
      return stored !== undefined
    },

    async listRunning({ limit, after = null }) {
      const all = [...data.recoveries.values()]
      const first = all.findIndex(({ progress }) => progress.recoveryId === after?.recoveryId) + 1
      const running = all.slice(first).filter(isRunning).slice(0, limit)
      return running.map(({ range, progress }) => ({ appId: range.appId, recoveryId: progress.recoveryId }))
    },

    async findNextStep({ mostWaiting, ...request }) {
      const stored = find(request)
      if (stored === undefined || !isRunning(stored)) return null
      const { range, endpointId, after } = stored
      const waiting = [...data.deliveries.values()].filter(
        (one) => one.endpointId === endpointId && one.recovered && one.state === 'PENDING' && one.open === null,
      )
      const endpoint = findEndpoint({ ...range, endpointId })
      if (endpoint === undefined || waiting.length >= mostWaiting) return null
      return { ...range, endpointId, after, lineageId: endpoint.lineageId }
    },

    async listEvents({ limit, ...range }) {
      if (!isTime(range.since) || !isTime(range.until)) throw new Error('This is no time.')
      const endpoint = findEndpoint(range)
      if (endpoint === undefined) return []
      const { appId, since, until, eventTypes, after } = range
      return [...data.events.values()]
        .filter(({ event, place: { createdAt } }) => {
          const isOfType = eventTypes?.includes(event.type) ?? true
          const isWanted = event.appId === appId && !event.test && isOfType && createdAt >= since && createdAt < until
          return isWanted && matchEndpoints([endpoint], event.type).length > 0
        })
        .filter(({ place }) => after === null || comparePlaces(place, after) > 0)
        .sort((one, other) => comparePlaces(one.place, other.place))
        .slice(0, limit)
        .map((stored) => recoverableOf(stored, endpoint.lineageId))
    },

    async writeStep(request) {
      const { appId, endpointId, after, next, skipped } = request
      const stored = find(request)
      const isSame = stored?.endpointId === endpointId && isAt(stored, after)
      if (stored === undefined || !isRunning(stored) || !isSame) return 'stale'
      let created = 0
      for (const delivery of request.deliveries) {
        const event = data.events.get(delivery.eventId)?.event
        const isLost = event === undefined || event.appId !== appId || event.body.length === 0
        if (isLost || isCovered(appId, delivery.xEventId)) continue
        addDelivery(data, { event, delivery: { ...delivery, endpointId }, nowMs: nowMs(), recovered: true })
        created += 1
      }
      const before = stored.progress
      stored.after = next
      stored.progress = {
        ...before,
        state: next === null ? 'DONE' : 'RUNNING',
        created: before.created + created,
        matched: before.matched + request.deliveries.length + sumOf(skipped),
        skipped: {
          acknowledged: before.skipped.acknowledged + skipped.acknowledged,
          pending: before.skipped.pending + skipped.pending + request.deliveries.length - created,
          scope: before.skipped.scope + skipped.scope,
          erased: before.skipped.erased + skipped.erased,
        },
      }
      if (created > 0) notifyListeners(data)
      return 'written'
    },
  }
}

const sumOf = ({ acknowledged, pending, scope, erased }: SkippedEvents) => acknowledged + pending + scope + erased

const isRunning = ({ progress }: StoredRecovery) => progress.state === 'RUNNING'

/** Stops a recovery. One that has ended stays as it is. */
export function stop(recovery: StoredRecovery): void {
  if (isRunning(recovery)) recovery.progress = { ...recovery.progress, state: 'STOPPED' }
}

const comparePlaces = (one: EventPlace, other: EventPlace) =>
  one.createdAt.getTime() - other.createdAt.getTime() || one.position - other.position

const isAt = ({ after }: StoredRecovery, place: EventPlace | null) =>
  after === null || place === null ? after === place : comparePlaces(after, place) === 0
