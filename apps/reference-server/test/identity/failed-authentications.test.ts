import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createFailedAuthentications } from '../../src/identity/failed-authentications.js'
import { parseEnv } from '../../src/env.js'
import { createLog, type LogFields } from '../../src/operations/log.js'
import { startServer } from '../../src/server.js'
import { createOperatorClient, createPortalClient, signInOperator } from '../portal/portal-client.js'
import { holdClock } from '../http/held-clock.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'

const secret = 'canary-secret-canary'

describe('failed authentications', () => {
  it('are counted each, and written as one line at once and one every 10 s for all that follow', () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const lines: [string, LogFields | undefined][] = []
    const counted = new Map<string, number>()
    const failures = createFailedAuthentications({
      log: { info: () => undefined, error: () => undefined, warn: (text, fields) => void lines.push([text, fields]) },
      count: (listener, reason) => {
        counted.set(`${listener} ${reason}`, (counted.get(`${listener} ${reason}`) ?? 0) + 1)
      },
    })
    const note = (listener: 'api' | 'secure', requestId: string) =>
      failures.note({ listener, reason: 'ACCESS_TOKEN_INVALID', requestId })
    const first = ['authentication failed', { listener: 'api', reason: 'ACCESS_TOKEN_INVALID', requestId: 'r-0' }]
    for (let count = 0; count < 1_000; count += 1) note('api', `r-${count}`)
    expect(lines).toEqual([first])
    note('secure', 's-0')
    expect(lines).toHaveLength(2)
    vi.advanceTimersByTime(9_999)
    expect(lines).toHaveLength(2)
    vi.advanceTimersByTime(1)
    expect(lines.slice(2)).toEqual([
      ['authentication failed again', { listener: 'api', reason: 'ACCESS_TOKEN_INVALID', count: 999 }],
    ])
    vi.advanceTimersByTime(10_000)
    note('api', 'r-0')
    expect(lines.slice(3)).toEqual([first])
    expect([...counted]).toEqual([
      ['api ACCESS_TOKEN_INVALID', 1_001],
      ['secure ACCESS_TOKEN_INVALID', 1],
    ])
  })
})

