import { beforeEach, describe, expect, test } from 'vitest'
import {
  createDeliveryWorker,
  type DeliveryWorkerDeps,
  type GrantLookup,
  type WebhookStore,
} from '../../src/delivery/index.js'
import { resultOfCause } from '../../src/delivery/sender.js'
import { createMemoryWebhookStore } from '../../src/testing/index.js'
import { accepted, allGranted, newId, oneKey, publish, registerEndpoint } from './delivery-samples.js'
import { VirtualTime } from './virtual-time.js'

const outageMs = 130_000
const endpoints = 50
const eventsOfEach = 20

let time: VirtualTime
let store: ReturnType<typeof createMemoryWebhookStore>
let down: boolean
let sentTo: string[]
let attempts: number

beforeEach(() => {
  time = new VirtualTime()
  store = createMemoryWebhookStore({ nowMs: () => time.nowMs })
  down = true
  sentTo = []
  attempts = 0
})

const failing = () => Promise.reject(new Error('down'))
const unlessDown =
  <P extends unknown[], T>(method: (...given: P) => Promise<T>) =>
  (...given: P): Promise<T> =>
    down ? failing() : method(...given)

function createWorker(overrides: Partial<DeliveryWorkerDeps> = {}) {
  return createDeliveryWorker({
    store,
    grants: allGranted,
    signingKeys: oneKey,
    send: async ({ url }) => {
      sentTo.push(url)
      return accepted
    },
    now: () => time.now(),
    random: () => 0.5,
    onProblem: () => undefined,
    timers: time,
    onResultWritten: () => void (attempts += 1),
    ...overrides,
  })
}

async function publishMany(): Promise<void> {
  for (let n = 0; n < endpoints; n += 1) {
    const endpoint = await registerEndpoint(store, { url: `https://partner-${n}.example.com/webhooks` })
    for (let event = 0; event < eventsOfEach; event += 1) await publish(store, [endpoint])
  }
}

const outages: readonly (readonly [string, () => Partial<DeliveryWorkerDeps>])[] = [
  [
    'the store',
    () => ({
      store: {
        ...store,
        claimDue: unlessDown(store.claimDue),
        claimExpired: unlessDown(store.claimExpired),
        recordAttemptResults: unlessDown(store.recordAttemptResults),
      },
    }),
  ],
  ['the grants', () => ({ grants: { find: unlessDown(allGranted.find) } })],
  ['the signing keys', () => ({ signingKeys: { current: unlessDown(oneKey.current) } })],
  [
    'our name servers',
    () => ({
      send: async ({ url }) => {
        if (down) return resultOfCause('RESOLVER_DOWN')
        sentTo.push(url)
        return accepted
      },
    }),
  ],
  [
    'the sockets of the process',
    () => ({
      send: async ({ url }) => {
        if (down) return resultOfCause('OUT_OF_SOCKETS')
        sentTo.push(url)
        return accepted
      },
    }),
  ],
]

describe('after an outage of ours', () => {
  test.each(outages)('of %s everything that waited is sent within two seconds', async (_what, broken) => {
    await publishMany()
    const worker = createWorker(broken())
    worker.start()
    await time.pass(outageMs)
    expect(sentTo).toEqual([])
    // What is claimed cannot be sent: one batch a second finds out.
    expect(attempts).toBeLessThanOrEqual((outageMs / 1_000 + 4) * 256)
    down = false
    await time.pass(2_000)
    await worker.stop()
    expect(sentTo).toHaveLength(endpoints * eventsOfEach)
  })

  test.each(outages)('of %s that began while it worked, one delivery waits a second', async (_what, broken) => {
    const endpoint = await registerEndpoint(store)
    down = false
    const worker = createWorker(broken())
    worker.start()
    await publish(store, [endpoint])
    await time.pass(1_500)
    expect(sentTo).toHaveLength(1)
    down = true
    await publish(store, [endpoint])
    await time.pass(outageMs)
    expect(sentTo).toHaveLength(1)
    down = false
    await time.pass(2_000)
    await worker.stop()
    expect(sentTo).toHaveLength(2)
  })

  test.each([0, 100, 200, 300, 400, 500, 600, 700, 800, 900])(
    'of the store longer than a lease, what was sent meanwhile is recorded, and not sent again: %i ms later',
    async (laterMs) => {
      await publish(store, [await registerEndpoint(store)])
      down = false
      const [, broken] = outages[0] ?? []
      const worker = createWorker({
        ...broken?.(),
        send: async ({ url }) => {
          sentTo.push(url)
          await time.sleep(laterMs)
          down = true
          return accepted
        },
      })
      worker.start()
      await time.pass(outageMs)
      down = false
      await time.pass(60_000)
      await worker.stop()
      expect(sentTo).toHaveLength(1)
    },
  )
})

describe('what is no outage', () => {
  /** Grants of some users cannot be read, ever; those of others can. */
  const partly = (broken: ReadonlySet<string>): GrantLookup => ({
    find: (pairs) => (pairs.some(({ userId }) => broken.has(userId)) ? failing() : allGranted.find(pairs)),
  })

  test('users whose grants cannot be read keep nobody back, and are asked for ever less often', async () => {
    const broken = new Set(Array.from({ length: 20 }, () => newId()))
    const endpoint = await registerEndpoint(store)
    for (const userId of broken) await publish(store, [endpoint], { userId })
    const worker = createWorker({ grants: partly(broken) })
    worker.start()
    let longestMs = 0
    for (let n = 0; n < 600; n += 1) {
      await publish(store, [endpoint])
      const since = time.monotonicMs()
      while (sentTo.length < n + 1 && time.monotonicMs() - since < 5_000) await time.pass(50)
      longestMs = Math.max(longestMs, time.monotonicMs() - since)
      await time.pass(500)
    }
    await worker.stop()
    expect(sentTo).toHaveLength(600)
    expect(longestMs).toBeLessThanOrEqual(1_100)
    // Five minutes: after the first of them no more than two a minute for each.
    expect(attempts - 600).toBeLessThanOrEqual(broken.size * 20)
  })

  test('a store whose take-overs alone fail delivers', async () => {
    await publish(store, [await registerEndpoint(store)])
    const partial: WebhookStore = { ...store, claimExpired: failing }
    const worker = createWorker({ store: partial })
    worker.start()
    await time.pass(1_000)
    await worker.stop()
    expect(sentTo).toHaveLength(1)
  })
})
