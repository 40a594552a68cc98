import { deepEqual, equal, ok } from 'node:assert/strict'
import type { PreparedEvent } from '../../delivery/webhook-store.js'
import { appA, claimOne, recordResults, resultOf, wideClaim } from '../webhook-store/sample-records.js'
import { recoveryStoreCase, skippedNone } from './harness.js'

/** Cases about what a step writes. */
export const stepCases = [
  recoveryStoreCase(
    'RS-STEP-1',
    'A step MUST make deliveries that are due now, with attempts of their own, claimed after all others of the endpoint',
    async ({ webhooks, other, samples, publish, started, listNext, write }) => {
      const endpoint = await samples.registered(webhooks)
      const missed = [
        await publish([], { withheld: 'NO_ENDPOINT' }),
        await publish([], { withheld: 'NO_ENDPOINT', body: new TextEncoder().encode('{"é":"\\u00e9"}') }),
      ]
      const recoveryId = await started(endpoint)
      const events = await listNext(recoveryId)
      equal(await write(recoveryId, events), 'written')
      const live = await publish([endpoint])
      const claimed = []
      for (let n = 0; n < 3; n += 1) {
        const one = await claimOne(other.webhooks, { limit: 1 })
        claimed.push(one)
        await recordResults(other.webhooks, resultOf.delivered(one))
      }
      deepEqual(
        claimed.map(({ eventId, body, fence, endpoint: at }) => [eventId, [...body], fence.attempt, at.url]),
        [live, ...missed].map(({ eventId, body }) => [eventId, [...body], 1, endpoint.url]),
      )
    },
  ),

  recoveryStoreCase(
    'RS-STEP-2',
    'A step MUST count what it made and what was skipped, and the next one MUST go on after it',
    async ({ store, webhooks, other, samples, publish, started, listNext, write }) => {
      const endpoint = await samples.registered(webhooks)
      for (let n = 0; n < 3; n += 1) await publish([], { withheld: 'NO_ENDPOINT' })
      const recoveryId = await started(endpoint)
      const events = await listNext(recoveryId)
      const next = events[1]?.place ?? null
      const skipped = { acknowledged: 1, pending: 2, scope: 3, erased: 4 }
      equal(await write(recoveryId, events.slice(0, 2), { next, skipped }), 'written')
      const progress = { recoveryId, state: 'RUNNING', matched: 12, created: 2, skipped }
      deepEqual(await other.store.findRecovery({ appId: appA, recoveryId }), progress)
      const step = await other.store.findNextStep({ appId: appA, recoveryId, mostWaiting: 10 })
      deepEqual(step?.after, next, 'the place after which the next step begins')
      deepEqual(await listNext(recoveryId), events.slice(2))
      equal(await write(recoveryId, events.slice(2), { after: null }), 'stale', 'a step that begins elsewhere')
      equal(await write(recoveryId, events.slice(2), { skipped }), 'written')
      const total = { acknowledged: 2, pending: 4, scope: 6, erased: 8 }
      const done = { ...progress, state: 'DONE', matched: 23, created: 3, skipped: total }
      deepEqual(await store.findRecovery({ appId: appA, recoveryId }), done)
      equal(await store.findNextStep({ appId: appA, recoveryId, mostWaiting: 10 }), null)
    },
  ),

  recoveryStoreCase(
    'RS-STEP-3',
    'A step MUST leave out an event that has a pending or acknowledged delivery with its X-Event-ID meanwhile',
    async ({ store, webhooks, other, samples, publish, started, listNext, write }) => {
      const endpoint = await samples.registered(webhooks)
      const published: PreparedEvent[] = []
      for (let n = 0; n < 3; n += 1) {
        published.push(await publish([endpoint]))
        await recordResults(webhooks, resultOf.failed(await claimOne(webhooks)))
      }
      const recoveryId = await started(endpoint)
      const events = await listNext(recoveryId)
      const xEventIdOf = (n: number) => published[n]?.deliveries[0]?.xEventId ?? ''
      const resend = async (n: number) => {
        const deliveryId = published[n]?.deliveries[0]?.deliveryId ?? ''
        equal(await other.webhooks.resendDelivery({ appId: appA, deliveryId, newDeliveryId: samples.id() }), 'resent')
      }
      await resend(0)
      await recordResults(webhooks, resultOf.delivered(await claimOne(webhooks)))
      await resend(1)
      const deliveries = events.map(({ eventId }, n) => {
        return { deliveryId: samples.id(), eventId, xEventId: xEventIdOf(n) }
      })
      equal(await write(recoveryId, events, { deliveries }), 'written')
      const counted = { ...skippedNone, pending: 2 }
      const progress = { recoveryId, state: 'DONE', matched: 3, created: 1, skipped: counted }
      deepEqual(await store.findRecovery({ appId: appA, recoveryId }), progress)
      const { claimed } = await webhooks.claimDue(wideClaim)
      deepEqual(claimed.map(({ eventId }) => eventId).sort(), [published[1]?.eventId, published[2]?.eventId].sort())
    },
  ),

  recoveryStoreCase(
    'RS-STEP-4',
    'A step MUST leave out an event whose body was blanked meanwhile',
    async ({ webhooks, other, samples, publish, started, listNext, write }) => {
      const endpoint = await samples.registered(webhooks)
      await publish([], { withheld: 'NO_ENDPOINT' })
      const recoveryId = await started(endpoint)
      const events = await listNext(recoveryId)
      await other.blankBodies()
      equal(await write(recoveryId, events), 'written')
      deepEqual((await webhooks.claimDue(wideClaim)).claimed, [])
    },
  ),

  recoveryStoreCase(
    'RS-STEP-5',
    'There MUST be no next step while `mostWaiting` recovered deliveries wait, and one when fewer wait',
    async ({ store, webhooks, samples, publish, started, listNext, write }) => {
      const endpoint = await samples.registered(webhooks)
      for (let n = 0; n < 3; n += 1) await publish([], { withheld: 'NO_ENDPOINT' })
      await publish([endpoint])
      const recoveryId = await started(endpoint)
      const events = (await listNext(recoveryId)).slice(0, 2)
      equal(await write(recoveryId, events, { next: events[1]?.place ?? null }), 'written')
      const find = (mostWaiting: number) => store.findNextStep({ appId: appA, recoveryId, mostWaiting })
      equal(await find(2), null, 'two wait')
      ok((await find(3)) !== null, 'deliveries that no recovery made do not count')
      const { claimed } = await webhooks.claimDue({ ...wideClaim, limit: 2 })
      await recordResults(webhooks, ...claimed.map(resultOf.delivered))
      ok((await find(2)) !== null, 'one waits')
    },
  ),

  recoveryStoreCase(
    'RS-STEP-6',
    'A known `sourceEventId` MUST be answered with what was published first, without recovered deliveries',
    async ({ webhooks, samples, publish, started, listNext, write, end }) => {
      const endpoint = await samples.registered(webhooks)
      const event = await publish([endpoint], { sourceEventId: 'deposit-1' })
      await end('failed')
      const recoveryId = await started(endpoint)
      equal(await write(recoveryId, await listNext(recoveryId)), 'written')
      const { duplicate, deliveries } = await webhooks.insertEvent(
        samples.event([endpoint], { sourceEventId: 'deposit-1' }),
      )
      deepEqual(
        { duplicate, ids: deliveries.map(({ deliveryId }) => deliveryId) },
        { duplicate: true, ids: event.deliveries.map(({ deliveryId }) => deliveryId) },
      )
    },
  ),
]