describe('every door', () => {
  let server: RunningTestServer
  beforeAll(async () => {
    server = await startTestServer({ FAILED_AUTHENTICATIONS_PER_MINUTE: '40' })
  })
  afterAll(() => server.stop())

  const graphql = (host: 'secure' | 'api', token: string | null) =>
    server.graphql(host, { query: submissionDocument, variables: submissionVariables() }, { token })
  const rest = (token: string | null) => server.call(`${server.demo.apiUrl}/api/v1/webhooks`, { token })
  const internal = (token: string | null) =>
    server.call(`${server.demo.internalUrl}/internal/v1/apps`, { token, body: { name: 'x' } })
  const signIn = async (fields: Record<string, string>) => {
    const browser = createPortalClient(server)
    return browser.submit(await browser.get('/portal/sign-in'), '/portal/sign-in', fields)
  }
  const session = (id: string) =>
    server.call(`${server.demo.apiUrl}/portal/keys`, { headers: { cookie: `kyc_relay_portal=${id}` } })
  const rotateWith = async (apiKey: string) => {
    const browser = createPortalClient(server)
    await browser.signIn()
    return browser.submit(await browser.get('/portal/keys'), '/portal/keys/rotate', { apiKey })
  }
  const otherKey = () => server.demo.apps[1]?.apiKey ?? ''

  const doors: [string, string, string, () => Promise<{ status: number }>, number][] = [
    ['the secure endpoint', 'secure', 'ACCESS_TOKEN_MISSING', () => graphql('secure', null), 401],
    ['the secure endpoint', 'secure', 'ACCESS_TOKEN_INVALID', () => graphql('secure', secret), 401],
    ['GraphQL', 'api', 'ACCESS_TOKEN_MISSING', () => graphql('api', null), 401],
    ['GraphQL', 'api', 'ACCESS_TOKEN_INVALID', () => graphql('api', secret), 401],
    ['the REST API', 'api', 'API_KEY_MISSING', () => rest(null), 401],
    ['the REST API', 'api', 'API_KEY_INVALID', () => rest(secret), 401],
    ['the internal API', 'internal', 'INTERNAL_TOKEN_MISSING', () => internal(null), 401],
    ['the internal API', 'internal', 'INTERNAL_TOKEN_INVALID', () => internal(secret), 401],
    ['the internal API', 'internal', 'OPERATOR_TOKEN_INVALID', () => internal(`kyc_op_${secret}`), 401],
    ['the sign-in of an app', 'api', 'APP_SIGN_IN_REFUSED', () => signIn({ app: secret, apiKey: otherKey() }), 401],
    [
      'the sign-in of an operator',
      'internal',
      'OPERATOR_SIGN_IN_REFUSED',
      () => signInOperator(createOperatorClient(server), secret),
      401,
    ],
    ['a page of the portal', 'api', 'SESSION_INVALID', () => session(secret), 401],
    ['the form that asks for the key again', 'api', 'API_KEY_INVALID', () => rotateWith(secret), 403],
  ]

  const counted = async (listener: string, reason: string) => {
    const { text } = await server.call(`${server.demo.internalUrl}/metrics`)
    const line = text
      .split('\n')
      .find((one) =>
        one.startsWith(`kyc_relay_authentication_failures_total{listener="${listener}",reason="${reason}"}`),
      )
    return Number(line?.split(' ').at(-1) ?? 0)
  }

  it.each(doors)('%s on %s: %s is counted, written and shows no credential', async (...door) => {
    const [, listener, reason, knock, status] = door
    const before = await counted(listener, reason)
    expect((await knock()).status).toBe(status)
    expect(await counted(listener, reason)).toBe(before + 1)
    const lines = server.logLines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const written = lines.filter((line) => line['listener'] === listener && line['reason'] === reason)
    expect(written.length).toBeGreaterThan(0)
    expect(written[0]).toMatchObject({ msg: 'authentication failed', requestId: expect.any(String) })
    expect(server.logLines.join('')).not.toContain(secret)
    expect(server.logLines.join('')).not.toContain(otherKey())
  })

  it('lets a valid credential in from an address whose failures are used up, and fills no log', async () => {
    holdClock()
    const before = server.logLines.length
    const attempts = Array.from({ length: 120 }, (_, count) =>
      count % 3 === 0 ? graphql('secure', secret) : count % 3 === 1 ? graphql('api', secret) : rest(secret),
    )
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(statuses).toContain(429)
    // Of each listener and reason at most one line at once and one later.
    expect(server.logLines.length - before).toBeLessThanOrEqual(12)
    for (const answer of [await graphql('secure', secret), await rest(secret)]) expect(answer.status).toBe(429)
    const [user] = server.demo.users
    expect((await graphql('secure', user?.accessToken ?? '')).status).toBe(200)
    expect((await server.graphql('api', { query: '{ viewer { userId } }' })).status).toBe(200)
    expect((await rest(server.demo.apps[0]?.apiKey ?? '')).status).toBe(200)
  })
})

it('the metrics of production count and write a missing and a wrong token', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-metrics-'))
  const lines: string[] = []
  const log = createLog({ logLevel: 'trace' }, { write: (line) => void lines.push(line) })
  const ports = { PORT: '0', INTERNAL_PORT: '0', SECURE_PORT: '0', DATA_DIR: dataDir }
  const first = await startServer(parseEnv({ ...ports, ROLE: 'api' }), log)
  await first.stop('TEST_ENDED')
  const token = randomUUID()
  const production = { NODE_ENV: 'production', INTERNAL_TOKEN: token, KEY_FILE: join(dataDir, 'keys.json') }
  const server = await startServer(parseEnv({ ...ports, ROLE: 'api', ...production }), log)
  try {
    const scrape = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${server.ports.api}/metrics`, { headers })
    expect((await scrape({})).status).toBe(401)
    expect((await scrape({ authorization: `Bearer ${secret}` })).status).toBe(401)
    const answer = await scrape({ authorization: `Bearer ${token}` })
    const text = await answer.text()
    for (const reason of ['METRICS_TOKEN_MISSING', 'METRICS_TOKEN_INVALID']) {
      expect(text).toContain(`kyc_relay_authentication_failures_total{listener="api",reason="${reason}"} 1`)
      expect(lines.filter((line) => line.includes(reason))).toHaveLength(1)
    }
    expect(lines.join('')).not.toContain(secret)
  } finally {
    await server.stop('TEST_ENDED')
    rmSync(dataDir, { recursive: true, force: true })
  }
})
