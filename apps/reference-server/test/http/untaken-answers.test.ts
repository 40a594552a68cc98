import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { Hono } from 'hono'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { problemBody } from '../../src/http/error-bodies.js'
import { readJsonObject } from '../../src/http/json-body.js'
import { startListener } from '../../src/http/listener.js'
import { createLoadShedding, maxOpenPerConnection } from '../../src/http/load-shedding/load-shedding.js'
import type { EdgeEnv } from '../../src/http/request-context.js'
import { createOpenResponses } from '../../src/http/load-shedding/open-responses.js'
import { anyHost } from '../../src/http/served-hosts.js'
import { createLocalCertificates } from '../../src/start/local-ca.js'
import { createLog } from '../../src/operations/log.js'
import { openRaw, type RawTarget } from './raw-connection.js'

/** More than systems keep for a client that does not read. */
const large = 'x'.repeat(32 * 1024 * 1024)

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`

let certificates: Awaited<ReturnType<typeof createLocalCertificates>>
beforeAll(async () => {
  certificates = await createLocalCertificates(new Date())
})

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** A listener of one test alone, that gives its clients so long for an answer. */
async function start(tls: boolean, answerMs: number) {
  const loadShedding = createLoadShedding({ maxInFlight: 1_000 })
  const held: (() => void)[] = []
  const app = new Hono<EdgeEnv>()
  app.get('/large', (c) => c.text(large))
  app.get('/small', (c) => c.json({}))
  app.post('/read', async (c) => c.json({ read: (await readJsonObject(c)).ok }))
  app.get('/held', async (c) => {
    await new Promise<void>((resolve) => held.push(resolve))
    return c.json({})
  })
  const { caPem, certificatePem, privateKeyPem } = certificates
  const listener = await startListener({
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
    timeouts: { answerMs, checkMs: 10 },
  })
  let closed: Promise<void> | null = null
  const close = () => {
    loadShedding.stop()
    return (closed ??= listener.close())
  }
  cleanUps.push(close)
  const target: RawTarget = { port: listener.port, ...(tls ? { ca: caPem } : {}) }
  const openRequests = () => [loadShedding.state().running, loadShedding.state().open]
  /** The request that was worked on ends. */
  const release = () => void held.shift()?.()
  return { target, close, openRequests, release }
}

/** A client that reads nothing until it is told to. */
async function connectSilently({ port, ca }: RawTarget): Promise<{ tcp: Socket; socket: Socket }> {
  const tcp = connectTcp({ port, host: '127.0.0.1', noDelay: true })
  const socket = ca === undefined ? tcp : connectTls({ socket: tcp, ca, servername: 'localhost' })
  await once(socket, ca === undefined ? 'connect' : 'secureConnect')
  socket.pause()
  // That the server cuts the connection off is what is waited for.
  for (const one of [tcp, socket]) one.on('error', () => undefined)
  cleanUps.push(() => tcp.destroy())
  return { tcp, socket }
}

describe.each([
  ['plain', false],
  ['with TLS', true],
])('a client that does not read, %s', (_name, tls) => {
  it.each([
    ['one answer', get('/large')],
    ['many behind it', get('/large') + get('/small').repeat(20)],
    ['behind those that it could take', get('/small').repeat(20) + get('/large')],
    ['more than may be open', get('/large') + get('/small').repeat(500)],
    ['the answer to garbage behind it', `${get('/large')}not http at all\r\n\r\n`],
    ['the answer to a tunnel behind it', `${get('/large')}CONNECT x:1 HTTP/1.1\r\nhost: x:1\r\n\r\n`],
  ])('is cut off: %s', async (_what, bytes) => {
    const { target, openRequests } = await start(tls, 100)
    const { socket: client } = await connectSilently(target)
    client.write(bytes)
    await expect.poll(() => openRequests()[1]).toBeGreaterThan(0)
    await expect.poll(openRequests).toEqual([0, 0])
    client.resume()
    await once(client, 'close')
  })

  it('is no work once its answer is made, and holds no stop up for longer', async () => {
    const { target, openRequests, close } = await start(tls, 300)
    const { socket: client } = await connectSilently(target)
    client.write(get('/large'))
    await expect.poll(openRequests).toEqual([0, 1])
    await close()
    await expect.poll(openRequests).toEqual([0, 0])
    client.destroy()
  })

  it('but waits for us is not cut off, and is answered after that in its order', async () => {
    const { target, openRequests, release } = await start(tls, 50)
    const client = await openRaw(target)
    client.send(get('/held') + get('/small').repeat(5))
    await expect.poll(openRequests).toEqual([1, 6])
    // Several times as long as a client may take.
    await new Promise((resolve) => setTimeout(resolve, 200))
    release()
    for (let count = 0; count < 6; count += 1) expect((await client.answer()).status).toBe(200)
    await expect.poll(openRequests).toEqual([0, 0])
    client.socket.destroy()
  })

  it('and then does gets all of it', async () => {
    const { target, openRequests } = await start(tls, 10_000)
    const { socket: client } = await connectSilently(target)
    client.write(get('/large'))
    await expect.poll(openRequests).toEqual([0, 1])
    let read = 0
    client.on('data', (chunk: Buffer) => (read += chunk.length))
    client.resume()
    await expect.poll(() => read).toBeGreaterThan(large.length)
    await expect.poll(openRequests).toEqual([0, 0])
    client.destroy()
  })

  it('takes as many requests as may be open on a connection, and refuses more before any work', async () => {
    const { target, openRequests, release } = await start(tls, 10_000)
    const client = await openRaw(target)
    client.send(get('/held') + get('/small').repeat(maxOpenPerConnection + 2))
    await expect.poll(openRequests).toEqual([1, maxOpenPerConnection])
    release()
    const statuses: number[] = []
    for (let count = 0; count < maxOpenPerConnection + 3; count += 1) statuses.push((await client.answer()).status)
    expect(statuses).toEqual([...Array.from({ length: maxOpenPerConnection }, () => 200), 503, 503, 503])
    await expect.poll(openRequests).toEqual([0, 0])
    client.socket.destroy()
  })

  it('and whose connection is gone while its request is worked on holds its place until that has ended', async () => {
    const { target, openRequests, release } = await start(tls, 10_000)
    const { tcp, socket } = await connectSilently(target)
    socket.write(get('/held') + get('/small').repeat(3))
    await expect.poll(openRequests).toEqual([1, 4])
    tcp.resetAndDestroy()
    await expect.poll(openRequests).toEqual([1, 1])
    release()
    await expect.poll(openRequests).toEqual([0, 0])
  })

  it('and whose reset Node does not see leaves nothing behind', async () => {
    const { target, openRequests, close } = await start(tls, 100)
    for (const bytes of ['POST /read HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{', 'POST /re', '\r\n']) {
      const { tcp, socket } = await connectSilently(target)
      // While the server still writes what TLS says after its handshake: Node loses the error of that.
      await new Promise<void>((resolve) => {
        socket.write(bytes, () => {
          tcp.resetAndDestroy()
          resolve()
        })
      })
    }
    await expect.poll(openRequests).toEqual([0, 0])
    await close()
  })
})

// With TLS the end is for both sides (RFC 5246 §7.2.1), and so it is in Node.
it('a client may close its side behind its last request, and is answered all the same', async () => {
  const { target, openRequests, release } = await start(false, 10_000)
  const client = await openRaw({ ...target, allowHalfOpen: true })
  client.send(get('/held') + get('/small'))
  await expect.poll(openRequests).toEqual([1, 2])
  client.socket.end()
  await new Promise((resolve) => setTimeout(resolve, 30))
  release()
  expect((await client.answer()).status).toBe(200)
  expect((await client.answer()).status).toBe(200)
  await client.closed()
  await expect.poll(openRequests).toEqual([0, 0])
})

describe('the time for an answer', () => {
  /** Connections and answers that do as they are told; the clock is ours. */
  function newSituation() {
    let nowMs = 0
    const responses = createOpenResponses(15_000, () => nowMs)
    const taken: string[] = []
    const socket = Object.assign(new EventEmitter(), {
      writableEnded: false,
      destroyed: false,
      destroy() {
        socket.destroyed = true
        socket.emit('close')
      },
    })
    return {
      responses,
      taken,
      socket,
      request(name: string) {
        const response = Object.assign(new EventEmitter(), { req: { socket }, writableEnded: false })
        void responses.track(response as unknown as ServerResponse).then(() => taken.push(name))
        return { made: () => (response.writableEnded = true), taken: () => response.emit('close') }
      },
      cutOffAfter(ms: number) {
        nowMs += ms
        responses.check()
        return socket.destroyed
      },
    }
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  it('begins when it is made, and when those before it are taken', async () => {
    const { request, cutOffAfter, taken } = newSituation()
    const first = request('first')
    const second = request('second')
    second.made()
    expect([cutOffAfter(0), cutOffAfter(60_000)]).toEqual([false, false])
    first.made()
    expect([cutOffAfter(0), cutOffAfter(14_999)]).toEqual([false, false])
    first.taken()
    await turn()
    expect(taken).toEqual(['first'])
    expect([cutOffAfter(1), cutOffAfter(14_999)]).toEqual([false, false])
    expect(cutOffAfter(1)).toBe(true)
    await turn()
    expect(taken).toEqual(['first', 'second'])
  })

  it('of one that is worked on has not begun', () => {
    const { request, cutOffAfter } = newSituation()
    const first = request('first')
    first.made()
    first.taken()
    request('second')
    expect([cutOffAfter(0), cutOffAfter(60_000)]).toEqual([false, false])
  })

  it('ends with the connection, and each answer is taken once', async () => {
    const { request, responses, socket, taken } = newSituation()
    const [first, second] = [request('first'), request('second')]
    first.made()
    expect(responses.countOn(socket as never)).toBe(2)
    socket.destroy()
    await turn()
    expect(taken).toEqual(['first', 'second'])
    first.taken()
    second.taken()
    await turn()
    expect([taken, responses.countOn(socket as never)]).toEqual([['first', 'second'], 0])
  })

  it('holds for the end of a connection too', () => {
    const { request, socket, cutOffAfter } = newSituation()
    const only = request('only')
    only.made()
    only.taken()
    expect([cutOffAfter(0), cutOffAfter(60_000)]).toEqual([false, false])
    socket.writableEnded = true
    expect([cutOffAfter(0), cutOffAfter(14_999)]).toEqual([false, false])
    expect(cutOffAfter(1)).toBe(true)
  })
})
