import { beforeEach, describe, expect, test } from 'vitest'
import {
  createDeliveryWorker,
  type DeliveryWorker,
  type DeliveryWorkerDeps,
  type Sender,
  type WebhookStore,
} from '../../src/delivery/index.js'
import type { SendResult, SigningKey } from '../../src/internal/index.js'
import type { SendRequest } from '../../src/delivery/sender.js'
import { resultOfCause } from '../../src/delivery/sender.js'
import { signWebhook } from '../../src/signature/sign-webhook.js'
import { createMemoryWebhookStore } from '../../src/testing/index.js'
import {
  accepted,
  allGranted,
  appId,
  grant,
  newId,
  oneKey,
  publish,
  refused,
  registerEndpoint,
} from './delivery-samples.js'
import { settlePromises, VirtualTime } from './virtual-time.js'

let time: VirtualTime
let store: ReturnType<typeof createMemoryWebhookStore>
let sent: SendRequest[]
let problems: string[]
let longRun: { pollIntervalMs?: number; takeOverIntervalMs?: number }

beforeEach(() => {
  time = new VirtualTime()
  store = createMemoryWebhookStore({ nowMs: () => time.nowMs })
  sent = []
  problems = []
  longRun = {}
})

/** A sender that answers by the endpoint's path, at once or after a while. */
function senderOf(answer: (request: SendRequest, count: number) => SendResult | Promise<SendResult>): Sender {
  return async (request) => {
    sent.push(request)
    return answer(request, sent.length)
  }
}

function createWorker(overrides: Partial<DeliveryWorkerDeps> = {}): DeliveryWorker {
  return createDeliveryWorker({
    store,
    grants: allGranted,
    signingKeys: oneKey,
    send: senderOf(() => accepted),
    now: () => time.now(),
    random: () => 0.5,
    timers: time,
    onProblem: (problem) => problems.push(problem),
    ...overrides,
    options: { ...longRun, ...overrides.options },
  })
}

/** A day of looking once per second would be 86,400 looks; what is due is looked for when it is due anyway. */
function lookSeldom(): void {
  longRun = { pollIntervalMs: 60_000, takeOverIntervalMs: 60_000 }
}

async function read(delivery: { readonly deliveryId: string } | undefined) {
  return store.findDelivery({ appId, deliveryId: delivery?.deliveryId ?? '' })
}

const statesOf = async () =>
  (await store.listDeliveries({ appId, limit: 200 })).items.map(({ state }) => state).reverse()

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

