import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { DemoFile } from '../../src/start/demo-file.js'
import { startReceiver } from '../local-receiver.js'
import { startServerProcess, type ServerProcess } from '../processes/server-process.js'
import { submissionDocument, submissionVariables } from '../running-server.js'
import { callsTo, clientOf } from './server-calls.js'

// Every case starts processes of the built server: a busy machine takes seconds for each.
vi.setConfig({ testTimeout: 120_000 })

/** On a busy machine. */
const polling = { timeout: 30_000 }

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'kyc-relay-faults-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

async function start(variables: Record<string, string> = {}, limit?: string): Promise<ServerProcess> {
  const server = await startServerProcess(dataDir, variables, limit)
  onTestFinished(async () => void (await server.end('SIGKILL')))
  return server
}

async function receiverOf(demo: DemoFile) {
  const receiver = await startReceiver(demo)
  onTestFinished(() => receiver.close())
  return receiver
}

function rows<Row>(sql: string): Row[] {
  const database = new Database(join(dataDir, 'kyc.db'), { readonly: true })
  const found = database.prepare<[], Row>(sql).all()
  database.close()
  return found
}
const states = (table: 'deliveries' | 'attempts') =>
  rows<{ state: string }>(`SELECT state FROM kyc_relay_${table} ORDER BY rowid`).map(({ state }) => state)

it('a process without file descriptors serves whom it has, loses nothing, and recovers', async () => {
  const server = await start({}, 'ulimit -n 256')
  const { demo } = server
  const receiver = await receiverOf(demo)
  const { register, publish, submit } = callsTo(server, 1)
  await register(receiver.url('/fd'))
  expect((await submit()).status).toBe(200)
  expect((await publish()).status).toBe(202)
  await receiver.arrived('/fd', 1)

  const { hostname, port } = new URL(demo.apiUrl)
  const crowd: Socket[] = []
  for (let count = 0; count < 300; count += 1) {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    crowd.push(socket)
  }
  // Connections made before are served; the new ones have taken every descriptor there was.
  await expect.poll(() => readdirSync(`/proc/${server.process.pid}/fd`).length, polling).toBeGreaterThan(250)
  // Connections made before are served. Attempts that find no socket give their number back and are made later.
  const published = await Promise.all(Array.from({ length: 8 }, () => publish()))
  expect(published.map(({ status }) => status)).toEqual(published.map(() => 202))
  expect((await submit()).status).toBe(200)
  for (const socket of crowd) socket.destroy()

  const { deliveries } = JSON.parse((await publish()).text) as { deliveries: { deliveryId: string }[] }
  const delivered = `state = 'DELIVERED' AND attempts_made = 1`
  const ofLast = `SELECT 1 FROM kyc_relay_deliveries WHERE ${delivered} AND delivery_id = '${deliveries[0]?.deliveryId}'`
  await expect.poll(() => rows(ofLast).length, polling).toBe(1)
  // An attempt that found no socket gave its number back and waits half a minute; no attempt failed for it.
  const waiting = `state = 'PENDING' AND attempts_made = 0 AND unsent_since IS NOT NULL`
  const unfinished = () => rows(`SELECT * FROM kyc_relay_deliveries WHERE NOT (${delivered}) AND NOT (${waiting})`)
  await expect.poll(unfinished, polling).toEqual([])
  expect((await clientOf(demo)(`${demo.apiUrl}/readyz`, null)).status).toBe(200)
  expect((await submit()).status).toBe(200)
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null })
})

it('a process that stands still for 5 s runs no attempt twice, and its metrics tell of it', async () => {
  const server = await start()
  const receiver = await receiverOf(server.demo)
  const { register, publish, metric } = callsTo(server)
  await register(receiver.url('/stall'))
  let answer = () => {}
  const stopped = new Promise<void>((resolve) => {
    receiver.answerBy('/stall', () => {
      // The attempt is under way: from here on its process does nothing.
      server.process.kill('SIGSTOP')
      answer = resolve
      return 200
    })
  })
  expect((await publish()).status).toBe(202)
  await receiver.arrived('/stall', 1)
  setTimeout(() => {
    server.process.kill('SIGCONT')
    answer()
  }, 5_000)
  await stopped
  await expect.poll(() => states('deliveries'), polling).toEqual(['DELIVERED'])
  expect(states('attempts')).toEqual(['SUCCEEDED'])
  expect(receiver.received.filter(({ path }) => path === '/stall')).toHaveLength(1)
  expect(await metric('nodejs_eventloop_lag_max_seconds')).toBeGreaterThan(4)
})

it('a process with little memory answers a flood or refuses it, and lives', async () => {
  const server = await start({ NODE_OPTIONS: '--max-old-space-size=64' })
  const { submit } = callsTo(server)
  const { personData, ...rest } = { personData: { note: 'x'.repeat(8_000) }, ...submissionVariables() }
  const person = { ...(rest as { person: object }).person, personData }
  const answers = new Map<number, number>()
  let left = 500
  const senders = Array.from({ length: 32 }, async () => {
    while (left > 0) {
      left -= 1
      const { status } = await submit({ person })
      answers.set(status, (answers.get(status) ?? 0) + 1)
    }
  })
  await Promise.all(senders)
  expect([...answers.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([])
  expect(answers.get(200) ?? 0).toBeGreaterThan(0)
  expect(rows<{ count: number }>('SELECT count(*) AS count FROM kyc_relay_verifications')).toEqual([
    { count: answers.get(200) },
  ])
  expect((await submit()).status).toBe(200)
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null })
})

