import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBodyMemory } from '../../src/http/body-memory.js'
import { graphqlErrorBody } from '../../src/http/error-bodies.js'
import { readJsonObject } from '../../src/http/json-body.js'
import { startListener, type Listener } from '../../src/http/listener.js'
import { createLoadShedding, type LoadShedding } from '../../src/http/load-shedding/load-shedding.js'
import { refusalOfError } from '../../src/http/refusal-of-error.js'
import type { EdgeEnv } from '../../src/http/request-context.js'
import { createLog } from '../../src/operations/log.js'
import { refuseGraphql } from '../../src/submissions/route.js'
import { expectGraphqlRefusal } from '../expect-refusal.js'
import { openRaw } from './raw-connection.js'

describe('the memory for bodies', () => {
  it('is shared beyond the first 16 KiB of each body', () => {
    let refused = 0
    const memory = createBodyMemory(48 * 1024, () => (refused += 1))
    const large = memory.openShare()
    expect(large.growTo(40 * 1024)).toBe(true)
    expect(large.growTo(64 * 1024)).toBe(true)
    const other = memory.openShare()
    expect(other.growTo(16 * 1024)).toBe(true)
    expect([other.growTo(16 * 1024 + 1), refused]).toEqual([false, 1])
    large.close()
    large.close()
    expect(other.growTo(64 * 1024)).toBe(true)
    expect([memory.openShare().growTo(16 * 1024 + 1), refused]).toEqual([false, 2])
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
      app,
      host: '127.0.0.1',
      port: 0,
      tls: null,
      servesHost: () => true,
      errorBody: graphqlErrorBody,
      name: 'secure' as const,
      log,
      connections: { max: 100, onDropped: () => undefined },
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
