import { beforeEach, describe, expect, test } from 'vitest'
import { signWebhook } from '../../src/signature/sign-webhook.js'
import { accepted, allGranted, appId, publish, refused, registerEndpoint } from './delivery-samples.js'
import { createWorker, lookSeldom, read, senderOf, sent, setUpWorker, statesOf, store, time } from './worker-fixture.js'

beforeEach(setUpWorker)

describe('one attempt', () => {
  test('carries exactly the headers of the contract', async () => {
    const endpoint = await registerEndpoint(store)
    const event = await publish(store, [endpoint])
    await createWorker().runOnce()
    expect(sent).toEqual([
      {
        url: endpoint.url,
        body: event.body,
        timeoutMs: 30_000,
        headers: {
          'content-type': 'application/json',
          'x-hmac-signature': await signWebhook(event.body, 'fz_live_example'),
          'x-event-id': event.deliveries[0]?.xEventId,
          'user-agent': 'kyc-relay-webhooks/1',
        },
      },
    ])
    expect((await read(event.deliveries[0]))?.attempts[0]?.report?.keyVersion).toBe(7)
  })

  test('of a test event says so and needs no grant', async () => {
    const endpoint = await registerEndpoint(store)
    await publish(store, [endpoint], { test: true })
    await createWorker({ grants: { find: async (pairs) => pairs.map(() => null) } }).runOnce()
    expect(sent[0]?.headers['x-test-event']).toBe('true')
    expect(await statesOf()).toEqual(['DELIVERED'])
  })

  test('to an endpoint that opted in carries the Standard Webhooks headers, signed over id, time and body', async () => {
    const endpoint = await registerEndpoint(store, { standardWebhooks: true })
    const event = await publish(store, [endpoint])
    await createWorker().runOnce()
    const { createHmac } = await import('node:crypto')
    const id = event.deliveries[0]?.xEventId ?? ''
    const timestamp = String(Date.parse('2026-03-01T12:00:00Z') / 1000)
    const signature = createHmac('sha256', 'fz_live_example')
      .update(`${id}.${timestamp}.`)
      .update(event.body)
      .digest('base64')
    expect(sent[0]?.headers).toMatchObject({
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    })
  })

  test('is over 30 seconds after its claim, look-ups included', async () => {
    await publish(store, [await registerEndpoint(store)])
    const done = createWorker({
      grants: { find: (pairs) => time.sleep(4_000).then(() => allGranted.find(pairs)) },
    }).runOnce()
    await time.pass(4_000)
    await done
    expect(sent[0]?.timeoutMs).toBe(26_000)
  })

  test('is given whole milliseconds', async () => {
    await publish(store, [await registerEndpoint(store)])
    const done = createWorker({
      grants: { find: (pairs) => time.sleep(0.4).then(() => allGranted.find(pairs)) },
    }).runOnce()
    await time.pass(1)
    await done
    expect(sent[0]?.timeoutMs).toBe(29_999)
  })

  test('whose sender never comes back ends as a timeout', async () => {
    const event = await publish(store, [await registerEndpoint(store)])
    const done = createWorker({ send: senderOf(() => new Promise(() => {})) }).runOnce()
    await time.pass(31_000)
    await done
    expect((await read(event.deliveries[0]))?.attempts[0]).toMatchObject({
      state: 'FAILED',
      report: { cause: 'TIMEOUT' },
    })
  })

  test.each([
    ['a sender that says success without a 2xx', { ...refused, cause: null }, 'HTTP_STATUS'],
    ['a sender that says success without any status', { ...accepted, status: null }, 'INVALID_RESPONSE'],
  ])('%s convinces nobody', async (_name, result, cause) => {
    const event = await publish(store, [await registerEndpoint(store)])
    await createWorker({ send: async () => result }).runOnce()
    expect((await read(event.deliveries[0]))?.attempts[0]).toMatchObject({ state: 'FAILED', report: { cause } })
  })
})

describe('the schedule', () => {
  test.each([
    ['', {}],
    [' in batches smaller than what is kept for healthy endpoints', { concurrency: 8, maxBatch: 2 }],
  ])(
    'an endpoint that always fails sees five attempts, spaced by the schedule, and no sixth%s',
    async (_name, options) => {
      lookSeldom()
      const event = await publish(store, [await registerEndpoint(store)])
      const startedAtMs: number[] = []
      const worker = createWorker({
        options,
        send: senderOf(() => {
          startedAtMs.push(time.monotonicMs())
          return refused
        }),
      })
      worker.start()
      await time.pass(24 * 3_600_000)
      await worker.stop()
      const seconds = startedAtMs.map((ms) => ms / 1_000)
      expect(seconds).toEqual([0, 30, 210, 1_290, 7_770])
      expect(await read(event.deliveries[0])).toMatchObject({ state: 'FAILED', attemptsMade: 5 })
      expect(new Set(sent.map(({ headers }) => headers['x-event-id'])).size).toBe(1)
      expect(new Set(sent.map(({ headers }) => headers['x-hmac-signature'])).size).toBe(1)
    },
  )

  test('Retry-After lengthens the next delay', async () => {
    await publish(store, [await registerEndpoint(store)])
    const startedAtMs: number[] = []
    const worker = createWorker({
      send: senderOf(() => {
        startedAtMs.push(time.monotonicMs())
        return startedAtMs.length === 1 ? { ...refused, responseHeaders: { 'retry-after': '100' } } : accepted
      }),
    })
    worker.start()
    await time.pass(200_000)
    await worker.stop()
    expect(startedAtMs).toEqual([0, 100_000])
  })
})

