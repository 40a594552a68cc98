import { createHmac } from 'node:crypto'
import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  explainMismatch,
  signStandardWebhook,
  signWebhook,
  verifySignature,
  verifyStandardWebhook,
  verifyWebhook,
  WebhookVerificationError,
  type EventType,
  type HeadersLike,
  type WebhookVerificationErrorCode,
} from '@kyc-relay/webhooks'
import type { TransactionUpdateEvent } from '../../src/events/transaction-events.js'

const secret = 'the API key'
const eventId = '0198c0de-0000-7000-8000-000000000001'
const body = '{"eventType":"WIDGET_KYC_INITIATION","userId":"é"}'
const signature = createHmac('sha256', secret).update(body).digest('hex')
const headers = { 'X-HMAC-Signature': signature, 'X-Event-ID': eventId }

async function codeOf(request: { body?: unknown; headers?: unknown; secrets?: unknown }) {
  const given = { body, headers, secrets: secret, ...request } as Parameters<typeof verifyWebhook>[0]
  return verifyWebhook(given).then(
    () => null,
    (error: unknown) => {
      if (!(error instanceof WebhookVerificationError)) throw error
      return error.code
    },
  )
}

describe('a prototype', () => {
  /** Runs with members on Object.prototype that somebody else put there. */
  async function polluted(members: Record<string, unknown>, run: () => Promise<void>) {
    for (const [name, value] of Object.entries(members)) {
      Object.defineProperty(Object.prototype, name, { value, configurable: true, enumerable: true, writable: true })
    }
    try {
      await run()
    } finally {
      for (const name of Object.keys(members)) Reflect.deleteProperty(Object.prototype, name)
    }
  }

  test('supplies no header', async () => {
    expect(await codeOf({ headers: Object.create(headers) })).toBe('SIGNATURE_MISSING')
    const inherited: unknown = Object.assign(Object.create({ 'X-Event-ID': eventId }), {
      'X-HMAC-Signature': signature,
    })
    expect(await codeOf({ headers: inherited })).toBe('EVENT_ID_MISSING')
    class Request {
      get 'X-HMAC-Signature'() {
        return signature
      }
    }
    expect(await codeOf({ headers: new Request() })).toBe('SIGNATURE_MISSING')
  })

  test.each([
    ['headers', { 'x-hmac-signature': signature, 'x-event-id': eventId }],
    ['a method get', { get: (name: string) => (name === 'x-event-id' ? eventId : signature) }],
  ])('that is polluted with %s supplies none, and hides none', async (_what, members: Record<string, unknown>) => {
    const given = [{}, new Headers(), headers, new Headers(headers)]
    const codes: unknown[] = []
    await polluted(members, async () => {
      for (const each of given) codes.push(await codeOf({ headers: each }))
    })
    expect(codes).toEqual(['SIGNATURE_MISSING', 'SIGNATURE_MISSING', null, null])
  })

  test('that is polluted with secrets supplies none', async () => {
    const given = { body, headers } as unknown as Parameters<typeof verifyWebhook>[0]
    for (const secrets of [secret, [secret]]) {
      await polluted({ secrets }, async () => {
        await expect(verifyWebhook(given)).rejects.toMatchObject({ code: 'SECRET_MISSING' })
        expect(await codeOf({ secrets: [secret, 'other'] })).toBeNull()
      })
    }
  })
})

