import type { Socket } from 'node:net'
import { Hono } from 'hono'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { problemBody } from '../../src/http/error-bodies.js'
import { readJsonObject } from '../../src/http/json-body.js'
import { startListener, type Listener } from '../../src/http/listener.js'
import { createLoadShedding } from '../../src/http/load-shedding/load-shedding.js'
import type { EdgeEnv } from '../../src/http/request-context.js'
import { anyHost } from '../../src/http/served-hosts.js'
import { createPausedConnections, longestPauseMs } from '../../src/http/load-shedding/paused-connections.js'
import { createLocalCertificates } from '../../src/start/local-ca.js'
import { createLog } from '../../src/operations/log.js'
import { openRaw, type RawConnection, type RawTarget } from './raw-connection.js'

let certificates: Awaited<ReturnType<typeof createLocalCertificates>>
beforeAll(async () => {
  certificates = await createLocalCertificates(new Date())
})

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** A listener that works on one request at a time; the clock is ours. */
async function newSituation(tls: boolean) {
  const held: (() => void)[] = []
  const app = new Hono<EdgeEnv>()
  app.post('/held', async (c) => {
    await new Promise<void>((resolve) => held.push(resolve))
    return c.json({ read: (await readJsonObject(c)).ok })
  })
  app.post('/work', async (c) => c.json({ read: (await readJsonObject(c)).ok }))
  app.post('/portal/work', async (c) => c.json({ read: (await readJsonObject(c)).ok }))
  app.get('/healthz', (c) => c.json({}))
  let nowMs = 0
  const loadShedding = createLoadShedding({ maxInFlight: 1, nowMs: () => nowMs })
  const { caPem, certificatePem, privateKeyPem } = certificates
  const listener: Listener = await startListener({
    app,
    host: '127.0.0.1',
    port: 0,
    tls: tls ? { cert: certificatePem, key: privateKeyPem } : null,
    servesHost: anyHost,
    errorBody: problemBody,
    name: 'api',
    log: createLog({ logLevel: 'info' }, { write: () => undefined }),
    connections: { max: 100, onDropped: () => undefined },
    loadShedding,
  })
  let isClosed = false
  const close = async () => {
    if (isClosed) return
    isClosed = true
    loadShedding.stop()
    await listener.close()
  }
  cleanUps.push(close)
  const target: RawTarget = { port: listener.port, ...(tls ? { ca: caPem } : {}) }
  const open = async () => {
    const connection = await openRaw(target)
    cleanUps.push(() => connection.socket.destroy())
    return connection
  }
  const busy = await open()
  busy.send(post('/held'))
  await expect.poll(() => held.length).toBe(1)
  return {
    paused: () => loadShedding.state().paused,
    open,
    close,
    passMs: (ms: number) => (nowMs += ms),
    /** The one request that was worked on ends. */
    async end() {
      held.shift()?.()
      return (await busy.answer()).status
    },
    busy,
  }
}

