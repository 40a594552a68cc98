import { once } from 'node:events'
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { signWebhook, type VerifiedWebhook } from '@kyc-relay/webhooks'
import { createNodeWebhookHandler } from '@kyc-relay/webhooks/node'
import type { NodeWebhookHandlerOptions } from '../../src/node/node-receiver.js'

const secret = 'the API key'
const eventId = '0198c0de-0000-7000-8000-000000000001'
const body = JSON.stringify({ eventType: 'WIDGET_KYC_INITIATION', note: 'é' })

const servers: Server[] = []
afterEach(() => {
  vi.restoreAllMocks()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function receiver(options: Partial<NodeWebhookHandlerOptions> = {}) {
  const events: VerifiedWebhook[] = []
  const handler = createNodeWebhookHandler({
    secrets: secret,
    onEvent: (webhook) => void events.push(webhook),
    ...options,
  })
  return { handler, events }
}

async function post(
  port: number,
  text: string | Uint8Array = body,
  headers: Record<string, string> = {},
  method = 'POST',
) {
  const signature = await signWebhook(body, secret)
  const response = await fetch(`http://127.0.0.1:${port}/hooks`, {
    method,
    ...(method === 'GET' ? {} : { body: text as BodyInit }),
    headers: { 'x-hmac-signature': signature, 'x-event-id': eventId, ...headers },
  })
  const answer = (await response.json()) as { code?: string; hint?: string; received?: boolean }
  return { status: response.status, headers: response.headers, ...answer }
}

describe("on Node's own server", () => {
  test('takes a webhook', async () => {
    const { handler, events } = receiver()
    const port = await listen((request, response) => void handler(request, response))
    expect(await post(port)).toMatchObject({ status: 200, received: true })
    expect(events).toMatchObject([{ eventId, type: 'WIDGET_KYC_INITIATION', event: { note: 'é' } }])
  })

  test('refuses a forged one, a bad payload and other methods', async () => {
    const { handler, events } = receiver()
    const port = await listen((request, response) => void handler(request, response))
    expect(await post(port, `${body} `)).toMatchObject({ status: 401, code: 'SIGNATURE_MISMATCH' })
    expect(await post(port, '[]', { 'x-hmac-signature': await signWebhook('[]', secret) })).toMatchObject({
      status: 400,
    })
    const get = await post(port, '', {}, 'GET')
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
    expect(await post(port, '')).toMatchObject({ status: 401, code: 'BODY_EMPTY' })
    expect(events).toEqual([])
  })

  test('refuses a signature that was sent twice', async () => {
    const { handler } = receiver()
    const port = await listen((request, response) => void handler(request, response))
    const signature = await signWebhook(body, secret)
    const outgoing = httpRequest({
      port,
      method: 'POST',
      headers: { 'x-hmac-signature': [signature, signature], 'x-event-id': eventId },
    })
    outgoing.end(body)
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(401)
    response.resume()
  })

  test('prints what onEvent throws and answers 500', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { handler } = receiver({ onEvent: () => Promise.reject(new Error('database down')) })
    const port = await listen((request, response) => void handler(request, response))
    expect(await post(port)).toMatchObject({ status: 500, code: 'HANDLER_FAILED' })
    expect(print).toHaveBeenCalledExactlyOnceWith(new Error('database down'))
  })

  test('answers 413 to a body above the limit, announced or in chunks, and the client gets to read it', async () => {
    const { handler, events } = receiver()
    const port = await listen((request, response) => void handler(request, response))
    expect(await post(port, new Uint8Array(1_000_000))).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' })
    const chunked = httpRequest({
      port,
      method: 'POST',
      headers: { 'x-hmac-signature': 'x', 'transfer-encoding': 'chunked' },
    })
    const answered = once(chunked, 'response') as Promise<[IncomingMessage]>
    for (let i = 0; i < 10; i++) chunked.write(Buffer.alloc(40_000))
    chunked.end()
    const [response] = await answered
    expect(response.statusCode).toBe(413)
    response.resume()
    expect(events).toEqual([])
  })

  test('cuts off a client that sends without end', async () => {
    const { handler } = receiver({ maxBodyBytes: 1_000 })
    const port = await listen((request, response) => void handler(request, response))
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
    const pump = () => {
      while (!socket.destroyed && socket.write(`400\r\n${'x'.repeat(1024)}\r\n`));
      if (!socket.destroyed) socket.once('drain', pump)
    }
    socket.once('connect', pump)
    await new Promise((resolve) => socket.once('close', resolve))
  })

  test('answers 408 to a body that does not arrive', async () => {
    const { handler } = receiver({ bodyTimeoutMs: 30 })
    const port = await listen((request, response) => void handler(request, response))
    const socket = connect(port, '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{')
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    expect(chunk.toString()).toContain('HTTP/1.1 408')
    socket.destroy()
  })

  test('ends when the client goes away in the middle', async () => {
    const { handler, events } = receiver()
    let ended: Promise<void> | undefined
    const port = await listen((request, response) => {
      ended = handler(request, response)
    })
    const socket = connect(port, '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{')
    await expect.poll(() => ended !== undefined).toBe(true)
    socket.destroy()
    await ended
    expect(events).toEqual([])
  })
})

describe('with a body that something has touched', () => {
  async function through(prepare: (request: IncomingMessage) => Promise<Record<string, unknown>>, framework?: 'koa') {
    const { handler, events } = receiver(framework ? { framework } : {})
    const port = await listen((request, response) => {
      void prepare(request).then((fields) => handler(Object.assign(request, fields), response))
    })
    return { answer: await post(port), events }
  }
  async function read(request: IncomingMessage): Promise<Buffer> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  }

  test('takes the bytes of a raw-body parser', async () => {
    const { answer, events } = await through(async (request) => ({ body: await read(request) }))
    expect(answer.status).toBe(200)
    expect(events).toHaveLength(1)
  })

  test('takes text, too', async () => {
    expect((await through(async (request) => ({ body: (await read(request)).toString() }))).answer.status).toBe(200)
  })

  test('takes bytes of another realm, as test runners and sandboxes hand them out', async () => {
    const { answer } = await through(async (request) => {
      const bytes = [...(await read(request))]
      return { body: runInNewContext('new Uint8Array(bytes)', { bytes }) as unknown }
    })
    expect(answer.status).toBe(200)
  })

  test('takes an array of wider numbers for no bytes', async () => {
    const { answer } = await through(async (request) => ({ body: new Uint16Array(await read(request)) }))
    expect(answer).toMatchObject({ status: 500, code: 'BODY_ALREADY_PARSED' })
  })

  test('prefers rawBody to a parsed body', async () => {
    const { answer } = await through(async (request) => {
      const rawBody = await read(request)
      return { rawBody, body: JSON.parse(rawBody.toString()) as unknown }
    })
    expect(answer.status).toBe(200)
  })

  test('refuses a parsed body at once, naming the line of Express to change', async () => {
    const { answer, events } = await through(async (request) => ({
      body: JSON.parse((await read(request)).toString()) as unknown,
      app: {},
      baseUrl: '',
    }))
    expect(answer).toMatchObject({ status: 500, code: 'BODY_ALREADY_PARSED' })
    expect(answer.hint).toContain("express.raw({ type: 'application/json' })")
    expect(events).toEqual([])
  })

  test('refuses a parsed body even while the stream is untouched', async () => {
    expect((await through(() => Promise.resolve({ body: { a: 1 } }))).answer).toMatchObject({
      status: 500,
      code: 'BODY_ALREADY_PARSED',
    })
  })

  test('refuses a stream that was read to its end, at once', async () => {
    const { answer } = await through(async (request) => {
      await read(request)
      return {}
    }, 'koa')
    expect(answer).toMatchObject({ status: 500, code: 'BODY_ALREADY_PARSED' })
    expect(answer.hint).toContain('Koa')
  })

  test('reads the stream where Express 4 has left an empty object', async () => {
    expect((await through(() => Promise.resolve({ body: {} }))).answer.status).toBe(200)
  })

  test('refuses a raw body above the limit', async () => {
    const { handler } = receiver({ maxBodyBytes: 10 })
    const port = await listen((request, response) => {
      void read(request).then((bytes) => handler(Object.assign(request, { body: bytes }), response))
    })
    expect((await post(port)).status).toBe(413)
  })
})