describe('headers', () => {
  const accepted: readonly (readonly [string, HeadersLike])[] = [
    ['a Fetch Headers', new Headers(headers)],
    ["Node's lower-case record", { 'x-hmac-signature': signature, 'x-event-id': eventId, 'set-cookie': ['a', 'b'] }],
    ['upper case', { 'X-HMAC-SIGNATURE': signature, 'X-EVENT-ID': eventId }],
    ['mixed case', { 'x-Hmac-sIgnature': signature, 'X-Event-Id': eventId }],
    ["API Gateway's lists", { 'X-HMAC-Signature': [signature], 'X-Event-ID': [eventId] }],
    ['a record without a prototype', Object.assign(Object.create(null) as Record<string, string>, headers)],
    ['undefined entries', { ...headers, 'x-hmac-signature': undefined }],
    ['a header that is called get', { ...headers, get: 'x' }],
    [
      'a Map in lower case',
      new Map([
        ['x-hmac-signature', signature],
        ['x-event-id', eventId],
      ]) as unknown as HeadersLike,
    ],
  ]
  test.each(accepted)('%s', async (_name, given) => {
    expect(await verifyWebhook({ body, headers: given, secrets: secret })).toMatchObject({ eventId })
  })

  const refused: readonly (readonly [string, unknown, WebhookVerificationErrorCode])[] = [
    ['none', {}, 'SIGNATURE_MISSING'],
    ['undefined', undefined, 'SIGNATURE_MISSING'],
    ['null', null, 'SIGNATURE_MISSING'],
    ['an empty list', { ...headers, 'X-HMAC-Signature': [] }, 'SIGNATURE_MISSING'],
    ['a list of two', { ...headers, 'X-HMAC-Signature': [signature, signature] }, 'SIGNATURE_MALFORMED'],
    ['two of different case', { ...headers, 'x-hmac-signature': signature }, 'SIGNATURE_MALFORMED'],
    ['two, one of them wrong', { ...headers, 'x-hmac-signature': '0'.repeat(64) }, 'SIGNATURE_MALFORMED'],
    [
      'two in a Fetch Headers',
      new Headers([...Object.entries(headers), ['x-hmac-signature', signature]]),
      'SIGNATURE_MALFORMED',
    ],
    ['a number', { ...headers, 'X-HMAC-Signature': 7 }, 'SIGNATURE_MALFORMED'],
    ['an object', { ...headers, 'X-HMAC-Signature': {} }, 'SIGNATURE_MALFORMED'],
    ['two event ids', { ...headers, 'x-event-id': eventId }, 'EVENT_ID_MISSING'],
    ['an event id of spaces', { ...headers, 'X-Event-ID': '   ' }, 'EVENT_ID_MISSING'],
    ['an event id with a line break', { ...headers, 'X-Event-ID': `${eventId}\n` }, 'EVENT_ID_MISSING'],
    ['an event id of 1 MB', { ...headers, 'X-Event-ID': 'a'.repeat(1_000_000) }, 'EVENT_ID_MISSING'],
  ]
  test.each(refused)('refused: %s', async (_name, given, code) => {
    expect(await codeOf({ headers: given })).toBe(code)
  })

  test('the id is looked at only once the signature is good', async () => {
    expect(await codeOf({ headers: { 'X-HMAC-Signature': '0'.repeat(64) } })).toBe('SIGNATURE_MISMATCH')
  })
})

describe('body', () => {
  const bytes = new TextEncoder().encode(body)
  const padded = new Uint8Array(bytes.length + 10)
  padded.set(bytes, 5)
  const accepted: readonly (readonly [string, unknown])[] = [
    ['text', body],
    ['Uint8Array', bytes],
    ['Buffer', Buffer.from(body)],
    ['ArrayBuffer', bytes.buffer],
    ['a part of a larger buffer', padded.subarray(5, 5 + bytes.length)],
    ['DataView', new DataView(padded.buffer, 5, bytes.length)],
  ]
  test.each(accepted)('%s', async (_name, given) => {
    expect(await codeOf({ body: given })).toBeNull()
  })

  const refused: readonly (readonly [string, unknown, WebhookVerificationErrorCode])[] = [
    ['an object', JSON.parse(body), 'BODY_ALREADY_PARSED'],
    ['an array', [1], 'BODY_ALREADY_PARSED'],
    ['an empty array', [], 'BODY_ALREADY_PARSED'],
    ['an empty object', {}, 'BODY_ALREADY_PARSED'],
    ['a number', 5, 'BODY_ALREADY_PARSED'],
    ['a boolean', true, 'BODY_ALREADY_PARSED'],
    ['a promise', Promise.resolve(body), 'BODY_ALREADY_PARSED'],
    ['a stream', new ReadableStream(), 'BODY_ALREADY_PARSED'],
    ['a Buffer that went through JSON', JSON.parse(JSON.stringify(Buffer.from(body))), 'BODY_ALREADY_PARSED'],
    ['a String object', Object('text'), 'BODY_ALREADY_PARSED'],
    ['undefined', undefined, 'BODY_EMPTY'],
    ['null', null, 'BODY_EMPTY'],
    ['no text', '', 'BODY_EMPTY'],
    ['no bytes', new Uint8Array(), 'BODY_EMPTY'],
    ['an empty ArrayBuffer', new ArrayBuffer(0), 'BODY_EMPTY'],
  ]
  test.each(refused)('refused: %s', async (_name, given, code) => {
    expect(await codeOf({ body: given })).toBe(code)
  })

  test('bytes are verified as bytes: what decodes to the same text does not count', async () => {
    const invalid = Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d)
    const signedDecoded = await signWebhook(new TextDecoder().decode(invalid), secret)
    expect(await codeOf({ body: invalid, headers: { ...headers, 'X-HMAC-Signature': signedDecoded } })).toBe(
      'SIGNATURE_MISMATCH',
    )
  })

  test.each(['{}x', '{', 'null', '1', '"{}"', '[{}]', 'NaN', '{"a":1,}', '\uFEFF{}', '\0'])(
    'signed, but no JSON object: %j',
    async (text) => {
      const signed = { ...headers, 'X-HMAC-Signature': await signWebhook(text, secret) }
      expect(await codeOf({ body: text, headers: signed })).toBe('PAYLOAD_INVALID')
      expect(await codeOf({ body: Buffer.from(text), headers: signed })).toBe('PAYLOAD_INVALID')
    },
  )

  test('a key called __proto__ does not reach the prototype', async () => {
    const text = '{"__proto__":{"polluted":true},"eventType":"constructor"}'
    const signed = { ...headers, 'X-HMAC-Signature': await signWebhook(text, secret) }
    const { event, type } = await verifyWebhook({ body: text, headers: signed, secrets: secret })
    expect(type).toBe('UNKNOWN')
    expect('polluted' in {}).toBe(false)
    expect(Object.getPrototypeOf(event)).toBe(Object.prototype)
  })
})

