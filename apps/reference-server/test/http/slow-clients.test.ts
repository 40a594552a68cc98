import { Hono } from 'hono'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { graphqlErrorBody } from '../../src/http/error-bodies.js'
import { readJsonObject } from '../../src/http/json-body.js'
import { startListener, type Listener } from '../../src/http/listener.js'
import { createLoadShedding } from '../../src/http/load-shedding/load-shedding.js'
import type { EdgeEnv } from '../../src/http/request-context.js'
import { anyHost } from '../../src/http/served-hosts.js'
import { createLocalCertificates } from '../../src/start/local-ca.js'
import { createLog } from '../../src/operations/log.js'
import { expectGraphqlRefusal } from '../expect-refusal.js'
import { openRaw, type RawTarget } from './raw-connection.js'

const lines: string[] = []
const printed = vi.spyOn(console, 'error')
let plain: Listener
let secure: Listener
let headOnly: Listener
let full: Listener
let targets: RawTarget[]
let listen: (
  isSecure: boolean,
  requestMs?: number,
) => Promise<{ readonly listener: Listener; readonly target: RawTarget }>
let bodiesRead = 0
let isLongRunning = false
let readLate: (body: unknown) => void
let hasArrived: () => void = () => undefined

beforeAll(async () => {
  const app = new Hono<EdgeEnv>()
  app.post('/read', async (c) => {
    const body = await readJsonObject(c)
    bodiesRead += body.ok ? 1 : 0
    return c.json({ read: body.ok })
  })
  app.get('/long', async (c) => {
    isLongRunning = true
    // Longer than the time of a request.
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    return c.json({})
  })
  // Like a route that is still looking something up when its client goes away.
  app.post('/late', async (c) => {
    hasArrived()
    await new Promise((resolve) => c.env.incoming.once('close', resolve))
    readLate(await readJsonObject(c))
    return c.json({})
  })
  const { caPem, certificatePem, privateKeyPem } = await createLocalCertificates(new Date())
  const options = {
    app,
    host: '127.0.0.1',
    port: 0,
    servesHost: anyHost,
    errorBody: graphqlErrorBody,
    name: 'secure' as const,
    log: createLog({ logLevel: 'info' }, { write: (line) => void lines.push(line) }),
    loadShedding: createLoadShedding({ maxInFlight: 1_000 }),
    connections: { max: 100, onDropped: () => undefined },
    // Long enough for a TLS handshake on a busy machine.
    timeouts: { headMs: 1_000, requestMs: 1_500, checkMs: 10 },
  }
  plain = await startListener({ ...options, tls: null })
  secure = await startListener({ ...options, tls: { cert: certificatePem, key: privateKeyPem } })
  headOnly = await startListener({ ...options, tls: null, timeouts: { ...options.timeouts, requestMs: 60_000 } })
  full = await startListener({ ...options, tls: null, loadShedding: createLoadShedding({ maxInFlight: 0 }) })
  targets = [{ port: plain.port }, { port: secure.port, ca: caPem }]
  listen = async (isSecure, requestMs = options.timeouts.requestMs) => {
    const tls = isSecure ? { cert: certificatePem, key: privateKeyPem } : null
    const listener = await startListener({ ...options, tls, timeouts: { ...options.timeouts, requestMs } })
    return { listener, target: { port: listener.port, ...(isSecure ? { ca: caPem } : {}) } }
  }
})
afterAll(() => Promise.all([plain.close(), secure.close(), headOnly.close(), full.close()]))

const slowRequests = [
  ['a head that never ends', 'POST /read HTTP/1.1\r\nhost: localhost\r\nx-slow: '],
  ['a connection that says nothing', ''],
  [
    'a body that never ends',
    'POST /read HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a":',
  ],
  [
    'chunks that never end',
    'POST /read HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{"\r\n',
  ],
] as const

it.concurrent.each(slowRequests)('%s is answered 408 and closed', async (_name, bytes) => {
  await Promise.all(
    targets.map(async (target) => {
      const connection = await openRaw(target)
      connection.send(bytes)
      expectGraphqlRefusal(await connection.answer(), 408, 'BAD_REQUEST', 'REQUEST_TIMEOUT')
      await connection.closed()
    }),
  )
  expect(bodiesRead).toBe(0)
})

it.concurrent.each(slowRequests)('%s holds up a stop for the time of a request at most', async (_name, bytes) => {
  await Promise.all(
    [false, true].map(async (isSecure) => {
      const { listener, target } = await listen(isSecure)
      const connection = await openRaw(target)
      connection.send(bytes)
      const second = await openRaw(target)
      second.send('GET /missing HTTP/1.1\r\nhost: localhost\r\n\r\n')
      expect((await second.answer()).status).toBe(404)
      second.send(bytes)
      await listener.close()
    }),
  )
})

it.concurrent('a connection that has said nothing does not hold up a stop for the time of a request', async () => {
  await Promise.all(
    [false, true].map(async (isSecure) => {
      const { listener, target } = await listen(isSecure, 600_000)
      await openRaw(target)
      await listener.close()
    }),
  )
})

