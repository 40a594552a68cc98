import type { ClaimedDelivery } from '../../../src/delivery/index.js'
import { byDue, type StoredDelivery } from '../../../src/testing/memory-records.js'
import type { MemoryWebhookData } from '../../../src/testing/memory-webhook-data.js'
import { during, tick, waitingIn, type WrongStore } from './wrong-store.js'

const inFlightIn = ({ deliveries }: MemoryWebhookData) => {
  const counts = new Map<string, number>()
  for (const { endpointId, open } of deliveries.values()) {
    if (open !== null) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1)
  }
  return counts
}

const dueIn = (data: MemoryWebhookData, nowMs: number) =>
  waitingIn(data)
    .filter(({ dueAtMs }) => dueAtMs <= nowMs)
    .filter(({ endpointId, event }) => event.test || data.endpoints.get(endpointId)?.endpoint.pausedBy == null)

/** Wrong stores of claims, each caught by one case. */
export const wrongClaims: readonly WrongStore[] = [
  [
    'gives a claimer that comes too late what another one took',
    'WS-CLAIM-1',
    (store, data, { now }) => {
      let last: readonly ClaimedDelivery[] = []
      return {
        async claimDue(request) {
          const isDue = dueIn(data, now()).length > 0
          await tick()
          const answer = await store.claimDue(request)
          if (isDue && answer.claimed.length === 0 && answer.nextDueInMs === null) return { ...answer, claimed: last }
          last = answer.claimed
          return answer
        },
      }
    },
  ],
  [
    'locks only the first two endpoints of a claim',
    'WS-CLAIM-2',
    (store) => {
      let [claiming, unlocked] = [0, null as ClaimedDelivery | null]
      return {
        async claimDue(request) {
          claiming += 1
          await tick()
          const { claimed, ...rest } = await store.claimDue(request)
          const others = (claiming -= 1)
          const third = new Set(claimed.map(({ endpoint }) => endpoint.endpointId)).size > 2 ? claimed[2] : undefined
          const again = others > 0 && third !== undefined ? unlocked : null
          unlocked = third ?? null
          return { ...rest, claimed: again === null ? claimed : claimed.map((one) => (one === third ? again : one)) }
        },
      }
    },
  ],
  [
    'logs an attempt when it has ended',
    'WS-CLAIM-3',
    (store) => ({
      async findDelivery(request) {
        const found = await store.findDelivery(request)
        return found && { ...found, attempts: found.attempts.filter(({ state }) => state !== 'STARTED') }
      },
    }),
  ],
  [
    'claims what is due in a moment',
    'WS-CLAIM-4',
    (store, data, { now }) => ({
      claimDue(request) {
        const soon = waitingIn(data).filter(({ dueAtMs }) => dueAtMs > now() && dueAtMs <= now() + 5)
        return during(soon, { dueAtMs: now() }, () => store.claimDue(request))
      },
    }),
  ],
  [
    'tells when the last delivery is due instead of the next one',
    'WS-CLAIM-5',
    (store, data, { now }) => ({
      async claimDue(request) {
        const answer = await store.claimDue(request)
        const dueTimes = waitingIn(data)
          .filter(({ endpointId, event }) => event.test || data.endpoints.get(endpointId)?.endpoint.pausedBy == null)
          .map(({ dueAtMs }) => dueAtMs)
        return answer.nextDueInMs === null
          ? answer
          : { ...answer, nextDueInMs: Math.max(0, ...dueTimes.map((at) => at - now())) }
      },
    }),
  ],
  [
    'claims one too many where it may claim several',
    'WS-CLAIM-6',
    (store) => ({
      claimDue: (request) =>
        store.claimDue({
          ...request,
          limit: request.limit > 1 && request.keepForHealthy === 0 ? request.limit + 1 : request.limit,
        }),
    }),
  ],
  [
    'counts what is in flight, then claims',
    'WS-CLAIM-7',
    (store, data) => ({
      async claimDue(request) {
        const before = inFlightIn(data)
        await tick()
        const grown = [...inFlightIn(data)].map(([endpointId, count]) => count - (before.get(endpointId) ?? 0))
        const { healthy, failing } = request.maxInFlight
        return store.claimDue({ ...request, maxInFlight: { healthy: healthy + Math.max(0, ...grown), failing } })
      },
    }),
  ],
  [
    'lifts the lower cap after an attempt that was not sent',
    'WS-CLAIM-8',
    (store, { deliveries, endpoints }) => {
      const lifted = new Set<string>()
      return {
        recordAttemptResults(results) {
          for (const { fence, attempt } of results) {
            const endpointId = deliveries.get(fence.deliveryId)?.endpointId ?? ''
            lifted[attempt.state === 'UNSENT' ? 'add' : 'delete'](endpointId)
          }
          return store.recordAttemptResults(results)
        },
        claimDue(request) {
          const failing = [...lifted].flatMap((endpointId) => endpoints.get(endpointId) ?? [])
          const before = failing.map(({ failingSinceMs }) => failingSinceMs)
          for (const endpoint of failing) endpoint.failingSinceMs = null
          const answer = store.claimDue(request)
          for (const [n, endpoint] of failing.entries()) endpoint.failingSinceMs = before[n] ?? null
          return answer
        },
      }
    },
  ],
  [
    'keeps no places for healthy endpoints',
    'WS-CLAIM-9',
    (store) => ({ claimDue: (request) => store.claimDue({ ...request, keepForHealthy: 0 }) }),
  ],
  [
    'claims by the time of publishing',
    'WS-CLAIM-10',
    (store, data, { now }) => ({
      claimDue(request) {
        const due = dueIn(data, now())
        const before = due.map(({ dueAtMs }) => dueAtMs)
        for (const delivery of due) delivery.dueAtMs = delivery.createdAtMs
        const answer = store.claimDue(request)
        for (const [n, delivery] of due.entries()) delivery.dueAtMs = before[n] ?? 0
        return answer
      },
    }),
  ],
  [
    'fills a claim with what is due longest, of whatever endpoint',
    'WS-CLAIM-11',
    (store, data, { now }) => ({
      async claimDue(request) {
        const free = new Map<string, number>()
        const taken = new Set<StoredDelivery>()
        for (const delivery of dueIn(data, now()).sort(byDue)) {
          const { endpointId } = delivery
          const isFailing = data.endpoints.get(endpointId)?.failingSinceMs !== null
          const cap = request.maxInFlight[isFailing ? 'failing' : 'healthy']
          const left = free.get(endpointId) ?? cap - (inFlightIn(data).get(endpointId) ?? 0)
          if (left > 0 && taken.size < request.limit) taken.add(delivery)
          free.set(endpointId, left - 1)
        }
        const isFair = request.limit === 1 || request.keepForHealthy > 0
        const hidden = isFair ? [] : dueIn(data, now()).filter((delivery) => !taken.has(delivery))
        const answer = await during(hidden, { dueAtMs: Infinity }, () => store.claimDue(request))
        return hidden.length === 0 ? answer : { ...answer, nextDueInMs: 0 }
      },
    }),
  ],
  [
    'forgets whose turn it is between two claims',
    'WS-CLAIM-12',
    (store, { endpoints }) => ({
      claimDue(request) {
        for (const endpoint of endpoints.values()) endpoint.lastClaimedAtMs = 0
        return store.claimDue(request)
      },
    }),
  ],
  [
    'gives every claim of a delivery the same fence token',
    'WS-CLAIM-13',
    (store, { deliveries }) => ({
      async claimDue(request) {
        const { claimed, ...rest } = await store.claimDue(request)
        const changed = claimed.map((one) => {
          const token = `of ${one.deliveryId}`
          const open = deliveries.get(one.deliveryId)?.open
          if (open) open.token = token
          return { ...one, fence: { ...one.fence, token } }
        })
        return { ...rest, claimed: changed }
      },
    }),
  ],
]
