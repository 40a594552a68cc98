import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBodyMemory, BodyMemoryError } from '../../src/http/body-memory.js'
import { graphqlErrorBody } from '../../src/http/error-bodies.js'
import { readJsonObject } from '../../src/http/json-body.js'
import { startListener, type Listener } from '../../src/http/listener.js'
import { createLoadShedding, type LoadShedding } from '../../src/http/load-shedding/load-shedding.js'
import { createReceivedBody } from '../../src/http/received-body.js'
import { refusalOfError } from '../../src/http/refusal-of-error.js'
import type { EdgeEnv } from '../../src/http/request-context.js'
import { createLog } from '../../src/operations/log.js'
import { refuseGraphql } from '../../src/submissions/route.js'
import { expectGraphqlRefusal } from '../expect-refusal.js'
import { openRaw } from './raw-connection.js'

describe('a received body', () => {
  it('takes no more memory than twice its bytes, however small the chunks are', () => {
    const body = createReceivedBody(1_000_000, createBodyMemory(1_000_000))
    const sent = Uint8Array.from({ length: 10_000 }, (_, index) => index % 251)
    expect([...sent].every((byte) => body.add(Uint8Array.of(byte)))).toBe(true)
    expect(Buffer.compare(body.bytes(), sent)).toBe(0)
    expect(body.bytes().buffer.byteLength).toBeLessThanOrEqual(2 * sent.byteLength)
  })

  it('takes exactly its limit, and no byte more', () => {
    const body = createReceivedBody(10, createBodyMemory(0))
    expect(body.add(new Uint8Array(4))).toBe(true)
    expect(body.add(new Uint8Array(7))).toBe(false)
    expect(body.add(new Uint8Array(6))).toBe(true)
    expect(body.bytes().byteLength).toBe(10)
  })

  it('shares the memory beyond its first 16 KiB with the others', () => {
    const refused: string[] = []
    const memory = createBodyMemory(48 * 1024, () => void refused.push('refused'))
    const bodyOf = (kib: number) => {
      const body = createReceivedBody(512 * 1024, memory)
      expect(body.add(new Uint8Array(kib * 1024))).toBe(true)
      return body
    }
    const large = bodyOf(64)
    expect(() => bodyOf(17)).toThrow(BodyMemoryError)
    expect(refused).toEqual(['refused'])
    bodyOf(16)
    large.giveBack()
    large.giveBack()
    bodyOf(64)
    expect(() => bodyOf(17)).toThrow(BodyMemoryError)
  })
})

describe('a listener', () => {
  const lines: string[] = []
  const log = createLog({ logLevel: 'info' }, { write: (line) => void lines.push(line) })
  let listener: Listener
  let shedding: LoadShedding

  beforeAll(async () => {
    const app = new Hono<EdgeEnv>()
    app.post('/read', async (c) => {
      const body = await readJsonObject(c)
      return body.ok ? c.json(body.value) : refuseGraphql(c, body.refusal)
    })
    app.onError((error, c) => refuseGraphql(c, refusalOfError(error, log, {}), { 'retry-after': '5' }))
    shedding = createLoadShedding({ maxInFlight: 1_000 })
    listener = await startListener({
      ...{ app, host: '127.0.0.1', port: 0, tls: null, servesHost: () => true, errorBody: graphqlErrorBody },
      ...{ name: 'secure' as const, log, connections: { max: 100, onDropped: () => undefined } },
      loadShedding: { ...shedding, bodyMemory: createBodyMemory(500 * 1024) },
    })
  })
  afterAll(async () => {
    shedding.stop()
    await listener.close()
  })

  const head = (length: number) =>
    `POST /read HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`
  const post = async (body: string) => {
    const connection = await openRaw({ port: listener.port })
    connection.send(`${head(body.length)}${body}`)
    const answer = await connection.answer()
    connection.socket.destroy()
    return answer
  }
  const textOf = (kib: number) => JSON.stringify({ a: ['x'.repeat(30_000), 'x'.repeat(kib * 1024 - 30_020)] })

  it('refuses large bodies while slow ones use the memory, and serves ordinary ones', async () => {
    const slow = await openRaw({ port: listener.port })
    await slow.written(`${head(512 * 1024)}${'x'.repeat(511 * 1024)}`)
    // The listener may not have read all of it yet.
    await expect.poll(async () => (await post(textOf(40))).status, { timeout: 60_000 }).toBe(503)
    const answer = await post(textOf(40))
    expectGraphqlRefusal(answer, 503, 'UNAVAILABLE', 'OVERLOADED')
    expect(answer.headers['retry-after']).toBe('5')
    expect((await post('{"a":1}')).json).toEqual({ a: 1 })
    slow.socket.destroy()
    await expect.poll(async () => (await post(textOf(40))).status, { timeout: 60_000 }).toBe(200)
    expect(lines.join('')).not.toContain('request failed')
  })
})
