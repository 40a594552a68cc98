import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createHeapCheck } from '../../src/http/load-shedding/heap-pressure.js'
import {
  createLoadShedding,
  maxOpenPerConnection,
  retryAfterOverload,
} from '../../src/http/load-shedding/load-shedding.js'
import type { OpenResponses } from '../../src/http/load-shedding/open-responses.js'
import { createRateLimitedWarning } from '../../src/operations/rate-limited-warning.js'
import { holdClock } from './held-clock.js'
import { startTestServer, type RunningTestServer } from '../running-server.js'

/** The load shedding of a process without sockets: handlers and clients end when they are told to, and the clock is ours. */
function newSituation({ maxInFlight }: { maxInFlight: number }) {
  let nowMs = 0
  let isHeapFull = false
  let refused = 0
  let openOnConnection = 0
  const shedding = createLoadShedding({
    maxInFlight,
    isHeapFull: () => isHeapFull,
    nowMs: () => nowMs,
    onRefused: () => (refused += 1),
  })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return {
    /** Null when the request is refused. */
    enter(url: string, complete = true) {
      let take: () => void = () => undefined
      let end: () => void = () => undefined
      const taken = new Promise<void>((resolve) => (take = resolve))
      const responses: OpenResponses = {
        track: () => taken,
        countOn: () => openOnConnection,
        latestOn: () => undefined,
      }
      const socket = { writable: true, destroyed: false, pause: () => undefined, resume: () => undefined }
      const response = { req: { url, complete, socket } } as unknown as ServerResponse
      const handled = new Promise<void>((resolve) => (end = resolve))
      if (!shedding.run(response, responses, () => handled)) return null
      return {
        async handled() {
          end()
          await turn()
        },
        async taken() {
          take()
          await turn()
        },
        async over() {
          end()
          take()
          await turn()
        },
      }
    },
    counts: () => [shedding.state().running, shedding.state().open],
    refused: () => refused,
    passMs: (ms: number) => (nowMs += ms),
    fillHeap: (isFull: boolean) => (isHeapFull = isFull),
    openOnConnection: (count: number) => (openOnConnection = count),
  }
}

describe('load shedding', () => {
  it('admits up to its limit, keeps places for the portal, and never refuses a health check', async () => {
    const { enter, refused } = newSituation({ maxInFlight: 2 })
    const admitted = [enter('/api/v1/graphql'), enter('/x')]
    expect(enter('/x')).toBeNull()
    admitted.push(enter('/portal?x'), enter('/healthz'), enter('/readyz'), enter('/metrics?x'), enter('/assets/x'))
    expect(admitted).not.toContain(null)
    expect(enter('/portalx')).toBeNull()
    for (const one of admitted.splice(0, 5)) await one?.over()
    expect(enter('/x')).toBeNull()
    await admitted[0]?.over()
    expect(enter('/x')).not.toBeNull()
    expect(refused()).toBe(3)
  })

  it('runs at most 512 handlers at once, and 64 more for the portal', async () => {
    const { enter, counts } = newSituation({ maxInFlight: 10_000 })
    const admitted = Array.from({ length: 512 }, () => enter('/x'))
    expect(admitted).not.toContain(null)
    expect(enter('/x')).toBeNull()
    expect(Array.from({ length: 64 }, () => enter('/portal/kyc'))).not.toContain(null)
    expect(enter('/portal/kyc')).toBeNull()
    expect(counts()).toEqual([576, 576])
    // A client that does not take its answer is no work.
    for (const one of admitted.slice(0, 65)) await one?.handled()
    expect(counts()).toEqual([511, 576])
    expect([enter('/x'), enter('/x')]).toEqual([expect.anything(), null])
  })

  it('counts a request as running until its handler has ended, as open until its answer is taken, and each end once', async () => {
    const { enter, counts } = newSituation({ maxInFlight: 2 })
    const [first, second] = [enter('/x'), enter('/x')]
    await first?.handled()
    expect(counts()).toEqual([1, 2])
    expect(enter('/x')).toBeNull()
    await first?.taken()
    expect(counts()).toEqual([1, 1])
    // The connection is gone while the handler runs.
    await second?.taken()
    expect(counts()).toEqual([1, 1])
    await second?.handled()
    await second?.taken()
    expect(counts()).toEqual([0, 0])
  })

  it('refuses more than 64 open requests of one connection, even health checks', () => {
    const { enter, openOnConnection } = newSituation({ maxInFlight: 1_000 })
    openOnConnection(maxOpenPerConnection - 1)
    expect(enter('/x')).not.toBeNull()
    openOnConnection(maxOpenPerConnection)
    expect([enter('/x'), enter('/healthz')]).toEqual([null, null])
  })

  it('refuses while the heap is full of what is in use, all but health checks', () => {
    const { enter, fillHeap } = newSituation({ maxInFlight: 9 })
    fillHeap(true)
    expect([enter('/x'), enter('/portal/kyc'), enter('/healthz')]).toEqual([null, null, expect.anything()])
    fillHeap(false)
    expect(enter('/x')).not.toBeNull()
  })

  it('slow uploads take no place from others after a second, and count for the most that may be open', async () => {
    const { enter, counts, passMs } = newSituation({ maxInFlight: 534 })
    const slow = Array.from({ length: 512 }, () => enter('/x', false))
    expect(enter('/x')).toBeNull()
    passMs(999)
    expect(counts()).toEqual([512, 512])
    expect(enter('/x')).toBeNull()
    passMs(1)
    expect(counts()).toEqual([0, 512])
    const others = Array.from({ length: 22 }, () => enter('/x'))
    expect(others).not.toContain(null)
    expect(enter('/x')).toBeNull()
    for (const one of [...slow, ...others]) await one?.over()
    expect(counts()).toEqual([0, 0])
    expect(enter('/x')).not.toBeNull()
  })
})

describe('the heap', () => {
  it('is full from a collection that left 85 % of it in use, until one that did not or for 2 s', () => {
    let nowMs = 0
    const heap = createHeapCheck(() => nowMs)
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

describe('a crowd that was refused at once', () => {
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
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const counts: number[] = []
    const warn = createRateLimitedWarning((count) => void counts.push(count))
    for (let nowMs = 0; nowMs < 35_000; nowMs += 100) {
      if (nowMs < 12_000) warn()
      vi.advanceTimersByTime(100)
    }
    expect(counts).toEqual([1, 99, 20])
    warn()
    expect(counts).toEqual([1, 99, 20, 1])
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

  it('answers 503 with Retry-After before any work, and works on as soon as there is room', async () => {
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
