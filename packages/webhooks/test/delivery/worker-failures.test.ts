import { beforeEach, describe, expect, test } from 'vitest'
import { reportOfCause, type WebhookStore } from '../../src/delivery/index.js'
import { resultOfCause } from '../../src/delivery/sender.js'
import type { SendResult } from '../../src/internal/index.js'
import { accepted, appId, publish, registerEndpoint } from './delivery-samples.js'
import { settlePromises, VirtualTime } from './virtual-time.js'
import {
  createWorker,
  lookSeldom,
  problems,
  read,
  senderOf,
  sent,
  setUpWorker,
  statesOf,
  store,
  time,
} from './worker-fixture.js'

beforeEach(setUpWorker)

const objectAsEachMember = Object.fromEntries(Object.keys(resultOfCause('TIMEOUT')).map((name) => [name, {}]))

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

  test('what a sender leaves out of its result is recorded as unknown', async () => {
    const event = await publish(store, [await registerEndpoint(store)])
    // A text in place of bytes counts as left out: no store takes it.
    const short = { status: 200, timings: { totalMs: 7 }, responseBody: 'received' } as unknown as SendResult
    await createWorker({ send: senderOf(() => short) }).runOnce()
    const { state, latencyMs, attempts } = (await read(event.deliveries[0]))!
    expect([state, latencyMs, problems]).toEqual(['DELIVERED', 7, []])
    const unknown = reportOfCause('HTTP_STATUS', 7)
    const timings = { ...unknown.timings, totalMs: 7 }
    expect(attempts[0]?.report).toEqual({ ...unknown, cause: null, status: 200, timings })
  })

  test('members of a result that are null or undefined are recorded as unknown, and others are dropped', async () => {
    const event = await publish(store, [await registerEndpoint(store)])
    const odd = { status: 500, responseHeaders: null, timings: { dnsMs: undefined, totalMs: 7 }, debug: 'text' }
    await createWorker({ send: senderOf(() => odd as unknown as SendResult) }).runOnce()
    const { state, attempts } = (await read(event.deliveries[0]))!
    expect([state, problems]).toEqual(['PENDING', []])
    const unknown = reportOfCause('HTTP_STATUS', 7)
    const timings = { ...unknown.timings, totalMs: 7 }
    expect(attempts[0]?.report).toStrictEqual({ ...unknown, status: 500, timings })
  })

  test.each<[string, object, Partial<SendResult>]>([
    ['a fraction as status', { status: 299.5 }, { cause: 'INVALID_RESPONSE', status: null }],
    ['a text as status', { status: '200' }, { cause: 'INVALID_RESPONSE', status: null }],
    ['a large integer as status', { status: 200n }, { cause: 'INVALID_RESPONSE', status: null }],
    ['a status of ten digits', { status: 9_999_999_999 }, { cause: 'INVALID_RESPONSE', status: null }],
    ['a negative status', { status: -1 }, { cause: 'INVALID_RESPONSE', status: null }],
    ['an infinite status', { status: Infinity }, { cause: 'INVALID_RESPONSE', status: null }],
    ['a code of Node as cause', { status: null, cause: 'ECONNRESET' }, { cause: 'INTERNAL_ERROR', status: null }],
    ['a text as cause of a success', { status: 200, cause: 'OK' }, { cause: 'INTERNAL_ERROR', status: 200 }],
    ['an object as cause', { status: 503, cause: {} }, { cause: 'HTTP_STATUS', status: 503 }],
    ['an object as address', { status: 503, address: {} }, { cause: 'HTTP_STATUS', address: null }],
    ['an object as each member', objectAsEachMember, resultOfCause('INVALID_RESPONSE')],
    [
      'lists and numbers as headers',
      { status: 503, responseHeaders: { 'retry-after': ['1', '2'], n: 1n, none: null, 'x-token': 'canary' } },
      { responseHeaders: { 'retry-after': '1, 2', n: '1', 'x-token': '[redacted]' } },
    ],
  ])('a result with %s is recorded', async (_name, odd, expected) => {
    const endpoint = await registerEndpoint(store)
    const event = await publish(store, [endpoint])
    const worker = createWorker({ send: senderOf(() => odd as SendResult) })
    await worker.runOnce()
    const { state, attempts } = (await read(event.deliveries[0]))!
    expect([state, problems]).toEqual(['PENDING', []])
    expect(attempts[0]?.report).toMatchObject(expected)
  })

  test('a duration that is no number is recorded as unknown', async () => {
    const event = await publish(store, [await registerEndpoint(store)])
    const odd = { status: 200, timings: { totalMs: 'x', dnsMs: NaN, tlsMs: 3 } } as unknown as SendResult
    await createWorker({ send: senderOf(() => odd) }).runOnce()
    const { state, attempts } = (await read(event.deliveries[0]))!
    expect([state, problems]).toEqual(['DELIVERED', []])
    expect(attempts[0]?.report?.timings).toMatchObject({ totalMs: null, dnsMs: null, tlsMs: 3 })
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

  test('an attempt whose taker dies too is taken over again after ten seconds, not after another whole lease', async () => {
    const event = await publish(store, [await registerEndpoint(store)])
    const dying: WebhookStore = { ...store, recordAttemptResults: () => new Promise(() => undefined) }
    void createWorker({ store: dying }).runOnce()
    await time.pass(45_000)
    void createWorker({ store: dying }).runOnce()
    await time.pass(9_000)
    const worker = createWorker()
    worker.start()
    await time.pass(500)
    expect((await read(event.deliveries[0]))?.attempts).toMatchObject([{ report: null }])
    await time.pass(5_500)
    expect((await read(event.deliveries[0]))?.attempts).toMatchObject([{ report: { cause: 'INTERRUPTED' } }])
    await worker.stop()
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

  test.each([
    () => {
      throw new Error('observer')
    },
    () => Promise.reject(new Error('observer')),
  ])('an observer that throws, at once or later, is ignored', async (observer) => {
    await publish(store, [await registerEndpoint(store)])
    const throwing = observer as () => void
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
