import { createHmac } from 'node:crypto'
import { eventTypes } from '@kyc-relay/webhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startReceiver, type LocalReceiver } from '../local-receiver.js'
import { startTestServer, submissionVariables, submissionDocument, type RunningTestServer } from '../running-server.js'
import { createOperatorClient, createPortalClient, signInOperator, textOf, type PortalClient } from './portal-client.js'

let server: RunningTestServer
let receiver: LocalReceiver
let browser: PortalClient
beforeAll(async () => {
  server = await startTestServer()
  receiver = await startReceiver(server.demo)
})
afterAll(async () => {
  await receiver.close()
  await server.stop()
})
beforeEach(async () => {
  browser = createPortalClient(server)
  expect((await browser.signIn()).status).toBe(303)
})

const app = () => {
  const [first] = server.demo.apps
  if (first === undefined) throw new Error('no demo app')
  return first
}
const api = (path: string, method: 'GET' | 'DELETE' = 'GET') =>
  server.call(`${server.demo.apiUrl}/api/v1/webhooks${path}`, { token: app().apiKey, method })

async function addUrl(url: string, fields: Record<string, string | string[]> = {}) {
  const form = await browser.get('/portal/webhooks/new')
  const added = await browser.submit(form, '/portal/webhooks/new', { url, ...fields })
  expect(added.status).toBe(303)
  const { items } = (await api('')).json
  return items.at(-1) as {
    id: string
    url: string
    eventTypes: string[]
    allEvents: boolean
    standardWebhooks: boolean
  }
}

async function removeAll() {
  for (const { id } of (await api('')).json.items) await api(`/${id}`, 'DELETE')
}

