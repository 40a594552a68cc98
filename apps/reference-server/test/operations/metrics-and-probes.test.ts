import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseEnv } from '../../src/env.js'
import { createLog } from '../../src/operations/log.js'
import { startServer } from '../../src/server.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

/** Samples by name and labels. */
async function scrape(url = `${server.demo.internalUrl}/metrics`): Promise<Map<string, number>> {
  const answer = await server.call(url)
  expect([answer.status, answer.headers['content-type']]).toEqual([200, expect.stringContaining('text/plain')])
  const samples = answer.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}

const user = (index: number) => {
  const found = server.demo.users[index]
  if (found === undefined) throw new Error('no such demo user')
  return found
}
const submit = (variables: Record<string, unknown>) =>
  server.graphql('secure', { query: submissionDocument, variables }, { token: user(0).accessToken })
const publish = (body: Record<string, unknown>) =>
  server.call(`${server.demo.internalUrl}/internal/v1/events`, { token: server.demo.internalToken, body })

describe('metrics', () => {
  it('count submissions by outcome', async () => {
    const good = submissionVariables()
    await submit(good)
    await submit(good)
    await submit(submissionVariables())
    await submit(submissionVariables({ decision: 'PENDING' }))
    const samples = await scrape()
    const outcomes = ['VERIFIED', 'REPLAYED', 'ALREADY_VERIFIED', 'VALIDATION_FAILED']
    const counts = outcomes.map((outcome) => samples.get(`kyc_relay_submissions_total{outcome="${outcome}"}`))
    expect(counts).toEqual([1, 1, 1, 1])
    expect(samples.get('kyc_relay_submission_duration_seconds_count')).toBe(4)
  })

  it('count events, withheld ones by reason, and attempts by class; show the queue', async () => {
    const event = {
      appId: user(0).appId,
      userId: user(0).userId,
      eventType: 'WIDGET_DEPOSIT_COMPLETE',
      data: { amount: 1 },
    }
    await publish({ ...event, sourceEventId: 'withheld-1' })
    await publish({ ...event, sourceEventId: 'withheld-1' })
    const type = 'type="WIDGET_DEPOSIT_COMPLETE"'
    expect((await scrape()).get(`kyc_relay_events_withheld_total{${type},reason="NO_ENDPOINT"}`)).toBe(1)
    await server.call(`${server.demo.apiUrl}/api/v1/webhooks`, {
      token: server.demo.apps[0]?.apiKey ?? null,
      body: { url: 'https://localhost:65000/' },
    })
    await publish(event)
    const failed = 'kyc_relay_attempts_total{state="FAILED",cause="CONNECT_FAILED"}'
    await expect.poll(async () => (await scrape()).get(failed)).toBeGreaterThan(0)
    const samples = await scrape()
    expect(samples.get(`kyc_relay_events_total{${type}}`)).toBe(2)
    expect(samples.get('kyc_relay_deliveries_claimed_total')).toBeGreaterThan(0)
    expect(samples.get('kyc_relay_queue_readable')).toBe(1)
    expect(samples.get('kyc_relay_endpoint_state_changes_total{state="FAILING"}')).toBe(1)
    const others = [
      'kyc_relay_deliveries_waiting',
      'kyc_relay_deliveries_in_flight',
      'kyc_relay_oldest_due_delivery_age_seconds',
      'kyc_relay_lease_takeovers_total',
      'kyc_relay_log_lines_dropped_total',
      'nodejs_eventloop_lag_p99_seconds',
      'process_resident_memory_bytes',
    ]
    for (const name of others) expect([name, samples.get(name)]).toEqual([name, expect.any(Number)])
  })

  it('count a test event as the events of partners are counted', async () => {
    const token = server.demo.apps[0]?.apiKey ?? null
    const endpoints = `${server.demo.apiUrl}/api/v1/webhooks`
    const registered = await server.call(endpoints, { token, body: { url: 'https://localhost:65001/' } })
    const { endpointId } = registered.json as { endpointId: string }
    const written = async () =>
      [...(await scrape())].reduce((sum, [name, n]) => sum + (name.startsWith('kyc_relay_events_total') ? n : 0), 0)
    const before = await written()
    const sent = await server.call(`${endpoints}/${endpointId}/test`, { token, body: {} })
    expect([sent.status, await written()]).toEqual([202, before + 1])
  })

  const hasPromtool = spawnSync('promtool', ['--version']).error === undefined
  if (!hasPromtool)
    console.warn('promtool is not installed (Debian: prometheus): nothing checks names and types of the metrics')
  it.runIf(hasPromtool)('of our own are as promtool wants names and types', async () => {
    const { text } = await server.call(`${server.demo.internalUrl}/metrics`)
    const own = text.split('\n').filter((line) => /^(?:# (?:HELP|TYPE) )?kyc_relay_/.test(line))
    expect(own.length).toBeGreaterThan(50)
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: `${own.join('\n')}\n`, encoding: 'utf8' })
    expect([checked.status, checked.stdout, checked.stderr]).toEqual([0, '', ''])
  })

  it('that end in _total are counters, and no others are', async () => {
    const { text } = await server.call(`${server.demo.internalUrl}/metrics`)
    const types = [...text.matchAll(/^# TYPE (kyc_relay_\w+) (\w+)$/gm)]
    expect(types.length).toBeGreaterThan(15)
    for (const [, name = '', type] of types) expect([name, type === 'counter']).toEqual([name, name.endsWith('_total')])
  })

  it('are open on the internal listener and, outside production, on the standard one; not on the secure one', async () => {
    expect((await scrape(`${server.demo.apiUrl}/metrics`)).size).toBeGreaterThan(20)
    expect((await server.call(`${server.demo.secureUrl}/metrics`)).status).toBe(404)
    expect((await server.call(`${server.demo.internalUrl}/internal/v1/events`, { body: {} })).status).toBe(401)
  })

  it('that docs/operate.md says to look at are there', async () => {
    const page = readFileSync(new URL('../../../../docs/operate.md', import.meta.url), 'utf8')
    const named = [...page.matchAll(/`((?:kyc_relay|nodejs)_\w+)[`{]/g)].flatMap(([, name]) => name ?? [])
    const metrics = named.filter((name) => !name.startsWith('kyc_relay_portal_') && !name.includes('audit_entries'))
    expect(metrics.length).toBeGreaterThan(8)
    const { text } = await server.call(`${server.demo.internalUrl}/metrics`)
    expect(metrics.filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([])
  })

  it('hold no id and no value of anybody', async () => {
    const { text } = await server.call(`${server.demo.internalUrl}/metrics`)
    for (const { userId, appId } of server.demo.users) expect(text.includes(userId) || text.includes(appId)).toBe(false)
    // Seconds and bytes may have any digits.
    expect(text.replaceAll(/ [\d.e+-]+$/gm, '')).not.toMatch(/1120|Example/)
  })

  it('in production need the internal token on the standard listener', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-metrics-'))
    const ports = { PORT: '0', INTERNAL_PORT: '0', SECURE_PORT: '0', DATA_DIR: dataDir }
    const token = 'an-internal-token-of-a-test'
    const env = parseEnv({
      ...ports,
      NODE_ENV: 'production',
      ROLE: 'api',
      INTERNAL_TOKEN: token,
      KEY_FILE: `${server.dataDir}/keys.json`,
      TLS_TERMINATED_UPSTREAM: '1',
    })
    const running = await startServer(env, createLog({ logLevel: 'silent' }))
    try {
      const metrics = `http://127.0.0.1:${running.ports.api}/metrics`
      const refused = await server.call(metrics)
      expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer'])
      expect((await server.call(metrics, { token: 'another' })).status).toBe(401)
      expect((await server.call(metrics, { token })).status).toBe(200)
      expect((await server.call(`http://127.0.0.1:${running.ports.internal}/metrics`)).status).toBe(200)
    } finally {
      await running.stop('TEST_ENDED')
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})

describe('probes', () => {
  it.each(['apiUrl', 'internalUrl', 'secureUrl'] as const)('are answered on %s without a token', async (host) => {
    expect((await server.call(`${server.demo[host]}/healthz`)).json).toEqual({ status: 'ok' })
    const ready = await server.call(`${server.demo[host]}/readyz`)
    expect([ready.status, ready.json]).toEqual([
      200,
      { status: 'ready', parts: { database: 'ok', vault: 'ok', worker: 'ok', disk: 'ok', tokenPurge: 'ok' } },
    ])
  })

  it.each([
    ['secure', ['database', 'vault', 'disk']],
    ['worker', ['database', 'vault', 'worker', 'disk', 'tokenPurge']],
  ])('of a process with ROLE=%s are on its loopback port, with its metrics', async (role, parts) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-probes-'))
    const env = parseEnv({ PORT: '0', INTERNAL_PORT: '0', SECURE_PORT: '0', DATA_DIR: dataDir, ROLE: role })
    const running = await startServer(env, createLog({ logLevel: 'silent' }))
    try {
      const url = `http://127.0.0.1:${running.ports.operations}`
      expect(Object.keys((await server.call(`${url}/readyz`)).json.parts as object)).toEqual(parts)
      expect((await scrape(`${url}/metrics`)).get('kyc_relay_queue_readable')).toBe(1)
      for (const path of ['/internal/v1/events', '/internal/v1/vault/reveal', '/api/v1/webhooks']) {
        expect((await server.call(`${url}${path}`, { body: {}, token: server.demo.internalToken })).status).toBe(404)
      }
    } finally {
      await running.stop('TEST_ENDED')
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})
