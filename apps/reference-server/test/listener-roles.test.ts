import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parseEnv } from '../src/env.js'
import { createLocalCertificates } from '../src/start/local-ca.js'
import { createLog } from '../src/operations/log.js'
import { startServer, type RunningServer } from '../src/server.js'
import { exchangeRaw, openRaw } from './http/raw-connection.js'
import { startTestServer, submissionDocument, submissionVariables } from './running-server.js'

const log = createLog({ logLevel: 'silent' })
let dataDir: string
let running: RunningServer | undefined
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-roles-'))
  running = undefined
})
afterEach(async () => {
  await running?.stop('TEST_ENDED')
  rmSync(dataDir, { recursive: true, force: true })
})

const start = async (variables: Record<string, string>): Promise<RunningServer> => {
  const ports = { PORT: '0', INTERNAL_PORT: '0', SECURE_PORT: '0' }
  running = await startServer(parseEnv({ ...ports, DATA_DIR: dataDir, ...variables }), log)
  return running
}

it('ROLE=secure serves the secure endpoint alone, beside a server that has the worker', async () => {
  const all = await startTestServer()
  try {
    const { ports } = await start({ ROLE: 'secure', DATA_DIR: all.dataDir })
    expect([ports.api, ports.internal, ports.secure > 0]).toEqual([0, 0, true])
    const answer = await all.call(`https://localhost:${ports.secure}/api/v1/graphql`, {
      body: { query: submissionDocument, variables: submissionVariables() },
      token: all.demo.users[0]?.accessToken ?? null,
    })
    expect(answer.json.data.postKycVerification.status).toBe('VERIFIED')
    for (const target of ['/api/v1/webhooks', '/portal', '/internal/v1/events', '/metrics']) {
      const other = await all.call(`https://localhost:${ports.secure}${target}`)
      expect([target, other.status]).toEqual([target, 404])
    }
    const read = await all.graphql('api', { query: '{ viewer { kycStatus } }' })
    expect(read.json.data.viewer.kycStatus).toBe('PASS')
    await running?.stop('TEST_ENDED')
    running = undefined
  } finally {
    await all.stop()
  }
})

it('ROLE=api serves no secure endpoint', async () => {
  const { ports } = await start({ ROLE: 'api' })
  expect([ports.secure, ports.api > 0, ports.internal > 0]).toEqual([0, true, true])
})

it('off loopback the secure endpoint does not start without TLS', async () => {
  for (const role of ['all', 'secure']) {
    for (const host of ['0.0.0.0', '::', 'example.com']) {
      const variables = { HOST: host, ROLE: role, ALLOW_NON_LOOPBACK_HOST: '1' }
      await expect(start(variables)).rejects.toMatchObject({ code: 'TLS_REQUIRED' })
    }
  }
  expect(existsSync(join(dataDir, 'kyc.db'))).toBe(false)
})

it('outside production the server listens on other addresses only when ALLOW_NON_LOOPBACK_HOST asks for it', async () => {
  const others: Record<string, string>[] = [{}, { NODE_ENV: 'test' }, { ROLE: 'api' }, { TLS_TERMINATED_UPSTREAM: '1' }]
  for (const host of ['0.0.0.0', '::', '192.0.2.1', '127.1', '128.0.0.1', '::ffff:127.0.0.1', 'example.com']) {
    for (const variables of others) {
      await expect(start({ HOST: host, ...variables })).rejects.toThrow(/^.*\n {2}- HOST: .*ALLOW_NON_LOOPBACK_HOST=1/)
    }
  }
  expect(existsSync(join(dataDir, 'keys.json'))).toBe(false)
  const { ports } = await start({ HOST: '0.0.0.0', ROLE: 'api', ALLOW_NON_LOOPBACK_HOST: '1' })
  expect(ports.api).toBeGreaterThan(0)
})

it.each(['localhost', '127.0.0.2', '::1'])('listens on %s without being asked twice', async (host) => {
  const { ports } = await start({ HOST: host, ROLE: 'api' })
  expect(ports.api).toBeGreaterThan(0)
})

it.each(['127.0.0.1', 'localhost', '127.0.0.2', '::1'])('serves the addresses of demo.json on %s', async (host) => {
  const server = await startTestServer({ HOST: host })
  try {
    const { apiUrl, internalUrl } = server.demo
    const answers = await Promise.all([
      server.call(`${apiUrl}/api/v1/webhooks`, { token: server.demo.apps[0]?.apiKey ?? null }),
      server.call(`${internalUrl}/readyz`),
      server.graphql('secure', { query: '{ __typename }' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  } finally {
    await server.stop()
  }
})

it('in production it does not start without TLS of its own, not even on loopback', async () => {
  const first = await start({ ROLE: 'secure' })
  await first.stop('TEST_ENDED')
  running = undefined
  const keyFile = join(dataDir, 'keys.json')
  const production = { NODE_ENV: 'production', ROLE: 'secure', INTERNAL_TOKEN: randomUUID(), KEY_FILE: keyFile }
  await expect(start(production)).rejects.toThrow('TLS_CERT_FILE and TLS_KEY_FILE: required in production')
})

it('a process without the secure endpoint needs no certificate, in production and off loopback', async () => {
  const first = await start({ ROLE: 'api' })
  await first.stop('TEST_ENDED')
  running = undefined
  const production = {
    NODE_ENV: 'production',
    HOST: '0.0.0.0',
    INTERNAL_TOKEN: randomUUID(),
    KEY_FILE: join(dataDir, 'keys.json'),
  }
  for (const role of ['api', 'worker']) {
    const server = await start({ ...production, ROLE: role })
    expect([role, server.ports.secure]).toEqual([role, 0])
    await server.stop('TEST_ENDED')
    running = undefined
  }
})

it('with a certificate it answers for the names in it, and for probes', async () => {
  const { caPem, certificatePem, privateKeyPem } = await createLocalCertificates(new Date())
  writeFileSync(join(dataDir, 'cert.pem'), certificatePem)
  writeFileSync(join(dataDir, 'key.pem'), privateKeyPem)
  const { ports } = await start({
    ROLE: 'secure',
    TLS_CERT_FILE: join(dataDir, 'cert.pem'),
    TLS_KEY_FILE: join(dataDir, 'key.pem'),
  })
  const get = async (host: string, path: string) =>
    (await exchangeRaw({ port: ports.secure, ca: caPem }, `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`)).status
  expect(await get('localhost', '/')).toBe(404)
  expect(await get('kyc.example', '/')).toBe(421)
  expect(await get('kyc.example', '/healthz')).toBe(200)
})

it('behind a proxy that ends TLS it speaks plain HTTP and leaves names to the proxy', async () => {
  const { ports } = await start({ ROLE: 'secure', TLS_TERMINATED_UPSTREAM: '1' })
  const answer = await exchangeRaw({ port: ports.secure }, 'GET / HTTP/1.1\r\nhost: kyc.example\r\n\r\n')
  expect(answer.json.errors[0].extensions.code).toBe('NOT_FOUND')
  const connection = await openRaw({ port: ports.secure })
  connection.send(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]))
  expect((await connection.answer()).status).toBe(400)
  await connection.closed()
})
