import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { VirtualTime } from '../../../webhooks/test/delivery/virtual-time.js'
import { createPostgresStorage } from '../../src/postgres/index.js'
import {
  backlogBesideOthers,
  endpointUrl,
  endpointsPerApp,
  twoWaves,
  xEventId,
  type StoreOfEndpoints,
} from '../many-endpoints.js'
import { endpoint, event, uuid } from '../samples.js'
import { startPostgres, type PostgresServer } from './postgres-server.js'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

/** Enough that a tenth of them has more to send than there are places. */
const endpoints = 2_000

const made = Array.from({ length: endpoints }, (_, index) => {
  const number = index + 1
  const appId = uuid(`app ${Math.floor(index / endpointsPerApp)}`)
  return { ...endpoint(`${number}`, appId), url: endpointUrl(number) }
})

/** The store on a database of its own, filled through the port. One call after the other, so that every run is the same. */
async function openEndpoints(time: VirtualTime): Promise<StoreOfEndpoints> {
  const connectionString = await server.createDatabase()
  const storage = await createPostgresStorage({ connectionString }, { clock: () => time.now(), notify: false })
  onTestFinished(() => storage.close())
  const { webhooks } = storage
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }
  await Promise.all(made.map((one) => webhooks.registerEndpoint(one, endpointsPerApp)))

  async function publish(request: { first: number; last: number; each: number; from: number }): Promise<number> {
    let number = request.from - 1
    for (let first = request.first; first <= request.last; first += endpointsPerApp) {
      const ofApp = made.slice(first - 1, Math.min(first - 1 + endpointsPerApp, request.last))
      for (let n = 0; n < request.each; n += 1) {
        number += 1
        const prepared = event(`${number}`, ofApp, {
          appId: ofApp[0]?.appId ?? '',
          type: 'WIDGET_DEPOSIT_COMPLETE',
        })
        const deliveries = prepared.deliveries.map((delivery, index) => ({
          ...delivery,
          xEventId: xEventId(number, first + index),
        }))
        await inTurn(() => webhooks.insertEvent({ ...prepared, deliveries }))
      }
    }
    return number
  }
  return {
    webhooks: {
      claimDue: (request) => inTurn(() => webhooks.claimDue(request)),
      claimExpired: (request) => inTurn(() => webhooks.claimExpired(request)),
      settle: (settlements) => inTurn(() => webhooks.settle(settlements)),
    },
    publish,
  }
}

describe('F31 2,000 endpoints, of which some take every request and never answer', { timeout: 240_000 }, () => {
  let measured: ReturnType<typeof twoWaves> | undefined
  /** The same without any that hangs, measured once. */
  async function baseline() {
    measured ??= twoWaves(openEndpoints, endpoints, () => false, 1)
    const [wave] = (await measured).measured
    if (wave === undefined) throw new Error('nothing was measured')
    // 256 places, 200 ms each.
    expect(wave.perSecond * 1_000).toBeGreaterThan(1_000)
    return wave
  }

  test.each([
    ['1 %', 100, 0.9],
    ['10 %', 10, 0.8],
  ])('%s: the others are delivered at nearly the same pace, known or not', async (_share, oneIn, least) => {
    const without = await baseline()
    const { measured, mostPerEndpoint } = await twoWaves(openEndpoints, endpoints, (one) => one % oneIn === 0)
    for (const { p99, perSecond } of measured) {
      expect(perSecond / without.perSecond).toBeGreaterThanOrEqual(least)
      // I12
      expect(p99 / without.p99).toBeLessThanOrEqual(2)
    }
    expect(mostPerEndpoint).toBeLessThanOrEqual(4)
  })

  test('50 %: once they are known to hang, the others wait no longer than without them', async () => {
    const without = await baseline()
    const { measured } = await twoWaves(openEndpoints, endpoints, (one) => one % 2 === 0)
    expect((measured[1]?.p99 ?? Infinity) / without.p99).toBeLessThanOrEqual(1)
  })
})

test(
  'F32 one app with 20,000 deliveries due, more than can go out: the others wait no 5 seconds, even when it hangs',
  { timeout: 240_000 },
  async () => {
    const { othersWaited, deliveredOfBacklog } = await backlogBesideOthers(openEndpoints, endpoints, 20_000)
    expect(othersWaited).toBeLessThanOrEqual(5_000)
    expect(deliveredOfBacklog).toBeGreaterThan(500)
  },
)