describe('secrets', () => {
  test.each([
    [secret],
    [[secret]],
    [['old', secret]],
    [[secret, 'old']],
    [[undefined, secret]],
    [['', secret]],
    [Object.freeze(['x', secret])],
  ])('accepted: %j', async (secrets) => {
    expect(await codeOf({ secrets })).toBeNull()
  })
  test.each([[''], ['  \n'], [[]], [['']], [[undefined]], [undefined], [null], [5], [{}], [[null, 5]]])(
    'refused: %j',
    async (secrets) => {
      expect(await codeOf({ secrets })).toBe('SECRET_MISSING')
    },
  )
  test.each([[undefined], [null], [5], ['text']])('a request that is %j has no secret', async (request) => {
    for (const call of [verifyWebhook, verifySignature, verifyStandardWebhook, signStandardWebhook])
      await expect(call(request as never)).rejects.toMatchObject({ code: 'SECRET_MISSING' })
    expect(await explainMismatch(request as never)).toMatchObject({ cause: 'SECRET_MISSING' })
  })
  test('an empty secret never verifies what was signed with an empty key', async () => {
    const forged = createHmac('sha256', '').update(body).digest('hex')
    expect(await codeOf({ secrets: ['', 'real'], headers: { ...headers, 'X-HMAC-Signature': forged } })).toBe(
      'SIGNATURE_MISMATCH',
    )
  })
  test('both keys while they are rotated, the old one no longer after', async () => {
    const old = { ...headers, 'X-HMAC-Signature': await signWebhook(body, 'old key') }
    expect(await codeOf({ headers: old, secrets: [secret, 'old key'] })).toBeNull()
    expect(await codeOf({ headers: old, secrets: secret })).toBe('SIGNATURE_MISMATCH')
  })
})

