import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { judgeHeap } from '../../src/http/load-shedding/heap-pressure.js'
import { retryAfterOverload } from '../../src/http/listener.js'
import {
  createLagMeter,
  createOverloadGuard,
  type Admission,
  type OverloadGuard,
} from '../../src/http/load-shedding/overload.js'
import type { LogFields } from '../../src/operations/log.js'
import { createShedLog } from '../../src/operations/rate-limited-warning.js'
import { holdClock } from './held-clock.js'
import { startTestServer, type RunningTestServer } from '../running-server.js'

describe('the lag meter', () => {
  const looks = (...laterMs: number[]) => {
    let nowMs = 0
    const meter = createLagMeter(() => nowMs)
    for (const later of laterMs) {
      nowMs += 100 + later
      meter.look()
    }
    return meter.standingLagMs()
  }

  it.each([
    ['one long pause is none', [5000], 0],
    ['a pause among others is the smallest', [900, 0, 900, 900], 0],
    ['four late looks are', [900, 700, 800, 1000], 700],
    ['old ones are forgotten', [900, 900, 900, 900, 0], 0],
    ['a timer that ran early is not negative', [-50, -50, -50, -50], 0],
  ])('%s', (_name, laterMs, standing) => {
    expect(looks(...laterMs)).toBe(standing)
  })
})

const calm = { standingLagMs: () => 0 }
const whole = () => false

describe('F44 F46 the overload guard', () => {
  it('admits up to its limit, keeps places for the portal, and never refuses a health check', () => {
    const guard = createOverloadGuard({ maxInFlight: 2, lag: calm })
    const enter = (target: string) => guard.enter(target, whole)
    const admitted = [enter('/api/v1/graphql'), enter('/x')]
    expect(enter('/x')).toBeNull()
    admitted.push(enter('/portal?x'), enter('/healthz'))
    expect(admitted).not.toContain(null)
    expect(enter('/portalx')).toBeNull()
    admitted[0]?.leave()
    admitted[1]?.leave()
    expect(enter('/x')).toBeNull()
    admitted[2]?.leave()
    expect(enter('/x')).not.toBeNull()
  })

  it('refuses while the event loop stays late, but not with fewer than 64 requests in hand', () => {
    let lagMs = 0
    const guard = createOverloadGuard({ maxInFlight: 600, lag: { standingLagMs: () => lagMs } })
    const admitted = Array.from({ length: 63 }, () => guard.enter('/x', whole))
    const enters = (target: string) => guard.enter(target, whole) !== null
    lagMs = 200
    expect([guard.mayRead(), enters('/x'), guard.mayRead(), enters('/x')]).toEqual([1, true, 0, false])
    expect([enters('/readyz'), enters('/portal/kyc')]).toEqual([true, true])
    lagMs = 199
    expect(enters('/x')).toBe(true)
    lagMs = 200
    for (const one of admitted.splice(0, 4)) one?.leave()
    expect([enters('/x'), enters('/x')]).toEqual([true, false])
    // The limit itself was never reached: calm is back with the event loop.
    guard.look(1)
    lagMs = 0
    expect(guard.state().limit).toBe(512)
  })

  it('counts a request as work until its handler has ended, as open until its answer is taken, and each end once', () => {
    const guard = createOverloadGuard({ maxInFlight: 2, lag: calm })
    const first = guard.enter('/x', whole)
    const second = guard.enter('/x', whole)
    first?.worked()
    first?.worked()
    expect(guard.state()).toEqual({ working: 1, limit: 2, open: 2 })
    expect(guard.enter('/x', whole)).toBeNull()
    first?.leave()
    first?.leave()
    first?.worked()
    expect(guard.state()).toEqual({ working: 1, limit: 2, open: 1 })
    second?.leave()
    expect(guard.state()).toEqual({ working: 0, limit: 2, open: 0 })
  })

  it('F45 refuses while the heap is full of what is in use, all but health checks', () => {
    let full = true
    const guard = createOverloadGuard({ maxInFlight: 9, lag: calm, isHeapFull: () => full })
    const enters = (target: string) => guard.enter(target, whole) !== null
    expect([enters('/x'), enters('/portal/kyc'), enters('/healthz')]).toEqual([false, false, true])
    full = false
    expect(enters('/x')).toBe(true)
  })

  it('lets as many be read again as there is room for, and one for every two that were finished, to be refused', () => {
    let lagMs = 0
    let full = false
    const guard = createOverloadGuard({
      maxInFlight: 600,
      lag: { standingLagMs: () => lagMs },
      isHeapFull: () => full,
    })
    expect(guard.mayRead()).toBe(512)
    const admitted = Array.from({ length: 512 }, () => guard.enter('/x', whole))
    expect(guard.mayRead()).toBe(0)
    for (const one of admitted.splice(0, 13)) one?.leave()
    expect([guard.mayRead(), guard.mayRead()]).toEqual([19, 13])
    admitted.pop()?.leave()
    expect([guard.mayRead(), guard.mayRead()]).toEqual([15, 14])
    lagMs = 200
    expect(guard.mayRead()).toBe(0)
    lagMs = 0
    full = true
    expect(guard.mayRead()).toBe(0)
    full = false
    // No more than may be open at all: slow uploads have left the limit's count.
    const few = createOverloadGuard({ maxInFlight: 2, lag: calm })
    few.enter('/x', whole)
    expect(few.mayRead()).toBe(1)
    expect(guard.enter('/x', whole)?.mayWait).toBe(true)
    for (const target of ['/healthz', '/metrics?x', '/portal', '/portal/kyc', '/assets/x']) {
      expect(guard.enter(target, whole)?.mayWait, target).toBe(false)
    }
  })

  /** Fills the guard, finishes so many, looks: one tenth of a second under a flood. */
  function floodedLook(guard: OverloadGuard, open: Admission[], finished: number, worked: number): number {
    for (let one = guard.enter('/x', whole); one !== null; one = guard.enter('/x', whole)) open.push(one)
    for (const one of open.splice(0, finished)) one.leave()
    guard.look(worked)
    return guard.state().limit
  }

  it.each([
    ['a busy process lets in what it finishes in a twentieth of a second', 1, [100, 100, 100, 100], [64, 64, 64, 64]],
    ['one that finishes more lets in more', 0.9, [256, 64, 64, 64], [128, 80, 64, 64]],
    [
      'one that waits for something else lets in twice as many each time, up to the most',
      0.3,
      [5, 5, 5, 5],
      [1_024, 2_048, 3_000, 3_000],
    ],
  ])('%s', (_name, worked, finished, limits) => {
    const guard = createOverloadGuard({ maxInFlight: 3_000, lag: calm })
    const open: Admission[] = []
    expect(guard.state().limit).toBe(512)
    expect(finished.map((count) => floodedLook(guard, open, count, worked))).toEqual(limits)
  })

  it('the limit follows what is finished per second, over a second, and is back when the load is gone', () => {
    const guard = createOverloadGuard({ maxInFlight: 10_000, lag: calm })
    const open: Admission[] = []
    for (let look = 0; look < 2; look += 1) floodedLook(guard, open, 0, 0.1)
    expect(guard.state().limit).toBe(2_048)
    for (let look = 0; look < 10; look += 1) floodedLook(guard, open, 200, 1)
    // 2,000 a second: 100 are a twentieth of it.
    expect(guard.state().limit).toBe(100)
    expect(floodedLook(guard, open, 0, 1)).toBe(90)
    for (const one of open.splice(0)) one.leave()
    guard.look(0)
    expect(guard.state()).toEqual({ working: 0, limit: 512, open: 0 })
  })

  it('slow uploads take no place from others after a second, and count for the most that may be open', () => {
    const guard = createOverloadGuard({ maxInFlight: 534, lag: calm })
    const slow = Array.from({ length: 512 }, () => guard.enter('/x', () => true))
    expect(guard.enter('/x', whole)).toBeNull()
    for (let look = 0; look < 10; look += 1) guard.look(0)
    expect(guard.state().working).toBe(512)
    guard.look(0)
    expect(guard.state().working).toBe(0)
    const others = Array.from({ length: 22 }, () => guard.enter('/x', whole))
    expect(others).not.toContain(null)
    expect(guard.enter('/x', whole)).toBeNull()
    for (const one of [...slow, ...others]) one?.leave()
    expect(guard.state().working).toBe(0)
    expect(guard.enter('/x', whole)).not.toBeNull()
  })
})

