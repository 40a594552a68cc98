import { Hono } from 'hono'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ConnectionLimits } from '../../src/http/connection-limits.js'
import { problemBody } from '../../src/http/error-bodies.js'
import { readJsonObject } from '../../src/http/json-body.js'
import { startListener } from '../../src/http/listener.js'
import { createLoadShedding } from '../../src/http/load-shedding/load-shedding.js'
import type { EdgeEnv } from '../../src/http/request-context.js'
import { anyHost } from '../../src/http/served-hosts.js'
import { createLocalCertificates } from '../../src/start/local-ca.js'
import { createLog } from '../../src/operations/log.js'
import { openRaw, type RawConnection, type RawTarget } from './raw-connection.js'
import { startTestServer } from '../running-server.js'

const worked: string[] = []
let release: () => void = () => undefined
let certificates: Awaited<ReturnType<typeof createLocalCertificates>>

beforeAll(async () => {
  certificates = await createLocalCertificates(new Date())
})

/** Runs once for each kind of listener, a plain one and one with TLS. */
async function onEach(connections: ConnectionLimits, run: (target: RawTarget) => Promise<void>): Promise<void> {
  const app = new Hono<EdgeEnv>()
  app.post('/work/:id', async (c) => {
    const id = c.req.param('id')
    worked.push(id)
    if (id === 'held') await new Promise<void>((resolve) => (release = resolve))
    const body = await readJsonObject(c)
    return c.json({ id, read: body.ok })
  })
  const { caPem, certificatePem, privateKeyPem } = certificates
  for (const tls of [null, { cert: certificatePem, key: privateKeyPem }]) {
    const listener = await startListener({
      app,
      host: '127.0.0.1',
      port: 0,
      tls,
      servesHost: anyHost,
      errorBody: problemBody,
      name: 'api',
      log: createLog({ logLevel: 'info' }, { write: () => undefined }),
      loadShedding: createLoadShedding({ maxInFlight: 1_000 }),
      connections,
    })
    worked.length = 0
    try {
      await run({ port: listener.port, ...(tls === null ? {} : { ca: caPem }) })
    } finally {
      await listener.close()
    }
  }
}

const post = (id: string | number) =>
  `POST /work/${id} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`

/** What the next answers say: which request they are to, and what becomes of the connection. */
async function answers(connection: RawConnection, count: number) {
  const said: [number, unknown, string | undefined][] = []
  for (let index = 0; index < count; index += 1) {
    const { status, json, headers } = await connection.answer()
    said.push([status, json, headers.connection])
  }
  return said
}

const firstThree = ['keep-alive', 'keep-alive', 'close'].map((connection, index) => [
  200,
  { id: String(index + 1), read: true },
  connection,
])

describe('a connection carries so many requests', () => {
  const threeEach = { max: 100, requestsEach: 3, onDropped: () => undefined }

  it('the answer to the last one says that it is, and ends it', () =>
    onEach(threeEach, async (target) => {
      const connection = await openRaw(target)
      const said: unknown[] = []
      for (const id of [1, 2, 3]) {
        connection.send(post(id))
        said.push(...(await answers(connection, 1)))
      }
      await connection.closed()
      expect(said).toEqual(firstThree)
      const next = await openRaw(target)
      next.send(post(4))
      expect(await answers(next, 1)).toEqual([[200, { id: '4', read: true }, 'keep-alive']])
      next.socket.destroy()
    }))

  it('what is pipelined behind it is neither worked on nor answered, and what came before is answered whole', () =>
    onEach(threeEach, async (target) => {
      const connection = await openRaw(target)
      connection.send([1, 2, 3, 4, 5].map(post).join(''))
      expect(await answers(connection, 3)).toEqual(firstThree)
      await connection.closed()
      expect(worked).toEqual(['1', '2', '3'])
    }))

  it('so it is with what comes while the last one is worked on', () =>
    onEach(threeEach, async (target) => {
      const connection = await openRaw(target)
      connection.send([1, 2, 'held'].map(post).join(''))
      expect(await answers(connection, 2)).toEqual(firstThree.slice(0, 2))
      await expect.poll(() => worked).toEqual(['1', '2', 'held'])
      await connection.written([4, 5].map(post).join(''))
      // A second client: the server has read at least what was sent before it came.
      const other = await openRaw(target)
      other.send(post('other'))
      await other.answer()
      other.socket.destroy()
      release()
      expect(await answers(connection, 1)).toEqual([[200, { id: 'held', read: true }, 'close']])
      await connection.closed()
      expect(worked).toEqual(['1', '2', 'held', 'other'])
    }))

  it('one that waits to be told to send its body counts like any other', () =>
    onEach(threeEach, async (target) => {
      const connection = await openRaw(target)
      const expecting = post(2).replace('content-length: 2', 'content-length: 2\r\nexpect: 100-continue')
      connection.send(post(1))
      await connection.answer()
      connection.send(expecting)
      expect((await connection.answer()).headers.connection).toBe('keep-alive')
      connection.send(post(3))
      expect((await connection.answer()).headers.connection).toBe('close')
      await connection.closed()
    }))
})

describe('a listener has so many connections', () => {
  let dropped = 0

  it('one more is closed unheard and counted, those that are open are served, and there is room when one ends', () =>
    onEach({ max: 2, onDropped: () => void (dropped += 1) }, async (target) => {
      dropped = 0
      const first = await openRaw(target)
      const second = await openRaw(target)
      for (const connection of [first, second]) connection.send(post(1))
      expect([(await first.answer()).status, (await second.answer()).status]).toEqual([200, 200])
      const third = await openRaw({ port: target.port })
      await third.ended()
      expect(third.socket.bytesRead).toBe(0)
      expect(dropped).toBe(1)
      first.send(post(2))
      expect((await first.answer()).status).toBe(200)
      first.socket.end()
      await first.ended()
      await expect
        .poll(async () => {
          const next = await openRaw(target).catch(() => null)
          next?.send(post(3))
          const answer = await next?.answer().catch(() => null)
          next?.socket.destroy()
          return answer?.status
        })
        .toBe(200)
      second.socket.destroy()
      await second.ended()
    }))

  it('MAX_CONNECTIONS sets it, a metric and the log tell what was dropped, and other listeners go on', async () => {
    const server = await startTestServer({ MAX_CONNECTIONS: '2' })
    try {
      const port = Number(new URL(server.demo.apiUrl).port)
      const open = [await openRaw({ port }), await openRaw({ port })]
      const healthz = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'
      for (const connection of open) {
        connection.send(healthz)
        expect((await connection.answer()).headers['keep-alive']).toBe('timeout=65, max=1000')
      }
      await (await openRaw({ port })).ended()
      const metrics = await server.call(`${server.demo.internalUrl}/metrics`)
      expect(metrics.text).toMatch(/^kyc_relay_connections_dropped_total\{listener="api"\} 1$/m)
      await expect
        .poll(
          () => server.logLines.filter((line) => line.includes('connections closed because MAX_CONNECTIONS')).length,
        )
        .toBe(1)
      for (const connection of open) connection.socket.destroy()
    } finally {
      await server.stop()
    }
  })
})
