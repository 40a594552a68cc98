import { deepEqual, equal, rejects } from 'node:assert/strict'
import { reportOfCause } from '../../delivery/delivery-state.js'
import type { AttemptReport, ClaimedDelivery, AttemptResult } from '../../delivery/webhook-store.js'
import { webhookStoreCase } from './harness.js'
import {
  appA,
  appB,
  between,
  claimOne,
  createSamples,
  listAll,
  near,
  race,
  recordResults,
  resultOf,
  succeededReport,
  userOne,
  wideClaim,
} from './sample-records.js'

const fullReport: AttemptReport = {
  cause: 'REDIRECT',
  status: 308,
  address: '2606:2800:21f:cb07:6820:80da:af6b:8b2c',
  timings: { dnsMs: 0, connectMs: 0.1, tlsMs: 12.7, firstByteMs: 29_999.9, totalMs: 30_000 },
  responseHeaders: { location: 'https://partner.example.com/ü', 'x-note': '\u00e4 "quoted" \\', 'retry-after': '120' },
  responseBody: Uint8Array.from({ length: 16_384 }, (_, index) => index % 256),
  keyVersion: 12,
}

const reports: Readonly<Record<string, AttemptReport>> = {
  full: fullReport,
  'empty body': { ...fullReport, responseBody: new Uint8Array(), responseHeaders: {} },
  nothing: reportOfCause('INTERRUPTED'),
}

