import { describe, expect, test, vi } from 'vitest'
import {
  createMemoryDeduplicationStore,
  createWebhookHandler,
  receiveWebhook,
  signStandardWebhook,
  signWebhook,
  type DeduplicationStore,
  type VerifiedWebhook,
} from '@kyc-relay/webhooks'
import { createEventTypes } from '@kyc-relay/webhooks/events'
import { createNodeWebhookHandler, receiveNodeWebhook } from '@kyc-relay/webhooks/node'
import { createSignedRequest } from '../../src/testing/index.js'
import type { WebhookHandlerOptions } from '../../src/receiver/webhook-handler.js'
import type { WebhookRefusal } from '../../src/receiver/receive-webhook.js'

const secret = 'the API key'
const eventId = '0198c0de-0000-7000-8000-000000000001'
const body = JSON.stringify({ eventType: 'WIDGET_KYC_INITIATION', userId: 'u' })

async function post(text: BodyInit | null = body, more: RequestInit = {}, id = eventId): Promise<Request> {
  const signature = await signWebhook(typeof text === 'string' ? text : body, secret)
  return new Request('https://receiver.example/hooks', {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/json', 'x-hmac-signature': signature, 'x-event-id': id },
    ...more,
  })
}

function handlerOf(options: Partial<WebhookHandlerOptions> = {}) {
  const events: VerifiedWebhook[] = []
  const handler = createWebhookHandler({ secrets: secret, onEvent: (webhook) => void events.push(webhook), ...options })
  return { handler, events }
}

