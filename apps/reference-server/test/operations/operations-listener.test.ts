import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, Server, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { createKeyFile } from '@kyc-relay/kyc-core/node'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { parseEnv } from '../../src/env.js'
import { createLog } from '../../src/operations/log.js'
import { startServer, type RunningServer } from '../../src/server.js'

/** Reaches a listener on every address of this machine, and none that is bound to 127.0.0.1. */
const otherAddress = '127.0.0.2'
const metricsToken = 'a-token-of-the-scraper'
const internalToken = 'a-token-of-our-services'

let dataDir: string
let running: RunningServer[]
let logLines: string[]
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-operations-'))
  running = []
  logLines = []
})
afterEach(async () => {
  for (const server of running) await server.stop('TEST_ENDED')
  rmSync(dataDir, { recursive: true, force: true })
})

async function start(variables: Record<string, string>): Promise<RunningServer> {
  const ports = { PORT: '0', INTERNAL_PORT: '0', SECURE_PORT: '0' }
  const log = createLog({ logLevel: 'trace' }, { write: (line) => void logLines.push(line) })
  const server = await startServer(parseEnv({ ...ports, DATA_DIR: dataDir, ...variables }), log)
  running.push(server)
  return server
}

/** A process in production with what its role needs and nothing else. */
function production(role: string): Record<string, string> {
  const keyFile = join(dataDir, 'keys.json')
  writeFileSync(keyFile, createKeyFile({ randomBytes, now: new Date() }), { mode: 0o600 })
  return {
    NODE_ENV: 'production',
    ROLE: role,
    KEY_FILE: keyFile,
    TLS_TERMINATED_UPSTREAM: '1',
  }
}

async function get(port: number, path: string, token?: string): Promise<Response> {
  const headers = new Headers(token === undefined ? {} : { authorization: `Bearer ${token}` })
  return fetch(`http://${otherAddress}:${port}${path}`, { headers })
}

it.each(['secure', 'worker'])(
  'OPERATIONS_HOST opens probes and, to who has a token, metrics of ROLE=%s',
  async (role) => {
    const server = await start({ ...production(role), OPERATIONS_HOST: '0.0.0.0', METRICS_TOKEN: metricsToken })
    const port = server.ports.operations
    expect((await get(port, '/healthz')).status).toBe(200)
    expect((await get(port, '/readyz')).status).toBe(200)
    const refused = await get(port, '/metrics')
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect((await get(port, '/metrics', 'another-token-of-nobody')).status).toBe(401)
    expect((await get(port, '/metrics', '')).status).toBe(401)
    const metrics = await get(port, '/metrics', metricsToken)
    expect([metrics.status, (await metrics.text()).includes('kyc_relay_')]).toEqual([200, true])
    for (const path of ['/internal/v1/events', '/internal/v1/vault/reveal', '/api/v1/webhooks', '/portal'])
      expect([path, (await get(port, path, metricsToken)).status]).toEqual([path, 404])
  },
)

it('the internal token opens the metrics as well, outside production too', async () => {
  const server = await start({ ROLE: 'worker', OPERATIONS_HOST: '0.0.0.0', INTERNAL_TOKEN: internalToken })
  expect((await get(server.ports.operations, '/metrics')).status).toBe(401)
  expect((await get(server.ports.operations, '/metrics', internalToken)).status).toBe(200)
})

it('without OPERATIONS_HOST they are on loopback alone, whatever HOST says', async () => {
  const server = await start({ ...production('worker'), HOST: '0.0.0.0' })
  await expect(get(server.ports.operations, '/healthz')).rejects.toThrow()
  expect((await fetch(`http://127.0.0.1:${server.ports.operations}/metrics`)).status).toBe(200)
})

it('OPERATIONS_HOST never opens the internal API', async () => {
  const server = await start({
    ...production('api'),
    INTERNAL_TOKEN: internalToken,
    OPERATIONS_HOST: '0.0.0.0',
    HOST: '0.0.0.0',
  })
  await expect(get(server.ports.internal, '/healthz')).rejects.toThrow()
  expect((await fetch(`http://127.0.0.1:${server.ports.internal}/healthz`)).status).toBe(200)
  expect(server.ports.operations).toBe(0)
})

it('METRICS_TOKEN opens the metrics of the standard API and nothing else', async () => {
  const tokens = { INTERNAL_TOKEN: internalToken, METRICS_TOKEN: metricsToken }
  const server = await start({ ...production('api'), ...tokens, HOST: '0.0.0.0' })
  const refused = await get(server.ports.api, '/metrics')
  const { detail, title } = (await refused.json()) as { detail: string; title: string }
  expect([refused.status, detail]).toEqual([401, 'METRICS_TOKEN_REQUIRED'])
  expect(title).toMatch(/^METRICS_TOKEN or INTERNAL_TOKEN is required/)
  expect((await get(server.ports.api, '/metrics', metricsToken)).status).toBe(200)
  expect((await get(server.ports.api, '/metrics', internalToken)).status).toBe(200)
  const internal = await fetch(`http://127.0.0.1:${server.ports.internal}/internal/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${metricsToken}`, 'content-type': 'application/json' },
    body: '{}',
  })
  expect(internal.status).toBe(401)
})

it.each([
  ['EACCES', 'PORT_UNUSABLE'],
  ['EADDRNOTAVAIL', 'HOST_UNUSABLE'],
  ['EMFILE', 'EMFILE'],
])('a start without OPERATIONS_HOST does not hide %s of the listener behind a taken port', async (driverCode, code) => {
  const listen = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server) {
    queueMicrotask(() => this.emit('error', Object.assign(new Error(driverCode), { code: driverCode })))
    return this
  })
  onTestFinished(() => listen.mockRestore())
  await expect(start({ ROLE: 'worker' })).rejects.toMatchObject({ code })
  expect(logLines.filter((line) => line.includes('INTERNAL_PORT is taken'))).toEqual([])
})

it('a taken port or a wrong address refuses the start where OPERATIONS_HOST asked for it', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  try {
    const taken = { ROLE: 'worker', INTERNAL_PORT: String((other.address() as AddressInfo).port) }
    await expect(start({ ...taken, OPERATIONS_HOST: '127.0.0.1' })).rejects.toMatchObject({
      code: 'PORT_UNUSABLE',
      message: expect.stringMatching(/^INTERNAL_PORT: another process or setting uses port /) as string,
    })
    expect((await start(taken)).ports.operations).toBe(0)
    expect(logLines.filter((line) => line.includes('INTERNAL_PORT is taken'))).toHaveLength(1)
    await expect(start({ ROLE: 'worker', OPERATIONS_HOST: '192.0.2.1' })).rejects.toMatchObject({
      code: 'HOST_UNUSABLE',
      message: expect.stringMatching(/^OPERATIONS_HOST: expected an address/) as string,
    })
  } finally {
    other.close()
  }
})

it.each(['secure', 'worker'])(
  'ROLE=%s starts in production without the internal token, and makes none',
  async (role) => {
    const server = await start(production(role))
    expect((await fetch(`http://127.0.0.1:${server.ports.operations}/readyz`)).status).toBe(200)
    expect(logLines.join('')).not.toContain(metricsToken)
  },
)
