import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createMemoryDeduplicationStore, receiveWebhook, signStandardWebhook, signWebhook } from '@kyc-relay/webhooks'
import { createNodeWebhookHandler, receiveNodeWebhook } from '@kyc-relay/webhooks/node'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createHandler as createLambda, type HttpEvent } from './aws-lambda.js'
import { createApp as createExpress } from './express.js'
import { createApp as createFastify } from './fastify.js'
import { createServer as createFetchServer } from './fetch.js'
import { createApp as createHono } from './hono.js'
import { createApp as createKoa } from './koa.js'
import type { RecipeOptions } from './recipe-options.js'
import { createReplayProofHandler } from './standard-webhooks.js'

const apiKey = 'kyc_key_example_only'
const deposit = {
  eventType: 'WIDGET_DEPOSIT_COMPLETE',
  userId: '0d0c8a3e-5f0b-4c43-9f1a-3a2b6f6f0a01',
  accountId: '7c1f6d52-8f0e-4c5e-a1f2-5f3b0a9d4e02',
  externalReferenceId: 'Zoë-1042',
  appId: 'b54c7a90-2d3e-4f1a-8b6c-9e8d7c6b5a03',
  amount: 100.5,
}
const body = JSON.stringify(deposit)
const nil = '00000000-0000-0000-0000-000000000000'

interface Delivery {
  readonly method: string
  readonly body: string
  readonly headers: Record<string, string>
}
interface Answer {
  readonly status: number
  readonly text: string
}
type Send = (delivery: Delivery) => Promise<Answer>

