import { deepEqual, equal, notEqual } from 'node:assert/strict'
import { reportOfCause } from '../../delivery/delivery-state.js'
import type { ClaimedDelivery, AttemptResult } from '../../delivery/webhook-store.js'
import { webhookStoreCase } from './harness.js'
import { appA, claimOne, createSamples, race, recordResults, resultOf, wideClaim } from './sample-records.js'

const { leaseMs } = wideClaim
const takeOver = { limit: 100, leaseMs }

const interrupted = ({ fence }: ClaimedDelivery): AttemptResult => ({
  fence,
  attempt: { state: 'INTERRUPTED', report: reportOfCause('INTERRUPTED') },
  next: { state: 'PENDING', delayMs: 30_000 },
})

export const leaseCases = [
  webhookStoreCase(
    'WS-LEASE-1',
    'An attempt MUST be taken over once its lease ended, under a fresh fence, and not before',
    async ({ store, other, advance }) => {
      const { registered, published } = createSamples()
      await published(store, await registered(store))
      const before = await claimOne(store)
      await advance(leaseMs - 2)
      deepEqual(await other.claimExpired(takeOver), [], 'claimExpired gives nothing before the end of the lease')
      await advance(3)
      const [after] = await other.claimExpired(takeOver)
      deepEqual({ ...after, fence: null }, { ...before, fence: null })
      equal(after?.fence.attempt, 1)
      notEqual(after?.fence.token, before.fence.token)
    },
  ),

  webhookStoreCase(
    'WS-LEASE-2',
    'A delivery in flight MUST NOT become due when its lease ends',
    async ({ store, advance }) => {
      const { registered, published } = createSamples()
      await published(store, await registered(store))
      await claimOne(store)
      await advance(leaseMs * 10)
      deepEqual(await store.claimDue(wideClaim), { claimed: [], nextDueInMs: null })
    },
  ),

  webhookStoreCase(
    'WS-LEASE-3',
    'Of racing claimers exactly one MUST take an attempt over',
    async ({ store, other, advance }) => {
      const { registered, published } = createSamples()
      await published(store, await registered(store), 3)
      await store.claimDue(wideClaim)
      await advance(leaseMs)
      const answers = await race(store, other, (handle) => handle.claimExpired(takeOver))
      equal(answers.flat().length, 3)
      equal(new Set(answers.flat().map(({ deliveryId }) => deliveryId)).size, 3)
    },
  ),

  webhookStoreCase(
    'WS-LEASE-4',
    'A result under an outdated fence MUST change nothing and be reported as stale',
    async ({ store, other, advance }) => {
      const { registered, published } = createSamples()
      const [deliveryId = ''] = await published(store, await registered(store))
      const slow = await claimOne(store)
      await advance(leaseMs)
      const [taken] = await other.claimExpired(takeOver)
      deepEqual((await store.recordAttemptResults([resultOf.delivered(slow)])).stale, [slow.fence])
      equal((await store.findDelivery({ appId: appA, deliveryId }))?.state, 'PENDING')
      await recordResults(other, interrupted(taken as ClaimedDelivery))
      deepEqual((await store.recordAttemptResults([resultOf.delivered(slow)])).stale, [slow.fence])
      const read = await store.findDelivery({ appId: appA, deliveryId })
      deepEqual(
        [read?.state, read?.attemptsMade, read?.attempts.map(({ state }) => state)],
        ['PENDING', 1, ['INTERRUPTED']],
      )
    },
  ),

  webhookStoreCase(
    'WS-LEASE-5',
    'A result after the end of the lease MUST be recorded if no other caller took the attempt over',
    async ({ store, advance }) => {
      const { registered, published } = createSamples()
      const [deliveryId = ''] = await published(store, await registered(store))
      const delivery = await claimOne(store)
      await advance(leaseMs * 2)
      await recordResults(store, resultOf.delivered(delivery))
      equal((await store.findDelivery({ appId: appA, deliveryId }))?.state, 'DELIVERED')
      deepEqual(await store.claimExpired(takeOver), [])
    },
  ),

  webhookStoreCase('WS-LEASE-6', 'Taking over MUST page over all ended leases', async ({ store, advance }) => {
    const { registered, published } = createSamples()
    for (let n = 0; n < 5; n += 1) await published(store, await registered(store), 5)
    await store.claimDue({ ...wideClaim, maxInFlight: { healthy: 5, failing: 5 } })
    await advance(leaseMs)
    const pages: number[] = []
    for (let n = 0; n < 4; n += 1) pages.push((await store.claimExpired({ ...takeOver, limit: 10 })).length)
    deepEqual(pages, [10, 10, 5, 0])
  }),

  webhookStoreCase('WS-LEASE-7', 'A take-over MUST hold a full new lease', async ({ store, other, advance }) => {
    const { registered, published } = createSamples()
    await published(store, await registered(store))
    await claimOne(store)
    await advance(leaseMs)
    equal((await store.claimExpired(takeOver)).length, 1)
    await advance(leaseMs - 2)
    equal((await other.claimExpired(takeOver)).length, 0)
    await advance(3)
    equal((await other.claimExpired(takeOver)).length, 1)
  }),

  webhookStoreCase(
    'WS-LEASE-8',
    'An ended lease MUST count for the cap until it is recorded',
    async ({ store, advance }) => {
      const { registered, published } = createSamples()
      await published(store, await registered(store), 8)
      equal((await store.claimDue(wideClaim)).claimed.length, 4)
      await advance(leaseMs)
      equal((await store.claimDue(wideClaim)).claimed.length, 0)
      const taken = await store.claimExpired(takeOver)
      equal((await store.claimDue(wideClaim)).claimed.length, 0)
      await recordResults(store, ...taken.map(interrupted))
      equal((await store.claimDue(wideClaim)).claimed.length, 1, 'the cap of a failing endpoint')
    },
  ),

  webhookStoreCase(
    'WS-LEASE-9',
    'A result that races a take-over MUST be either applied or stale',
    async ({ store, other, advance }) => {
      const { registered, published } = createSamples()
      const ids: string[] = []
      for (let n = 0; n < 10; n += 1) ids.push(...(await published(store, await registered(store))))
      const { claimed } = await store.claimDue(wideClaim)
      await advance(leaseMs)
      const outcomes = await Promise.all(
        claimed.map(async (delivery) => {
          const [answer, taken] = await Promise.all([
            store.recordAttemptResults([resultOf.delivered(delivery)]),
            other.claimExpired({ ...takeOver, limit: 1 }),
          ])
          return { delivery, stale: answer.stale.length === 1, taken }
        }),
      )
      const takenOver = new Set(outcomes.flatMap(({ taken }) => taken.map(({ deliveryId }) => deliveryId)))
      for (const { delivery, stale } of outcomes) {
        equal(stale, takenOver.has(delivery.deliveryId))
        const read = await store.findDelivery({ appId: appA, deliveryId: delivery.deliveryId })
        equal(read?.state, stale ? 'PENDING' : 'DELIVERED')
      }
    },
  ),

  webhookStoreCase(
    'WS-LEASE-10',
    'Attempts that are taken over and never recorded MUST NOT block the rest',
    async ({ store, other, advance }) => {
      const { registered, published } = createSamples()
      for (let n = 0; n < 4; n += 1) {
        await published(store, await registered(store))
        await claimOne(store)
        await advance(1)
      }
      const taken = new Set<string>()
      for (let n = 0; n < 4; n += 1) {
        // All leases have ended each time, including those of earlier take-overs.
        await advance(leaseMs)
        const [one] = await (n % 2 === 0 ? store : other).claimExpired({ limit: 1, leaseMs })
        taken.add(one?.deliveryId ?? 'none')
      }
      equal(taken.size, 4)
    },
  ),

  webhookStoreCase(
    'WS-LEASE-12',
    'A lease MUST begin with the claim, however long the delivery was due',
    async ({ store, other, advance }) => {
      const { registered, published } = createSamples()
      await published(store, await registered(store))
      await advance(leaseMs * 3)
      const claimed = await claimOne(store)
      await advance(leaseMs - 2)
      deepEqual(await other.claimExpired(takeOver), [], 'claimExpired gives nothing before the end of the lease')
      await recordResults(store, resultOf.delivered(claimed))
    },
  ),

  webhookStoreCase(
    'WS-LEASE-11',
    'Ended leases that a take-over leaves MUST count for the cap',
    async ({ store, advance }) => {
      const { registered, published } = createSamples()
      await published(store, await registered(store), 8)
      equal((await store.claimDue(wideClaim)).claimed.length, 4)
      await advance(leaseMs)
      equal((await store.claimExpired({ limit: 1, leaseMs })).length, 1)
      equal((await store.claimDue(wideClaim)).claimed.length, 0)
    },
  ),
]
