import type { AttemptResult, ClaimedDelivery, WebhookStore } from '../delivery/webhook-store.js'
import { countAttempt, listHours } from './memory-endpoint-hours.js'
import { createMemoryEndpoints } from './memory-endpoints.js'
import {
  attemptRecordOf,
  byDue,
  claimedOf,
  isFound,
  recordOf,
  type StoredAttempt,
  type StoredDelivery,
} from './memory-records.js'
import {
  addDelivery,
  createMemoryWebhookData,
  answerFromSource,
  nextSequence,
  notifyListeners,
  writeEvent,
  type MemoryWebhookData,
} from './memory-webhook-data.js'

/**
 * Creates a {@link WebhookStore} in memory: for tests, and as the model for comparing other stores.
 *
 * @param options.nowMs - the store's clock, milliseconds since 1970; default `Date.now`
 * @param options.data - data that several stores share; default: separate data
 *
 * @example
 * ```ts
 * import { createMemoryWebhookStore } from '@kyc-relay/webhooks/testing'
 *
 * let nowMs = Date.parse('2026-01-01T00:00:00Z')
 * const store = createMemoryWebhookStore({ nowMs: () => nowMs })
 * ```
 */
export function createMemoryWebhookStore(
  options: { readonly nowMs?: () => number; readonly data?: MemoryWebhookData } = {},
): Required<WebhookStore> {
  const { nowMs = Date.now, data = createMemoryWebhookData() } = options
  const { endpoints, deliveries, pending, listeners } = data
  const { end, endpointOf, handOver, heirOf, isHeld, methods } = createMemoryEndpoints(data, nowMs)

  const isFailing = ({ failingSinceMs }: { readonly failingSinceMs: number | null }) => failingSinceMs !== null

  const earliestDue = (some: readonly StoredDelivery[]) =>
    some.reduce((earliest, { dueAtMs }) => Math.min(earliest, dueAtMs), Infinity)

  const newToken = () => `claim-${nextSequence(data)}`

  function cancel(some: Iterable<StoredDelivery>, reason: string): number {
    let count = 0
    for (const delivery of some) {
      if (delivery.open === null) end(delivery, 'CANCELLED', reason)
      else if (delivery.cancelRequested === null) delivery.cancelRequested = reason
      else continue
      count += 1
    }
    return count
  }

  /** Lists free slots and due deliveries of each endpoint, earliest due first. */
  function dueByEndpoint(caps: { readonly healthy: number; readonly failing: number }) {
    const inFlight = new Map<string, number>()
    const due = new Map<string, StoredDelivery[]>()
    for (const delivery of pending.values()) {
      if (delivery.open !== null) inFlight.set(delivery.endpointId, (inFlight.get(delivery.endpointId) ?? 0) + 1)
      else if (delivery.dueAtMs <= nowMs() && !isHeld(delivery)) {
        const waiting = due.get(delivery.endpointId)
        if (waiting === undefined) due.set(delivery.endpointId, [delivery])
        else waiting.push(delivery)
      }
    }
    return [...due].map(([endpointId, waiting]) => {
      const stored = endpoints.get(endpointId)
      const failing = stored !== undefined && stored.failingSinceMs !== null
      const free = Math.max(0, (failing ? caps.failing : caps.healthy) - (inFlight.get(endpointId) ?? 0))
      const firstDueMs = earliestDue(waiting)
      // Time since the endpoint waits for its turn: an endpoint with a long backlog must not always go first.
      const waitingSinceMs = Math.max(firstDueMs, stored?.lastClaimedAtMs ?? 0)
      const sequence = stored?.sequence ?? 0
      return {
        failing,
        waitingSinceMs,
        firstDueMs,
        sequence,
        waiting: free === 0 ? [] : waiting.sort(byDue).slice(0, free),
      }
    })
  }

  function recordOne(result: AttemptResult): boolean {
    const { fence } = result
    const delivery = deliveries.get(fence.deliveryId)
    const attempt = delivery?.open
    if (!delivery || delivery.event.appId !== fence.appId || attempt?.token !== fence.token) return false
    attempt.ended = { atMs: nowMs(), result: delivery.cancelRequested === null ? result : withoutAnswer(result) }
    countAttempt(data, delivery.endpointId, result, nowMs())
    delivery.open = null
    const { state } = result.attempt
    if (state === 'UNSENT') {
      delivery.attemptsMade -= 1
      delivery.unsentSinceMs ??= nowMs()
    } else {
      delivery.unsentSinceMs = null
      const endpoint = endpointOf(delivery)
      endpoint.failingSinceMs = state === 'SUCCEEDED' ? null : (endpoint.failingSinceMs ?? nowMs())
    }
    const { next } = result
    if (next.state === 'PENDING' && delivery.cancelRequested !== null) {
      end(delivery, 'CANCELLED', delivery.cancelRequested)
    } else if (next.state === 'PENDING') {
      delivery.dueAtMs = nowMs() + next.delayMs
      const stored = endpointOf(delivery)
      if (stored.removed) handOver(stored)
    } else {
      end(delivery, next.state, next.state === 'CANCELLED' ? next.reason : null)
    }
    if (state === 'SUCCEEDED') endpointOf(delivery).lastSuccessAtMs = delivery.endedAtMs
    return true
  }

  return {
    ...methods,

    async listEndpointHours({ appId, since }) {
      return listHours(data, appId, since)
    },

    async insertEvent(event) {
      return answerFromSource(data, event) ?? writeEvent(data, event, nowMs())
    },

    async claimDue({ limit, leaseMs, maxInFlight, keepForHealthy }) {
      const queues = dueByEndpoint(maxInFlight)
        .filter(({ waiting }) => waiting.length > 0)
        .sort(
          (one, other) =>
            one.waitingSinceMs - other.waitingSinceMs ||
            one.firstDueMs - other.firstDueMs ||
            one.sequence - other.sequence,
        )
      let forFailing = Math.max(0, limit - keepForHealthy)
      const chosen = [
        ...queues.filter(({ failing }) => !failing).slice(0, limit),
        ...queues.filter(({ failing }) => failing).slice(0, forFailing),
      ]
      // Endpoints take turns.
      const inOrder = chosen
        .flatMap(({ waiting, ...queue }) => waiting.map((delivery, round) => ({ ...queue, delivery, round })))
        .sort(
          (one, other) =>
            one.round - other.round ||
            one.waitingSinceMs - other.waitingSinceMs ||
            one.delivery.dueAtMs - other.delivery.dueAtMs ||
            one.delivery.sequence - other.delivery.sequence,
        )
      const claimed: ClaimedDelivery[] = []
      for (const { failing, delivery } of inOrder) {
        if (claimed.length >= limit) break
        if (failing && forFailing === 0) continue
        if (failing) forFailing -= 1
        delivery.attemptsMade += 1
        const attempt: StoredAttempt = {
          number: delivery.attemptsMade,
          startedAtMs: nowMs(),
          token: newToken(),
          leaseEndsAtMs: nowMs() + leaseMs,
          ended: null,
        }
        delivery.open = attempt
        endpointOf(delivery).lastClaimedAtMs = nowMs()
        // The next attempt replaces an `UNSENT` attempt, so each number appears once.
        delivery.attempts = [...delivery.attempts.filter(({ number }) => number !== attempt.number), attempt]
        claimed.push(claimedOf(delivery, endpointOf(delivery).endpoint, attempt, nowMs()))
      }
      const waiting = [...pending.values()].filter((delivery) => delivery.open === null && !isHeld(delivery))
      const nextDueInMs = waiting.length === 0 ? null : Math.max(0, earliestDue(waiting) - nowMs())
      return { claimed, nextDueInMs }
    },

    async claimExpired({ limit, leaseMs }) {
      const expired = [...pending.values()]
        .flatMap((delivery) => (delivery.open === null ? [] : [{ delivery, attempt: delivery.open }]))
        .filter(({ attempt }) => attempt.leaseEndsAtMs <= nowMs())
        .sort((one, other) => one.attempt.leaseEndsAtMs - other.attempt.leaseEndsAtMs)
        .slice(0, limit)
      return expired.map(({ delivery, attempt }) => {
        attempt.token = newToken()
        attempt.leaseEndsAtMs = nowMs() + leaseMs
        return claimedOf(delivery, endpointOf(delivery).endpoint, attempt, nowMs())
      })
    },

    async recordAttemptResults(given) {
      // Copied first: if a result cannot be read, none is applied.
      const results = structuredClone(given)
      const failedBefore = new Map([...endpoints].map(([endpointId, stored]) => [endpointId, isFailing(stored)]))
      const stale = results.filter((result) => !recordOne(result)).map(({ fence }) => fence)
      const healthChanges = [...endpoints.values()].flatMap((stored) => {
        const { appId, endpointId } = stored.endpoint
        const failing = isFailing(stored)
        return failing === failedBefore.get(endpointId) ? [] : [{ appId, endpointId, failing }]
      })
      return { stale, healthChanges }
    },

    async cancelPending({ appId, userId, reason }) {
      return cancel(
        [...pending.values()].filter(({ event }) => event.appId === appId && event.userId === userId),
        reason,
      )
    },

    async findDelivery({ appId, deliveryId }) {
      const delivery = deliveries.get(deliveryId)
      if (!delivery || delivery.event.appId !== appId) return null
      const attempts = delivery.attempts.map(attemptRecordOf)
      return { ...recordOf(delivery, endpointOf(delivery).endpoint), body: delivery.event.body.slice(), attempts }
    },

    async listDeliveries({ appId, cursor, limit, ...filter }) {
      const [sequence = '', ofApp] = cursor?.split('@', 2) ?? []
      if (cursor !== undefined && (!/^[1-9]\d{0,14}$/.test(sequence) || ofApp !== appId))
        throw new Error('This store did not create the cursor.')
      const before = cursor === undefined ? Infinity : Number(sequence)
      const found = [...deliveries.values()]
        .filter((delivery) => delivery.event.appId === appId && delivery.sequence < before)
        .map((delivery) => ({ delivery, record: recordOf(delivery, endpointOf(delivery).endpoint) }))
        .filter(({ record }) => isFound(record, filter, data.moves.get(record.eventId)?.transactionId))
        .sort((one, other) => other.delivery.sequence - one.delivery.sequence)
      const page = found.slice(0, limit)
      const last = page.at(-1)?.delivery
      return {
        items: page.map(({ record }) => record),
        nextCursor: found.length > page.length && last !== undefined ? `${last.sequence}@${appId}` : null,
      }
    },

    async resendDelivery({ appId, deliveryId, newDeliveryId }) {
      const original = deliveries.get(deliveryId)
      if (!original || original.event.appId !== appId) return 'not_found'
      if (original.state === 'PENDING') return 'not_finished'
      const stored = endpointOf(original)
      const endpoint = stored.removed ? heirOf(stored, original.event.type).heir : stored.endpoint
      if (endpoint === undefined) return 'endpoint_removed'
      if (deliveries.has(newDeliveryId)) throw new Error('This delivery id is taken.')
      const delivery = { deliveryId: newDeliveryId, endpointId: endpoint.endpointId, xEventId: original.xEventId }
      addDelivery(data, { event: original.event, delivery, resendOf: deliveryId, nowMs: nowMs() })
      notifyListeners(data)
      return 'resent'
    },

    async onDue(wake) {
      listeners.add(wake)
      return async () => void listeners.delete(wake)
    },
  }
}

/** An erasure has blanked the answers that were there: a later one may repeat the user's data too. */
function withoutAnswer({ attempt, ...result }: AttemptResult): AttemptResult {
  return { ...result, attempt: { ...attempt, report: { ...attempt.report, responseBody: null } } }
}