describe('what is not sent', () => {
  test('a grant revoked since is found before the attempt and cancels', async () => {
    const event = await publish(store, [await registerEndpoint(store)])
    await createWorker({ grants: { find: async (pairs) => pairs.map(() => null) } }).runOnce()
    expect(sent).toEqual([])
    expect(await read(event.deliveries[0])).toMatchObject({
      state: 'CANCELLED',
      cancelReason: 'GRANT_REVOKED',
      attemptsMade: 0,
    })
  })

  test.each([
    ['all', 'CANCELLED'],
    ['any', 'DELIVERED'],
  ] as const)('a scope missing: rule %s gives %s', async (scopeRule, state) => {
    await publish(store, [await registerEndpoint(store)], { type: 'TRANSACTION_CREATE' })
    const some = { find: async () => [{ ...grant, scopes: ['LIST_PAYMENT'] }] }
    await createWorker({ grants: some, options: { scopeRule } }).runOnce()
    expect(await statesOf()).toEqual([state])
  })

  test('a missing signing key gives the number back, is looked for ever less often, and given up after 24 h', async () => {
    lookSeldom()
    const event = await publish(store, [await registerEndpoint(store)])
    const recordedAtMs: number[] = []
    const noKey = { signingKeys: { current: async () => [null] } }
    const worker = createWorker({ ...noKey, onResultWritten: () => recordedAtMs.push(time.monotonicMs()) })
    worker.start()
    await time.pass(95_000)
    expect(recordedAtMs).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 62_000, 92_000])
    expect((await read(event.deliveries[0]))?.attempts.at(-1)).toMatchObject({
      state: 'UNSENT',
      report: { cause: 'SIGNING_KEY_MISSING' },
    })
    await time.pass(24 * 3_600_000)
    await worker.stop()
    expect(await read(event.deliveries[0])).toMatchObject({ state: 'FAILED', attemptsMade: 0 })
  })

  test.each([
    [
      'a key store that fails',
      { signingKeys: { current: () => Promise.reject(new Error('down')) } },
      'SIGNING_KEY_MISSING',
    ],
    ['a grant look-up that fails', { grants: { find: () => Promise.reject(new Error('down')) } }, 'GRANTS_UNAVAILABLE'],
    ['a grant look-up that answers short', { grants: { find: async () => [] } }, 'GRANTS_UNAVAILABLE'],
    ['our own resolver being down', { send: async () => resultOfCause('RESOLVER_DOWN') }, 'RESOLVER_DOWN'],
    ['a process without a socket left', { send: async () => resultOfCause('OUT_OF_SOCKETS') }, 'OUT_OF_SOCKETS'],
    ['an outbound proxy that fails', { send: async () => resultOfCause('PROXY_FAILED') }, 'PROXY_FAILED'],
  ] as const)('%s gives the number back, is tried every second, and given up in time', async (_name, broken, cause) => {
    lookSeldom()
    const event = await publish(store, [await registerEndpoint(store)])
    const recordedAtMs: number[] = []
    const worker = createWorker({
      ...broken,
      onResultWritten: () => recordedAtMs.push(time.monotonicMs()),
      options: { unsent: { giveUpAfterMs: 600_000 } },
    })
    worker.start()
    await time.pass(5_500)
    expect(recordedAtMs).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000])
    expect(await read(event.deliveries[0])).toMatchObject({ state: 'PENDING', attemptsMade: 0 })
    expect((await read(event.deliveries[0]))?.attempts.at(-1)).toMatchObject({ state: 'UNSENT', report: { cause } })
    await time.pass(700_000)
    await worker.stop()
    expect(await read(event.deliveries[0])).toMatchObject({ state: 'FAILED', attemptsMade: 0 })
  })

  test('once the key is back, the delivery has all its attempts', async () => {
    lookSeldom()
    const event = await publish(store, [await registerEndpoint(store)])
    let key: SigningKey | null = null
    const worker = createWorker({ signingKeys: { current: async () => [key] }, send: senderOf(() => refused) })
    worker.start()
    await time.pass(3_600_000)
    key = { appId, key: 'fz_live_example', version: 1 }
    await time.pass(6 * 3_600_000)
    await worker.stop()
    expect(sent).toHaveLength(5)
    expect(await read(event.deliveries[0])).toMatchObject({ state: 'FAILED', attemptsMade: 5 })
  })

  test('a look-up that hangs is given up in time', async () => {
    const event = await publish(store, [await registerEndpoint(store)])
    const done = createWorker({ grants: { find: () => new Promise(() => {}) } }).runOnce()
    await time.pass(10_000)
    await done
    expect((await read(event.deliveries[0]))?.attempts[0]?.report?.cause).toBe('GRANTS_UNAVAILABLE')
  })

  test('one user whose grant cannot be read keeps no neighbour back', async () => {
    const endpoint = await registerEndpoint(store)
    await publish(store, [endpoint])
    await publish(store, [endpoint], { userId: newId() })
    const find: typeof allGranted.find = async (pairs) => {
      if (pairs.some((pair) => pair.userId !== grant.userId)) throw new Error('poison')
      return allGranted.find(pairs)
    }
    await createWorker({ grants: { find } }).runOnce()
    expect(await statesOf()).toEqual(['DELIVERED', 'PENDING'])
  })

  test('an attempt that could not begin in its 30 seconds is not sent', async () => {
    await publish(store, [await registerEndpoint(store)])
    const stalled: WebhookStore = {
      ...store,
      async claimDue(request) {
        const answer = await store.claimDue(request)
        time.stall(31_000)
        return answer
      },
    }
    await createWorker({ store: stalled }).runOnce()
    expect(sent).toEqual([])
  })
})

