import { describe, expect, test } from 'vitest'
import { createDeliveryWorker, type DeliveryWorkerDeps } from '../../src/delivery/index.js'
import { checkEndpointHeaders, redactEchoes, shellVariableOf } from '../../src/internal/index.js'
import { resultOfCause, type SendRequest } from '../../src/delivery/sender.js'
import { createMemoryWebhookStore } from '../../src/testing/index.js'
import { accepted, allGranted, appId, oneKey, publish, registerEndpoint } from './delivery-samples.js'

const bytes = (text: string) => new TextEncoder().encode(text)
const textOf = (body: Uint8Array | null) => new TextDecoder().decode(body ?? new Uint8Array())

describe('checking static headers', () => {
  test.each<[Record<string, unknown>, string | null]>([
    [{}, null],
    [{ Authorization: 'Bearer abc', 'X-Tenant': 'blue', Cookie: 'a=b; c=d', 'x_y.z': '~', 'X-Api-Key': '!' }, null],
    [{ 'X-Long': 'a'.repeat(1_000) }, null],
    [{ a: '1', b: '2', c: '3', d: '4', e: '5', f: '6' }, 'TOO_MANY_HEADERS'],
    [{ '': 'a' }, 'HEADER_NAME_INVALID'],
    [{ 'X Tenant': 'a' }, 'HEADER_NAME_INVALID'],
    [{ 'X-Tenant:': 'a' }, 'HEADER_NAME_INVALID'],
    [{ 'X-Tenant\r\nHost': 'a' }, 'HEADER_NAME_INVALID'],
    [{ Größe: 'a' }, 'HEADER_NAME_INVALID'],
    [{ ['X'.repeat(101)]: 'a' }, 'HEADER_NAME_INVALID'],
    [{ 'X-Tenant': 'a', 'x-tenant': 'b' }, 'HEADER_NAME_REPEATED'],
    ...['', ' a', 'a ', 'a\tb', 'a\nb', 'a\r\nHost: b', 'ü', '\u007f', '\u0000', 'a'.repeat(1_001)].map(
      (value) => [{ 'X-Tenant': value }, 'HEADER_VALUE_INVALID'] as [Record<string, unknown>, string],
    ),
    ...[5, null, true, ['a'], { a: 1 }].map(
      (value) => [{ 'X-Tenant': value }, 'HEADER_VALUE_INVALID'] as [Record<string, unknown>, string],
    ),
    ...[
      ...['Host', 'HOST', 'Content-Type', 'content-length', 'Content-Anything', 'X-HMAC-Signature', 'x-event-id'],
      ...['X-Test-Event', 'Webhook-Id', 'webhook-signature', 'webhook-timestamp', 'Connection', 'Keep-Alive', 'TE'],
      ...['Proxy-Authorization', 'Proxy-Connection', 'Trailer', 'Transfer-Encoding', 'Upgrade', 'Traceparent'],
      ...['Tracestate', 'Expect', 'User-Agent', 'Accept-Encoding', 'HTTP2-Settings'],
    ].map((name) => [{ [name]: 'a' }, 'HEADER_NAME_NOT_ALLOWED'] as [Record<string, unknown>, string]),
  ])('%j: %s', (headers, problem) => {
    expect(checkEndpointHeaders(headers)).toBe(problem)
  })
})

test.each([
  ['X-Tenant', '$X_TENANT'],
  ['x_y.z', '$X_Y_Z'],
  ['2nd', '$_2ND'],
])('the value of %s is %s in a shell', (name, variable) => {
  expect(shellVariableOf(name)).toBe(variable)
})

