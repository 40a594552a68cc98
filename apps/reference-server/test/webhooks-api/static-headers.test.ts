import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
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
afterEach(async () => {
  for (const { id } of (await api('')).json.items) await api(`/${id}`, { method: 'DELETE' })
})

const api = (path: string, options: CallOptions = {}) =>
  server.call(`${server.demo.apiUrl}/api/v1/webhooks${path}`, { token: server.demo.apps[0]!.apiKey, ...options })
const canary = 'canary-of-a-static-header'
const headers = { Authorization: `Bearer ${canary}`, 'X-Tenant': 'blue' }

/** Sends a test event and returns its delivery once it has ended. */
async function sendTest(id: string) {
  const sent = await api(`/${id}/test`, { method: 'POST' })
  const path = `/deliveries/${sent.json.deliveries[0].deliveryId}`
  await expect.poll(async () => (await api(path)).json.status).toBe('DELIVERED')
  return (await api(path)).json
}

it('sends them, and never shows their values again', async () => {
  receiver.answerBy('/echo', (request) => ({
    status: 200,
    headers: { 'x-echo': request.headers['authorization'] ?? '' },
    body: JSON.stringify(request.headers),
  }))
  const added = await api('', { body: { url: receiver.url('/echo'), headers } })
  expect([added.status, added.json.headerNames]).toEqual([201, ['Authorization', 'X-Tenant']])
  const delivery = await sendTest(added.json.id)
  const [request] = await receiver.arrived('/echo', 1)
  expect(request?.headers).toMatchObject({ authorization: `Bearer ${canary}`, 'x-tenant': 'blue' })
  expect(delivery.attempts[0].responseBody).toContain('"authorization":"[redacted]"')
  expect(delivery.attempts[0].responseHeaders['x-echo']).toBe('[redacted]')
  expect(delivery.curl).toContain(`--header 'X-Tenant: '"$X_TENANT"`)
  const preview = await api(`/${added.json.id}/test`, { body: { dryRun: true } })
  expect(preview.json.request.headers).toMatchObject({ authorization: '$AUTHORIZATION', 'x-tenant': '$X_TENANT' })
  const shown = [added, preview, await api(''), await api(`/${added.json.id}`)].map(({ text }) => text)
  expect([...shown, JSON.stringify(delivery), ...server.logLines].join()).not.toContain(canary)
  for (const [name, content] of server.files()) expect([name, content.includes(canary)]).toEqual([name, false])
})

it('keeps them when the endpoint is replaced, but not for another origin', async () => {
  const { id } = (await api('', { body: { url: receiver.url('/old'), headers } })).json
  const kept = (await api(`/${id}/replace`, { body: { url: receiver.url('/new') } })).json
  expect(kept.headerNames).toEqual(['Authorization', 'X-Tenant'])
  await sendTest(kept.id)
  expect((await receiver.arrived('/new', 1))[0]?.headers).toMatchObject({ 'x-tenant': 'blue' })
  const given = (await api(`/${kept.id}/replace`, { body: { headers: { 'X-Tenant': 'red' } } })).json
  expect(given.headerNames).toEqual(['X-Tenant'])
  const elsewhere = (await api(`/${given.id}/replace`, { body: { url: 'https://other.example.com/new' } })).json
  expect(elsewhere.headerNames).toEqual([])
  const anew = await api(`/${elsewhere.id}/replace`, { body: { url: 'https://third.example.com/', headers } })
  expect(anew.json.headerNames).toEqual(['Authorization', 'X-Tenant'])
  const none = (await api(`/${anew.json.id}/replace`, { body: { headers: {} } })).json
  expect(none.headerNames).toEqual([])
})

it.each([
  [{ Host: 'a' }, 'HEADER_NAME_NOT_ALLOWED'],
  [{ 'X-Event-ID': canary }, 'HEADER_NAME_NOT_ALLOWED'],
  [{ [`${canary} `]: 'a' }, 'HEADER_NAME_INVALID'],
  [{ 'X-A': `${canary}\n` }, 'HEADER_VALUE_INVALID'],
  [{ 'X-A': 5 }, 'HEADER_VALUE_INVALID'],
  [{ 'X-A': '1', 'x-a': '2' }, 'HEADER_NAME_REPEATED'],
  [{ a: '1', b: '1', c: '1', d: '1', e: '1', f: '1' }, 'TOO_MANY_HEADERS'],
])('refuses %j', async (given, detail) => {
  const refused = await api('', { body: { url: receiver.url('/refused'), headers: given } })
  expect([refused.status, refused.json.detail]).toEqual([400, detail])
  expect(refused.json.violations).toMatchObject([{ pointer: '/headers', code: detail }])
  expect(refused.text).not.toContain(canary)
  expect((await api('')).json.items).toEqual([])
})

it('are set, replaced and removed in the portal', async () => {
  const browser = createPortalClient(server)
  await browser.signIn()
  const url = receiver.url('/portal')
  const form = { url, headers: `Authorization: Bearer ${canary}\r\nX-Tenant: blue\r\n` }
  const add = '/portal/webhooks/new'
  for (const refused of ['a: 1\na: 2', 'Host: a', 'X-Tenant']) {
    const answer = await browser.submit(await browser.get(add), add, { ...form, headers: refused })
    expect(answer.status).toBe(400)
  }
  await browser.submit(await browser.get(add), add, form)
  const [added] = (await api('')).json.items
  expect(added.headerNames).toEqual(['Authorization', 'X-Tenant'])
  const change = `/portal/webhooks/${added.id}/change`
  const page = await browser.get(change)
  expect(page.text).toContain('Now: Authorization, X-Tenant.')
  expect(page.text).not.toContain(canary)
  await browser.submit(page, change, { url, headers: '' })
  const [kept] = (await api('')).json.items
  expect(kept.headerNames).toEqual(['Authorization', 'X-Tenant'])
  const again = `/portal/webhooks/${kept.id}/change`
  await browser.submit(await browser.get(again), again, { url, headers: '', removeHeaders: 'on' })
  expect((await api('')).json.items[0].headerNames).toEqual([])
})