/** The page of a delivery once it has ended. */
async function endedDelivery(path: string) {
  for (let look = 0; look < 500; look += 1) {
    const page = await browser.get(path)
    expect(page.status).toBe(200)
    if (!page.text.includes('data-refresh')) return page
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('the delivery did not end')
}

/** The words of a page, with one space between them. */
const wordsOf = (html: string) =>
  html
    .replaceAll('<wbr/>', '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')

describe('event types in the portal', () => {
  it('show scope, fields, example and schema of every type that is offered, and how many URLs take it', async () => {
    await removeAll()
    await addUrl('https://partner.com/hooks', { eventTypes: ['WIDGET_DEPOSIT_COMPLETE'] })
    await addUrl('https://partner.com/all')
    const list = await browser.get('/portal/events')
    for (const type of eventTypes) expect(list.text).toContain(`href="/portal/events/${type}"`)
    expect(list.text).not.toContain('KYC_STATUS_CHANGED')
    expect(wordsOf(list.text)).toMatch(/WIDGET_DEPOSIT_COMPLETE A user sent money into the app\. MAKE_PAYOUT_SEND 2 /)
    expect(wordsOf(list.text)).toMatch(/MAKE_PAYOUT_RECEIVE 1 /)
    const one = await browser.get('/portal/events/TRANSACTION_CREATE')
    expect(wordsOf(one.text)).toContain('LIST_PAYMENT and LIST_PURCHASES')
    expect(wordsOf(one.text)).toContain('conversionRate number or null no')
    expect(wordsOf(one.text)).toContain('Purchase at Example Coffee')
    expect([
      (await browser.get('/portal/events/KYC_STATUS_CHANGED')).status,
      (await browser.get('/portal/events/toString')).status,
    ]).toEqual([404, 404])
    await removeAll()
  })
})

describe('webhooks in the portal', () => {
  it('are found under For Developers, OAuth, Webhooks, Add new URL', async () => {
    const portal = await browser.get('/portal')
    const page = await browser.follow(portal)
    expect(page.text).toMatch(/For Developers.*OAuth.*href="\/portal\/webhooks"[^>]*>Webhooks<.*>Add new URL</s)
    expect(page.text).toContain('No URL yet')
  })

  it('are found with a slash at the end too, under the same filters', async () => {
    const places = await Promise.all(
      ['/portal/', '/portal/webhooks/', '/portal/deliveries/?status=FAILED'].map(
        async (path) => (await browser.get(path)).headers.location,
      ),
    )
    expect(places).toEqual(['/portal', '/portal/webhooks', '/portal/deliveries?status=FAILED'])
    expect((await browser.get('/portal/nothing')).status).toBe(404)
    expect((await browser.post('/portal/webhooks/new/', {})).status).toBe(403)
  })

  it('show a description without its direction overrides, and a heading if it is blank', async () => {
    const { id } = await addUrl(receiver.url('/rtl'), { description: 'a \u202egnp.exe' })
    for (const path of ['/portal/webhooks', `/portal/webhooks/${id}`]) {
      const { text } = await browser.get(path)
      expect([path, text.includes('a \ufffdgnp.exe'), text.includes('\u202e')]).toEqual([path, true, false])
    }
    const blank = await server.call(`${server.demo.apiUrl}/api/v1/webhooks`, {
      token: app().apiKey,
      body: { url: receiver.url('/blank'), description: ' ' },
    })
    expect((await browser.get(`/portal/webhooks/${blank.json.id}`)).text).toContain('<h1>Webhook URL</h1>')
    await removeAll()
  })

  it('are added with the event types that were ticked, with none for all, and removed', async () => {
    const two = await addUrl(receiver.url('/two'), {
      eventTypes: ['TRANSACTION_CREATE', 'WIDGET_DEPOSIT_COMPLETE'],
      standardWebhooks: 'on',
    })
    expect(two).toMatchObject({ eventTypes: ['TRANSACTION_CREATE', 'WIDGET_DEPOSIT_COMPLETE'], standardWebhooks: true })
    const all = await addUrl(receiver.url('/all'))
    expect(all).toMatchObject({ eventTypes: [], allEvents: true, standardWebhooks: false })
    const list = await browser.get('/portal/webhooks')
    expect(list.text).toContain('The URL was added.')
    expect(list.text).toContain('2 URLs')
    expect(list.text).toContain(two.url)
    expect((await browser.get('/portal/webhooks')).text).not.toContain('The URL was added.')

    const confirm = await browser.get(`/portal/webhooks/${two.id}/remove`)
    expect(confirm.text).toContain(two.url)
    expect((await api('')).json.items.length).toBe(2)
    const removed = await browser.submit(confirm, `/portal/webhooks/${two.id}/remove`)
    // The browser shows the answer to the second form alone. The message is on the next page that has room for it.
    expect((await browser.submit(confirm, `/portal/webhooks/${two.id}/remove`)).status).toBe(404)
    expect((await browser.follow(removed)).text).toContain('The URL was removed.')
    expect((await browser.follow(removed)).text).not.toContain('The URL was removed.')
    expect((await api('')).json.items.map((one: { id: string }) => one.id)).toEqual([all.id])
    await removeAll()
  })

  it.each([
    ['http://partner.com/x', 'must start with https'],
    ['', 'Enter a full URL'],
    ['javascript:alert(1)', 'must start with https'],
    ['https://127.0.0.1/', 'public name'],
    ['https://u:p@partner.com/', 'user name'],
    ['https://partner.com:25/', 'port 443'],
    ['https://"><script>alert(1)</script>', 'Enter a full URL'],
  ])('refuse %s in words, and keep what was filled in', async (url, words) => {
    const form = await browser.get('/portal/webhooks/new')
    const refused = await browser.submit(form, '/portal/webhooks/new', { url, eventTypes: ['TRANSACTION_DECLINE'] })
    expect(refused.status).toBe(400)
    expect(textOf(refused.text, 'url-problem').slice(0, 200)).toContain(words)
    expect(refused.text).toMatch(/value="TRANSACTION_DECLINE" checked/)
    expect(refused.text).not.toContain('<script>alert')
    expect((await api('')).json.items).toEqual([])
  })

  it('are added once by a form that is sent twice', async () => {
    const form = await browser.get('/portal/webhooks/new')
    const send = () => browser.submit(form, '/portal/webhooks/new', { url: receiver.url('/twice') })
    const sent = [await send(), await send()]
    expect(sent.map(({ status, headers }) => [status, headers.location])).toEqual([
      [303, '/portal/webhooks'],
      [303, '/portal/webhooks'],
    ])
    expect((await browser.get('/portal/webhooks')).text).toContain('The form was sent already')
    expect((await api('')).json.items).toHaveLength(1)
    await removeAll()
    const other = await browser.submit(form, '/portal/webhooks/new', { url: receiver.url('/later') })
    expect([other.status, (await api('')).json.items]).toEqual([303, []])
  })

  it('refuse an event type that is none, which must not mean all', async () => {
    const form = await browser.get('/portal/webhooks/new')
    const fields = { url: 'https://partner.com/x', eventTypes: ['TRANSACTION_DECLINED'] }
    const refused = await browser.submit(form, '/portal/webhooks/new', fields)
    expect(refused.status).toBe(400)
    expect((await api('')).json.items).toEqual([])
  })

  it('show a test event byte by byte, then send exactly that', async () => {
    const endpoint = await addUrl(receiver.url('/exact?x=1'))
    const page = await browser.get(`/portal/webhooks/${endpoint.id}/test?eventType=WIDGET_WITHDRAW_COMPLETE`)
    const head = textOf(page.text, 'preview-head').split('\n')
    const body = textOf(page.text, 'preview-body')
    expect(head[0]).toBe('POST /exact?x=1 HTTP/1.1')
    const sent = await browser.submit(page, `/portal/webhooks/${endpoint.id}/test`)
    const delivery = await endedDelivery(String(sent.headers.location))
    const [arrived] = await receiver.arrived('/exact?x=1', 1)
    expect(arrived?.body).toBe(body)
    expect(
      Object.entries(arrived?.headers ?? {})
        .map(([name, value]) => `${name}: ${value}`)
        .sort(),
    ).toEqual(head.slice(1).sort())
    expect(JSON.parse(body)).toMatchObject({ eventType: 'WIDGET_WITHDRAW_COMPLETE' })
    expect(delivery.text).toContain('Delivered')
    const again = await browser.submit(page, `/portal/webhooks/${endpoint.id}/test`)
    expect((await browser.follow(again)).text).toContain('sent already')
    expect((await receiver.arrived('/exact?x=1', 1)).length).toBe(1)
    await removeAll()
  })
})

describe('the delivery log in the portal', () => {
  it('shows each attempt with cause and next step, and what a receiver answered as text', async () => {
    receiver.answer('/hostile', {
      status: 502,
      headers: { 'content-type': 'text/html', 'x-note': '<img src=x onerror=alert(1)>' },
      body: Buffer.concat([
        Buffer.from('<script>alert("stored")</script>\u001b[2J\u202eevil'),
        Buffer.from([0xff, 0xfe]),
        Buffer.alloc(50_000, 0x78),
      ]),
    })
    const endpoint = await addUrl(receiver.url('/hostile'))
    const preview = await browser.get(`/portal/webhooks/${endpoint.id}/test`)
    const sent = await browser.submit(preview, `/portal/webhooks/${endpoint.id}/test`)
    const path = String(sent.headers.location)
    const page = await endedDelivery(path)
    expect(page.text).toMatch(/Attempt 1<.*HTTP 502.*Attempt 2</s)
    // Five attempts have one next step, which is told once.
    expect(page.text.match(/Next step:/g)).toHaveLength(1)
    expect(textOf(page.text, 'delivery-json')).toMatch(/^\{\n {2}"eventType": "/)
    const [sentPost] = await receiver.arrived('/hostile', 1)
    expect(textOf(page.text, 'delivery-body')).toBe(sentPost?.body.toString())
    for (const line of textOf(page.text, 'delivery-headers').split('\n')) {
      const [name = '', value] = line.split(': ')
      expect([name, value]).toEqual([name, name === 'x-hmac-signature' ? '$signature' : sentPost?.headers[name]])
    }
    expect(page.text).toContain('&lt;script&gt;alert(&quot;stored&quot;)&lt;/script&gt;\u241b[2J\ufffdevil')
    for (const raw of ['<script>', '<img', '\u001b', '\u202e']) expect(page.text).not.toContain(raw)
    expect(page.text.length).toBeLessThan(60_000)
    expect(textOf(page.text, 'delivery-curl')).toContain('curl --include')
    expect(page.text).not.toContain(app().apiKey)

    const again = await browser.submit(page, `${path}/resend`)
    expect((await browser.follow(again)).text).toContain('On its way again')
    const resent = await endedDelivery(String(again.headers.location))
    expect(resent.text).toMatch(/<span class="tag">resend<\/span>.*Delivered/s)
    const posts = await receiver.arrived('/hostile', 3)
    expect(new Set(posts.map((post) => post.headers['x-event-id'])).size).toBe(1)

    await removeAll()
    const gone = await browser.submit(page, `${path}/resend`)
    expect((await browser.follow(gone)).text).toContain('Its URL was removed')
  })

  it('shows every header that is sent, those of Standard Webhooks too', async () => {
    const { id } = await addUrl(receiver.url('/standard'), { standardWebhooks: 'on', headers: 'X-Tenant: blue' })
    const test = `/portal/webhooks/${id}/test`
    const { headers } = await browser.submit(await browser.get(test), test)
    const page = await endedDelivery(String(headers.location))
    const [sent] = await receiver.arrived('/standard', 1)
    const shown = Object.fromEntries(
      textOf(page.text, 'delivery-headers')
        .split('\n')
        .map((line) => line.split(': ') as [string, string]),
    )
    expect(shown).toEqual({
      ...sent?.headers,
      'x-hmac-signature': '$signature',
      'webhook-timestamp': '$timestamp',
      'webhook-signature': '$webhook_signature',
      'x-tenant': '$X_TENANT',
    })
    expect(page.text).toContain('The command leaves them out.')
    await removeAll()
  })

  it('says why a body is gone: its retention time, or the erasure of its user', async () => {
    await addUrl(receiver.url('/gone'))
    const [user] = server.demo.users
    const { appId, userId } = user ?? {}
    const internal = (path: string, method: 'POST' | 'DELETE', body: object) =>
      server.call(`${server.demo.internalUrl}/internal/v1${path}`, { method, token: server.demo.internalToken, body })
    const event = { appId, userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount: 3 } }
    const { deliveryId } = (await internal('/events', 'POST', event)).json.deliveries[0]
    await endedDelivery(`/portal/deliveries/${deliveryId}`)
    expect((await internal(`/users/${userId}/pii`, 'DELETE', { purpose: 'request of the user' })).status).toBe(200)
    const page = await browser.get(`/portal/deliveries/${deliveryId}`)
    expect(wordsOf(page.text)).toContain('removed after its retention time, or erased with the user’s data')
    await removeAll()
  })

  it('is filtered and paged by links', async () => {
    const endpoint = await addUrl(receiver.url('/many'))
    for (let count = 0; count < 27; count += 1) {
      const sent = await server.call(`${server.demo.apiUrl}/api/v1/webhooks/${endpoint.id}/test`, {
        method: 'POST',
        token: app().apiKey,
      })
      expect(sent.status).toBe(202)
    }
    await receiver.arrived('/many', 27)
    const rows = (text: string) =>
      (text.match(/<a class="whole-row" href="\/portal\/deliveries\/[0-9a-f-]{36}"/g) ?? []).length
    const first = await browser.get(`/portal/deliveries?endpointId=${endpoint.id}&status=&eventType=`)
    expect(rows(first.text)).toBe(25)
    const [, next = ''] = /href="([^"]+)" rel="next"/.exec(first.text) ?? []
    const second = await browser.get(next.replaceAll('&amp;', '&'))
    expect(rows(second.text)).toBe(2)
    expect(second.text).toContain('Newest')
    expect(rows((await browser.get(`/portal/deliveries?endpointId=${endpoint.id}&status=FAILED`)).text)).toBe(0)
    const [shown = ''] =
      /(?<=deliveries\/)[0-9a-f-]{36}(?=")/.exec(first.text.slice(first.text.indexOf('<tbody'))) ?? []
    const { json } = await server.call(`${server.demo.apiUrl}/api/v1/webhooks/deliveries/${shown}`, {
      token: app().apiKey,
    })
    for (const id of [json.eventId, json.xEventId.toUpperCase()]) {
      const found = (await browser.get(`/portal/deliveries?find=${id}&httpStatus=&from=&until=`)).text
      expect([rows(found), found.includes(shown)]).toEqual([1, true])
    }
    expect(rows((await browser.get('/portal/deliveries?find=00000000-0000-0000-0000-00000000dead')).text)).toBe(0)
    const noId = await browser.get(`/portal/deliveries?find=${encodeURIComponent('x\u0000<b>')}`)
    expect([noId.status, rows(noId.text), noId.text.includes('<b>')]).toEqual([400, 0, false])
    const minute = (json.createdAt as string).slice(0, 16)
    const since = (await browser.get(`/portal/deliveries?from=${minute}&httpStatus=200`)).text
    expect(rows(since)).toBeGreaterThan(0)
    expect(rows((await browser.get(`/portal/deliveries?until=${minute}&endpointId=${endpoint.id}`)).text)).toBeLessThan(
      25,
    )
    expect(rows((await browser.get('/portal/deliveries?httpStatus=500')).text)).toBe(0)
    expect((await browser.get('/portal/deliveries?httpStatus=')).text).not.toContain('could not be read')
    expect((await browser.get('/portal/deliveries?httpStatus=x')).text).toContain('A filter could not be read')
    const forged = await browser.get('/portal/deliveries?cursor=forged')
    expect([forged.status, rows(forged.text)]).toEqual([400, 0])
    expect(
      (await browser.get('/portal/deliveries?status=<script>alert(1)</script>&eventType=x&endpointId=y')).text,
    ).not.toContain('<script>alert')
    const chart = await browser.get('/portal/webhooks')
    expect(chart.text).toMatch(/At once <b>\d+<\/b>/)
    expect(chart.text).toContain(`href="/portal/webhooks/${endpoint.id}"`)
    const own = wordsOf((await browser.get(`/portal/webhooks/${endpoint.id}`)).text)
    expect(own).toMatch(/The last 24 hours [1-9]\d* 0 0 100\.0 % The last 30 days [1-9]\d* 0 0 100\.0 % /)
    expect(own).toContain('No attempt failed in the last 30 days.')
    expect(own).toContain('A change of the URL or its settings starts at zero.')
    expect((await browser.get(`/portal/webhooks/${'0'.repeat(36)}`)).status).toBe(404)
    await removeAll()
  })

  it('is led to by a banner as long as a URL fails and is not paused', async () => {
    let status = 500
    receiver.answerBy('/fails', () => status)
    const endpoint = await addUrl(receiver.url('/fails'))
    const sendTest = () =>
      server.call(`${server.demo.apiUrl}/api/v1/webhooks/${endpoint.id}/test`, { method: 'POST', token: app().apiKey })
    const webhooks = async () => (await browser.get('/portal/webhooks')).text
    const banner = `href="/portal/deliveries?endpointId=${endpoint.id}&amp;status=FAILED"`
    expect(await webhooks()).not.toContain(banner)
    await sendTest()
    await expect.poll(webhooks).toContain(banner)
    const pause = (verb: string) =>
      browser.get('/portal/webhooks').then((page) => {
        return browser.submit(page, `/portal/webhooks/${endpoint.id}/${verb}`)
      })
    await pause('pause')
    expect(await webhooks()).not.toContain(banner)
    await pause('resume')
    expect(await webhooks()).toContain(banner)
    const own = wordsOf((await browser.get(`/portal/webhooks/${endpoint.id}`)).text)
    expect(own).toContain('The endpoint answered with another status than 2xx. HTTP_STATUS ')
    expect(own).toMatch(/State Failing since /)
    status = 200
    await sendTest()
    await expect.poll(webhooks).not.toContain(banner)
    await removeAll()
  })

  it('sends several selected deliveries again, and returns to the same page', async () => {
    const endpoint = await addUrl(receiver.url('/several'))
    for (let count = 0; count < 3; count += 1) {
      await server.call(`${server.demo.apiUrl}/api/v1/webhooks/${endpoint.id}/test`, {
        method: 'POST',
        token: app().apiKey,
      })
    }
    const path = `/portal/deliveries?status=DELIVERED&endpointId=${endpoint.id}`
    const selectable = (text: string) =>
      [...text.matchAll(/name="deliveryId" value="([0-9a-f-]{36})"/g)].map(([, id]) => id ?? '')
    await expect.poll(async () => selectable((await browser.get(path)).text).length).toBe(3)
    const page = await browser.get(path)
    const [one = '', two = ''] = selectable(page.text)
    const action = '/portal/deliveries/resend'
    const sent = await browser.submit(page, action, { deliveryId: [one, two, one] })
    expect([sent.status, sent.headers.location]).toEqual([303, path])
    expect((await browser.follow(sent)).text).toContain('2 deliveries are on their way again.')
    await receiver.arrived('/several', 5)
    const none = await browser.follow(await browser.submit(page, action))
    expect(none.text).toContain('Select the deliveries to send again.')
    const unknown = await browser.follow(await browser.submit(page, action, { deliveryId: [one, 'x', app().apiKey] }))
    expect(unknown.text).toContain('One delivery is on its way again. 2 of 3 cannot be sent')
    for (const back of ['https://example.com/', '/portal/deliveries?a\r\nb', '/portal/deliveries?ä']) {
      const elsewhere = await browser.submit(page, action, { deliveryId: one, back })
      expect([elsewhere.status, elsewhere.headers.location]).toEqual([303, '/portal/deliveries'])
    }
    await receiver.arrived('/several', 9)
    await removeAll()
    const removed = await browser.follow(await browser.submit(page, action, { deliveryId: one }))
    expect(removed.text).toContain('1 of 1 cannot be sent')
  })

  it('is that of one’s own app alone', async () => {
    const endpoint = await addUrl(receiver.url('/mine'))
    const preview = await browser.get(`/portal/webhooks/${endpoint.id}/test`)
    const sent = await browser.submit(preview, `/portal/webhooks/${endpoint.id}/test`)
    const path = String(sent.headers.location)
    await endedDelivery(path)
    const stranger = createPortalClient(server)
    await stranger.signIn(server.demo.apps[1])
    const own = await stranger.get('/portal/webhooks')
    expect(own.text).not.toContain(endpoint.url)
    for (const address of [path, `/portal/webhooks/${endpoint.id}/remove`, `/portal/webhooks/${endpoint.id}/test`]) {
      expect([address, (await stranger.get(address)).status]).toEqual([address, 404])
    }
    const csrf = /name="csrf" value="([^"]+)"/.exec(own.text)?.[1] ?? ''
    for (const action of [
      `${path}/resend`,
      `/portal/webhooks/${endpoint.id}/remove`,
      `/portal/webhooks/${endpoint.id}/test`,
    ]) {
      expect([action, (await stranger.post(action, { csrf })).status]).toEqual([action, 404])
    }
    expect((await stranger.get('/portal/kyc')).status).toBe(404)
    await removeAll()
  })
})