describe('what fails around it', () => {
  test('a sender that throws ends its own delivery as FAILED after five attempts, and no other', async () => {
    lookSeldom()
    const [poison, fine] = [
      await registerEndpoint(store, { url: 'https://poison.example.com/' }),
      await registerEndpoint(store),
    ]
    const event = await publish(store, [poison, fine])
    const worker = createWorker({
      send: senderOf(({ url }) => {
        if (url.includes('poison')) throw new Error('canary')
        return accepted
      }),
    })
    worker.start()
    await time.pass(24 * 3_600_000)
    await worker.stop()
    const [poisoned, delivered] = [await read(event.deliveries[0]), await read(event.deliveries[1])]
    expect(poisoned).toMatchObject({ state: 'FAILED', attemptsMade: 5 })
    expect(poisoned?.attempts.map(({ report }) => report?.cause)).toEqual(Array(5).fill('INTERNAL_ERROR'))
    expect(JSON.stringify(poisoned)).not.toContain('canary')
    expect(delivered).toMatchObject({ state: 'DELIVERED', attemptsMade: 1 })
  })

  test('a store that is down is asked every second, and work goes on a second after it is back', async () => {
    await publish(store, [await registerEndpoint(store)])
    let down = true
    const askedAtMs: number[] = []
    const ask = <T>(answer: () => Promise<T>): Promise<T> => {
      askedAtMs.push(time.monotonicMs())
      return down ? Promise.reject(new Error('down')) : answer()
    }
    const failing: WebhookStore = {
      ...store,
      claimExpired: (request) => ask(() => store.claimExpired(request)),
      claimDue: (request) => ask(() => store.claimDue(request)),
    }
    const worker = createWorker({ store: failing })
    worker.start()
    await time.pass(120_000)
    expect(askedAtMs.slice(0, 5)).toEqual([0, 500, 1_500, 2_500, 3_500])
    expect(askedAtMs.length).toBeLessThanOrEqual(121)
    expect(worker.status()).toMatchObject({ running: true, failures: askedAtMs.length })
    expect(problems.every((problem) => problem === 'CLAIM_FAILED')).toBe(true)
    down = false
    await time.pass(1_000)
    expect(await statesOf()).toEqual(['DELIVERED'])
    expect(worker.status()).toMatchObject({ failures: 0, inFlight: 0 })
    await worker.stop()
  })

  test('ended attempts and wake-ups do not hurry a worker whose store is down', async () => {
    let asked = 0
    const failing: WebhookStore = { ...store, claimExpired: () => Promise.reject(new Error(`down ${(asked += 1)}`)) }
    const worker = createWorker({ store: failing })
    worker.start()
    for (let n = 0; n < 100; n += 1) {
      worker.wake()
      await time.pass(1)
    }
    expect(asked).toBe(1)
    await worker.stop()
  })

  test('an outcome that cannot be written is written later, and nothing is sent twice', async () => {
    const event = await publish(store, [await registerEndpoint(store)])
    let failures = 20
    const failing: WebhookStore = {
      ...store,
      recordAttemptResults: (results) =>
        (failures -= 1) >= 0 ? Promise.reject(new Error('down')) : store.recordAttemptResults(results),
    }
    const worker = createWorker({ store: failing })
    worker.start()
    await time.pass(9_000)
    expect(await read(event.deliveries[0])).toMatchObject({ state: 'PENDING' })
    expect(worker.status().inFlight).toBe(1)
    await time.pass(2_000)
    await worker.stop()
    expect(sent).toHaveLength(1)
    expect(await read(event.deliveries[0])).toMatchObject({ state: 'DELIVERED', attemptsMade: 1 })
  })

  test('one result that the store refuses keeps no neighbour back', async () => {
    const endpoint = await registerEndpoint(store)
    const poison = await publish(store, [endpoint])
    await publish(store, [endpoint])
    await publish(store, [endpoint])
    const poisonId = poison.deliveries[0]?.deliveryId
    const failing: WebhookStore = {
      ...store,
      recordAttemptResults: (results) =>
        results.some(({ fence }) => fence.deliveryId === poisonId)
          ? Promise.reject(new Error('constraint'))
          : store.recordAttemptResults(results),
    }
    const worker = createWorker({ store: failing })
    worker.start()
    await time.pass(100)
    expect(await statesOf()).toEqual(['PENDING', 'DELIVERED', 'DELIVERED'])
    const stopped = worker.stop()
    await time.pass(35_000)
    await stopped
  })

  test('a stale result is told to the observer and changes nothing', async () => {
    const event = await publish(store, [await registerEndpoint(store)])
    const outcomes: string[] = []
    const done = createWorker({
      send: senderOf(() => time.sleep(20_000).then(() => accepted)),
      onResultWritten: ({ outcome }) => outcomes.push(outcome),
    }).runOnce()
    await time.pass(10_000)
    time.stall(40_000)
    const taken = await store.claimExpired({ limit: 1, leaseMs: 45_000 })
    expect(taken).toHaveLength(1)
    await time.pass(20_000)
    await done
    expect(outcomes).toEqual(['stale'])
    expect(await read(event.deliveries[0])).toMatchObject({ state: 'PENDING', attempts: [{ state: 'STARTED' }] })
  })

  test('an observer that throws is ignored', async () => {
    await publish(store, [await registerEndpoint(store)])
    const throwing = () => {
      throw new Error('observer')
    }
    const worker = createWorker({ onResultWritten: throwing, onClaimed: throwing, onProblem: throwing })
    worker.start()
    await time.pass(10)
    await worker.stop()
    expect(await statesOf()).toEqual(['DELIVERED'])
  })

  test('a hint that cannot be subscribed to leaves polling', async () => {
    const worker = createWorker({ store: { ...store, onDue: () => Promise.reject(new Error('no notify')) } })
    worker.start()
    await time.pass(10)
    await publish(store, [await registerEndpoint(store)])
    await time.pass(1_000)
    await worker.stop()
    expect(await statesOf()).toEqual(['DELIVERED'])
    expect(problems).toEqual(['SUBSCRIBE_FAILED'])
  })
})

