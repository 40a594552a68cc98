import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:https'
import { connect } from 'node:net'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createKeyFile } from '@kyc-relay/kyc-core/node'
import { randomBytes } from 'node:crypto'
import Database from 'better-sqlite3'
import { Agent, request } from 'undici'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseEnv } from '../../src/env.js'
import { createLog } from '../../src/operations/log.js'
import { startServer } from '../../src/server.js'
import type { DemoFile } from '../../src/start/demo-file.js'
import { startFailureLine } from '../../src/start/start-failure.js'
import { startServerProcess, type ServerProcess } from '../processes/server-process.js'
import { submissionDocument, submissionVariables } from '../running-server.js'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-operations-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

async function start(variables: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServerProcess(dataDir, variables)
  onTestFinished(async () => void (await server.end('SIGKILL')))
  return server
}

/** A receiver that answers when it is told to, and says when something has arrived. */
async function startReceiver(demo: DemoFile) {
  const waiting: ServerResponse[] = []
  const listeners = new Set<() => void>()
  const receiver = createServer(
    { cert: readFileSync(demo.receiverCertFile), key: readFileSync(demo.receiverKeyFile) },
    (incoming, response) => {
      incoming.resume()
      waiting.push(response)
      listeners.forEach((look) => look())
    },
  )
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    receiver.close()
    receiver.closeAllConnections()
  })
  return {
    url: `https://localhost:${(receiver.address() as AddressInfo).port}/`,
    arrived: (count: number) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (waiting.length < count) return
          listeners.delete(look)
          resolve()
        }
        listeners.add(look)
        look()
      }),
    answerAll: () => waiting.splice(0).forEach((response) => response.writeHead(200).end()),
  }
}

