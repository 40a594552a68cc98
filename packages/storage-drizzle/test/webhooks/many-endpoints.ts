import { describe, expect, test } from 'vitest'
import {
  createDeliveryWorker,
  reportOfCause,
  type DeliveryWorker,
  type DeliveryWorkerOptions,
  type WebhookStore,
} from '@kyc-relay/webhooks/delivery'
import { settlePromises, VirtualTime } from '../../../webhooks/test/delivery/virtual-time.js'

/** The service registers at most this many endpoints for an app. */
export const endpointsPerApp = 50

/** A real store with endpoints 1 to `count`, `endpointsPerApp` of each app, whose URL is `endpointUrl`. */
export interface StoreOfEndpoints {
  readonly webhooks: Pick<WebhookStore, 'claimDue' | 'claimExpired' | 'recordAttemptResults'>
  /**
   * Makes `each` events due now for every endpoint from `first` to `last`, numbered from `from` on in their
   * `X-Event-ID` (`xEventId`). Answers the last number.
   */
  publish(request: { first: number; last: number; each: number; from: number }): Promise<number>
}

export const endpointUrl = (endpoint: number | string) => `https://${endpoint}.example.com/`
/** The beginning of the id is the number of the event. */
export const xEventId = (event: number, endpoint: number) =>
  `${event.toString(16).padStart(8, '0')}-${endpoint.toString(16).padStart(4, '0')}-7000-8000-000000000001`

/** How an endpoint answers at an instant of the worker's clock: after how many milliseconds, or never. */
export type Temper = (endpoint: number, atMs: number) => number | 'hangs'

const granted = {
  appName: 'Example Wallet',
  accountId: 'account-1',
  externalReferenceId: 'customer-1042',
  scopes: ['MAKE_PAYOUT_SEND'],
} as const

/** Something that happened to a delivery, and when, counted from when it was published. */
export interface Seen {
  readonly endpoint: number
  readonly afterMs: number
}

/**
 * A real store and the real worker with its defaults, in time that passes only when nothing moves any more: the same
 * history on every machine, however busy. What it does not show is how fast a processor or a disk is.
 */
export async function createManyEndpoints(
  open: (time: VirtualTime) => Promise<StoreOfEndpoints>,
  temper: Temper,
  options: DeliveryWorkerOptions = {},
) {
  let moving = 0
  /** Counts what is under way in the store, which no virtual timer knows of. */
  const moved = async <T>(work: Promise<T>): Promise<T> => {
    moving += 1
    try {
      return await work
    } finally {
      moving -= 1
    }
  }
  const time = new VirtualTime(undefined, async () => {
    do await settlePromises()
    while (moving > 0)
  })
  const store = await open(time)
  /** Number of the first event of each publishing, with its instant. */
  const published: { readonly from: number; readonly atMs: number }[] = []
  let events = 0

  /** Makes `each` events due now for every endpoint from `first` to `last`. */
  async function publish(first: number, last: number, each: number): Promise<void> {
    published.push({ from: events + 1, atMs: time.nowMs })
    events = await store.publish({ first, last, each, from: events + 1 })
    worker.wake()
  }

  /** Answers of one instant come together, and instants are whole multiples of this. */
  const tickMs = 20
  const answers = new Map<number, (() => void)[]>()
  function answered(afterMs: number): Promise<void> {
    const atMs = Math.ceil((time.nowMs + afterMs) / tickMs) * tickMs
    return new Promise((resolve) => {
      const together = answers.get(atMs)
      if (together !== undefined) return void together.push(resolve)
      const answering = [resolve]
      answers.set(atMs, answering)
      time.schedule(() => {
        answers.delete(atMs)
        for (const answer of answering) answer()
      }, atMs - time.nowMs)
    })
  }

  const afterMs = (id: string) => {
    const number = parseInt(id.slice(0, 8), 16)
    return time.nowMs - (published.findLast(({ from }) => from <= number)?.atMs ?? 0)
  }
  const sent: Seen[] = []
  const delivered: Seen[] = []
  const inFlight = new Map<number, number>()
  let mostPerEndpoint = 0
  const numberOf = (url: string) => Number(new URL(url).hostname.split('.')[0])
  const worker: DeliveryWorker = createDeliveryWorker({
    store: {
      claimDue: (request) => moved(store.webhooks.claimDue(request)),
      claimExpired: (request) => moved(store.webhooks.claimExpired(request)),
      recordAttemptResults: (results) => moved(store.webhooks.recordAttemptResults(results)),
    },
    grants: { find: async (pairs) => pairs.map((pair) => ({ ...pair, ...granted })) },
    signingKeys: { current: async (appIds) => appIds.map((appId) => ({ appId, key: 'kyc_live_example', version: 1 })) },
    now: () => time.now(),
    random: () => 0.5,
    timers: time,
    options,
    send: async ({ url, headers, timeoutMs }) => {
      const endpoint = numberOf(url)
      const mine = (inFlight.get(endpoint) ?? 0) + 1
      inFlight.set(endpoint, mine)
      mostPerEndpoint = Math.max(mostPerEndpoint, mine)
      sent.push({ endpoint, afterMs: afterMs(headers['x-event-id'] ?? '') })
      const tookMs = temper(endpoint, time.monotonicMs())
      await answered(tookMs === 'hangs' ? Math.floor(timeoutMs / tickMs) * tickMs : tookMs)
      inFlight.set(endpoint, (inFlight.get(endpoint) ?? 0) - 1)
      if (tookMs === 'hangs') return reportOfCause('TIMEOUT')
      return { ...reportOfCause('HTTP_STATUS'), cause: null, status: 200 }
    },
    onResultWritten: ({ delivery, result }) => {
      if (result.next.state !== 'DELIVERED') return
      delivered.push({ endpoint: numberOf(delivery.endpoint.url), afterMs: afterMs(delivery.xEventId) })
    },
  })
  return { time, worker, publish, sent, delivered, mostPerEndpoint: () => mostPerEndpoint }
}

