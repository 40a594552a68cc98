import Database from 'better-sqlite3'
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startReceiver, type LocalReceiver } from '../local-receiver.js'
import { createPortalClient } from '../portal/portal-client.js'
import { startTestServer, type CallOptions, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
let receiver: LocalReceiver
beforeAll(async () => {
  server = await startTestServer()
  receiver = await startReceiver(server.demo)
})
afterAll(async () => {
  await receiver.close()
  await server.stop()
})

const app = (index: number) => {
  const found = server.demo.apps[index]
  if (found === undefined) throw new Error('no such demo app')
  return found
}
const api = (path: string, options: CallOptions = {}) =>
  server.call(`${server.demo.apiUrl}/api/v1/webhooks${path}`, { token: app(0).apiKey, ...options })
const other = (path: string, options: CallOptions = {}) => api(path, { token: app(1).apiKey, ...options })
const register = async (body: Record<string, unknown>, call = api) => {
  const answer = await call('', { body })
  expect(answer.status).toBe(201)
  return answer.json as { id: string; url: string; eventTypes: string[]; allEvents: boolean }
}
const removeAll = async (call = api) => {
  for (const { id } of (await call('')).json.items) await call(`/${id}`, { method: 'DELETE' })
}

/** The delivery once it is no longer pending; looks at the log, bounded. */
async function ended(deliveryId: string, call = api) {
  for (let look = 0; look < 500; look += 1) {
    const { json } = await call(`/deliveries/${deliveryId}`)
    if (json.status !== 'PENDING') return json
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('the delivery did not end')
}

/** A test event to an endpoint, delivered to its end. */
async function tested(endpointId: string) {
  const sent = await api(`/${endpointId}/test`, { method: 'POST' })
  expect(sent.status).toBe(202)
  return ended(sent.json.deliveries[0].deliveryId as string)
}

describe('registration', () => {
  const refused: readonly [string, unknown, string, string][] = [
    ['plain HTTP', { url: 'http://partner.com/x' }, 'URL_NOT_HTTPS', '/url'],
    ['plain HTTP in capitals', { url: 'HTTP://partner.com' }, 'URL_NOT_HTTPS', '/url'],
    ['ftp', { url: 'ftp://partner.com/' }, 'URL_NOT_HTTPS', '/url'],
    ['javascript', { url: 'javascript:alert(1)' }, 'URL_NOT_HTTPS', '/url'],
    ['no scheme', { url: '//partner.com' }, 'URL_INVALID', '/url'],
    ['a missing slash', { url: 'https:partner.com' }, 'URL_INVALID', '/url'],
    ['three slashes', { url: 'https:///partner.com' }, 'URL_INVALID', '/url'],
    ['nothing', { url: '' }, 'URL_INVALID', '/url'],
    ['a letter outside ASCII', { url: 'https://partner.com/é' }, 'URL_INVALID', '/url'],
    ['an IPv4 address', { url: 'https://169.254.169.254/latest' }, 'URL_HOST_NOT_ALLOWED', '/url'],
    ['an IPv4 address as a number', { url: 'https://2130706433/' }, 'URL_HOST_NOT_ALLOWED', '/url'],
    ['an IPv6 address', { url: 'https://[::1]/' }, 'URL_HOST_NOT_ALLOWED', '/url'],
    ['a private name', { url: 'https://metadata.google.internal/' }, 'URL_HOST_NOT_ALLOWED', '/url'],
    ['a single label', { url: 'https://intranet/' }, 'URL_HOST_NOT_ALLOWED', '/url'],
    ['credentials', { url: 'https://user:secret@partner.com/' }, 'URL_HAS_CREDENTIALS', '/url'],
    ['a fragment', { url: 'https://partner.com/#x' }, 'URL_HAS_FRAGMENT', '/url'],
    ['port 22', { url: 'https://partner.com:22/' }, 'URL_PORT_NOT_ALLOWED', '/url'],
    ['2,049 characters', { url: `https://partner.com/${'x'.repeat(2029)}` }, 'TOO_LONG', '/url'],
    ['no URL', {}, 'REQUIRED', '/url'],
    ['null as URL', { url: null }, 'TYPE', '/url'],
    ['an unknown event type', { url: 'https://partner.com/', eventTypes: ['NOT_A_TYPE'] }, 'ENUM', '/eventTypes/0'],
    [
      'a type in lower case',
      { url: 'https://partner.com/', eventTypes: ['transaction_create'] },
      'ENUM',
      '/eventTypes/0',
    ],
    [
      'types that are no list',
      { url: 'https://partner.com/', eventTypes: 'TRANSACTION_CREATE' },
      'TYPE',
      '/eventTypes',
    ],
    ['an unknown field', { url: 'https://partner.com/', secret: 'canary' }, 'UNKNOWN_FIELD', ''],
    ['a key that is no name', { url: 'https://partner.com/', '078-05-1120': 'canary' }, 'UNKNOWN_FIELD', ''],
  ]

  it.each(refused)('of %s is refused with a pointer', async (_name, body, code, pointer) => {
    const answer = await api('', { body })
    expect([answer.status, answer.headers['content-type']]).toEqual([400, 'application/problem+json'])
    expect(answer.json).toMatchObject({ code: 'BAD_REQUEST', status: 400, requestId: answer.headers['x-request-id'] })
    expect(answer.json.violations).toEqual([{ pointer, code, message: expect.any(String) }])
    expect(answer.text).not.toContain('canary')
  })

  it('of an invalid URL is refused with an example that is accepted', async () => {
    const { json } = await api('', { body: { url: 'https://partner.com/é' } })
    const { message } = json.violations[0] as { message: string }
    expect(message).toContain('percent-encode')
    const url = /https:\S+?(?=,? )/.exec(message)?.[0] ?? ''
    expect(await register({ url })).toMatchObject({ url })
    await removeAll()
  })

  it('names every problem at once', async () => {
    const answer = await api('', { body: { url: 5, eventTypes: ['A', 'B'], JaneExample: 1 } })
    expect(answer.json.violations.map((one: { pointer: string }) => one.pointer).sort()).toEqual([
      '',
      '/eventTypes/0',
      '/eventTypes/1',
      '/url',
    ])
    expect(answer.text).not.toContain('JaneExample')
  })

  it('names at most 50 problems, in a body and in a query', async () => {
    const eventTypes = Array.from({ length: 9_900 }, () => 'x')
    const bodyRefused = await api('', { body: { url: 'https://partner.com/hooks', eventTypes } })
    const queryRefused = await api(`/events?types=${eventTypes.slice(0, 400).join()}`)
    for (const { status, json } of [bodyRefused, queryRefused])
      expect([status, (json.violations as unknown[]).length]).toEqual([400, 50])
  })

  it('keeps several endpoints, the same URL twice, types without repetition, none meaning all', async () => {
    const url = 'https://partner.com/hooks'
    const all = await register({ url, eventTypes: [] })
    const two = await register({ url, eventTypes: ['TRANSACTION_CREATE', 'TRANSACTION_CREATE', 'TRANSACTION_UPDATE'] })
    expect(all).toMatchObject({ url, eventTypes: [], allEvents: true })
    expect(two).toMatchObject({ url, eventTypes: ['TRANSACTION_CREATE', 'TRANSACTION_UPDATE'], allEvents: false })
    const listed = await api('')
    const asListed = (one: object) => ({ ...one, warnings: undefined })
    expect(listed.json).toEqual({ items: [all, two].map(asListed), nextCursor: null })
    expect((await other('')).json.items).toEqual([])
    const answer = await api('', { body: { url: 'https://Partner.com.:443/a%20b' } })
    expect(answer.json.url).toBe('https://partner.com/a%20b')
    expect(
      (await server.call(server.demo.apiUrl + String(answer.headers.location), { token: app(0).apiKey })).json,
    ).toEqual(asListed(answer.json as object))
    await removeAll()
  })

  it('is limited to 50 endpoints per app', async () => {
    for (let count = 0; count < 50; count += 1) await register({ url: `https://partner.com/${count}` })
    const answer = await api('', { body: { url: 'https://partner.com/51' } })
    expect([answer.status, answer.json.code, answer.json.detail]).toEqual([409, 'LIMIT_EXCEEDED', 'ENDPOINT_LIMIT'])
    expect((await other('', { body: { url: 'https://partner.com/x' } })).status).toBe(201)
    await removeAll()
    await removeAll(other)
  })
})

describe('an endpoint on one of our own names', () => {
  it('is refused by the API and by the portal, in any spelling; another name beside them is not', async () => {
    const ours = await startTestServer({ PUBLIC_HOSTS: 'api.ours.com, Secure.Ours.com' })
    onTestFinished(() => ours.stop())
    const register = (url: string) =>
      ours.call(`${ours.demo.apiUrl}/api/v1/webhooks`, { token: ours.demo.apps[0]?.apiKey ?? null, body: { url } })
    for (const url of ['https://api.ours.com/hook', 'https://SECURE.ours.com./', 'https://secure.ours.com:8443/']) {
      const refused = await register(url)
      expect([refused.status, refused.json.violations?.[0]?.code]).toEqual([400, 'URL_HOST_NOT_ALLOWED'])
    }
    expect((await register('https://docs.ours.com/hook')).status).toBe(201)
    const browser = createPortalClient(ours)
    await browser.signIn()
    const form = await browser.get('/portal/webhooks/new')
    const refused = await browser.submit(form, '/portal/webhooks/new', { url: 'https://api.ours.com/hook' })
    expect([refused.status, refused.text.includes('public name')]).toEqual([400, true])
  })
})

describe('removal', () => {
  it('answers 204 once, then 404, as for an id of another app or no id at all', async () => {
    const { id } = await register({ url: 'https://partner.com/x' })
    expect((await other(`/${id}`, { method: 'DELETE' })).status).toBe(404)
    expect((await other(`/${id}`)).status).toBe(404)
    expect((await api(`/${id}`)).status).toBe(200)
    const removed = await api(`/${id}`, { method: 'DELETE' })
    expect([removed.status, removed.text]).toEqual([204, ''])
    for (const unknown of [id, '00000000-0000-4000-8000-000000000000', 'x', "' OR 1=1 --"]) {
      const answer = await api(`/${encodeURIComponent(unknown)}`, { method: 'DELETE' })
      expect([unknown, answer.status, answer.json.code]).toEqual([unknown, 404, 'NOT_FOUND'])
    }
  })
})

describe('methods and keys', () => {
  it.each([
    ['PUT', ''],
    ['PATCH', '/00000000-0000-4000-8000-000000000000'],
    ['DELETE', '/deliveries'],
    ['GET', '/keys/rotate'],
  ] as const)('%s of %s is not allowed', async (method, path) => {
    const answer = await api(path, { method })
    expect([answer.status, answer.json.code]).toEqual([405, 'METHOD_NOT_ALLOWED'])
    expect(answer.headers.allow).toMatch(/GET|POST|DELETE/)
  })

  it('without an API key, or with an access token instead, is 401', async () => {
    for (const token of [null, 'kyc_key_unknown', server.demo.users[0]?.accessToken ?? '']) {
      const answer = await api('', { token })
      expect([answer.status, answer.json.code]).toEqual([401, 'UNAUTHENTICATED'])
      expect(answer.headers['www-authenticate']).toBe('Bearer')
    }
  })

  it('every answer says what is left of the limit', async () => {
    const answer = await api('')
    expect(answer.headers['ratelimit-policy']).toBe('"app";q=60000;w=60')
    expect(answer.headers.ratelimit).toMatch(/^"app";r=\d+;t=\d+$/)
  })
})

describe('a test event', () => {
  it('is previewed exactly as it then arrives', async () => {
    const { id } = await register({ url: receiver.url('/preview?a=b'), eventTypes: ['TRANSACTION_CREATE'] })
    const before = receiver.received.length
    const shown = await api(`/${id}/test`, { body: { dryRun: true } })
    expect(shown.status).toBe(200)
    expect(receiver.received.length).toBe(before)
    const delivery = await tested(id)
    const [arrived] = await receiver.arrived('/preview?a=b', 1)
    const { request } = shown.json
    expect(request.method).toBe('POST')
    expect(request.body).toBe(arrived?.body)
    // Everything but the id, which is made anew for each event.
    expect({ ...request.headers, 'x-event-id': null }).toEqual({ ...arrived?.headers, 'x-event-id': null })
    expect(arrived?.headers).toMatchObject({
      'x-test-event': 'true',
      'x-hmac-signature': createHmac('sha256', app(0).apiKey)
        .update(arrived?.body ?? '')
        .digest('hex'),
      'x-event-id': delivery.xEventId,
    })
    expect(JSON.parse(arrived?.body ?? '')).toMatchObject({
      eventType: 'TRANSACTION_CREATE',
      userId: '00000000-0000-0000-0000-000000000000',
      connectedAppName: app(0).name,
    })
    expect(delivery).toMatchObject({ test: true, status: 'DELIVERED', eventType: 'TRANSACTION_CREATE' })
    await removeAll()
  })

  it('can be of another type, and reaches nobody for an endpoint that is not there', async () => {
    const { id } = await register({ url: receiver.url('/typed') })
    const shown = await api(`/${id}/test`, { body: { dryRun: true, eventType: 'WIDGET_DEPOSIT_COMPLETE' } })
    expect(JSON.parse(shown.json.request.body as string)).toMatchObject({ eventType: 'WIDGET_DEPOSIT_COMPLETE' })
    expect((await api(`/${id}/test`, { body: { eventType: 'X' } })).json.violations[0].pointer).toBe('/eventType')
    expect((await other(`/${id}/test`, { method: 'POST' })).status).toBe(404)
    await removeAll()
    expect((await api(`/${id}/test`, { method: 'POST' })).status).toBe(404)
  })
})

describe('the delivery log', () => {
  it('shows an attempt with its cause, the next step, and a command that is signed by itself', async () => {
    const hostile = Buffer.concat([
      Buffer.from('<script>alert(1)</script>\u001b[31m'),
      Buffer.from([0xff]),
      Buffer.alloc(40_000, 0x61),
    ])
    receiver.answer('/hostile', {
      status: 500,
      headers: { 'content-type': 'text/html', 'set-cookie': 'secret=canary' },
      body: hostile,
    })
    const { id } = await register({ url: receiver.url('/hostile') })
    const delivery = await tested(id)
    expect(delivery).toMatchObject({ status: 'DELIVERED', attemptsMade: 2 })
    const [failed, succeeded] = delivery.attempts
    expect(failed).toMatchObject({
      number: 1,
      state: 'FAILED',
      cause: 'HTTP_STATUS',
      httpStatus: 500,
      address: '127.0.0.1',
      explanation: { cause: expect.stringMatching(/failed/), nextStep: expect.any(String), registerUrl: null },
    })
    expect(failed.responseBody.startsWith('<script>alert(1)</script>\u001b[31m\ufffdaaa')).toBe(true)
    expect(Buffer.byteLength(failed.responseBody as string)).toBeLessThanOrEqual(16_384 + 2)
    expect(failed.responseHeaders['set-cookie']).toBe('[redacted]')
    expect(succeeded).toMatchObject({ number: 2, state: 'SUCCEEDED', cause: null, httpStatus: 200 })
    expect(delivery.curl).toContain(`X-Event-ID: ${delivery.xEventId}`)
    expect(delivery.curl).not.toContain(app(0).apiKey)
    expect(delivery.body).toBe(receiver.received.at(-1)?.body)
    await removeAll()
  })

  it('shows an attempt whose report was stored without what later versions add', async () => {
    const { id } = await register({ url: receiver.url('/earlier') })
    const delivery = await tested(id)
    expect(delivery.attempts).toMatchObject([{ address: '127.0.0.1', keyVersion: 1 }])
    const database = new Database(`${server.dataDir}/kyc.db`)
    database
      .prepare(
        `update kyc_relay_attempts set report = json_object('cause', report -> '$.cause', 'status', report -> '$.status',
          'timings', report -> '$.timings', 'responseHeaders', report -> '$.responseHeaders')
        where delivery = (select position from kyc_relay_deliveries where delivery_id = ?)`,
      )
      .run(delivery.id)
    database.close()
    const { json } = await api(`/deliveries/${delivery.id}`)
    expect(json.attempts).toMatchObject([{ httpStatus: 200, address: null, keyVersion: null }])
    expect(Object.keys(json.attempts[0])).toEqual(Object.keys(delivery.attempts[0]))
    const browser = createPortalClient(server)
    await browser.signIn()
    const page = await browser.get(`/portal/deliveries/${delivery.id}`)
    expect(page.status).toBe(200)
    expect(page.text).toContain('HTTP 200')
    // After the times comes what later versions add.
    expect(page.text).toMatch(/<span>in all [\d.]+ ms<\/span><\/div>/)
    await removeAll()
  })

  it('names the URL to register where an endpoint redirects', async () => {
    receiver.answerBy('/moved', () => ({ status: 308, headers: { location: 'https://partner.com/new' } }))
    const { id } = await register({ url: receiver.url('/moved') })
    const delivery = await tested(id)
    expect([delivery.status, delivery.attempts.length]).toEqual(['FAILED', 5])
    expect(delivery.attempts[4].explanation.registerUrl).toBe('https://partner.com/new')
    await removeAll()
  })

  it('is filtered and paged, newest first, and never shows another app’s rows', async () => {
    const { id } = await register({ url: receiver.url('/paged'), eventTypes: ['WIDGET_DEPOSIT_COMPLETE'] })
    const made: string[] = []
    for (let count = 0; count < 5; count += 1) made.unshift((await tested(id)).id as string)
    const seen: string[] = []
    let next: string | null = ''
    while (next !== null) {
      const page = await api(`/deliveries?endpointId=${id}&limit=2${next}`)
      seen.push(...page.json.items.map((one: { id: string }) => one.id))
      expect(page.json.items.length).toBeLessThanOrEqual(2)
      next = page.json.nextCursor === null ? null : `&cursor=${page.json.nextCursor}`
    }
    expect(seen).toEqual(made)
    const ids = async (query: string, call = api) =>
      ((await call(`/deliveries?${query}`)).json.items as { id: string }[]).map((one) => one.id)
    expect(await ids(`endpointId=${id}&status=DELIVERED&eventType=WIDGET_DEPOSIT_COMPLETE`)).toEqual(made)
    expect(await ids(`endpointId=${id}&status=FAILED`)).toEqual([])
    expect(await ids(`endpointId=${id}&eventType=TRANSACTION_CREATE`)).toEqual([])
    expect(await ids(`endpointId=${id}`, other)).toEqual([])
    const { items } = (await api(`/deliveries?endpointId=${id}`)).json
    const first = items.at(-1) as Record<string, string>
    const [, second] = [...items].reverse() as Record<string, string>[]
    for (const name of ['eventId', 'xEventId']) {
      expect(await ids(`${name}=${first[name]!.toUpperCase()}`)).toEqual([first.id])
      expect(await ids(`${name}=${first[name]}`, other)).toEqual([])
    }
    expect(items[0]).toMatchObject({ httpStatus: 200, latencyMs: expect.any(Number) })
    expect(await ids(`endpointId=${id}&httpStatus=200&userId=00000000-0000-0000-0000-000000000000`)).toEqual(made)
    for (const status of [500, 600, 999]) expect(await ids(`endpointId=${id}&httpStatus=${status}`)).toEqual([])
    expect(await ids('transactionId=c2b1a098-7f6e-4d5c-8b3a-291807f6e507')).toEqual([])
    const since = encodeURIComponent(second!.createdAt!)
    expect(await ids(`endpointId=${id}&createdAfter=${since}`)).toEqual(made.slice(0, 4))
    expect(await ids(`endpointId=${id}&createdBefore=${since}`)).toEqual(made.slice(4))
    const inRome = encodeURIComponent(
      new Date(Date.parse(second!.createdAt!) + 3_600_000).toISOString().replace('Z', '+01:00'),
    )
    expect(await ids(`endpointId=${id}&createdBefore=${inRome}`)).toEqual(made.slice(4))
    const { nextCursor } = (await api('/deliveries?limit=1')).json
    const ofOthers = await other(`/deliveries?cursor=${nextCursor}`)
    expect([ofOthers.status, ofOthers.json.violations]).toMatchObject([400, [{ pointer: '/cursor' }]])
    expect((await other(`/deliveries/${made[0]}`)).status).toBe(404)
    expect((await other(`/deliveries/${made[0]}/resend`, { method: 'POST' })).status).toBe(404)
    await removeAll()
  })

  it.each([
    ['limit=-1', '/limit'],
    ['limit=0', '/limit'],
    ['limit=x', '/limit'],
    ['limit=1.5', '/limit'],
    ['limit=1e2', '/limit'],
    ['cursor=forged', '/cursor'],
    ['cursor=%00', '/cursor'],
    [`cursor=${'9'.repeat(600)}`, '/cursor'],
    ['status=delivered', '/status'],
    ['status=DELIVERED%27%20OR%201%3D1', '/status'],
    ['eventType=NOT_A_TYPE', '/eventType'],
    ['endpointId=1', '/endpointId'],
    ['eventId=1', '/eventId'],
    ['xEventId=x', '/xEventId'],
    ['userId=%27', '/userId'],
    ['transactionId=x', '/transactionId'],
    ['httpStatus=099', '/httpStatus'],
    ['httpStatus=1000', '/httpStatus'],
    ['httpStatus=2', '/httpStatus'],
    ['httpStatus=2xx', '/httpStatus'],
    ['createdAfter=yesterday', '/createdAfter'],
    ['createdAfter=2026-02-30T00:00:00Z', '/createdAfter'],
    ['createdBefore=2026-01-01', '/createdBefore'],
    ['createdBefore=2026-01-01', '/createdBefore'],
    ['transactionId=%00', '/transactionId'],
  ])('refuses ?%s at %s', async (query, pointer) => {
    const answer = await api(`/deliveries?${query}`)
    expect([answer.status, answer.json.detail]).toEqual([400, 'QUERY_INVALID'])
    expect(answer.json.violations.map((one: { pointer: string }) => one.pointer)).toEqual([pointer])
  })

  it.each(['limit=201', 'limit=1000000000', 'limit=99999999999999999999'])(
    'takes ?%s, and gives at most 200',
    async (query) => {
      const answer = await api(`/deliveries?${query}`)
      expect(answer.status).toBe(200)
      expect(answer.json.items.length).toBeLessThanOrEqual(200)
    },
  )
})

describe('a resend', () => {
  it('is a new delivery with the same bytes and X-Event-ID', async () => {
    const { id } = await register({ url: receiver.url('/again') })
    const first = await tested(id)
    const resent = await api(`/deliveries/${first.id}/resend`, { method: 'POST' })
    expect(resent.status).toBe(202)
    const second = await ended(resent.json.deliveryId as string)
    expect(second).toMatchObject({
      resendOf: first.id,
      xEventId: first.xEventId,
      body: first.body,
      status: 'DELIVERED',
    })
    const posts = await receiver.arrived('/again', 2)
    expect(posts[1]).toEqual(posts[0])
    await removeAll()
    const gone = await api(`/deliveries/${first.id}/resend`, { method: 'POST' })
    expect([gone.status, gone.json.detail]).toEqual([409, 'ENDPOINT_REMOVED'])
  })

  it('of a delivery without its body says so, and not that there is no such delivery', async () => {
    const { id } = await register({ url: receiver.url('/erased') })
    const { internalUrl, internalToken } = server.demo
    const internal = (path: string, options: CallOptions) =>
      server.call(`${internalUrl}/internal/v1/${path}`, { token: internalToken, ...options })
    const { appId, userId } = server.demo.users[5] ?? {}
    const event = { appId, userId, eventType: 'WIDGET_KYC_INITIATION', data: {} }
    const published = await internal('events', { body: event })
    const sent = published.json.deliveries.find((one: { endpointId: string }) => one.endpointId === id)
    await ended(sent.deliveryId)
    await internal(`users/${userId}/pii`, { method: 'DELETE', body: { purpose: 'request', actor: 'test' } })
    expect((await api(`/deliveries/${sent.deliveryId}`)).json.body).toBeNull()
    const again = await api(`/deliveries/${sent.deliveryId}/resend`, { method: 'POST' })
    expect([again.status, again.json.detail]).toEqual([409, 'BODY_BLANKED'])
    await removeAll()
    const unknown = await api('/deliveries/00000000-0000-4000-8000-000000000000/resend', { method: 'POST' })
    expect(unknown.status).toBe(404)
  })

  it('of a delivery that is still under way is a conflict', async () => {
    receiver.answerBy('/slow', () => ({ status: 503, headers: { 'retry-after': '600' } }))
    const { id } = await register({ url: receiver.url('/slow') })
    const sent = await api(`/${id}/test`, { method: 'POST' })
    await receiver.arrived('/slow', 1)
    const again = await api(`/deliveries/${sent.json.deliveries[0].deliveryId}/resend`, { method: 'POST' })
    expect([again.status, again.json.detail]).toEqual([409, 'DELIVERY_PENDING'])
    await removeAll()
    expect((await api(`/deliveries/${sent.json.deliveries[0].deliveryId}`)).json).toMatchObject({
      status: 'CANCELLED',
      cancelReason: 'ENDPOINT_REMOVED',
    })
  })
})

describe('rotation of the API key', () => {
  it('is tried with both keys in a dry run, activated once, and signs with the new key from then on', async () => {
    const key = (options: CallOptions = {}) => ({ token: app(1).apiKey, ...options })
    const { id } = await register({ url: receiver.url('/rotating') }, other)
    const early = await api('/keys/dry-run', key({ body: { endpointId: id } }))
    expect([early.status, early.json.detail]).toEqual([409, 'NO_ROTATION_PENDING'])
    expect((await api('/keys/activate', key({ method: 'POST' }))).status).toBe(409)

    const rotated = await api('/keys/rotate', key({ method: 'POST' }))
    expect([rotated.status, rotated.json.version]).toEqual([201, 2])
    const newKey = rotated.json.apiKey as string
    expect((await api('/keys/rotate', key({ method: 'POST' }))).json.detail).toBe('ROTATION_PENDING')
    expect((await api('/keys', key())).json.items.map((one: { state: string }) => one.state)).toEqual([
      'WAITING',
      'SIGNING',
    ])
    expect((await api('', { token: newKey })).status).toBe(200)

    // A receiver that knows the old key only: the dry run shows what activation would break.
    const signedBy = (secret: string) => (request: { headers: Record<string, string>; body: string }) =>
      request.headers['x-hmac-signature'] === createHmac('sha256', secret).update(request.body).digest('hex')
    receiver.answerBy('/rotating', (request) => (signedBy(app(1).apiKey)(request) ? 200 : 401))
    const unready = await api('/keys/dry-run', key({ body: { endpointId: id } }))
    expect(unready.status).toBe(200)
    expect(unready.json).toMatchObject({ endpointId: id, ready: false })
    expect(unready.json.results).toMatchObject([
      { key: 'SIGNING', version: 1, accepted: true, httpStatus: 200 },
      { key: 'WAITING', version: 2, accepted: false, httpStatus: 401, cause: 'HTTP_STATUS' },
    ])
    receiver.answerBy('/rotating', (request) =>
      signedBy(app(1).apiKey)(request) || signedBy(newKey)(request) ? 200 : 401,
    )
    expect((await api('/keys/dry-run', key({ body: { endpointId: id } }))).json.ready).toBe(true)
    expect(
      (await other('/deliveries')).json.items.filter((one: { endpointId: string }) => one.endpointId === id),
    ).toEqual([])
    expect((await api('/keys/dry-run', { body: { endpointId: id } })).status).toBe(404)

    expect((await api('/keys/activate', key({ method: 'POST' }))).json).toEqual({ activated: true })
    receiver.answerBy('/rotating', (request) => (signedBy(newKey)(request) ? 200 : 401))
    const sent = await api(`/${id}/test`, { method: 'POST', token: newKey })
    const delivery = await ended(sent.json.deliveries[0].deliveryId as string, other)
    expect([delivery.status, delivery.attempts[0].keyVersion]).toEqual(['DELIVERED', 2])
    expect((await api('/keys', key())).json.items.map((one: { state: string }) => one.state)).toEqual([
      'SIGNING',
      'RETIRING',
    ])
    await removeAll(other)
  })
})