function clientOf(demo: DemoFile) {
  const agent = new Agent({ connect: { ca: readFileSync(demo.caFile, 'utf8') } })
  onTestFinished(() => agent.destroy())
  return async (url: string, token: string | null, body?: unknown) => {
    const answer = await request(url, {
      dispatcher: agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.statusCode, text: await answer.body.text() }
  }
}

const user = (demo: DemoFile) => demo.users[0] ?? { appId: '', userId: '', accessToken: '' }
const deposit = (demo: DemoFile) => ({
  appId: user(demo).appId,
  userId: user(demo).userId,
  eventType: 'WIDGET_DEPOSIT_COMPLETE',
  data: { amount: 100.5 },
})
const submission = () => ({ query: submissionDocument, variables: submissionVariables() })

function rows<Row>(sql: string): Row[] {
  const database = new Database(join(dataDir, 'kyc.db'), { readonly: true })
  const found = database.prepare<[], Row>(sql).all()
  database.close()
  return found
}

/** Where a process listens, as its log says. */
function portOf(server: ServerProcess, listener: string): number {
  const line = server
    .output()
    .split('\n')
    .find((text) => text.includes('"listening"') && text.includes(`"${listener}"`))
  return (JSON.parse(line ?? '{}') as { port?: number }).port ?? 0
}

describe('roles', () => {
  it('api, secure and worker as three processes on one database do the whole work together', async () => {
    const first = await start()
    const { demo } = first
    const call = clientOf(demo)
    const receiver = await startReceiver(demo)
    await call(`${demo.apiUrl}/api/v1/webhooks`, demo.apps[0]?.apiKey ?? '', { url: receiver.url })
    await first.end('SIGTERM')

    const [api, secure] = await Promise.all([start({ ROLE: 'api' }), start({ ROLE: 'secure' })])
    const graphql = `https://localhost:${portOf(secure, 'secure')}/api/v1/graphql`
    expect((await call(graphql, user(demo).accessToken, submission())).text).toContain('"VERIFIED"')
    const events = `http://127.0.0.1:${portOf(api, 'internal')}/internal/v1/events`
    expect((await call(events, demo.internalToken, deposit(demo))).status).toBe(202)
    expect(rows('SELECT state FROM kyc_relay_deliveries')).toEqual([{ state: 'PENDING' }])
    const worker = await start({ ROLE: 'worker' })
    await receiver.arrived(1)
    receiver.answerAll()
    await expect.poll(() => rows('SELECT state FROM kyc_relay_deliveries')).toEqual([{ state: 'DELIVERED' }])
    expect(await worker.end('SIGTERM')).toEqual({ code: 0, signal: null })
  })
})

describe('SIGTERM', () => {
  it('under load lets attempts and requests under way end, records them, and exits with 0', async () => {
    const server = await start()
    const { demo } = server
    const call = clientOf(demo)
    const receiver = await startReceiver(demo)
    await call(`${demo.apiUrl}/api/v1/webhooks`, demo.apps[0]?.apiKey ?? '', { url: receiver.url })
    for (let number = 0; number < 4; number += 1) {
      await call(`${demo.internalUrl}/internal/v1/events`, demo.internalToken, deposit(demo))
    }
    await receiver.arrived(4)
    let answered = 0
    let unreachable = 0
    const load = Array.from({ length: 8 }, async () => {
      while (unreachable === 0) {
        const answer = await call(`${demo.secureUrl}/api/v1/graphql`, user(demo).accessToken, submission()).catch(
          () => null,
        )
        if (answer === null) unreachable += 1
        else if (answer.status === 200 && answer.text.includes('verificationId')) answered += 1
        else expect([answer.status, answer.text]).toEqual([503, expect.any(String)])
      }
    })
    await expect.poll(() => answered).toBeGreaterThan(20)
    const ended = server.end('SIGTERM')
    await Promise.all(load)
    receiver.answerAll()
    expect(await ended).toEqual({ code: 0, signal: null })
    expect(rows('SELECT state FROM kyc_relay_attempts')).toEqual(
      Array.from({ length: 4 }, () => ({ state: 'SUCCEEDED' })),
    )
    expect(rows("SELECT state FROM kyc_relay_deliveries WHERE state <> 'DELIVERED'")).toEqual([])
    expect(
      rows<{ count: number }>('SELECT count(*) AS count FROM kyc_relay_verifications')[0]?.count,
    ).toBeGreaterThanOrEqual(answered)
  })

  it('twice ends at once, whatever hangs', async () => {
    const server = await start()
    const { demo } = server
    const call = clientOf(demo)
    const receiver = await startReceiver(demo)
    await call(`${demo.apiUrl}/api/v1/webhooks`, demo.apps[0]?.apiKey ?? '', { url: receiver.url })
    await call(`${demo.internalUrl}/internal/v1/events`, demo.internalToken, deposit(demo))
    await receiver.arrived(1)
    const ended = server.end('SIGTERM')
    // The same signal within a second is taken for one: npm passes a Ctrl-C on that the server has had already.
    const again = setInterval(() => server.process.kill('SIGTERM'), 100)
    expect(await ended).toEqual({ code: 1, signal: null })
    clearInterval(again)
  })
})

describe('standard output', () => {
  /** A request that is refused before routing: it costs little and makes a log line. */
  const refusedRequests = async (url: string, count: number) => {
    const agent = new Agent({ connections: 20 })
    const refused = Array.from({ length: count }, () =>
      request(url, { dispatcher: agent, headers: { host: 'elsewhere.example' } }).then(async ({ statusCode, body }) => {
        await body.dump()
        return statusCode
      }),
    )
    expect(new Set(await Promise.all(refused))).toEqual(new Set([421]))
    await agent.close()
  }

  it('that nobody reads does not stop the service', async () => {
    const server = await start()
    server.process.stdout?.removeAllListeners('data').pause()
    // Far more than the pipe holds.
    for (let batch = 0; batch < 4; batch += 1) await refusedRequests(`${server.demo.apiUrl}/api/v1/webhooks`, 300)
    expect((await clientOf(server.demo)(`${server.demo.apiUrl}/readyz`, null)).status).toBe(200)
    expect((await server.end('SIGTERM')).code).toBe(0)
  })

  it('that was closed does not stop the service, and the lines are counted', async () => {
    const server = await start()
    server.process.stdout?.destroy()
    await refusedRequests(`${server.demo.apiUrl}/api/v1/webhooks`, 20)
    const call = clientOf(server.demo)
    const droppedLines = async () => {
      const { text } = await call(`${server.demo.internalUrl}/metrics`, null)
      return Number(/^kyc_relay_log_lines_dropped_total (\d+)$/m.exec(text)?.[1])
    }
    await expect.poll(droppedLines).toBeGreaterThan(0)
    expect((await server.end('SIGTERM')).code).toBe(0)
  })
})

it('a database file found damaged ends the process at once', async () => {
  const server = await start()
  const { demo } = server
  const ended = new Promise<number | null>((resolve) => server.process.once('close', resolve))
  const pages = rows<{ page: number }>(`SELECT rootpage AS page FROM sqlite_schema WHERE tbl_name = 'kyc_relay_events'`)
  const checkpoint = new Database(join(dataDir, 'kyc.db'))
  checkpoint.pragma('wal_checkpoint(TRUNCATE)')
  checkpoint.close()
  const file = openSync(join(dataDir, 'kyc.db'), 'r+')
  for (const { page } of pages) writeSync(file, Buffer.alloc(4_096, 0xa5), 0, 4_096, (page - 1) * 4_096)
  closeSync(file)
  const answer = await clientOf(demo)(
    `${demo.internalUrl}/internal/v1/events`,
    demo.internalToken,
    deposit(demo),
  ).catch(() => null)
  // Refused, or cut off by the end of the process: never accepted.
  expect(answer?.status ?? 503).toBeGreaterThanOrEqual(500)
  expect(await ended).toBe(70)
  expect(server.output()).toContain('"the database failed; ending"')
})

describe('a start that is refused names the setting, never its value', () => {
  const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
  const ports = { PORT: '0', INTERNAL_PORT: '0', SECURE_PORT: '0' }
  const production = {
    NODE_ENV: 'production',
    TLS_TERMINATED_UPSTREAM: '1',
    INTERNAL_TOKEN: 'an-internal-token-of-a-test',
  }
  const file = (name: string, text: string) => {
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(join(dataDir, name), text)
    return join(dataDir, name)
  }
  const refusals: readonly [string, () => Record<string, string>, string[]][] = [
    [
      'malformed settings',
      () => ({ PORT: 'canary', ROLE: 'canary', OAUTH_ISSUER: 'canary' }),
      ['PORT', 'ROLE', 'OAUTH_ISSUER'],
    ],
    ['an OAuth server without an audience', () => ({ OAUTH_ISSUER: 'https://canary.example.com' }), ['OAUTH_AUDIENCE']],
    [
      'an OAuth server without TLS',
      () => ({ OAUTH_ISSUER: 'http://canary.example.com', OAUTH_AUDIENCE: 'canary' }),
      ['OAUTH_ISSUER'],
    ],
    [
      'secrets that are missing in production, beside what is malformed',
      () => ({ NODE_ENV: 'production', PORT: 'canary' }),
      ['INTERNAL_TOKEN', 'KEY_FILE', 'TLS_CERT_FILE', 'PORT'],
    ],
    ['a key file that is missing', () => ({ ...production, KEY_FILE: join(dataDir, 'canary') }), ['KEY_FILE']],
    ['a key file that is none', () => ({ ...production, KEY_FILE: file('canary.json', '{"canary":1}') }), ['KEY_FILE']],
    [
      'TLS files that are missing',
      () => ({ TLS_CERT_FILE: '/canary', TLS_KEY_FILE: '/canary' }),
      ['TLS_CERT_FILE', 'TLS_KEY_FILE'],
    ],
    [
      'TLS files that are none',
      () => ({ TLS_CERT_FILE: file('canary.pem', 'canary'), TLS_KEY_FILE: file('canary.key', 'canary') }),
      ['TLS_CERT_FILE', 'TLS_KEY_FILE'],
    ],
    [
      'certificate checks switched off',
      () => ({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }),
      ['NODE_TLS_REJECT_UNAUTHORIZED'],
    ],
    ['a data folder below a file', () => ({ DATA_DIR: join(file('canary', ''), 'below') }), ['DATA_DIR']],
    ['a data folder that is a file', () => ({ DATA_DIR: file('canary', '') }), ['DATA_DIR']],
    // A folder that is there, in which nobody can make anything, root included.
    ['a data folder that is not writable', () => ({ DATA_DIR: '/proc/self/' }), ['DATA_DIR']],
    // Where Node's recursive mkdir never comes back.
    ['a data folder that cannot be made', () => ({ DATA_DIR: '/proc/nope' }), ['DATA_DIR']],
    ['a key file whose folder cannot be made', () => ({ KEY_FILE: '/proc/nope/canary.json' }), ['KEY_FILE']],
    ['a photo folder that cannot be made', () => ({ PHOTO_STORAGE: 'file:/proc/nope/canary' }), ['PHOTO_STORAGE']],
    [
      'an address that is not ours',
      () => ({ HOST: '192.0.2.1', ALLOW_NON_LOOPBACK_HOST: '1', TLS_TERMINATED_UPSTREAM: '1' }),
      ['HOST: expected an address or a host name of this machine'],
    ],
    ['an address that others reach', () => ({ HOST: '0.0.0.0' }), ['HOST', 'ALLOW_NON_LOOPBACK_HOST']],
  ]

  const refusedStart = (variables: Record<string, string>) =>
    new Promise<{ code: number | null; told: string }>((resolve) => {
      const env = { PATH: process.env['PATH'], ...ports, DATA_DIR: dataDir, ...variables }
      const child = spawn(process.execPath, [main], { env })
      let told = ''
      child.stdout.on('data', (chunk: Buffer) => (told += chunk.toString()))
      child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()))
      child.once('close', (code) => resolve({ code, told }))
    })

  /** What a start logs and prints. It runs in this process: start-failure.test.ts shows that a process exits with 1. */
  async function startHere(variables: Record<string, string>): Promise<string> {
    let told = ''
    const log = createLog({ logLevel: 'info' }, { write: (line) => void (told += line) })
    try {
      const server = await startServer(parseEnv({ ...ports, DATA_DIR: dataDir, ...variables }), log)
      await server.stop('TEST_ENDED')
      return `${told}It started.`
    } catch (error) {
      return told + startFailureLine(error, { production: false, at: new Date() })
    }
  }

  it.each(refusals)('%s', async (_name, variables, names) => {
    const told = await startHere(variables())
    expect(told).not.toContain('It started.')
    for (const name of names) expect(told).toContain(name)
    expect(told).not.toContain('canary')
  })

  it('a key file of another installation', async () => {
    const server = await start()
    const { demo } = server
    await clientOf(demo)(`${demo.secureUrl}/api/v1/graphql`, user(demo).accessToken, submission())
    await server.end('SIGTERM')
    writeFileSync(join(dataDir, 'other-keys.json'), createKeyFile({ randomBytes, now: new Date() }))
    const { code, told } = await refusedStart({ KEY_FILE: join(dataDir, 'other-keys.json') })
    expect([code, told]).toEqual([1, expect.stringContaining('KEY_FILE lacks an audit key')])
    // With a vault of its own it fits, and the API keys are still those of the other installation.
    const withOtherVault = await refusedStart({
      KEY_FILE: join(dataDir, 'other-keys.json'),
      VAULT_DATABASE_URL: `file:${join(dataDir, 'other-vault.db')}`,
    })
    expect([withOtherVault.code, withOtherVault.told]).toEqual([1, expect.stringContaining('the API keys of apps')])
    const again = await start()
    expect(again.output()).toContain('"msg":"started"')
  })
})

it('logs that no file descriptor is left, and serves again when some are', async () => {
  const server = await startServerProcess(dataDir, {}, 'ulimit -n 80')
  onTestFinished(async () => void (await server.end('SIGKILL')))
  const { port } = new URL(server.demo.apiUrl)
  const sockets = Array.from({ length: 100 }, () => connect(Number(port), '127.0.0.1').on('error', () => undefined))
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  const line = await new Promise<string>((resolve) => {
    server.process.stdout?.on('data', () => {
      const found = server
        .output()
        .split('\n')
        .find((one) => one.includes('no file descriptor is left'))
      if (found !== undefined) resolve(found)
    })
  })
  expect(JSON.parse(line)).toMatchObject({ level: 50, code: 'EMFILE' })
  sockets.forEach((socket) => socket.destroy())
  await vi.waitFor(async () => expect((await fetch(`${server.demo.apiUrl}/healthz`)).status).toBe(200))
})