describe('F45 the heap', () => {
  it('is full from a collection that left 85 % of it in use, until one that did not or for 2 s', () => {
    let nowMs = 0
    const heap = judgeHeap(() => nowMs)
    expect(heap.isFull()).toBe(false)
    heap.collected(0.849)
    expect(heap.isFull()).toBe(false)
    heap.collected(0.85)
    nowMs = 1_999
    expect(heap.isFull()).toBe(true)
    nowMs = 2_000
    expect(heap.isFull()).toBe(false)
    heap.collected(0.9)
    heap.collected(0.5)
    expect(heap.isFull()).toBe(false)
  })
})

describe('F47 a crowd that was refused at once', () => {
  it('is told to come back in different seconds: none holds more than three times the mean', () => {
    const seconds = Array.from({ length: 1_000 }, (_, index) => retryAfterOverload(index / 1_000))
    const counts = new Map<number, number>()
    for (const one of seconds) counts.set(one, (counts.get(one) ?? 0) + 1)
    expect([...counts.keys()].sort()).toEqual([1, 2, 3, 4, 5])
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(3 * (seconds.length / counts.size))
  })
})

describe('the log of a flood', () => {
  it('tells of the first refusal, and then every 10 s of how many there were', () => {
    const counts: (number | undefined)[] = []
    const write = (_message: string, fields: LogFields = {}) => void counts.push(fields.count)
    let nowMs = 0
    const shed = createShedLog({ info: write, warn: write, error: write }, () => nowMs, 'too much')
    for (; nowMs < 25_000; nowMs += 100) {
      if (nowMs < 12_000) shed.turnedAway()
      shed.look()
    }
    expect(counts).toEqual([1, 100, 19])
  })
})