const servers: Server[] = []
beforeEach(() => {
  for (const level of ['warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function serve(listener: (...args: Parameters<RequestListener>) => unknown): Promise<Send> {
  const server = createServer((request, response) => void listener(request, response))
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return ({ method, body: sent, headers }) =>
    through((request) => fetch(request))(
      new Request(`http://127.0.0.1:${port}/webhooks`, {
        method,
        headers,
        ...(method === 'POST' ? { body: sent } : {}),
      }),
    )
}

const through = (answer: (request: Request) => Response | Promise<Response>) => async (request: Request) => {
  const response = await answer(request)
  return { status: response.status, text: await response.text() }
}

function fetching(answer: (request: Request) => Response | Promise<Response>): Send {
  return ({ method, body: sent, headers }) =>
    through(answer)(
      new Request('https://receiver.example/webhooks', {
        method,
        headers,
        ...(method === 'POST' ? { body: sent } : {}),
      }),
    )
}

async function serveFastify(app: ReturnType<typeof fastify>): Promise<Send> {
  await app.ready()
  return serve((request, response) => app.routing(request, response))
}

type LambdaForm = (delivery: Delivery) => HttpEvent
function lambda(options: RecipeOptions, form: LambdaForm): Send {
  const handler = createLambda({ ...options, deduplicate: createMemoryDeduplicationStore({ now: Date.now }) })
  return async (delivery) => {
    const { statusCode, body: text } = await handler(form(delivery))
    return { status: statusCode, text }
  }
}
const lambdaForms: Readonly<Record<string, LambdaForm>> = {
  'AWS Lambda, REST API (v1)': ({ body: sent, headers }) => ({
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    body: sent,
    isBase64Encoded: false,
  }),
  'AWS Lambda, HTTP API (v2)': ({ body: sent, headers }) => ({
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    body: sent,
    isBase64Encoded: false,
  }),
  'AWS Lambda, base64 body': ({ body: sent, headers }) => ({
    headers,
    body: Buffer.from(sent).toString('base64'),
    isBase64Encoded: true,
  }),
  'AWS Lambda, load balancer with lists': ({ body: sent, headers }) => ({
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    body: sent,
    isBase64Encoded: false,
  }),
}

const recipes: Readonly<Record<string, (options: RecipeOptions) => Send | Promise<Send>>> = {
  Express: (options) => serve(createExpress(options)),
  Fastify: (options) => serveFastify(createFastify(options)),
  Koa: (options) => serve(createKoa(options).callback()),
  'Hono, on its own': (options) => {
    const app = createHono(options)
    return fetching((request) => app.fetch(request))
  },
  'Hono, on Node': (options) => serve(getRequestListener(createHono(options).fetch)),
  'Plain Fetch': (options) => {
    const server = createFetchServer(options)
    return fetching((request) => server.fetch(request))
  },
  // What Next calls; `npm run test:next` runs the same file in Next.
  'Next route handler': async ({ apiKey: key, onDeposit }) => {
    vi.resetModules()
    vi.stubEnv('KYC_RELAY_API_KEY', key)
    vi.doMock('../next/book-deposit', () => ({ bookDeposit: onDeposit }))
    const { POST } = await import('../next/app/api/webhooks/route.js')
    return fetching(POST)
  },
  ...Object.fromEntries(
    Object.entries(lambdaForms).map(([name, form]) => [name, (options: RecipeOptions) => lambda(options, form)]),
  ),
}

async function delivery(
  more: { body?: string; signed?: string; key?: string; id?: string; method?: string } = {},
): Promise<Delivery> {
  const sent = more.body ?? body
  return {
    method: more.method ?? 'POST',
    body: sent,
    headers: {
      'Content-Type': 'application/json',
      'X-HMAC-Signature': await signWebhook(more.signed ?? sent, more.key ?? apiKey),
      'X-Event-ID': more.id ?? crypto.randomUUID(),
    },
  }
}

describe.each(Object.entries(recipes))('%s', (name, start) => {
  async function started(onDeposit: RecipeOptions['onDeposit'] = () => Promise.resolve()) {
    const deposits: unknown[] = []
    const send = await start({
      apiKey,
      onDeposit: async (customer, amount) => {
        await onDeposit(customer, amount)
        deposits.push([customer, amount])
      },
    })
    return { send, deposits }
  }

  test('acts on an authentic event, whatever characters are in it', async () => {
    const { send, deposits } = await started()
    expect(await send(await delivery())).toMatchObject({ status: 200 })
    expect(deposits).toEqual([['Zoë-1042', 100.5]])
  })

  test('acts once on an event that is delivered three times', async () => {
    const { send, deposits } = await started()
    const again = await delivery()
    expect([await send(again), await send(again), await send(again)].map(({ status }) => status)).toEqual([
      200, 200, 200,
    ])
    expect(deposits).toHaveLength(1)
  })

  test('takes types it does not know, and does not act on test events', async () => {
    const { send, deposits } = await started()
    expect(await send(await delivery({ body: '{"eventType":"LATER"}' }))).toMatchObject({ status: 200 })
    const testEvent = JSON.stringify({ ...deposit, userId: nil, accountId: nil })
    expect(await send(await delivery({ body: testEvent }))).toMatchObject({ status: 200 })
    expect(deposits).toEqual([])
  })

  test.each([
    ['signed with another key', { key: 'another' }],
    ['a changed amount', { signed: body, body: body.replace('100.5', '1000.5') }],
    ['re-serialised', { signed: body, body: JSON.stringify(deposit, null, 2) }],
    ['a trailing newline', { signed: body, body: `${body}\n` }],
  ])('answers 401: %s', async (_reason, more) => {
    const { send, deposits } = await started()
    expect(await send(await delivery(more))).toMatchObject({ status: 401 })
    expect(deposits).toEqual([])
  })

  test('answers 401 without a signature, and 400 to what is signed but no event', async () => {
    const { send } = await started()
    const { 'X-HMAC-Signature': _, ...headers } = (await delivery()).headers
    expect(await send({ ...(await delivery()), headers })).toMatchObject({ status: 401 })
    expect(await send(await delivery({ body: '[1]' }))).toMatchObject({ status: 400 })
  })

  test('answers 500 when acting fails, and acts when it is tried again', async () => {
    let down = true
    const { send, deposits } = await started(() =>
      down ? Promise.reject(new Error('database down')) : Promise.resolve(),
    )
    const tried = await delivery()
    expect(await send(tried)).toMatchObject({ status: 500 })
    down = false
    expect(await send(tried)).toMatchObject({ status: 200 })
    expect(deposits).toHaveLength(1)
  })

  if (!name.startsWith('AWS')) {
    test('answers 413 to one megabyte, and refuses GET', async () => {
      const { send } = await started()
      expect(await send(await delivery({ body: JSON.stringify({ pad: 'x'.repeat(1_000_000) }) }))).toMatchObject({
        status: 413,
      })
      const get = await send(await delivery({ method: 'GET' }))
      expect([404, 405]).toContain(get.status)
    })
  }
})

describe('with the body parsed first, the mistake that everybody makes once', () => {
  const options = { secrets: apiKey, onEvent: () => undefined }
  async function refused(send: Send | Promise<Send>, line: string) {
    const { status, text } = await (await send)(await delivery())
    expect(status).toBe(500)
    const answer = JSON.parse(text) as { code: string; hint: string }
    expect(answer.code).toBe('BODY_ALREADY_PARSED')
    expect(answer.hint).toContain(line)
  }

  test('Express: express.json() above the route', () => {
    const app = express()
    app.use(express.json())
    app.post('/webhooks', createNodeWebhookHandler(options))
    return refused(serve(app), "express.raw({ type: 'application/json' })")
  })

  test('Express: express.raw() on the route below express.json() comes too late', () => {
    const app = express()
    app.use(express.json())
    app.post('/webhooks', express.raw({ type: 'application/json' }), createNodeWebhookHandler(options))
    return refused(serve(app), 'above app.use(express.json())')
  })

  test('Express: express.raw() on the route is fine, and so is express.text()', async () => {
    for (const parser of [express.raw({ type: 'application/json' }), express.text({ type: 'application/json' })]) {
      const app = express()
      app.post('/webhooks', parser, createNodeWebhookHandler(options))
      expect(await (await serve(app))(await delivery())).toMatchObject({ status: 200 })
    }
  })

  test('Fastify: its own JSON parser', () => {
    const app = fastify()
    app.post('/webhooks', async (request, reply) => {
      const answer = await receiveWebhook(
        { body: request.body as Buffer, headers: request.headers },
        { ...options, framework: 'fastify' },
      )
      return reply.code(answer.status).headers(answer.headers).send(answer.body)
    })
    return refused(serveFastify(app), "addContentTypeParser('application/json', { parseAs: 'buffer' }")
  })

  test('Koa: bodyParser() above the route', () => {
    const app = new Koa()
    app.use(bodyParser())
    app.use(async (ctx) => {
      const answer = await receiveNodeWebhook(ctx.req, { ...options, framework: 'koa' })
      ctx.status = answer.status
      ctx.body = answer.body
    })
    return refused(serve(app.callback()), 'above app.use(bodyParser())')
  })

  test.each(['on its own', 'on Node'])('Hono, %s: c.req.raw.json() before the handler', async (where) => {
    const { createWebhookHandler } = await import('@kyc-relay/webhooks')
    const receive = createWebhookHandler({ ...options, framework: 'hono' })
    const app = new Hono()
    app.post('/webhooks', async (c) => {
      await c.req.raw.json()
      return receive(c.req.raw)
    })
    await refused(
      where === 'on Node' ? serve(getRequestListener(app.fetch)) : fetching((request) => app.fetch(request)),
      'c.req.raw',
    )
  })

  test('Next: request.json() before the handler', async () => {
    const { createWebhookHandler } = await import('@kyc-relay/webhooks')
    const receive = createWebhookHandler({ ...options, framework: 'next' })
    await refused(
      fetching(async (request) => {
        await request.json()
        return receive(request)
      }),
      'route.ts',
    )
  })

  test('AWS Lambda: JSON.parse(event.body)', () =>
    refused(async ({ body: sent, headers }) => {
      const parsed = JSON.parse(sent) as string
      const answer = await receiveWebhook({ body: parsed, headers }, { ...options, framework: 'aws-lambda' })
      return { status: answer.status, text: answer.body }
    }, 'isBase64Encoded'))

  test('AWS Lambda: isBase64Encoded forgotten is explained', async () => {
    const explained: unknown[] = []
    const sent = await delivery()
    await receiveWebhook(
      { body: Buffer.from(body).toString('base64'), headers: sent.headers },
      {
        ...options,
        framework: 'aws-lambda',
        onRefused: ({ explain }) => explained.push(explain()),
      },
    )
    expect(await explained[0]).toMatchObject({
      cause: 'BODY_BASE64',
      fix: expect.stringContaining('isBase64Encoded') as string,
    })
  })
})

describe('refusing replays', () => {
  const sentAt = new Date('2026-03-02T15:04:05Z')

  test('a recorded request has an effect once, and none at all under a changed id or after five minutes', async () => {
    const deposits: unknown[] = []
    let now = sentAt
    const receive = createReplayProofHandler({
      apiKey,
      now: () => now,
      deduplicate: createMemoryDeduplicationStore({ now: () => now.getTime() }),
      onDeposit: (...deposited) => Promise.resolve(void deposits.push(deposited)),
    })
    const recorded = {
      ...(await signStandardWebhook({ id: crypto.randomUUID(), signedAt: sentAt, body, secret: apiKey })),
    }
    const send = async (headers: Record<string, string>) =>
      (await receive(new Request('https://receiver.example/', { method: 'POST', body, headers }))).status

    expect(await send(recorded)).toBe(200)
    expect(await send(recorded)).toBe(200)
    expect(await send({ ...recorded, 'webhook-id': crypto.randomUUID() })).toBe(401)
    now = new Date(sentAt.getTime() + 301_000)
    expect(await send(recorded)).toBe(401)
    expect(deposits).toHaveLength(1)
  })

  test('a test event has no effect', async () => {
    const onDeposit = vi.fn()
    const deduplicate = createMemoryDeduplicationStore({ now: () => sentAt.getTime() })
    const receive = createReplayProofHandler({ apiKey, now: () => sentAt, deduplicate, onDeposit })
    const body = JSON.stringify({ ...deposit, userId: nil, accountId: nil })
    const headers = {
      ...(await signStandardWebhook({ id: crypto.randomUUID(), signedAt: sentAt, body, secret: apiKey })),
    }
    const answer = await receive(new Request('https://receiver.example/', { method: 'POST', body, headers }))
    expect([answer.status, onDeposit.mock.calls]).toEqual([200, []])
  })

  test('the headers are those of Standard Webhooks: the reference library verifies them', async () => {
    const signed = await signStandardWebhook({ id: crypto.randomUUID(), signedAt: new Date(), body, secret: apiKey })
    const library = new Webhook(`whsec_${Buffer.from(apiKey).toString('base64')}`)
    expect(library.verify(body, { ...signed })).toEqual(deposit)
    expect(() => library.verify(`${body} `, { ...signed })).toThrow()
  })
})