describe('the API key in the portal', () => {
  it('is rotated after asking for the present one, tried in a dry run, activated; other sign-ins end', async () => {
    const rotating = server.demo.apps[1]
    if (rotating === undefined) throw new Error('no second demo app')
    browser = createPortalClient(server)
    await browser.signIn(rotating)
    const elsewhere = createPortalClient(server)
    await elsewhere.signIn(rotating)
    await browser.submit(await browser.get('/portal/webhooks/new'), '/portal/webhooks/new', {
      url: receiver.url('/rotate'),
    })

    const keys = await browser.get('/portal/keys')
    const wrong = await browser.submit(keys, '/portal/keys/rotate', { apiKey: app().apiKey })
    expect([wrong.status, wrong.text.includes('not the API key')]).toEqual([403, true])
    const rotated = await browser.submit(keys, '/portal/keys/rotate', { apiKey: rotating.apiKey })
    expect(rotated.status).toBe(200)
    const newKey = textOf(rotated.text, 'api-key').trim()
    expect(newKey).toMatch(/^kyc_key_/)
    const waiting = await browser.get('/portal/keys')
    expect(waiting.text).not.toContain(newKey)
    expect(waiting.text).toContain('Waits for activation')

    const signedWith = (secret: string, request: { headers: Record<string, string>; body: string }) =>
      request.headers['x-hmac-signature'] === createHmac('sha256', secret).update(request.body).digest('hex')
    receiver.answerBy('/rotate', (request) => (signedWith(rotating.apiKey, request) ? 200 : 401))
    const endpointId = /<option value="([0-9a-f-]{36})"/.exec(waiting.text)?.[1] ?? ''
    const unready = await browser.submit(waiting, '/portal/keys/dry-run', { endpointId })
    expect(unready.text).toMatch(/Not ready.*Key 1,.*Accepted.*Key 2,.*HTTP 401/s)
    receiver.answerBy('/rotate', () => 200)
    const ready = await browser.submit(waiting, '/portal/keys/dry-run', { endpointId })
    expect(ready.text).toContain('Ready: both signatures were accepted')

    const unconfirmed = await browser.submit(waiting, '/portal/keys/activate')
    expect([unconfirmed.status, unconfirmed.text.includes('Confirm first')]).toEqual([400, true])
    const activated = await browser.submit(waiting, '/portal/keys/activate', { confirm: 'yes' })
    expect((await browser.follow(activated)).text).toContain('The new key signs webhooks from now on')
    expect((await browser.get('/portal/keys')).status).toBe(200)
    expect((await elsewhere.get('/portal/keys')).status).toBe(401)
  })

  it('is made anew in one step when the page with it was lost, as when its form was sent twice', async () => {
    browser = createPortalClient(server)
    await browser.signIn()
    const form = await browser.get('/portal/keys')
    const apiKey = app().apiKey
    const first = textOf((await browser.submit(form, '/portal/keys/rotate', { apiKey })).text, 'api-key')
    const twice = await browser.submit(form, '/portal/keys/rotate', { apiKey })
    expect([twice.status, twice.text.includes(first)]).toEqual([409, false])
    expect(twice.text).toContain('discard it and make another one')
    const wrong = await browser.submit(twice, '/portal/keys/rotate', { apiKey: 'wrong' })
    expect(wrong.status).toBe(403)
    const again = await browser.submit(twice, '/portal/keys/rotate', { apiKey })
    const second = textOf(again.text, 'api-key').trim()
    expect([again.status, second]).toEqual([200, expect.stringMatching(/^kyc_key_/)])
    await browser.submit(await browser.get('/portal/keys'), '/portal/keys/discard')
  })

  it('is activated or discarded only if it is the key that the page showed', async () => {
    browser = createPortalClient(server)
    await browser.signIn()
    const rotate = async () =>
      browser.submit(await browser.get('/portal/keys'), '/portal/keys/rotate', { apiKey: app().apiKey })
    const shown = await rotate()
    await browser.submit(shown, '/portal/keys/discard')
    const newer = await rotate()
    for (const action of ['activate', 'discard']) {
      const stale = await browser.submit(shown, `/portal/keys/${action}`, { confirm: 'yes' })
      expect((await browser.follow(stale)).text).toMatch(/the key of that page no longer waits.*Waits for activation/s)
    }
    const discarded = await browser.submit(newer, '/portal/keys/discard')
    expect((await browser.follow(discarded)).text).toContain('The new key was discarded')
  })
})

