import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLagMeter, createOverloadGuard } from '../../src/http-edge/overload.js'
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

describe('F44 F46 the overload guard', () => {
  it('admits up to its limit, keeps places for the portal, and never refuses a health check', () => {
    const guard = createOverloadGuard({ maxInFlight: 2, lag: { standingLagMs: () => 0 } })
    expect([guard.enter('/api/v1/graphql'), guard.enter('/x'), guard.enter('/x')]).toEqual([true, true, false])
    expect([guard.enter('/portal?x'), guard.enter('/healthz'), guard.enter('/portalx')]).toEqual([true, true, false])
    guard.leave()
    guard.leave()
    expect(guard.enter('/x')).toBe(false)
    guard.leave()
    expect(guard.enter('/x')).toBe(true)
  })

  it('refuses while the event loop stays late', () => {
    let lagMs = 1_000
    const guard = createOverloadGuard({ maxInFlight: 2, lag: { standingLagMs: () => lagMs } })
    expect([guard.enter('/x'), guard.enter('/readyz'), guard.enter('/portal/kyc')]).toEqual([false, true, true])
    lagMs = 999
    guard.leave()
    guard.leave()
    expect(guard.enter('/x')).toBe(true)
  })
})

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