describe('answers', () => {
  test('200 once the event was acted on', async () => {
    const { handler, events } = handlerOf()
    const response = await handler(await post())
    expect([response.status, await response.json()]).toEqual([200, { received: true }])
    expect(events).toMatchObject([{ eventId, type: 'WIDGET_KYC_INITIATION' }])
  })

  test('200 to event types it does not know, and to test events, which come through marked', async () => {
    const { handler, events } = handlerOf()
    const nil = '00000000-0000-0000-0000-000000000000'
    for (const payload of [{ eventType: 'LATER' }, { eventType: 'TRANSACTION_CREATE', userId: nil, accountId: nil }]) {
      expect((await handler(await post(JSON.stringify(payload)))).status).toBe(200)
    }
    expect(events.map(({ type, test }) => [type, test])).toEqual([
      ['UNKNOWN', false],
      ['TRANSACTION_CREATE', true],
    ])
  })

  test('401 to a bad signature, saying why but not how to forge one', async () => {
    const { handler, events } = handlerOf({ secrets: 'another' })
    const response = await handler(await post())
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({ code: 'SIGNATURE_MISMATCH', message: expect.any(String) as string })
    expect(events).toEqual([])
  })

  test.each([
    [401, 'SIGNATURE_MISSING', { 'x-event-id': eventId }],
    [401, 'SIGNATURE_MALFORMED', { 'x-hmac-signature': 'zz', 'x-event-id': eventId }],
  ])('%i %s', async (status, code, headers) => {
    const response = await handlerOf().handler(await post(body, { headers }))
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([status, code])
  })

  test('400 to a bad payload and to a missing event id', async () => {
    const { handler } = handlerOf()
    expect((await handler(await post('[]'))).status).toBe(400)
    const headers = { 'x-hmac-signature': await signWebhook(body, secret) }
    expect((await handler(await post(body, { headers }))).status).toBe(400)
  })

  test('401 to an empty body', async () => {
    expect((await handlerOf().handler(await post(null))).status).toBe(401)
  })

  test.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('405 to %s', async (method) => {
    const response = await handlerOf().handler(new Request('https://receiver.example/', { method }))
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('500 when onEvent throws, at once or later, and tells onError', async () => {
    for (const onEvent of [
      () => {
        throw new Error('at once')
      },
      () => Promise.reject(new Error('later')),
    ]) {
      const onError = vi.fn()
      const response = await handlerOf({ onEvent, onError }).handler(await post())
      expect([response.status, await response.text()]).toEqual([500, '{"code":"HANDLER_FAILED"}'])
      expect(onError).toHaveBeenCalledOnce()
    }
  })

  const unusable = ['', ' ', undefined, [], ['', undefined], ['key', ''], [' ', 'key'], ['key', null as never]]
  test.each(unusable.map((secrets) => [secrets]))('secrets %j are refused when it is created', (secrets) => {
    expect(() => createWebhookHandler({ secrets, onEvent: () => undefined })).toThrow(
      expect.objectContaining({ code: 'SECRET_MISSING' }),
    )
  })

  test('a second key that is not set is ignored', async () => {
    const { handler } = handlerOf({ secrets: [secret, undefined] })
    expect((await handler(await post())).status).toBe(200)
  })

  const wrongOptions: [string, Record<string, unknown>][] = [
    ['eventTypes', { eventTypes: ['ORDER_SHIPPED'] }],
    ['eventTypes', { eventTypes: 'ORDER_SHIPPED' }],
    ['eventTypes', { eventTypes: createEventTypes([]) }],
    ['standardWebhooks.now', { standardWebhooks: {} }],
    ['standardWebhooks.now', { standardWebhooks: true }],
    ['standardWebhooks.now', { standardWebhooks: { now: new Date() } }],
    ['standardWebhooks.now', { standardWebhooks: { secrets: 'k', toleranceMs: 1 } }],
    ['standardWebhooks.toleranceMs', { standardWebhooks: { now: () => new Date(), toleranceMs: '300000' } }],
    ['standardWebhooks.toleranceMs', { standardWebhooks: { now: () => new Date(), toleranceMs: Number.NaN } }],
    ['standardWebhooks.toleranceMs', { standardWebhooks: { now: () => new Date(), toleranceMs: -1 } }],
    ['standardWebhooks.now', { standardWebhooks: { now: Date.now } }],
    ['standardWebhooks.now', { standardWebhooks: { now: () => new Date(Number.NaN) } }],
    ['maxBodyBytes', { maxBodyBytes: Number.NaN }],
    ['maxBodyBytes', { maxBodyBytes: 0 }],
    ['leaseMs', { leaseMs: Number.NaN }],
    ['leaseMs', { leaseMs: -1 }],
    ['leaseMs', { leaseMs: Infinity }],
    ['bodyTimeoutMs', { bodyTimeoutMs: Number.NaN }],
    ['bodyTimeoutMs', { bodyTimeoutMs: 2 ** 31 }],
    ['onRefused', { onRefused: 'log' }],
    ['onError', { onError: {} }],
    ['deduplicate', { deduplicate: {} }],
    ['deduplicate', { deduplicate: new Map() }],
    ['deduplicate', { deduplicate: { claim: () => null, complete: () => null } }],
  ]
  test.each(wrongOptions)('a wrong %s is refused when it is created: %j', (name, wrong) => {
    const options = { secrets: 'k', onEvent: () => undefined, ...wrong }
    for (const create of [createWebhookHandler, createNodeWebhookHandler])
      expect(() => create(options as WebhookHandlerOptions)).toThrow(`The option ${name} must be`)
  })

  test.each([
    ['deduplcate', {}, 'The option deduplcate does not exist.'],
    ['leaseMs', NaN, 'The option leaseMs must be at least 1, and finite.'],
    ['leaseMs', -1, 'The option leaseMs must be at least 1, and finite.'],
  ])('the option %s of %j of receiveWebhook is told at each request, and nothing is processed', async (...given) => {
    const [name, value, message] = given
    const told: unknown[] = []
    const onEvent = vi.fn()
    const { headers } = await post()
    const options = { secrets: secret, onEvent, [name]: value, onError: (error: unknown) => told.push(error) }
    const { status } = await receiveWebhook({ body, headers }, options)
    expect([status, told, onEvent.mock.calls]).toEqual([500, [new TypeError(message)], []])
  })

  test.each([false, true, { kind: 'claimed' }, { duplicate: true }, { kind: 'in_progress' }])(
    'an event is not acted on when its claim is answered with %j',
    async (claimed) => {
      const told: unknown[] = []
      const deduplicate = { ...createMemoryDeduplicationStore({ now: () => 0 }), claim: async () => claimed as never }
      const { handler, events } = handlerOf({ deduplicate, onError: (error) => told.push(error) })
      expect([(await handler(await post())).status, events]).toEqual([500, []])
      expect(told).toEqual([expect.objectContaining({ name: 'TypeError' })])
    },
  )

  test.each(['deduplcate', 'standardWebhook', 'secret'])('the unknown option %s is refused', (name) => {
    const options = { secrets: 'k', onEvent: () => undefined, [name]: undefined }
    for (const create of [createWebhookHandler, createNodeWebhookHandler])
      expect(() => create(options as WebhookHandlerOptions)).toThrow(`The option ${name} does not exist.`)
  })

  test.each([[undefined], [null], [5], ['text']])('options that are %j have no secret', async (options) => {
    for (const create of [createWebhookHandler, createNodeWebhookHandler])
      expect(() => create(options as never)).toThrow(expect.objectContaining({ code: 'SECRET_MISSING' }))
    const request = { method: 'POST', headers: {}, body }
    for (const answer of [
      await receiveWebhook({ body, headers: {} }, options as never),
      await receiveNodeWebhook(request as never, options as never),
    ])
      expect([answer.status, answer.body]).toEqual([500, expect.stringContaining('SECRET_MISSING')])
  })

  test.each([[undefined], [null], [5], ['text']])('a request that is %j is answered', async (request) => {
    const options = { secrets: 'k', onEvent: () => undefined, onError: () => undefined }
    expect((await receiveWebhook(request as never, options)).status).toBe(401)
    expect((await receiveNodeWebhook(request as never, options)).status).toBe(405)
    expect((await createWebhookHandler(options)(request as never)).status).toBe(405)
  })

  test('a request may have more members than its body and its headers', async () => {
    const headers = { 'x-hmac-signature': await signWebhook(body, secret), 'x-event-id': eventId }
    const request = { body, headers, httpMethod: 'POST', isBase64Encoded: false }
    const answer = await receiveWebhook(request, { secrets: secret, onEvent: () => undefined })
    expect(answer.status).toBe(200)
  })

  test('an unknown option of Standard Webhooks is refused', () => {
    const standardWebhooks = { now: () => new Date(), tolerancMs: 60_000 }
    for (const create of [createWebhookHandler, createNodeWebhookHandler])
      expect(() => create({ secrets: 'k', onEvent: () => undefined, standardWebhooks })).toThrow(
        'The option standardWebhooks.tolerancMs does not exist.',
      )
  })

  test('Standard Webhooks with a clock, and a tolerance or none, are taken', () => {
    for (const toleranceMs of [undefined, 0, 300_000]) {
      const standardWebhooks = { now: () => new Date(), toleranceMs }
      expect(() => createWebhookHandler({ secrets: 'k', onEvent: () => undefined, standardWebhooks })).not.toThrow()
    }
  })

  test('an onEvent that is no function is refused when it is created', () => {
    expect(() => createWebhookHandler({ secrets: 'key' } as never)).toThrow('onEvent')
  })

  test('500 with a hint when one request is received without a secret', async () => {
    const { status, body } = await receiveWebhook(
      { body: '{}', headers: {} },
      { secrets: undefined, onEvent: () => undefined },
    )
    expect([status, JSON.parse(body)]).toMatchObject([
      500,
      { code: 'SECRET_MISSING', hint: expect.any(String) as string },
    ])
  })

  test('an error of onEvent is printed by default', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const failure = new Error('the database is down')
    const response = await handlerOf({ onEvent: () => Promise.reject(failure) }).handler(await post())
    expect([response.status, print.mock.calls]).toEqual([500, [[failure]]])
  })

  test('the same, whatever its listeners throw', async () => {
    const boom = () => {
      throw new Error('the log is down')
    }
    expect((await handlerOf({ secrets: 'x', onRefused: boom }).handler(await post())).status).toBe(401)
    expect((await handlerOf({ onEvent: boom, onError: boom }).handler(await post())).status).toBe(500)
  })

  test('the same, and no unhandled rejection, when its listeners fail later', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    try {
      const boom = () => Promise.reject(new Error('the log is down'))
      expect((await handlerOf({ secrets: 'x', onRefused: boom }).handler(await post())).status).toBe(401)
      expect((await handlerOf({ onEvent: boom, onError: boom }).handler(await post())).status).toBe(500)
      // Node looks for rejections that nobody handled before it runs the next task.
      await new Promise((resolve) => setImmediate(resolve))
    } finally {
      process.off('unhandledRejection', unhandled)
    }
    expect(unhandled).not.toHaveBeenCalled()
  })
})

