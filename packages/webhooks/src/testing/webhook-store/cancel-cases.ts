import { deepEqual, equal, ok } from 'node:assert/strict'
import type { AttemptResult } from '../../delivery/webhook-store.js'
import { webhookStoreCase, type WebhookStoreCase } from './harness.js'
import {
  appA,
  appB,
  claimOne,
  createSamples,
  recordResults,
  resultOf,
  userOne,
  userTwo,
  wideClaim,
} from './sample-records.js'

/** Cases about cancelling what waits for a user. */
export const cancelCases: readonly WebhookStoreCase[] = [
  webhookStoreCase(
    'WS-CANCEL-1',
    'Cancelling MUST end only the pending deliveries for that user of that app',
    async ({ store, other }) => {
      const { registered, published } = createSamples()
      const [ofA, ofB] = [await registered(store), await registered(store, { appId: appB })]
      const gone = await published(store, ofA, 3)
      await published(store, ofA, 1, { userId: userTwo })
      await published(store, ofB, 1)
      equal(await store.cancelPending({ appId: appA, userId: userOne, reason: 'GRANT_REVOKED' }), 3)
      equal(await other.cancelPending({ appId: appA, userId: userOne, reason: 'GRANT_REVOKED' }), 0)
      const { claimed } = await store.claimDue(wideClaim)
      equal(claimed.length, 2)
      for (const deliveryId of gone) {
        const read = await other.findDelivery({ appId: appA, deliveryId })
        deepEqual([read?.state, read?.cancelReason, read?.nextAttemptAt], ['CANCELLED', 'GRANT_REVOKED', null])
        ok(read?.endedAt instanceof Date)
      }
    },
  ),

  webhookStoreCase(
    'WS-CANCEL-3',
    'A cancellation MUST win over the retry of an attempt that was not sent',
    async ({ store, other, advance }) => {
      const { registered, published } = createSamples()
      const [deliveryId = ''] = await published(store, await registered(store))
      const delivery = await claimOne(store)
      equal(await other.cancelPending({ appId: appA, userId: userOne, reason: 'ERASED' }), 1)
      await recordResults(store, resultOf.unsent(delivery, 0))
      await advance(10)
      deepEqual((await store.claimDue(wideClaim)).claimed, [], 'claimDue after the cancellation')
      const read = await other.findDelivery({ appId: appA, deliveryId })
      deepEqual([read?.state, read?.cancelReason, read?.attemptsMade], ['CANCELLED', 'ERASED', 0], 'findDelivery')
    },
  ),

  webhookStoreCase(
    'WS-CANCEL-2',
    'Cancelling MUST NOT abort an attempt in flight, and no attempt MUST follow it',
    async ({ store, other, advance }) => {
      const { registered, published } = createSamples()
      const [first = '', second = ''] = await published(store, await registered(store), 2)
      const { claimed } = await store.claimDue(wideClaim)
      await other.cancelPending({ appId: appA, userId: userOne, reason: 'ERASED' })
      for (const delivery of claimed) {
        const { delivered, retry } = resultOf
        await recordResults(store, delivery.deliveryId === first ? delivered(delivery) : retry(delivery, 5))
      }
      await advance(10)
      deepEqual((await store.claimDue(wideClaim)).claimed, [])
      equal((await store.findDelivery({ appId: appA, deliveryId: first }))?.state, 'DELIVERED')
      const read = await store.findDelivery({ appId: appA, deliveryId: second })
      deepEqual([read?.state, read?.cancelReason], ['CANCELLED', 'ERASED'])
    },
  ),

  webhookStoreCase(
    'WS-CANCEL-4',
    'The answer to an attempt that a cancellation met in flight MUST NOT be kept',
    async ({ store, other }) => {
      const { registered, published } = createSamples()
      const ids = await published(store, await registered(store), 2)
      const [first, second] = (await store.claimDue(wideClaim)).claimed
      ok(first !== undefined && second !== undefined)
      await other.cancelPending({ appId: appA, userId: userOne, reason: 'ERASED' })
      // An erasure blanks the answers that are there. These come later.
      await recordResults(store, withAnswer(resultOf.delivered(first)), withAnswer(resultOf.retry(second, 5)))
      for (const deliveryId of ids) {
        const read = await other.findDelivery({ appId: appA, deliveryId })
        const report = read?.attempts[0]?.report
        deepEqual([report?.responseBody, report?.status], [null, 200], 'findDelivery')
      }
    },
  ),
]

const withAnswer = ({ attempt, ...result }: AttemptResult): AttemptResult => ({
  ...result,
  attempt: { ...attempt, report: { ...attempt.report, status: 200, responseBody: new Uint8Array([1]) } },
})