describe('the operators’ pages', () => {
  it('show verifications with checks and decline codes, and nothing of the person', async () => {
    const user = server.demo.users[3]
    if (user === undefined) throw new Error('no demo user')
    const verifications = {
      ssn: { verificationId: 'ssn-1', status: 'PASSED', source: 'TIN_DATABASE' },
      database: {
        verificationId: 'db-1',
        status: 'FAILED',
        checks: [
          { name: 'watchlist', status: 'FAILED' },
          { name: 'name_match', status: 'NOT_APPLICABLE' },
        ],
      },
    }
    for (const decision of ['PASSED', 'FAILED']) {
      const variables = submissionVariables({ decision, verifications, decisionReason: 'canary reason' })
      await server.graphql('secure', { query: submissionDocument, variables }, { token: user.accessToken })
    }
    browser = createOperatorClient(server)
    expect((await browser.get('/portal/kyc')).headers.location).toBe('/portal/sign-in?next=%2Fportal%2Fkyc')
    const signedIn = await signInOperator(browser, server.demo.operatorToken)
    expect((await browser.follow(signedIn)).headers.location).toBe('/portal/kyc')
    const latest = await browser.get('/portal/kyc')
    expect(latest.text).toMatch(new RegExp(`Failed.*DECLINED.*${user.userId}.*Passed.*VERIFIED.*${user.userId}`, 's'))
    expect((await browser.get('/portal/kyc?before=00000000-0000-7000-8000-000000000000')).text).toContain(
      'Nothing here',
    )
    const page = await browser.get(`/portal/kyc?user=${user.userId}`)
    expect(page.text).toMatch(/PASS.*UNVERIFIED<\/code> → <code>PASS/s)
    expect(page.text).toContain('watchlist')
    const [, link = ''] = /href="(\/portal\/kyc\/[^"]+)"/.exec(page.text) ?? []
    const one = await browser.get(link)
    expect(one.text).toMatch(/given; validated against a source/)
    expect(one.text).toMatch(/name_match.*Not applicable/s)
    // The last four digits of the SSN need the right `evidence`, and a purpose.
    expect(one.text).not.toMatch(/canary|Jane|078-05-1120|1990-01-31|Springfield|tok_|••/)
    expect((await browser.get('/portal/kyc?user=x')).status).toBe(400)
    expect((await browser.get('/portal/kyc?user=00000000-0000-4000-8000-000000000000')).text).toContain(
      'This user is unknown',
    )
    expect((await browser.get(link.replace(user.appId, server.demo.apps[1]?.appId ?? ''))).status).toBe(404)
    for (const path of ['/portal/webhooks', '/portal/deliveries', '/portal/keys']) {
      expect([path, (await browser.get(path)).status]).toEqual([path, 404])
    }
  })
})