describe('the body', () => {
  test('that somebody has read is refused at once, naming the line to change', async () => {
    const request = await post()
    await request.json()
    const response = await handlerOf({ framework: 'hono' }).handler(request)
    const answer = (await response.json()) as { code: string; hint: string }
    expect([response.status, answer.code]).toEqual([500, 'BODY_ALREADY_PARSED'])
    expect(answer.hint).toContain('c.req.raw')
  })

  test('that somebody is reading is refused at once too', async () => {
    const request = await post()
    request.body?.getReader()
    expect((await handlerOf().handler(request)).status).toBe(500)
  })

  test('that is used up is refused at once where nothing else of it is left to see', async () => {
    const used = { method: 'POST', bodyUsed: true, body: null, headers: new Headers() } as Request
    expect(await (await handlerOf().handler(used)).json()).toMatchObject({ code: 'BODY_ALREADY_PARSED' })
  })

  test('above the limit is 413, by its announcement or by its bytes', async () => {
    const { handler, events } = handlerOf({ maxBodyBytes: 100 })
    expect((await handler(await post('x'.repeat(101)))).status).toBe(413)
    const announced = await post(body, { headers: { 'content-length': '101' } })
    expect((await handler(announced)).status).toBe(413)
    let pulled = 0
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled++
        controller.enqueue(new Uint8Array(60))
      },
    })
    expect((await handler(await post(endless, { duplex: 'half' } as RequestInit))).status).toBe(413)
    expect(pulled).toBeLessThan(6)
    expect(events).toEqual([])
  })

  test('of one megabyte is 413 by default', async () => {
    expect((await handlerOf().handler(await post('x'.repeat(1_000_000)))).status).toBe(413)
  })

  test('that never ends is 408 when its time is up', async () => {
    vi.useFakeTimers()
    try {
      const stalled = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) })
      const answer = handlerOf().handler(await post(stalled, { duplex: 'half' } as RequestInit))
      await vi.advanceTimersByTimeAsync(30_000)
      expect((await answer).status).toBe(408)
    } finally {
      vi.useRealTimers()
    }
  })

  test('that breaks off is 400', async () => {
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new Uint8Array(5))
        controller.error(new Error('reset'))
      },
    })
    expect((await handlerOf().handler(await post(broken, { duplex: 'half' } as RequestInit))).status).toBe(400)
  })

  test('in many chunks is put together byte by byte', async () => {
    const bytes = new TextEncoder().encode(body)
    const chunked = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const { handler, events } = handlerOf()
    expect((await handler(await post(chunked, { duplex: 'half' } as RequestInit))).status).toBe(200)
    expect(events).toHaveLength(1)
  })
})

