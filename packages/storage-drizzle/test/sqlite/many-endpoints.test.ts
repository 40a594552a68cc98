import { describe, expect, test } from 'vitest'
import { createManyEndpoints, endpointsPerApp, type Seen } from './many-endpoints.js'

const endpoints = 10_000
const eventsEach = 2
/** 100 to 300 ms, spread over the endpoints. */
const answerMs = (endpoint: number) => 100 + ((endpoint * 7_919) % 11) * 20

/** The smallest that is no less than `share` of all. */
function quantile(seen: readonly Seen[], share: number): number {
  const sorted = seen.map(({ afterMs }) => afterMs).sort((one, other) => one - other)
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Infinity
}

/**
 * Every endpoint gets two events at once, of which nobody knows yet who hangs, and two more once it is known.
 * Throughput is over the time in which 99 of 100 of the healthy ones are delivered.
 */
async function twoWaves(hangs: (endpoint: number) => boolean, waves = 2) {
  const world = await createManyEndpoints(endpoints, (endpoint) => (hangs(endpoint) ? 'hangs' : answerMs(endpoint)))
  const healthy = Array.from({ length: endpoints }, (_, index) => index + 1).filter(
    (endpoint) => !hangs(endpoint),
  ).length
  const measured = []
  world.worker.start()
  for (let wave = 0; wave < waves; wave += 1) {
    const before = world.delivered.length
    const from = world.time.nowMs
    world.publish(1, endpoints, eventsEach)
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

describe('F31 10,000 endpoints, of which some take every request and never answer', { timeout: 240_000 }, () => {
  let measured: ReturnType<typeof twoWaves> | undefined
  /** The same without any that hangs, measured once. */
  async function baseline() {
    measured ??= twoWaves(() => false, 1)
    const [wave] = (await measured).measured
    if (wave === undefined) throw new Error('nothing was measured')
    // 256 places, 200 ms each.
    expect(wave.perSecond * 1_000).toBeGreaterThan(1_100)
    return wave
  }

  test.each([
    ['1 %', 100, 0.9],
    ['10 %', 10, 0.8],
  ])('%s: the others are delivered at nearly the same pace, known or not', async (_share, oneIn, least) => {
    const without = await baseline()
    const { measured, mostPerEndpoint } = await twoWaves((endpoint) => endpoint % oneIn === 0)
    for (const { p99, perSecond } of measured) {
      expect(perSecond / without.perSecond).toBeGreaterThanOrEqual(least)
      // I12
      expect(p99 / without.p99).toBeLessThanOrEqual(2)
    }
    expect(mostPerEndpoint).toBeLessThanOrEqual(4)
  })

  test('50 %: once they are known to hang, the others wait no longer than without them', async () => {
    const without = await baseline()
    const { measured } = await twoWaves((endpoint) => endpoint % 2 === 0)
    expect((measured[1]?.p99 ?? Infinity) / without.p99).toBeLessThanOrEqual(1)
  })
})

test(
  'F32 one app with a million deliveries due: the others wait no 5 seconds, even when it hangs',
  { timeout: 240_000 },
  async () => {
    const hangsFromMs = 10_000
    const ofBacklog = (endpoint: number) => endpoint <= endpointsPerApp
    // Fewer places than the backlog alone could take, four for each of its fifty endpoints.
    const world = await createManyEndpoints(
      endpoints,
      (endpoint, atMs) => (ofBacklog(endpoint) && atMs >= hangsFromMs ? 'hangs' : answerMs(endpoint)),
      { concurrency: 128 },
    )
    world.publish(1, endpointsPerApp, 1_000_000 / endpointsPerApp)
    world.worker.start()
    const apps = endpoints / endpointsPerApp
    // Ten events a second, each to the fifty endpoints of another app.
    for (let n = 0; n < 200; n += 1) {
      const first = 1 + endpointsPerApp * (1 + (n % (apps - 1)))
      world.publish(first, first + endpointsPerApp - 1, 1)
      await world.time.pass(100)
    }
    await world.time.pass(5_000)
    const others = world.sent.filter(({ endpoint }) => !ofBacklog(endpoint))
    expect(others).toHaveLength(200 * endpointsPerApp)
    expect(quantile(others, 0.99)).toBeLessThanOrEqual(5_000)
    // The backlog is worked off beside them while it is answered.
    expect(world.delivered.filter(({ endpoint }) => ofBacklog(endpoint)).length).toBeGreaterThan(500)
  },
)