/** Three requests with a body each, over an agent that keeps its connection. */
async function refusedOnOneConnection({ hostname, port }: URL) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const sockets = new Set<unknown>()
  const statuses: (number | undefined)[] = []
  for (let count = 0; count < 3; count += 1) {
    const sent = httpRequest({ agent, hostname, port, method: 'POST', path: '/api/v1/webhooks' })
    sent.once('socket', (socket) => sockets.add(socket))
    sent.end('{"url":"https://receiver.example/"}')
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    statuses.push(answer.statusCode)
    answer.resume()
    await once(answer, 'end')
  }
  agent.destroy()
  return { statuses, connections: sockets.size }
}

describe('a server under load', () => {
  let server: RunningTestServer
  beforeAll(async () => {
    server = await startTestServer({
      MAX_IN_FLIGHT: '1',
      REST_REQUESTS_PER_MINUTE: '3',
      GRAPHQL_REQUESTS_PER_MINUTE: '2',
      FAILED_AUTHENTICATIONS_PER_MINUTE: '5',
    })
  })
  afterAll(() => server.stop())

  it('F46 answers 503 with Retry-After before any work, and works on as soon as there is room', async () => {
    const { hostname, port } = new URL(server.demo.apiUrl)
    const held = httpRequest({
      hostname,
      port,
      method: 'POST',
      path: '/api/v1/webhooks',
      headers: {
        authorization: `Bearer ${server.demo.apps[1]?.apiKey}`,
        'content-type': 'application/json',
        'content-length': '2',
        expect: '100-continue',
      },
    })
    held.flushHeaders()
    // The handler has begun to read: the request is in flight.
    await once(held, 'continue')
    const refused = await server.call(`${server.demo.apiUrl}/api/v1/webhooks`, { token: 'whatever' })
    expect([refused.status, refused.json.code, refused.json.detail]).toEqual([503, 'UNAVAILABLE', 'OVERLOADED'])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    const again = await refusedOnOneConnection(new URL(server.demo.apiUrl))
    expect(again).toEqual({ statuses: [503, 503, 503], connections: 1 })
    expect(server.logLines.filter((line) => line.includes('"request refused"'))).toEqual([])
    await expect
      .poll(() => server.logLines.filter((line) => line.includes('requests refused for overload')).length)
      .toBe(1)
    const metrics = await server.call(`${server.demo.internalUrl}/metrics`)
    expect(metrics.text).toMatch(/^kyc_relay_requests_refused_total [4-9]$/m)
    const graphql = await server.graphql('secure', { query: '{ viewer { userId } }' })
    expect([graphql.status, graphql.json.errors[0].extensions.code]).toEqual([503, 'UNAVAILABLE'])
    expect((await server.call(`${server.demo.apiUrl}/healthz`)).status).toBe(200)
    held.end('{}')
    const [answer] = (await once(held, 'response')) as [{ statusCode: number; resume(): void }]
    answer.resume()
    expect(answer.statusCode).toBe(400)
    expect((await server.call(`${server.demo.apiUrl}/api/v1/docs`)).status).toBe(200)
  })

  it('limits each app and each user of an app apart, and says when to come back', async () => {
    holdClock()
    const rest = (index: number) =>
      server.call(`${server.demo.apiUrl}/api/v1/webhooks`, { token: server.demo.apps[index]?.apiKey ?? null })
    const answers = [await rest(0), await rest(0), await rest(0), await rest(0)]
    expect(answers.map((one) => one.status)).toEqual([200, 200, 200, 429])
    expect(answers[2]?.headers.ratelimit).toMatch(/^"app";r=0;t=\d+$/)
    expect(answers[3]?.json.code).toBe('RATE_LIMITED')
    expect(Number(answers[3]?.headers['retry-after'])).toBeGreaterThan(0)
    expect((await rest(1)).status).toBe(200)

    const viewer = (index: number) =>
      server.graphql(
        'api',
        { query: '{ viewer { userId } }' },
        { token: server.demo.users[index]?.accessToken ?? null },
      )
    const reads = [await viewer(0), await viewer(0), await viewer(0)]
    expect(reads.map((one) => one.status)).toEqual([200, 200, 429])
    expect(reads[2]?.json.errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED', retryable: true })
    expect((await viewer(1)).status).toBe(200)
  })

  it('limits failed attempts by address, and never the partner who shares it', async () => {
    holdClock()
    const attempt = () => server.call(`${server.demo.apiUrl}/api/v1/webhooks`, { token: 'guess' })
    const answers = []
    for (let count = 0; count < 6; count += 1) answers.push(await attempt())
    expect(answers.map((one) => one.status)).toEqual([401, 401, 401, 401, 401, 429])
    expect(answers[5]?.json.code).toBe('RATE_LIMITED')
    expect(
      (
        await server.graphql(
          'api',
          { query: '{ viewer { userId } }' },
          { token: server.demo.users[2]?.accessToken ?? null },
        )
      ).status,
    ).toBe(200)
  })
})
