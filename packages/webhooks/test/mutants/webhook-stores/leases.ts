import type { ClaimedDelivery } from '../../../src/delivery/index.js'
import type { MemoryWebhookData } from '../../../src/testing/memory-webhook-data.js'
import { change, tick, without, type Spoil, type WrongStore } from './wrong-store.js'

const endedIn = ({ deliveries }: MemoryWebhookData, nowMs: number) =>
  [...deliveries.values()].filter(({ open }) => open !== null && open.leaseEndsAtMs <= nowMs)

/** Does not count ended leases for the cap of the endpoints for which `when` holds. */
const uncounted =
  (when: (wasTakenOver: boolean) => boolean): Spoil =>
  (store, data, { now }) => {
    const takenOver = new Set<string>()
    return {
      claimDue(request) {
        const hidden = endedIn(data, now()).filter(({ endpointId }) => when(takenOver.has(endpointId)))
        return without(data, hidden, () => store.claimDue(request))
      },
      async claimExpired(request) {
        const taken = await store.claimExpired(request)
        for (const { endpoint } of taken) takenOver.add(endpoint.endpointId)
        return taken
      },
    }
  }

/** Wrong stores of leases, each caught by one case. */
export const wrongLeases: readonly WrongStore[] = [
  [
    'loses the X-Event-ID when an attempt is taken over',
    'WS-LEASE-1',
    (store) => ({
      claimExpired: async (request) =>
        (await store.claimExpired(request)).map((one) => ({ ...one, xEventId: one.eventId })),
    }),
  ],
  [
    'tells that a delivery is due when its lease ends',
    'WS-LEASE-2',
    (store, data, { now }) => ({
      async claimDue(request) {
        const answer = await store.claimDue(request)
        return endedIn(data, now()).length > 0 ? { ...answer, nextDueInMs: answer.nextDueInMs ?? 0 } : answer
      },
    }),
  ],
  [
    'locks only the first attempt that it takes over',
    'WS-LEASE-3',
    (store, data, { now }) => ({
      async claimExpired(request) {
        const [, ...unlocked] = endedIn(data, now()).slice(0, request.limit)
        await tick()
        for (const { open } of unlocked) if (open !== null) open.leaseEndsAtMs = now()
        return store.claimExpired(request)
      },
    }),
  ],
  [
    'lets a late success win over the interruption that was recorded',
    'WS-LEASE-4',
    (store, data) => ({
      async recordAttemptResults(results) {
        const { stale, ...rest } = await store.recordAttemptResults(results)
        const late = stale.filter(({ deliveryId, attempt }) => {
          const delivery = data.deliveries.get(deliveryId)
          const state = delivery?.attempts.find(({ number }) => number === attempt)?.ended?.result.attempt.state
          return state === 'INTERRUPTED' && delivery?.state === 'PENDING'
        })
        for (const { deliveryId } of late) {
          const delivery = data.deliveries.get(deliveryId)
          if (delivery) change(data, delivery, { state: 'DELIVERED' })
        }
        return { ...rest, stale: stale.filter((fence) => !late.includes(fence)) }
      },
    }),
  ],
  [
    'keeps the lease of an attempt that was recorded late',
    'WS-LEASE-5',
    (store, data, { now }) => {
      const claims = new Map<string, ClaimedDelivery>()
      const late = new Set<string>()
      return {
        async claimDue(request) {
          const answer = await store.claimDue(request)
          for (const one of answer.claimed) claims.set(one.deliveryId, one)
          return answer
        },
        recordAttemptResults(results) {
          const ended = endedIn(data, now()).map(({ deliveryId }) => deliveryId)
          for (const { fence } of results) if (ended.includes(fence.deliveryId)) late.add(fence.deliveryId)
          return store.recordAttemptResults(results)
        },
        async claimExpired(request) {
          const again = [...late].flatMap((deliveryId) => claims.get(deliveryId) ?? [])
          return [...(await store.claimExpired(request)), ...(request.limit > 1 ? again : [])]
        },
      }
    },
  ],
  [
    'takes over the attempts of one endpoint at a time',
    'WS-LEASE-6',
    (store, data, { now }) => ({
      claimExpired(request) {
        const ended = endedIn(data, now())
        const first = ended[0]?.endpointId
        const limit = Math.min(request.limit, ended.filter(({ endpointId }) => endpointId === first).length)
        return store.claimExpired({ ...request, limit })
      },
    }),
  ],
  [
    'holds what it takes over for half a lease',
    'WS-LEASE-7',
    (store) => ({ claimExpired: (request) => store.claimExpired({ ...request, leaseMs: request.leaseMs / 2 }) }),
  ],
  ['does not count ended leases for the cap', 'WS-LEASE-8', uncounted((wasTakenOver) => !wasTakenOver)],
  [
    'lets a result win that came before a take-over ended',
    'WS-LEASE-9',
    (store, { deliveries }) => ({
      async recordAttemptResults(results) {
        const before = results.map(({ fence }) => deliveries.get(fence.deliveryId)?.open?.token)
        await tick()
        const current = results.map((result, n) => {
          const open = deliveries.get(result.fence.deliveryId)?.open
          const wasCurrent = before[n] === result.fence.token
          return open && wasCurrent ? { ...result, fence: { ...result.fence, token: open.token } } : result
        })
        return store.recordAttemptResults(current)
      },
    }),
  ],
  [
    'takes over first what was claimed first, however often it was taken over',
    'WS-LEASE-10',
    (store, data, { now }) => ({
      claimExpired(request) {
        for (const { open } of endedIn(data, now())) if (open !== null) open.leaseEndsAtMs = open.startedAtMs
        return store.claimExpired(request)
      },
    }),
  ],
  [
    'does not count the ended leases beside one that was taken over',
    'WS-LEASE-11',
    uncounted((wasTakenOver) => wasTakenOver),
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
]