it('a process works on beside a newer one that added to the schema, and does not start on it afterwards', async () => {
  const server = await start()
  const { submit, publish } = callsTo(server)
  expect((await submit()).status).toBe(200)
  // What the next version may do while this one runs: add, and write down that it did.
  const newer = new Database(join(dataDir, 'kyc.db'))
  newer.exec(`BEGIN IMMEDIATE;
    ALTER TABLE kyc_relay_verifications ADD COLUMN later TEXT;
    ALTER TABLE kyc_relay_events ADD COLUMN later TEXT;
    ALTER TABLE kyc_relay_deliveries ADD COLUMN later INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE kyc_relay_later (later TEXT) STRICT;
    INSERT INTO kyc_relay_migrations SELECT max(number) + 1, '9999_later', 'sha', 'sha', 0 FROM kyc_relay_migrations;
    COMMIT`)
  newer.close()
  expect((await submit()).status).toBe(200)
  expect((await publish()).status).toBe(202)
  expect(rows<{ count: number }>('SELECT count(*) AS count FROM kyc_relay_verifications')).toEqual([{ count: 2 }])
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null })
  await expect(start()).rejects.toThrow('newer version of the package')
})

it('after a restore of an older backup it works on; what was pending is sent again under its old id', async () => {
  const first = await start()
  const receiver = await receiverOf(first.demo)
  const calls = callsTo(first)
  await calls.register(receiver.url('/restored'))
  receiver.answerBy('/restored', ({ headers }) => (headers['x-event-id'] === lost ? 200 : 500))
  let lost = ''
  expect((await calls.publish('before')).status).toBe(202)
  const [pending] = await receiver.arrived('/restored', 1)
  const pendingId = pending?.headers['x-event-id'] ?? ''
  for (const name of ['kyc.db', 'vault.db']) {
    const database = new Database(join(dataDir, name), { readonly: true })
    await database.backup(join(dataDir, `${name}.backup`))
    database.close()
  }
  const afterBackup = { externalVerificationId: 'after-the-backup' }
  expect((await calls.submit(afterBackup)).text).toContain('VERIFIED')
  const { deliveries } = JSON.parse((await calls.publish('after')).text) as { deliveries: { deliveryId: string }[] }
  const [row] = rows<{ id: string }>(
    `SELECT x_event_id AS id FROM kyc_relay_deliveries WHERE delivery_id = '${deliveries[0]?.deliveryId}'`,
  )
  lost = row?.id ?? ''
  await first.end('SIGKILL')

  for (const name of ['kyc.db', 'vault.db']) {
    for (const file of readdirSync(dataDir)) {
      if (file.startsWith(name) && !file.endsWith('.backup')) rmSync(join(dataDir, file))
    }
    copyFileSync(join(dataDir, `${name}.backup`), join(dataDir, name))
  }
  receiver.answerBy('/restored', () => 200)
  const second = await start()
  const again = callsTo(second)
  await expect.poll(() => states('deliveries'), polling).toEqual(['DELIVERED'])
  const ids = new Set(receiver.received.map(({ headers }) => headers['x-event-id']))
  expect([...ids].filter((id) => id !== pendingId && id !== lost)).toEqual([])
  // What came after the backup is not known any more: told again it is new, as docs/operate.md says.
  expect((await again.submit(afterBackup)).text).not.toContain('"replayed":true')
  expect((await again.publish('after')).status).toBe(202)
  await expect.poll(() => states('deliveries'), polling).toEqual(['DELIVERED', 'DELIVERED'])
  const newest = receiver.received.at(-1)?.headers['x-event-id']
  expect([pendingId, lost]).not.toContain(newest)
})

it('proxies, search domains and authorities of the environment have no say in what is sent', async () => {
  const contacted: string[] = []
  const proxy = createServer((socket) => {
    contacted.push('proxy')
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const server = await start({
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    ALL_PROXY: url,
    http_proxy: url,
    https_proxy: url,
    all_proxy: url,
    NODE_USE_ENV_PROXY: '1',
    LOCALDOMAIN: 'search.example',
    // A bundle that is missing takes no trust away and adds none.
    SSL_CERT_FILE: '/nonexistent/bundle.pem',
    SSL_CERT_DIR: '/nonexistent',
  })
  const receiver = await receiverOf(server.demo)
  const { register, publish, call } = callsTo(server)
  await register(receiver.url('/direct'))
  expect((await publish()).status).toBe(202)
  await receiver.arrived('/direct', 1)
  await expect.poll(() => states('deliveries'), polling).toEqual(['DELIVERED'])
  expect((await call(`${server.demo.apiUrl}/readyz`, null)).status).toBe(200)
  expect(contacted).toEqual([])
})

it('a submission whose token expires while its body is on the way is checked at one instant: accepted', async () => {
  const server = await start()
  const { demo } = server
  const [user] = demo.users
  const { call } = callsTo(server)
  const body = JSON.stringify({ query: submissionDocument, variables: submissionVariables() })
  const sent = httpsRequest(`${demo.secureUrl}/api/v1/graphql`, {
    method: 'POST',
    ca: readFileSync(demo.caFile),
    agent: false,
    headers: {
      authorization: `Bearer ${user?.accessToken}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    },
  })
  sent.flushHeaders()
  // The token was looked at: the body is asked for after that.
  await once(sent, 'continue')
  const database = new Database(join(dataDir, 'kyc.db'))
  database.exec('UPDATE kyc_relay_access_tokens SET expires_at = 1')
  database.close()
  const late = await call(`${demo.secureUrl}/api/v1/graphql`, user?.accessToken ?? '', { query: '{ x }' })
  expect(late.status).toBe(401)
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [AsyncIterable<Buffer> & { statusCode: number }]
  let text = ''
  for await (const chunk of answer) text += chunk.toString()
  expect([answer.statusCode, text]).toEqual([200, expect.stringContaining('"VERIFIED"')])
})