const post = (path: string) =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`

/** Refuses one request on a fresh connection, which then waits with another one sent. */
async function refusedOn(situation: Awaited<ReturnType<typeof newSituation>>): Promise<RawConnection> {
  const before = situation.paused()
  const connection = await situation.open()
  connection.send(post('/work'))
  expect((await connection.answer()).status).toBe(503)
  await expect.poll(() => situation.paused()).toBe(before + 1)
  await connection.written(post('/work'))
  return connection
}

/** Whether an answer is there after the server had several looks at who may be read. */
async function isAnswered(connection: RawConnection): Promise<boolean> {
  const before = connection.socket.bytesRead
  await new Promise((resolve) => setTimeout(resolve, 60))
  return connection.socket.bytesRead > before
}

describe.each([
  ['plain', false],
  ['with TLS', true],
])('a connection whose request was refused, %s', (_name, tls) => {
  it('is not read until there is time for it, and then answered in full', async () => {
    const situation = await newSituation(tls)
    const connection = await refusedOn(situation)
    expect(await isAnswered(connection)).toBe(false)
    expect(await situation.end()).toBe(200)
    const answer = await connection.answer()
    expect([answer.status, answer.json]).toEqual([200, { read: true }])
    await expect.poll(() => situation.paused()).toBe(0)
  })

  it('is read after its longest wait, however busy the process is', async () => {
    const situation = await newSituation(tls)
    const connection = await refusedOn(situation)
    situation.passMs(longestPauseMs - 1)
    expect(await isAnswered(connection)).toBe(false)
    situation.passMs(1)
    expect((await connection.answer()).status).toBe(503)
    expect(longestPauseMs).toBeLessThan(1_000)
    await situation.end()
  })

  it('is answered before the server stops, which it does not hold up', async () => {
    const situation = await newSituation(tls)
    const idle = await situation.open()
    idle.send(post('/work'))
    await idle.answer()
    const connection = await refusedOn(situation)
    await expect.poll(() => situation.paused()).toBe(2)
    const closed = situation.close()
    const answer = await connection.answer()
    expect([answer.status, answer.headers.connection]).toEqual([503, 'close'])
    await Promise.all([connection.closed(), idle.closed()])
    await situation.end()
    await closed
    expect(situation.paused()).toBe(0)
  })

  it('may end while it waits', async () => {
    const situation = await newSituation(tls)
    const connection = await refusedOn(situation)
    connection.socket.destroy()
    await connection.ended()
    const other = await refusedOn(situation)
    await situation.end()
    expect((await other.answer()).status).toBe(200)
    await expect.poll(() => situation.paused()).toBe(0)
  })
})

describe('who waits', () => {
  it('first come, first read; one that was served goes to the end, a probe does not wait', async () => {
    const situation = await newSituation(false)
    const first = await refusedOn(situation)
    const second = await refusedOn(situation)
    const probe = await situation.open()
    const healthz = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'
    probe.send(healthz)
    await probe.answer()
    expect(situation.paused()).toBe(2)
    // One at a time: when one is answered, the next one is read.
    const order: string[] = []
    expect(await situation.end()).toBe(200)
    situation.busy.send(post('/work'))
    const answered = [
      ['first', first],
      ['second', second],
      ['served', situation.busy],
    ].map(async ([name, connection]) => {
      await (connection as RawConnection).answer()
      order.push(name as string)
    })
    probe.send(healthz)
    expect((await probe.answer()).status).toBe(200)
    await Promise.all(answered)
    expect(order).toEqual(['first', 'second', 'served'])
  })

  it('nobody while nothing is refused', async () => {
    const situation = await newSituation(false)
    expect(await situation.end()).toBe(200)
    situation.busy.send(post('/work'))
    expect((await situation.busy.answer()).status).toBe(200)
    expect(situation.paused()).toBe(0)
  })

  it('not one whose next request came with the refused one: its body is read', async () => {
    const situation = await newSituation(false)
    const connection = await situation.open()
    connection.send(post('/work') + post('/portal/work').slice(0, -2))
    expect((await connection.answer()).status).toBe(503)
    await connection.written('{}')
    const answer = await connection.answer()
    expect([answer.status, answer.json]).toEqual([200, { read: true }])
    expect(situation.paused()).toBe(0)
    await situation.end()
  })

  it('none once the server stops, and none that is gone takes a place', async () => {
    const calls: string[] = []
    const newSocket = (name: string, destroyed = false) =>
      ({
        writable: true,
        destroyed,
        pause: () => calls.push(`${name} paused`),
        resume: () => calls.push(`${name} read`),
      }) as unknown as Socket
    let room = 0
    const paused = createPausedConnections(
      () => room,
      () => 0,
    )
    paused.pause(newSocket('gone', true))
    paused.pause(newSocket('first'))
    paused.pause(newSocket('second'))
    room = 1
    await expect.poll(() => calls).toContain('second read')
    expect(calls).toEqual(['gone paused', 'first paused', 'second paused', 'gone read', 'first read', 'second read'])
    paused.pause(newSocket('late'))
    paused.stop()
    paused.pause(newSocket('later'))
    expect([calls.slice(6), paused.count()]).toEqual([['late paused', 'late read'], 0])
  })
})