/** 100 to 300 ms, spread over the endpoints. */
export const answerMs = (endpoint: number) => 100 + ((endpoint * 7_919) % 11) * 20

/** The smallest that is no less than `share` of all. */
export function quantile(seen: readonly Seen[], share: number): number {
  const sorted = seen.map(({ afterMs }) => afterMs).sort((one, other) => one - other)
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Infinity
}

const eventsEach = 2

/** A world, and bounds of the worker that stand in the same proportion to it as the defaults to the large one. */
export interface WorldSize {
  readonly endpoints: number
  readonly worker: Pick<DeliveryWorkerOptions, 'concurrency' | 'maxOpen' | 'maxBatch'>
  /** Deliveries due for one app, and how long others publish beside it. */
  readonly backlog: number
  readonly seconds: number
  /** Deliveries of the backlog that are worked off meanwhile at least. */
  readonly leastOfBacklog: number
}

/**
 * Every endpoint gets two events at once, of which nobody knows yet who hangs, and two more once it is known.
 * Throughput is over the time in which 99 of 100 of the healthy ones are delivered.
 */
export async function twoWaves(
  open: (time: VirtualTime) => Promise<StoreOfEndpoints>,
  { endpoints, worker }: WorldSize,
  hangs: (endpoint: number) => boolean,
  waves = 2,
) {
  const world = await createManyEndpoints(open, (endpoint) => (hangs(endpoint) ? 'hangs' : answerMs(endpoint)), worker)
  const healthy = Array.from({ length: endpoints }, (_, index) => index + 1).filter(
    (endpoint) => !hangs(endpoint),
  ).length
  const measured = []
  world.worker.start()
  for (let wave = 0; wave < waves; wave += 1) {
    const before = world.delivered.length
    const from = world.time.nowMs
    await world.publish(1, endpoints, eventsEach)
    while (world.delivered.length - before < healthy * eventsEach && world.time.nowMs - from < 120_000) {
      await world.time.pass(1_000)
    }
    const delivered = world.delivered.slice(before)
    expect(delivered).toHaveLength(healthy * eventsEach)
    const p99 = quantile(delivered, 0.99)
    measured.push({ p99, perSecond: delivered.length / p99 })
    // What was sent to those that hang has timed out, and its next attempt is not due.
    await world.time.pass(Math.max(0, 32_000 - (world.time.nowMs - from)))
  }
  return { measured, mostPerEndpoint: world.mostPerEndpoint() }
}