describe('crashes', () => {
  test('an attempt that a crash cut off counts, and the delivery goes on after its lease', async () => {
    const event = await publish(store, [await registerEndpoint(store)])
    await store.claimDue({ limit: 1, leaseMs: 45_000, maxInFlight: { healthy: 4, failing: 1 }, keepForHealthy: 0 })
    const worker = createWorker()
    worker.start()
    await time.pass(44_000)
    expect(await read(event.deliveries[0])).toMatchObject({ state: 'PENDING', attempts: [{ state: 'STARTED' }] })
    await time.pass(16_000)
    expect((await read(event.deliveries[0]))?.attempts).toMatchObject([{ state: 'INTERRUPTED', number: 1 }])
    await time.pass(30_000)
    await worker.stop()
    expect(await read(event.deliveries[0])).toMatchObject({ state: 'DELIVERED', attemptsMade: 2 })
  })

  test('five crashes leave the delivery FAILED, not sent for ever', async () => {
    const event = await publish(store, [await registerEndpoint(store)])
    for (let crash = 1; crash <= 5; crash += 1) {
      const doomed = createWorker({ send: () => new Promise(() => {}), timers: new VirtualTime() })
      doomed.start()
      await settlePromises()
      time.stall(45_000)
      await createWorker({ send: senderOf(() => accepted) }).runOnce()
      time.stall(3 * 3_600_000)
    }
    expect(sent).toEqual([])
    expect(await read(event.deliveries[0])).toMatchObject({ state: 'FAILED', attemptsMade: 5 })
    expect((await read(event.deliveries[0]))?.attempts.map(({ state }) => state)).toEqual(Array(5).fill('INTERRUPTED'))
  })

  test('a full page of ended leases is followed by the next at once', async () => {
    for (let n = 0; n < 25; n += 1) await publish(store, [await registerEndpoint(store)])
    await store.claimDue({ limit: 100, leaseMs: 45_000, maxInFlight: { healthy: 4, failing: 1 }, keepForHealthy: 0 })
    time.stall(45_000)
    const worker = createWorker({ options: { maxBatch: 10 } })
    worker.start()
    await time.pass(100)
    await worker.stop()
    const { items } = await store.listDeliveries({ appId, limit: 200 })
    expect(items.filter(({ nextAttemptAt }) => nextAttemptAt !== null)).toHaveLength(25)
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

  test('the store is asked for more before what was claimed is signed and sent', async () => {
    for (let n = 0; n < 5; n += 1) await publish(store, [await registerEndpoint(store)])
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
      send: async () => {
        order.push('sent')
        return time.sleep(1_000).then(() => accepted)
      },
      options: { concurrency: 6, maxBatch: 4 },
    })
    worker.start()
    await time.pass(0)
    // The second claim got less than it asked for: no other one follows, and nothing waits.
    expect(order.slice(0, 3)).toEqual(['claim of 4', 'claim of 2', 'sent'])
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

describe('starting, waking and stopping', () => {
  test('an event published while it runs is sent at once by the hint', async () => {
    const endpoint = await registerEndpoint(store)
    const worker = createWorker()
    worker.start()
    worker.start()
    await time.pass(10_500)
    await publish(store, [endpoint])
    await time.pass(0)
    expect(sent).toHaveLength(1)
    await worker.stop()
  })

  test('without a hint it is found by polling within a second', async () => {
    const { onDue: _onDue, ...silent } = store
    const endpoint = await registerEndpoint(store)
    const worker = createWorker({ store: silent })
    worker.start()
    await time.pass(10_500)
    await publish(silent, [endpoint])
    await time.pass(1_000)
    expect(sent).toHaveLength(1)
    await worker.stop()
  })

  test('an idle worker looks once per poll interval, and asks for no grants and keys', async () => {
    let looks = 0
    let lookUps = 0
    const counting: WebhookStore = { ...store, claimDue: (request) => ((looks += 1), store.claimDue(request)) }
    const worker = createWorker({
      store: counting,
      grants: { find: (pairs) => ((lookUps += 1), allGranted.find(pairs)) },
      signingKeys: { current: (appIds) => ((lookUps += 1), oneKey.current(appIds)) },
    })
    worker.start()
    await time.pass(60_000)
    expect({ looks, lookUps }).toEqual({ looks: 61, lookUps: 0 })
    await worker.stop()
  })

  test('stopping claims nothing more and waits for what is under way', async () => {
    const endpoint = await registerEndpoint(store)
    const event = await publish(store, [endpoint])
    const worker = createWorker({ send: senderOf(() => time.sleep(20_000).then(() => accepted)) })
    worker.start()
    await time.pass(1_000)
    let stopped = false
    const stopping = worker.stop().then(() => (stopped = true))
    const late = await publish(store, [endpoint])
    await time.pass(18_999)
    expect(stopped).toBe(false)
    await time.pass(1)
    await stopping
    expect(await read(event.deliveries[0])).toMatchObject({ state: 'DELIVERED' })
    expect(await read(late.deliveries[0])).toMatchObject({ state: 'PENDING', attemptsMade: 0 })
    expect(worker.status()).toMatchObject({ running: false, inFlight: 0 })
  })

  test('stopping ends after 35 seconds even if an outcome cannot be written', async () => {
    await publish(store, [await registerEndpoint(store)])
    const outcomes: string[] = []
    const worker = createWorker({
      store: { ...store, recordAttemptResults: () => Promise.reject(new Error('down')) },
      onResultWritten: ({ outcome }) => outcomes.push(outcome),
    })
    worker.start()
    await time.pass(1_000)
    const stopping = worker.stop()
    await time.pass(35_000)
    await stopping
    await settlePromises()
    expect(outcomes).toEqual(['abandoned'])
    expect(time.nextAtMs()).toBeNull()
  })

  test('it can be started again', async () => {
    const endpoint = await registerEndpoint(store)
    const worker = createWorker()
    worker.start()
    await time.pass(10)
    await worker.stop()
    await publish(store, [endpoint])
    await time.pass(5_000)
    expect(sent).toEqual([])
    worker.start()
    await time.pass(10)
    await worker.stop()
    expect(sent).toHaveLength(1)
  })

  test('stopping what was never started is fine', async () => {
    await createWorker().stop()
  })
})