export const attemptResultCases = [
  webhookStoreCase(
    'WS-RESULT-1',
    'Every final state MUST be recorded and kept with its times',
    async ({ store, other, advance }) => {
      const { registered, published } = createSamples()
      const endpoint = await registered(store)
      await published(store, endpoint, 3)
      const before = await listAll(store)
      const { claimed } = await store.claimDue(wideClaim)
      const [one, two, three] = claimed as [ClaimedDelivery, ClaimedDelivery, ClaimedDelivery]
      await advance(1_234)
      await recordResults(
        store,
        resultOf.delivered(one),
        resultOf.failed(two),
        resultOf.cancelled(three, 'GRANT_REVOKED – ünïcode'),
      )
      const read = async ({ deliveryId }: ClaimedDelivery) => {
        const found = await other.findDelivery({ appId: appA, deliveryId })
        const createdAt = before.find((delivery) => delivery.deliveryId === deliveryId)?.createdAt
        near(between(createdAt, found?.endedAt), 1_234, 'endedAt of findDelivery after createdAt')
        return [found?.state, found?.attemptsMade, found?.cancelReason, found?.nextAttemptAt]
      }
      deepEqual(await read(one), ['DELIVERED', 1, null, null])
      deepEqual(await read(two), ['FAILED', 1, null, null])
      deepEqual(await read(three), ['CANCELLED', 0, 'GRANT_REVOKED – ünïcode', null])
    },
  ),

  webhookStoreCase(
    'WS-RESULT-2',
    'A report MUST be read back exactly as it was recorded',
    async ({ store, other, advance }) => {
      const { registered, published } = createSamples()
      for (const [name, report] of Object.entries(reports)) {
        const [deliveryId = ''] = await published(store, await registered(store))
        const { fence } = await claimOne(store)
        await advance(777)
        const state = report.cause === 'INTERRUPTED' ? 'INTERRUPTED' : 'FAILED'
        await recordResults(store, { fence, attempt: { state, report }, next: { state: 'FAILED' } })
        const [attempt] = (await other.findDelivery({ appId: appA, deliveryId }))?.attempts ?? []
        equal(attempt?.state, state)
        near(between(attempt?.startedAt, attempt?.endedAt), 777, 'endedAt of the attempt after its startedAt')
        const bytes = (body: Uint8Array | null | undefined) => (body == null ? body : [...body])
        deepEqual(bytes(attempt?.report?.responseBody), bytes(report.responseBody), name)
        deepEqual({ ...attempt?.report, responseBody: null }, { ...report, responseBody: null }, name)
      }
    },
  ),

  webhookStoreCase(
    'WS-RESULT-3',
    'Attempts MUST be counted and logged in their order',
    async ({ store, other, advance }) => {
      const { registered, published } = createSamples()
      const [deliveryId = ''] = await published(store, await registered(store))
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        const delivery = await claimOne(store)
        equal(delivery.fence.attempt, attempt)
        await recordResults(store, attempt < 5 ? resultOf.retry(delivery, 1_000 * attempt) : resultOf.failed(delivery))
        await advance(1_000 * attempt)
      }
      deepEqual((await store.claimDue(wideClaim)).claimed, [])
      const read = await other.findDelivery({ appId: appA, deliveryId })
      deepEqual([read?.state, read?.attemptsMade], ['FAILED', 5])
      deepEqual(
        read?.attempts.map(({ number }) => number),
        [1, 2, 3, 4, 5],
      )
    },
  ),

  webhookStoreCase(
    'WS-RESULT-4',
    'An unsent attempt MUST NOT count, and MUST tell since when the delivery is unsent',
    async ({ store, other, advance }) => {
      const { registered, published } = createSamples()
      const [deliveryId = ''] = await published(store, await registered(store))
      await recordResults(store, resultOf.retry(await claimOne(store), 10))
      await advance(11)
      for (const unsentForMs of [0, 30_001, 60_002]) {
        const delivery = await claimOne(store)
        equal(delivery.fence.attempt, 2)
        near(delivery.unsentForMs, unsentForMs, 'unsentForMs of claimDue')
        await recordResults(store, resultOf.unsent(delivery, 30_000))
        const read = await other.findDelivery({ appId: appA, deliveryId })
        equal(read?.attemptsMade, 1)
        deepEqual(
          read?.attempts.map(({ number, state }) => [number, state]),
          [
            [1, 'FAILED'],
            [2, 'UNSENT'],
          ],
          'a number appears once',
        )
        await advance(30_001)
      }
      const delivery = await claimOne(store)
      await recordResults(store, resultOf.delivered(delivery))
      const read = await other.findDelivery({ appId: appA, deliveryId })
      deepEqual([read?.state, read?.attemptsMade, read?.attempts.length], ['DELIVERED', 2, 2])
    },
  ),

  webhookStoreCase(
    'WS-RESULT-5',
    'Of racing results of one attempt exactly one MUST be applied',
    async ({ store, other }) => {
      const { registered, published } = createSamples()
      await published(store, await registered(store))
      const delivery = await claimOne(store)
      const answers = await race(store, other, (handle, racer) =>
        handle.recordAttemptResults([racer % 3 === 0 ? resultOf.delivered(delivery) : resultOf.failed(delivery)]),
      )
      equal(answers.filter(({ stale }) => stale.length === 0).length, 1)
      const [read] = await listAll(store)
      const winner = answers.findIndex(({ stale }) => stale.length === 0)
      equal(read?.state, winner % 3 === 0 ? 'DELIVERED' : 'FAILED')
    },
  ),

  webhookStoreCase('WS-RESULT-6', 'Stale results MUST NOT prevent other results of their batch', async ({ store }) => {
    const { registered, published, id } = createSamples()
    await published(store, await registered(store), 3)
    const { claimed } = await store.claimDue(wideClaim)
    const [one, two, three] = claimed as [ClaimedDelivery, ClaimedDelivery, ClaimedDelivery]
    await recordResults(store, resultOf.delivered(one))
    const unknown: AttemptResult = { ...resultOf.delivered(two), fence: { ...two.fence, deliveryId: id() } }
    const forged: AttemptResult = { ...resultOf.delivered(two), fence: { ...two.fence, token: 'forged' } }
    const elsewhere: AttemptResult = { ...resultOf.delivered(two), fence: { ...two.fence, attempt: 2 } }
    const ofOther: AttemptResult = { ...resultOf.delivered(two), fence: { ...two.fence, appId: appB } }
    const batch = [
      resultOf.failed(one),
      ofOther,
      resultOf.delivered(two),
      resultOf.failed(two),
      unknown,
      forged,
      elsewhere,
    ]
    const { stale } = await store.recordAttemptResults([...batch, resultOf.delivered(three)])
    deepEqual(stale, [one.fence, ofOther.fence, two.fence, unknown.fence, forged.fence, elsewhere.fence])
    deepEqual(
      (await listAll(store)).map(({ state }) => state),
      ['DELIVERED', 'DELIVERED', 'DELIVERED'],
    )
  }),

  webhookStoreCase('WS-RESULT-7', 'A delivery MUST NOT leave a final state', async ({ store, advance }) => {
    const { registered, published } = createSamples()
    const endpoint = await registered(store)
    await published(store, endpoint, 3)
    const { claimed } = await store.claimDue(wideClaim)
    const [one, two, three] = claimed as [ClaimedDelivery, ClaimedDelivery, ClaimedDelivery]
    await recordResults(
      store,
      resultOf.delivered(one),
      resultOf.failed(two),
      resultOf.cancelled(three, 'GRANT_REVOKED'),
    )
    const ended = await listAll(store)
    await advance(1_000_000)
    for (const delivery of claimed) {
      for (const again of [resultOf.delivered(delivery), resultOf.retry(delivery, 0), resultOf.failed(delivery)]) {
        equal((await store.recordAttemptResults([again])).stale.length, 1)
      }
    }
    await store.cancelPending({ appId: appA, userId: userOne, reason: 'ERASED' })
    await store.removeEndpoint({ appId: appA, endpointId: endpoint.endpointId })
    deepEqual(await store.claimExpired({ limit: 10, leaseMs: 1 }), [])
    deepEqual((await store.claimDue(wideClaim)).claimed, [])
    deepEqual(await listAll(store), ended)
  }),

  webhookStoreCase('WS-RESULT-8', 'Recording an empty list MUST succeed', async ({ store }) => {
    deepEqual(await store.recordAttemptResults([]), { stale: [], healthChanges: [] })
  }),

  webhookStoreCase(
    'WS-RESULT-9',
    'An endpoint that begins or ceases to fail MUST be told once, by its last sent attempt of the call',
    async ({ store, other }) => {
      const { registered, published } = createSamples()
      const [one, two] = [await registered(store), await registered(store, { appId: appB })]
      await published(store, one, 6)
      await published(store, two, 2)
      const { claimed } = await store.claimDue({ ...wideClaim, maxInFlight: { healthy: 6, failing: 6 } })
      const ofOne = claimed.filter(({ appId }) => appId === appA)
      const ofTwo = claimed.filter(({ appId }) => appId === appB)
      const next = (of: ClaimedDelivery[]) => of.shift() as ClaimedDelivery
      const changesOf = async (on: typeof store, ...results: readonly AttemptResult[]) =>
        (await on.recordAttemptResults(results)).healthChanges.toSorted((x, y) => x.appId.localeCompare(y.appId))
      const change = ({ appId, endpointId }: typeof one, failing: boolean) => ({ appId, endpointId, failing })

      deepEqual(await changesOf(store, resultOf.delivered(next(ofOne))), [], 'it was healthy before')
      deepEqual(await changesOf(store, resultOf.unsent(next(ofOne), 60_000)), [], 'nothing was sent')
      const failed = next(ofOne)
      const both = await changesOf(other, resultOf.failed(failed), resultOf.retry(next(ofTwo), 60_000))
      deepEqual(both, [change(one, true), change(two, true)])
      deepEqual(await changesOf(store, resultOf.retry(next(ofOne), 60_000)), [], 'it failed before')
      deepEqual(await changesOf(store, resultOf.delivered(failed)), [], 'a stale result changes nothing')
      const back = await changesOf(store, resultOf.delivered(next(ofOne)), resultOf.failed(next(ofOne)))
      deepEqual(back, [], 'it fails after the call as before it')
      deepEqual(await changesOf(store, resultOf.delivered(next(ofTwo))), [change(two, false)])
    },
  ),

  webhookStoreCase(
    'WS-RESULT-10',
    'The results of an app MUST be applied together: no caller sees some of a call',
    async ({ store, other }) => {
      const { registered, published } = createSamples()
      await published(store, await registered(store), 12)
      const { claimed } = await store.claimDue({ ...wideClaim, maxInFlight: { healthy: 12, failing: 12 } })
      const seen = new Set<number>()
      let writing = true
      const reading = (async () => {
        while (writing) {
          seen.add((await listAll(other)).filter(({ state }) => state === 'DELIVERED').length)
          await new Promise((resolve) => setImmediate(resolve))
        }
      })()
      try {
        await recordResults(store, ...claimed.map(resultOf.delivered))
      } finally {
        writing = false
        await reading
      }
      const partly = [...seen].filter((count) => count !== 0 && count !== 12)
      deepEqual(partly, [], 'listDeliveries beside recordAttemptResults gives none or all of 12 as DELIVERED')
    },
  ),

  webhookStoreCase(
    'WS-RESULT-11',
    'A call that rejects MUST have applied no result of the app',
    async ({ store, other }) => {
      const { registered, published } = createSamples()
      await published(store, await registered(store), 3)
      const { claimed } = await store.claimDue(wideClaim)
      const results = claimed.map(resultOf.delivered)
      const unreadable = { ...(results[1] as AttemptResult) }
      const report = Object.defineProperty({ ...succeededReport }, 'address', {
        enumerable: true,
        get() {
          throw new Error('This report cannot be read.')
        },
      })
      const wrong = { ...unreadable, attempt: { ...unreadable.attempt, report } }
      await rejects(async () => store.recordAttemptResults([results[0], wrong, results[2]] as AttemptResult[]))
      deepEqual(
        (await listAll(other)).map(({ state }) => state),
        ['PENDING', 'PENDING', 'PENDING'],
        'listDeliveries after recordAttemptResults rejected',
      )
      await recordResults(store, ...results)
    },
  ),
]