/**
 * One app with a backlog of deliveries due, whose endpoints hang from the middle on, beside ten events a second, each to
 * the endpoints of another app.
 */
export async function backlogBesideOthers(
  open: (time: VirtualTime) => Promise<StoreOfEndpoints>,
  { endpoints, backlog, seconds, leastOfBacklog }: WorldSize,
) {
  const hangsFromMs = (seconds * 1_000) / 2
  const ofBacklog = (endpoint: number) => endpoint <= endpointsPerApp
  // Fewer places than the backlog alone could take, four for each of its fifty endpoints.
  const world = await createManyEndpoints(
    open,
    (endpoint, atMs) => (ofBacklog(endpoint) && atMs >= hangsFromMs ? 'hangs' : answerMs(endpoint)),
    { concurrency: 128 },
  )
  await world.publish(1, endpointsPerApp, backlog / endpointsPerApp)
  world.worker.start()
  const apps = endpoints / endpointsPerApp
  for (let n = 0; n < seconds * 10; n += 1) {
    const first = 1 + endpointsPerApp * (1 + (n % (apps - 1)))
    await world.publish(first, first + endpointsPerApp - 1, 1)
    await world.time.pass(100)
  }
  await world.time.pass(5_000)
  const others = world.sent.filter(({ endpoint }) => !ofBacklog(endpoint))
  expect(others).toHaveLength(seconds * 10 * endpointsPerApp)
  expect(quantile(others, 0.99), 'wait of the others').toBeLessThanOrEqual(5_000)
  // The backlog is worked off beside them while it is answered.
  const worked = world.delivered.filter(({ endpoint }) => ofBacklog(endpoint))
  expect(worked.length, 'delivered of the backlog').toBeGreaterThan(leastOfBacklog)
  expect(world.mostPerEndpoint()).toBe(4)
}

/** Both stores run these. `open` opens a store of its own with `size.endpoints` endpoints. */
export function describeManyEndpoints(size: WorldSize, open: (time: VirtualTime) => Promise<StoreOfEndpoints>): void {
  describe('many endpoints, of which some take every request and never answer', { timeout: 240_000 }, () => {
    let measured: ReturnType<typeof twoWaves> | undefined
    /** The same without any that hangs, measured once. */
    async function baseline() {
      measured ??= twoWaves(open, size, () => false, 1)
      const [wave] = (await measured).measured
      if (wave === undefined) throw new Error('nothing was measured')
      // Two for each place and second, of five that answers of 200 ms allow.
      expect(wave.perSecond * 1_000).toBeGreaterThan(2 * (size.worker.concurrency ?? 512))
      return wave
    }

    test.each([
      ['1 %', 100, 0.9],
      ['10 %', 10, 0.8],
    ])('%s: the others are delivered at nearly the same pace, known or not', async (_share, oneIn, least) => {
      const without = await baseline()
      const { measured, mostPerEndpoint } = await twoWaves(open, size, (endpoint) => endpoint % oneIn === 0)
      for (const { p99, perSecond } of measured) {
        expect(perSecond / without.perSecond).toBeGreaterThanOrEqual(least)
        // I12
        expect(p99 / without.p99).toBeLessThanOrEqual(2)
      }
      expect(mostPerEndpoint).toBeLessThanOrEqual(4)
    })

    test('50 %: once they are known to hang, the others wait no longer than without them', async () => {
      const without = await baseline()
      const { measured } = await twoWaves(open, size, (endpoint) => endpoint % 2 === 0)
      expect((measured[1]?.p99 ?? Infinity) / without.p99).toBeLessThanOrEqual(1)
    })
  })

  test(
    'one app with more deliveries due than can go out: the others wait no 5 seconds, even when it hangs',
    { timeout: 240_000 },
    () => backlogBesideOthers(open, size),
  )
}
