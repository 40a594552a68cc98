import { deepEqual } from 'node:assert/strict'
import type { AttemptCause, AttemptResult, ClaimedDelivery, EndpointHour } from '../../delivery/webhook-store.js'
import { appA, appB, claimOne, createSamples, recordResults, resultOf, wideClaim } from './sample-records.js'
import { webhookStoreCase, type WebhookStoreCase } from './harness.js'

const hourMs = 3_600_000

function failing(result: AttemptResult, cause: AttemptCause): AttemptResult {
  return { ...result, attempt: { ...result.attempt, report: { ...result.attempt.report, cause } } }
}

const inOrder = (rows: readonly EndpointHour[]) =>
  rows.toSorted(
    (one, other) => one.hour.getTime() - other.hour.getTime() || (one.cause ?? '').localeCompare(other.cause ?? ''),
  )

/** Cases of the counts of attempts by hour. */
export const endpointHourCases: readonly WebhookStoreCase[] = [
  webhookStoreCase(
    'WS-HOURS-1',
    'Attempts that were sent MUST be counted by endpoint, hour and cause, and no other ones',
    async ({ store, other, advance }) => {
      const { registered, published } = createSamples()
      const one = await registered(store)
      const two = await registered(store, { appId: appB })
      await published(store, one, 5)
      await published(store, two)
      const { claimed } = await store.claimDue({ ...wideClaim, maxInFlight: { healthy: 6, failing: 6 } })
      const ofOne = claimed.filter(({ appId }) => appId === appA) as [
        ClaimedDelivery,
        ClaimedDelivery,
        ClaimedDelivery,
        ClaimedDelivery,
        ClaimedDelivery,
      ]
      const ofTwo = claimed.filter(({ appId }) => appId === appB)
      const [delivered, failed, retried, unsent, later] = ofOne
      await recordResults(store, resultOf.delivered(delivered), failing(resultOf.failed(failed), 'TIMEOUT'))
      await recordResults(
        other,
        failing(resultOf.retry(retried, 60_000), 'TIMEOUT'),
        resultOf.unsent(unsent, 60_000),
        ...ofTwo.map((delivery) => resultOf.delivered(delivery)),
      )
      await store.recordAttemptResults([resultOf.failed(delivered)])
      await advance(hourMs)
      await recordResults(store, failing(resultOf.failed(later), 'REDIRECT'))
      for (let again = 0; again < 2; again += 1) await recordResults(store, resultOf.delivered(await claimOne(store)))

      const read = await store.findDelivery({ appId: appA, deliveryId: later.deliveryId })
      const now = read?.attempts[0]?.endedAt?.getTime() ?? 0
      const hours = [now - hourMs, now].map((at) => new Date(Math.floor(at / hourMs) * hourMs))
      const counts = async (appId: string, since: Date) =>
        inOrder(await other.listEndpointHours({ appId, since })).map((row) => [
          hours.findIndex((hour) => hour.getTime() === row.hour.getTime()),
          ...[row.endpointId, row.cause, row.attempts, row.firstAttempts, row.failedDeliveries],
        ])
      const inSecond = [
        [1, one.endpointId, null, 2, 1, 0],
        [1, one.endpointId, 'REDIRECT', 1, 1, 1],
      ]
      deepEqual(await counts(appA, new Date(now - hourMs)), [
        [0, one.endpointId, null, 1, 1, 0],
        [0, one.endpointId, 'TIMEOUT', 2, 2, 1],
        ...inSecond,
      ])
      deepEqual(await counts(appA, new Date(now)), inSecond, 'from the hour of `since` on')
      deepEqual(await counts(appB, new Date(now - hourMs)), [[0, two.endpointId, null, 1, 1, 0]])
    },
  ),

  webhookStoreCase('WS-HOURS-2', 'Of racing results none MUST be lost from the counts', async ({ store, other }) => {
    const { registered, published } = createSamples()
    const endpoint = await registered(store)
    await published(store, endpoint, 8)
    const { claimed } = await store.claimDue({ ...wideClaim, maxInFlight: { healthy: 8, failing: 8 } })
    await Promise.all(
      claimed.map((delivery, index) => recordResults(index % 2 === 0 ? store : other, resultOf.delivered(delivery))),
    )
    const counted = await store.listEndpointHours({ appId: appA, since: new Date(0) })
    deepEqual(
      counted.map(({ cause, attempts }) => [cause, attempts]),
      [[null, 8]],
    )
  }),
]