describe('refusals', () => {
  test('are told with a function that finds the reason', async () => {
    const refusals: WebhookRefusal[] = []
    const { handler } = handlerOf({ onRefused: (refusal) => void refusals.push(refusal), framework: 'next' })
    const signature = await signWebhook(body, secret)
    await handler(await post(`${body}\n`, { headers: { 'x-hmac-signature': signature, 'x-event-id': eventId } }))
    expect(refusals).toMatchObject([{ error: { code: 'SIGNATURE_MISMATCH' } }])
    expect(await refusals[0]?.explain()).toMatchObject({
      cause: 'BODY_NEWLINE_ADDED',
      fix: expect.stringContaining('route.ts') as string,
    })
  })
})

describe('deduplication', () => {
  function clocked(options: Partial<WebhookHandlerOptions> = {}) {
    const clock = { nowMs: 0 }
    const deduplicate = createMemoryDeduplicationStore({ now: () => clock.nowMs })
    return { clock, deduplicate, ...handlerOf({ deduplicate, ...options }) }
  }

  test('acts once on an event that comes again, and answers 200 both times', async () => {
    const { handler, events } = clocked()
    expect(await (await handler(await post())).json()).toEqual({ received: true })
    expect(await (await handler(await post())).json()).toEqual({ received: true, duplicate: true })
    expect(events).toHaveLength(1)
  })

  test('acts on two events of identical bytes: two real deposits', async () => {
    const { handler, events } = clocked()
    await handler(await post())
    await handler(await post(body, {}, 'another-id'))
    expect(events).toHaveLength(2)
  })

  test('acts again after onEvent has failed', async () => {
    let fails = true
    const onEvent = vi.fn(() => {
      if (fails) throw new Error('database down')
    })
    const { handler } = clocked({ onEvent })
    expect((await handler(await post())).status).toBe(500)
    fails = false
    expect((await handler(await post())).status).toBe(200)
    expect((await handler(await post())).status).toBe(200)
    expect(onEvent).toHaveBeenCalledTimes(2)
  })

  test('answers 503 with Retry-After while another process works on it, and loses nothing when that one dies', async () => {
    const { handler, events, deduplicate, clock } = clocked({ leaseMs: 60_000 })
    await deduplicate.claim({ eventId, leaseMs: 60_000 }) // a process that dies now
    clock.nowMs = 30_500
    const response = await handler(await post())
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30'])
    clock.nowMs = 60_001
    expect((await handler(await post())).status).toBe(200)
    expect(events).toHaveLength(1)
  })

  test('of many concurrent copies acts on one', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    const onEvent = vi.fn(() => gate)
    const { handler } = clocked({ onEvent })
    const answers = Array.from({ length: 10 }, async () => handler(await post()))
    await expect.poll(() => onEvent.mock.calls.length).toBe(1)
    release()
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(onEvent).toHaveBeenCalledOnce()
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 503)).toHaveLength(9)
  })

  test('hands the fencing token to onEvent', async () => {
    const fences: unknown[] = []
    const { handler } = clocked({
      onEvent: (_webhook, { fence }) => {
        fences.push(fence)
        if (fences.length === 1) throw new Error('once')
      },
    })
    await handler(await post())
    await handler(await post())
    expect(fences).toEqual([1, 2])
  })

  test('refuses nothing and claims nothing for a request that is not authentic', async () => {
    const { handler, deduplicate } = clocked({ secrets: 'another' })
    expect((await handler(await post())).status).toBe(401)
    expect(await deduplicate.claim({ eventId, leaseMs: 1 })).toMatchObject({ kind: 'claimed' })
  })

  test.each(['claim', 'complete', 'fail'] as const)('answers 500 when the store fails to %s', async (method) => {
    const store = createMemoryDeduplicationStore({ now: () => 0 })
    const broken: DeduplicationStore = { ...store, [method]: () => Promise.reject(new Error('store down')) }
    const errors: unknown[] = []
    const { handler } = clocked({
      deduplicate: broken,
      onError: (error) => void errors.push(error),
      ...(method === 'fail' ? { onEvent: () => Promise.reject(new Error('handler')) } : {}),
    })
    expect((await handler(await post())).status).toBe(500)
    expect(errors.map(String)).toContain('Error: store down')
    if (method === 'fail') expect(errors.map(String)).toContain('Error: handler')
  })
})