describe('what comes back', () => {
  async function verified(payload: unknown) {
    const text = JSON.stringify(payload)
    const signed = { ...headers, 'X-HMAC-Signature': await signWebhook(text, secret) }
    return verifyWebhook({ body: text, headers: signed, secrets: secret })
  }
  const nil = '00000000-0000-0000-0000-000000000000'

  test.each([
    [{ eventType: 'TRANSACTION_DECLINE' }, 'TRANSACTION_DECLINE'],
    [{ eventType: 'transaction_create' }, 'UNKNOWN'],
    [{ eventType: 5 }, 'UNKNOWN'],
    [{ eventType: {} }, 'UNKNOWN'],
    [{ eventType: null, transactionId: 'x', status: 'DECLINED' }, 'TRANSACTION_DECLINE'],
    [{ transactionId: 'x', status: 'DECLINED' }, 'TRANSACTION_DECLINE'],
    [{ transactionId: 'x', status: 'SOMETHING_NEW', fluzAmount: 1 }, 'TRANSACTION_DECLINE'],
    [{ transactionId: 'x', recordId: 'y', status: 'PENDING' }, 'UNKNOWN'],
    [{ transactionId: 'x' }, 'UNKNOWN'],
    [{ status: 'DECLINED' }, 'UNKNOWN'],
    [{}, 'UNKNOWN'],
  ] as const)('the type of %j is %s', async (payload, type) => {
    expect((await verified(payload)).type).toBe(type)
  })

  test.each([
    [{ userId: nil, accountId: nil }, true],
    [{ userId: nil, accountId: 'a' }, false],
    [{ userId: 'u', accountId: nil }, false],
    [{}, false],
  ])('test event: %j %s', async (payload, expected) => {
    expect((await verified(payload)).test).toBe(expected)
  })

  test('is typed by its type', async () => {
    const webhook = await verified({ eventType: 'TRANSACTION_UPDATE', status: 'SETTLED' })
    if (webhook.type !== 'TRANSACTION_UPDATE') throw new Error('not this type')
    expectTypeOf(webhook.event).toEqualTypeOf<TransactionUpdateEvent>()
    expect(webhook.event.status).toBe('SETTLED')
    const type: EventType | 'UNKNOWN' = webhook.type
    expect(type).toBe('TRANSACTION_UPDATE')
  })
})

describe('WebhookVerificationError', () => {
  test('is recognised across copies of the package, and nothing else is', () => {
    class Copy extends Error {}
    Object.defineProperty(Copy.prototype, Symbol.for('@kyc-relay/webhooks.WebhookVerificationError'), { value: true })
    expect(new Copy()).toBeInstanceOf(WebhookVerificationError)
    for (const other of [new Error('x'), {}, null, undefined, 'x'])
      expect(other instanceof WebhookVerificationError).toBe(false)
  })

  test('carries fixed texts and a status, and nothing of the request', async () => {
    const error: unknown = await verifyWebhook({ body: 'canary-body', headers, secrets: 'canary-secret' }).catch(
      (thrown: unknown) => thrown,
    )
    if (!(error instanceof WebhookVerificationError)) throw new Error('no error')
    expect(error).toMatchObject({ name: 'WebhookVerificationError', code: 'SIGNATURE_MISMATCH', status: 401 })
    expect(JSON.stringify({ ...error, message: error.message, stack: error.stack })).not.toMatch(/canary/)
    expect(String(error)).not.toContain(signature)
  })
})

describe('signWebhook and verifySignature', () => {
  test.each([[''], ['  '], [undefined], [null]])('refuse the secret %j', async (given) => {
    await expect(signWebhook(body, given as string)).rejects.toMatchObject({ code: 'SECRET_MISSING' })
    await expect(verifySignature({ body, signature, secrets: given as string })).rejects.toMatchObject({
      code: 'SECRET_MISSING',
    })
  })
  test('refuse a parsed body', async () => {
    const parsed = JSON.parse(body) as string
    await expect(signWebhook(parsed, secret)).rejects.toMatchObject({ code: 'BODY_ALREADY_PARSED' })
    await expect(verifySignature({ body: parsed, signature, secrets: secret })).rejects.toMatchObject({
      code: 'BODY_ALREADY_PARSED',
    })
  })
  test('sign an empty body too', async () => {
    expect(await signWebhook('', secret)).toBe(createHmac('sha256', secret).update('').digest('hex'))
  })
  test.each([
    null,
    undefined,
    '',
    signature.toUpperCase(),
    signature.slice(1),
    `${signature}\n`,
    `${signature.slice(0, 62)}zz`,
    '0'.repeat(64),
  ])('verifySignature is false for %j', async (given) => {
    expect(await verifySignature({ body, signature: given, secrets: secret })).toBe(false)
  })
  test('verifySignature is true for the right one', async () => {
    expect(await verifySignature({ body, signature, secrets: ['x', secret] })).toBe(true)
  })
})

test('members of a request beside the named ones do not matter', async () => {
  const request = { body, headers, secrets: secret, method: 'POST' }
  expect(await verifyWebhook(request)).toMatchObject({ eventId })
})