describe('taking echoes out of an answer', () => {
  const secret = 'tok"en/of+the=partner'
  const answer = (body: string, location = 'https://partner.com/') => ({
    ...resultOfCause('HTTP_STATUS'),
    status: 400,
    responseHeaders: { location },
    responseBody: bytes(body),
  })

  test.each([
    ['as it is', secret],
    ['as JSON', JSON.stringify(secret).slice(1, -1)],
    ['URL-encoded', encodeURIComponent(secret)],
    ['in base64', btoa(secret)],
  ])('%s', (_how, echo) => {
    const { responseBody, responseHeaders } = redactEchoes(answer(`<${echo}> <${echo}>`, `/login?key=${echo}`), [
      secret,
    ])
    expect(textOf(responseBody)).toBe('<[redacted]> <[redacted]>')
    expect(responseHeaders).toEqual({ location: '/login?key=[redacted]' })
  })

  test.each([
    ['plain', 'abc/def+ghi=='],
    ['in JSON of PHP', String.raw`abc\/def+ghi==`],
    ['URL-encoded', 'abc%2Fdef%2Bghi%3D%3D'],
    ['in base64', btoa('abc/def+ghi==')],
  ])('also the credentials after a scheme, %s', (_how, echo) => {
    const { responseBody } = redactEchoes(answer(`invalid token <${echo}>`), ['Bearer abc/def+ghi=='])
    expect(textOf(responseBody)).toBe('invalid token <[redacted]>')
    expect(textOf(redactEchoes(answer('Bearer of my tenant'), ['my tenant']).responseBody)).toBe('Bearer of [redacted]')
    expect(textOf(redactEchoes(answer('a tenant'), ['my tenant']).responseBody)).toBe('a tenant')
  })

  test('also the part of a value where the body was cut, and no other byte', () => {
    const before = 'é'.repeat(8_187)
    const cut = answer(before + secret.slice(0, 10))
    expect(textOf(redactEchoes(cut, [secret]).responseBody)).toBe(`${before}[redacted]`)
    expect(textOf(redactEchoes(answer('ends with tok'), [secret]).responseBody)).toBe('ends with tok')
    expect(redactEchoes(cut, [])).toBe(cut)
    const everyByte = { ...cut, responseBody: Uint8Array.from({ length: 256 }, (_, byte) => byte) }
    expect(redactEchoes(everyByte, [secret]).responseBody).toEqual(everyByte.responseBody)
  })

  test('of a value that repeats itself, each find and the longest part at the cut', () => {
    const before = `${'.'.repeat(16_384 - 15)}aab`
    const cut = answer(`${before}${'aab'.repeat(4)}`)
    expect(textOf(redactEchoes(cut, [`${'aab'.repeat(4)}aac`]).responseBody) === `${before}[redacted]`).toBe(true)
    expect(textOf(redactEchoes(answer('xabababy aab'), ['abab']).responseBody)).toBe('x[redacted]y aab')
  })

  test('of several values that the cut may have met, the longest part', () => {
    const cut = answer('.'.repeat(16_384 - 9) + 'secretkey')
    const { responseBody } = redactEchoes(cut, ['key-of-one-partner', 'secretkey-2'])
    expect(textOf(responseBody)).toBe(`${'.'.repeat(16_384 - 9)}[redacted]`.slice(0, 16_384))
  })

  test('values that overlap as one', () => {
    expect(textOf(redactEchoes(answer('<abcde>'), ['abc', 'cde']).responseBody)).toBe('<[redacted]>')
  })

  test('never with a longer answer than one that is kept, however short the values are', () => {
    const long = answer('r'.repeat(16_384), 'r'.repeat(1_024))
    const { responseBody, responseHeaders } = redactEchoes(long, [...'redac'])
    expect(textOf(responseBody)).toBe('[redacted]'.repeat(1_639).slice(0, 16_384))
    expect(responseHeaders['location']).toBe('[redacted]'.repeat(103).slice(0, 1_024))
    expect(textOf(redactEchoes(answer('ok'), ['']).responseBody)).toBe('ok')
  })

  test('the longer one first, if a value holds another', () => {
    expect(textOf(redactEchoes(answer('abcdef abc'), ['abc', 'abcdef']).responseBody)).toBe('[redacted] [redacted]')
  })
})

describe('an endpoint with static headers', () => {
  const headers = { names: ['X-Tenant'], sealed: 'sealed', dataKey: 'key' }

  /** Sends one event. Returns what was sent, and its delivery. */
  async function deliver(change: Partial<DeliveryWorkerDeps>) {
    const store = createMemoryWebhookStore()
    const sent: SendRequest[] = []
    const worker = createDeliveryWorker({
      store,
      grants: allGranted,
      signingKeys: oneKey,
      async send(request) {
        sent.push(request)
        return { ...accepted, responseBody: bytes(JSON.stringify(request.headers)) }
      },
      now: () => new Date(0),
      random: () => 0.5,
      ...change,
    })
    const event = await publish(store, [await registerEndpoint(store, { headers })])
    await worker.runOnce()
    return { sent, found: await store.findDelivery({ appId, deliveryId: event.deliveries[0]?.deliveryId ?? '' }) }
  }

  test('gets them with each request, and its answer is kept without their values', async () => {
    const asked: unknown[] = []
    const { sent, found } = await deliver({
      openHeaders(endpoint) {
        asked.push(endpoint)
        return Promise.resolve({ 'X-Tenant': 'blue moon', 'x-event-id': 'forged' })
      },
    })
    expect(asked).toEqual([{ appId, headers }])
    expect(sent[0]?.headers).toMatchObject({ 'x-tenant': 'blue moon', 'x-event-id': found?.xEventId })
    expect(found).toMatchObject({ state: 'DELIVERED' })
    const kept = textOf(found?.attempts[0]?.report?.responseBody ?? null)
    expect(kept).toContain('[redacted]')
    expect(kept).not.toContain('blue moon')
  })

  test.each([
    ['cannot be opened', { openHeaders: () => Promise.reject(new Error('canary')) }],
    [
      'are opened by a function that throws at once',
      {
        openHeaders() {
          throw new Error('canary')
        },
      },
    ],
    ['are opened by nothing', {}],
  ])('sends nothing and uses no attempt up if they %s', async (_why, change) => {
    const { sent, found } = await deliver(change)
    expect(sent).toEqual([])
    expect(found).toMatchObject({ state: 'PENDING', attemptsMade: 0 })
    expect(found?.attempts).toMatchObject([{ state: 'UNSENT', report: { cause: 'HEADERS_UNAVAILABLE' } }])
  })
})