describe('with the Standard Webhooks headers demanded', () => {
  const now = new Date('2026-03-02T15:04:05Z')
  async function signed(signedAt: Date): Promise<Request> {
    const headers = { ...(await signStandardWebhook({ id: eventId, signedAt, body, secret })), 'x-event-id': 'made-up' }
    return post(body, { headers })
  }

  test('takes a fresh request, by its signed id, and refuses an old one', async () => {
    const { handler, events } = handlerOf({ standardWebhooks: { now: () => now } })
    expect((await handler(await signed(now))).status).toBe(200)
    expect(events).toMatchObject([{ eventId }])
    expect((await handler(await signed(new Date('2026-03-02T14:00:00Z')))).status).toBe(401)
  })

  test('refuses a request without them', async () => {
    expect((await handlerOf({ standardWebhooks: { now: () => now } }).handler(await post())).status).toBe(401)
  })

  test.each<[string, () => Promise<Request>, string, string]>([
    [
      'no webhook-signature, beside a good basic one',
      () => post(),
      'SIGNATURE_MISSING',
      'webhook-signature is missing.',
    ],
    ['an old request', () => signed(new Date(0)), 'TIMESTAMP_OUTSIDE_TOLERANCE', 'signed too long ago'],
    [
      'a changed id',
      async () => {
        const request = await signed(now)
        request.headers.set('webhook-id', 'another')
        return request
      },
      'UNEXPLAINED',
      'does not match',
    ],
    [
      'a body with a newline',
      async () => new Request(await createSignedRequest({ secret, event: body, signedAt: now }), { body: `${body}\n` }),
      'BODY_NEWLINE_ADDED',
      '',
    ],
  ])('explains %s', async (_name, request, cause, evidence) => {
    const diagnoses: unknown[] = []
    const onRefused = async ({ explain }: WebhookRefusal) => void diagnoses.push(await explain())
    const { handler } = handlerOf({ standardWebhooks: { now: () => now }, onRefused })
    expect((await handler(await request())).status).toBe(401)
    await expect.poll(() => diagnoses).toMatchObject([{ cause, evidence: expect.stringContaining(evidence) as string }])
  })
})

describe('createSignedRequest', () => {
  test('makes what a receiver accepts, with the id, the mark and the headers that were asked for', async () => {
    const { handler, events } = handlerOf()
    const event = { eventType: 'WIDGET_KYC_INITIATION' }
    const marked = await createSignedRequest({ secret, event, eventId, test: true })
    expect([marked.headers.get('x-test-event'), (await handler(marked)).status]).toEqual(['true', 200])
    expect((await handler(await createSignedRequest({ secret, event: JSON.stringify(event) }))).status).toBe(200)
    expect(events.map((one) => one.eventId === eventId)).toEqual([true, false])
    const now = new Date()
    const strict = handlerOf({ standardWebhooks: { now: () => now } })
    expect((await strict.handler(await createSignedRequest({ secret, event, signedAt: now }))).status).toBe(200)
    expect((await strict.handler(await createSignedRequest({ secret, event }))).status).toBe(401)
    await expect(createSignedRequest({ secret: '', event })).rejects.toMatchObject({ code: 'SECRET_MISSING' })
  })
})
