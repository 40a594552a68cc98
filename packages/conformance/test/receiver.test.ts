import { createMemoryDeduplicationStore, createWebhookHandler, eventTypes, verifyWebhook } from '@kyc-relay/webhooks'
import { describe, expect, test } from 'vitest'
import { checkReceiver, receiverCases } from '../src/index.js'

const apiKey = 'kyc_key_example_only'
const url = 'https://receiver.example/webhooks'
const now = () => new Date()
type Receive = (request: Request) => Promise<Response>

/** Lets a function answer what the cases send. */
async function failing(receive: Receive, standardWebhooks = false): Promise<string[]> {
  const send: typeof fetch = (input, init) => receive(new Request(input, init))
  const outcomes = await checkReceiver({ url, apiKey, standardWebhooks, fetch: send, now })
  expect(outcomes.map(({ id }) => id)).toEqual(receiverCases.map(({ id }) => id))
  return outcomes.flatMap(({ id, state }) => (state === 'failed' ? [id] : []))
}

const ok = () => new Response(null, { status: 204 })
const refused = () => new Response(null, { status: 401 })
const deduplicate = () => createMemoryDeduplicationStore({ now: Date.now })

async function verified(request: Request, change: (body: string) => string = (body) => body): Promise<string | null> {
  const body = await request.text()
  const signed = { body: change(body), headers: request.headers, secrets: apiKey }
  return verifyWebhook(signed).then(
    () => body,
    () => null,
  )
}

/** Receivers that are wrong in one way each, and the cases that notice. */
const wrong: readonly (readonly [what: string, caughtBy: readonly string[], receive: () => Receive])[] = [
  [
    'accepts everything',
    ['RX-SIGN-1', 'RX-SIGN-2', 'RX-SIGN-3', 'RX-SIGN-4', 'RX-SIGN-5', 'RX-SIGN-6'],
    () => async () => ok(),
  ],
  [
    'verifies the body parsed and serialised again',
    ['RX-BYTES-1', 'RX-BYTES-2', 'RX-BYTES-4'],
    () => async (request) =>
      (await verified(request, (body) => JSON.stringify(JSON.parse(body)))) === null ? refused() : ok(),
  ],
  [
    'takes 100 KB, as body parsers do by default',
    ['RX-BYTES-3'],
    () => async (request) => {
      const body = await verified(request)
      return body === null ? refused() : body.length > 100_000 ? new Response(null, { status: 413 }) : ok()
    },
  ],
  [
    'refuses duplicates',
    ['RX-TWICE-1'],
    () => {
      const seen = new Set<string>()
      return async (request) => {
        if ((await verified(request)) === null) return refused()
        const id = request.headers.get('x-event-id') ?? ''
        if (seen.has(id)) return new Response(null, { status: 409 })
        seen.add(id)
        return ok()
      }
    },
  ],
  [
    'uses an id up before it verifies',
    ['RX-SIGN-1', 'RX-TWICE-1'],
    () => {
      const seen = new Set<string>()
      return async (request) => {
        const id = request.headers.get('x-event-id') ?? ''
        if (seen.has(id)) return new Response(null, { status: 409 })
        seen.add(id)
        return (await verified(request)) === null ? refused() : ok()
      }
    },
  ],
  [
    'answers 500 to a type that it does not know',
    ['RX-FUTURE-1'],
    () => async (request) => {
      const body = await verified(request)
      if (body === null) return refused()
      return body.includes('SOMETHING_NEW') ? new Response(null, { status: 500 }) : ok()
    },
  ],
  [
    'looks for transactions that it has not seen',
    ['RX-GOOD-5', 'RX-ORDER-1'],
    () => {
      const known = new Set<string>()
      return async (request) => {
        const body = await verified(request)
        if (body === null) return refused()
        const { transactionId, eventType } = JSON.parse(body) as Record<string, string>
        if (transactionId === undefined) return ok()
        if (eventType === 'TRANSACTION_UPDATE' && known.size < 2) {
          known.add(request.headers.get('x-event-id') ?? '')
          return new Response(null, { status: 404 })
        }
        return ok()
      }
    },
  ],
]

describe('the cases for receivers', () => {
  test('pass our own receiver, with and without Standard Webhooks', async () => {
    const onEvent = () => Promise.resolve()
    const plain = createWebhookHandler({ secrets: apiKey, onEvent, deduplicate: deduplicate() })
    expect(await failing(plain)).toEqual([])
    const standardWebhooks = { now }
    const strict = createWebhookHandler({ secrets: apiKey, onEvent, deduplicate: deduplicate(), standardWebhooks })
    expect(await failing(strict, true)).toEqual([])
  })

  test('send an event of each type', async () => {
    const types = new Set<string>()
    await failing(async (request) => {
      const body = await request.text()
      const signed = { body, headers: request.headers, secrets: apiKey }
      await verifyWebhook(signed).then(
        ({ type }) => types.add(type),
        () => undefined,
      )
      return ok()
    })
    expect(eventTypes.filter((type) => !types.has(type))).toEqual([])
  })

  test.each(wrong)('catch a receiver that %s', async (_what, caughtBy, receive) => {
    expect(await failing(receive())).toEqual(caughtBy)
  })

  test('catch a receiver of Standard Webhooks that takes old requests', async () => {
    const standardWebhooks = { now, toleranceMs: 1e12 }
    const receive = createWebhookHandler({ secrets: apiKey, onEvent: () => Promise.resolve(), standardWebhooks })
    expect(await failing(receive, true)).toEqual(['RX-REPLAY-2', 'RX-REPLAY-3'])
  })

  test('skip what needs Standard Webhooks, and fail where nobody answers', async () => {
    const send: typeof fetch = () => Promise.reject(new TypeError('fetch failed'))
    const outcomes = await checkReceiver({ url, apiKey, fetch: send, now })
    expect(new Set(outcomes.map(({ id, state }) => (id.startsWith('RX-REPLAY') ? `replay ${state}` : state)))).toEqual(
      new Set(['failed', 'replay skipped']),
    )
    expect(outcomes[0]?.detail).toBe('Request 1 must be accepted, but no answer came.')
  })
})