it.concurrent('a stop waits for a request that is on its way on a new connection', async () => {
  const { listener, target } = await listen(false)
  const connection = await openRaw(target)
  const stopped = listener.close()
  // Longer than the time between two checks.
  await new Promise((resolve) => setTimeout(resolve, 200))
  connection.send('GET /missing HTTP/1.1\r\nhost: localhost\r\n\r\n')
  expect((await connection.answer()).status).toBe(404)
  await stopped
})

it.concurrent('a stop waits longer for a request that has arrived', async () => {
  const { listener, target } = await listen(false)
  const connection = await openRaw(target)
  connection.send('GET /long HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await vi.waitFor(() => expect(isLongRunning).toBe(true))
  const stopped = listener.close()
  expect((await connection.answer()).status).toBe(200)
  await stopped
})

it('a head that never ends is not given the time of a body', async () => {
  const connection = await openRaw({ port: headOnly.port })
  connection.send('POST /read HTTP/1.1\r\nhost: localhost\r\nx-slow: ')
  expectGraphqlRefusal(await connection.answer(), 408, 'BAD_REQUEST', 'REQUEST_TIMEOUT')
  await connection.closed()
})

it('one byte after the other does not help', async () => {
  const connection = await openRaw({ port: plain.port })
  const drip = setInterval(() => connection.send('x'), 5)
  connection.send(
    'POST /read HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n',
  )
  try {
    expectGraphqlRefusal(await connection.answer(), 408, 'BAD_REQUEST', 'REQUEST_TIMEOUT')
    await connection.ended()
  } finally {
    clearInterval(drip)
    connection.socket.destroy()
  }
})

it('a refused client that keeps sending is cut off', async () => {
  const connection = await openRaw({ port: plain.port })
  const drip = setInterval(() => connection.send('x'), 5)
  connection.send('POST /read HTTP/1.1\r\nhost: localhost\r\nhost: other\r\ncontent-length: 100000\r\n\r\n')
  try {
    expectGraphqlRefusal(await connection.answer(), 400, 'BAD_REQUEST', 'DUPLICATE_HEADER')
    await connection.ended()
  } finally {
    clearInterval(drip)
    connection.socket.destroy()
  }
})

it('a body whose client is gone before anybody reads it is not waited for', async () => {
  const body = new Promise((resolve) => (readLate = resolve))
  const connection = await openRaw({ port: plain.port })
  connection.send(
    'POST /late HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a":',
  )
  connection.socket.end()
  expect(await body).toEqual({ ok: false, refusal: { code: 'BAD_REQUEST', detail: 'BODY_CUT_OFF' } })
  connection.socket.destroy()
})

it('a broken client that does not hang up is cut off', async () => {
  const connection = await openRaw({ port: plain.port, allowHalfOpen: true })
  connection.send('not http at all\r\n\r\n')
  expectGraphqlRefusal(await connection.answer(), 400, 'BAD_REQUEST', 'HTTP_SYNTAX')
  const reset = new Promise((resolve) => connection.socket.once('error', resolve))
  const drip = setInterval(() => connection.send('x'), 5)
  try {
    expect(await reset).toMatchObject({ code: expect.stringMatching(/ECONNRESET|EPIPE/) })
  } finally {
    clearInterval(drip)
    connection.socket.destroy()
  }
})

it('a client that resets its connection in the middle of a body does no harm', async () => {
  const body = new Promise((resolve) => (readLate = resolve))
  const connection = await openRaw({ port: plain.port })
  const arrived = new Promise<void>((resolve) => (hasArrived = resolve))
  connection.send(
    'POST /late HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a":',
  )
  await arrived
  connection.socket.resetAndDestroy()
  expect(await body).toEqual({ ok: false, refusal: { code: 'BAD_REQUEST', detail: 'BODY_CUT_OFF' } })
})

it('a client whose request was refused for overload, and whose small body never ends, is cut off without a second answer', async () => {
  const connection = await openRaw({ port: full.port })
  connection.send('POST /read HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n{')
  const answer = await connection.answer()
  expect([answer.status, answer.headers.connection]).toEqual([503, 'keep-alive'])
  await connection.ended()
  await expect(connection.answer()).rejects.toThrow('ended after 0 bytes')
})

it('a TLS handshake that never ends is closed', async () => {
  const connection = await openRaw({ port: secure.port })
  connection.send(Buffer.from([0x16, 0x03, 0x01]))
  await connection.closed()
})

it('every refusal leaves one line in the log, and no library prints one of its own', () => {
  expect(printed.mock.calls).toEqual([])
  const refusals = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(refusals.length).toBe(13)
  for (const refusal of refusals) {
    expect(refusal).toMatchObject({ msg: 'request refused', listener: 'secure', code: 'BAD_REQUEST' })
    expect(refusal.requestId).toMatch(/^[0-9a-f-]{36}$/)
  }
})