describe('places', () => {
  test('only what starts at once is claimed', async () => {
    for (let n = 0; n < 20; n += 1) await publish(store, [await registerEndpoint(store)])
    const worker = createWorker({
      send: senderOf(() => time.sleep(1_000).then(() => accepted)),
      options: { concurrency: 6 },
    })
    worker.start()
    await time.pass(0)
    expect(sent).toHaveLength(6)
    const { items } = await store.listDeliveries({ appId, limit: 200 })
    expect(items.filter(({ attemptsMade }) => attemptsMade === 1)).toHaveLength(6)
    await time.pass(4_000)
    await worker.stop()
    expect(sent).toHaveLength(20)
  })

  test('the store is asked for more before what was claimed is opened, signed and sent', async () => {
    const sealed = Uint8Array.of(1, 2, 3)
    for (let n = 0; n < 5; n += 1) await publish(store, [await registerEndpoint(store)], { body: sealed })
    const order: string[] = []
    const worker = createWorker({
      store: {
        ...store,
        claimDue: async (request) => {
          // A store has some promises of its own between being asked and asking its database.
          for (let turn = 0; turn < 100; turn += 1) await Promise.resolve()
          order.push(`claim of ${request.limit}`)
          return store.claimDue(request)
        },
      },
      bodySealer: {
        seal: async () => [],
        open: async (values) => {
          order.push('opened')
          return values.map(() => new TextEncoder().encode('{}'))
        },
      },
      send: async () => {
        order.push('sent')
        return time.sleep(1_000).then(() => accepted)
      },
      options: { concurrency: 6, maxBatch: 4 },
    })
    worker.start()
    await time.pass(0)
    // The second claim got less than it asked for: no other one follows, and nothing waits.
    expect(order.slice(0, 3)).toEqual(['claim of 4', 'claim of 2', 'opened'])
    expect(order.filter((step) => step === 'sent')).toHaveLength(5)
    await time.pass(2_000)
    await worker.stop()
  })

  test('an endpoint has at most four attempts in flight, and one while it keeps failing', async () => {
    const endpoint = await registerEndpoint(store)
    for (let n = 0; n < 12; n += 1) await publish(store, [endpoint])
    let inFlight = 0
    const peaks: number[] = []
    const worker = createWorker({
      send: senderOf(async () => {
        peaks.push((inFlight += 1))
        await time.sleep(1_000)
        inFlight -= 1
        return refused
      }),
    })
    worker.start()
    await time.pass(500)
    expect(inFlight).toBe(4)
    await time.pass(5_000)
    expect(Math.max(...peaks)).toBe(4)
    expect(peaks.slice(4).every((count) => count === 1)).toBe(true)
    const stopped = worker.stop()
    await time.pass(2_000)
    await stopped
  })

  test('attempts that wait for slow endpoints hold a socket, not a place', async () => {
    for (let n = 0; n < 4; n += 1) {
      const slow = await registerEndpoint(store, { url: 'https://slow.example.com/' })
      for (let m = 0; m < 4; m += 1) await publish(store, [slow])
    }
    const healthy = await registerEndpoint(store)
    const worker = createWorker({
      send: senderOf(({ url }) => (url.includes('slow') ? time.sleep(30_000).then(() => refused) : accepted)),
      options: { concurrency: 8, maxOpen: 256 },
    })
    worker.start()
    await time.pass(6_000)
    await publish(store, [healthy])
    const publishedAtMs = time.nowMs
    await time.pass(100)
    expect((await statesOf()).at(-1)).toBe('DELIVERED')
    expect(time.nowMs - publishedAtMs).toBe(100)
    expect(worker.status().inFlight).toBe(16)
    const stopped = worker.stop()
    await time.pass(31_000)
    await stopped
  })

  test('a slow attempt frees its slot once, and not again while its result is written', async () => {
    for (let n = 0; n < 3; n += 1) await publish(store, [await registerEndpoint(store)])
    const startedAtMs: number[] = []
    const worker = createWorker({
      store: { ...store, recordAttemptResults: (some) => time.sleep(60).then(() => store.recordAttemptResults(some)) },
      send: async () => {
        startedAtMs.push(time.monotonicMs())
        // The first one is slow from 100 ms on, which frees the only slot for the second one.
        return time.sleep(startedAtMs.length === 1 ? 120 : 500).then(() => accepted)
      },
      options: { concurrency: 1, slowAfterMs: 100 },
    })
    worker.start()
    await time.pass(1_000)
    await worker.stop()
    expect(startedAtMs).toEqual([0, 100, 200])
  })

  test('open sockets are bounded', async () => {
    for (let n = 0; n < 40; n += 1) await publish(store, [await registerEndpoint(store)])
    const worker = createWorker({
      send: senderOf(() => time.sleep(29_000).then(() => refused)),
      options: { concurrency: 8, maxOpen: 20 },
    })
    worker.start()
    await time.pass(28_000)
    expect(worker.status().inFlight).toBe(20)
    const stopped = worker.stop()
    await time.pass(31_000)
    await stopped
  })
})
