import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { startReceiver, type LocalReceiver } from '../local-receiver.js'
import { createPortalClient } from '../portal/portal-client.js'
import { startTestServer, type CallOptions, type RunningTestServer } from '../running-server.js'

// The ways in which an app changes its endpoints: what waits goes on, and X-Event-ID stays.

let server: RunningTestServer
let receiver: LocalReceiver
beforeAll(async () => {
  // The retry of a replaced endpoint comes after two seconds.
  server = await startTestServer({ DELIVERY_RETRY_BASE_MS: '2000' })
  receiver = await startReceiver(server.demo)
})
afterAll(async () => {
  await receiver.close()
  await server.stop()
})
afterEach(async () => {
  for (const { id } of (await api('')).json.items) await api(`/${id}`, { method: 'DELETE' })
})

const app = (index: number) => server.demo.apps[index]?.apiKey ?? ''
const api = (path: string, options: CallOptions = {}) =>
  server.call(`${server.demo.apiUrl}/api/v1/webhooks${path}`, { token: app(0), ...options })
const register = async (body: Record<string, unknown>) => (await api('', { body })).json

/** Publishes a deposit and returns the deliveries of its event. */
async function publish(amount: number, eventType = 'WIDGET_DEPOSIT_COMPLETE') {
  const [user] = server.demo.users
  const event = {
    appId: user?.appId,
    userId: user?.userId,
    eventType,
    data: eventType.includes('KYC') ? {} : { amount },
  }
  const { internalUrl, internalToken } = server.demo
  const answer = await server.call(`${internalUrl}/internal/v1/events`, { token: internalToken, body: event })
  expect(answer.status).toBe(202)
  return answer.json.deliveries as { deliveryId: string; endpointId: string }[]
}

const find = async (delivery: { deliveryId: string } | undefined) =>
  (await api(`/deliveries/${delivery?.deliveryId}`)).json

it('warns of a URL that is registered already, and sends each event once to it', async () => {
  const url = receiver.url('/twice')
  const first = await register({ url })
  expect(first.warnings).toEqual([])
  const second = await register({ url, description: 'the same' })
  expect(second).toMatchObject({ description: 'the same', warnings: [{ code: 'URL_ALREADY_REGISTERED' }] })
  expect((await publish(1)).map(({ endpointId }) => endpointId)).toEqual([first.id])
})

it('keeps X-Event-ID after a removal and registration, and on a resend', async () => {
  const url = receiver.url('/again')
  const old = await register({ url })
  const [sent] = await publish(2)
  await expect.poll(async () => (await find(sent)).status).toBe('DELIVERED')
  const { xEventId } = await find(sent)
  await api(`/${old.id}`, { method: 'DELETE' })
  expect((await api(`/deliveries/${sent?.deliveryId}/resend`, { method: 'POST' })).json.detail).toBe('ENDPOINT_REMOVED')
  const fresh = await register({ url })
  const resent = await api(`/deliveries/${sent?.deliveryId}/resend`, { method: 'POST' })
  expect(resent.status).toBe(202)
  await expect.poll(async () => (await find(resent.json)).status).toBe('DELIVERED')
  expect(await find(resent.json)).toMatchObject({ xEventId, endpointId: fresh.id })
  const arrived = receiver.received.filter(({ headers }) => headers['x-event-id'] === xEventId)
  expect(arrived).toHaveLength(2)
})

it('is replaced: what waits goes to the new one as the next attempt, what it does not take is cancelled', async () => {
  receiver.answerBy('/broken', () => 500)
  const old = await register({ url: receiver.url('/broken'), description: 'kept' })
  const [deposit, kyc] = [(await publish(3))[0], (await publish(3, 'WIDGET_KYC_INITIATION'))[0]]
  for (const one of [deposit, kyc]) {
    await expect.poll(async () => (await find(one)).attempts.at(-1)?.state).toBe('FAILED')
  }
  const body = { url: receiver.url('/mended'), eventTypes: ['WIDGET_DEPOSIT_COMPLETE'] }
  const replaced = await api(`/${old.id}/replace`, { body })
  expect(replaced.status).toBe(201)
  expect(replaced.json).toMatchObject({ ...body, description: 'kept', replaces: old.id, warnings: [] })
  expect(String(replaced.headers['location'])).toContain(replaced.json.id)
  expect((await api('')).json.items.map((one: { id: string }) => one.id)).toEqual([replaced.json.id])
  expect(await find(kyc)).toMatchObject({ status: 'CANCELLED', cancelReason: 'TYPE_NOT_SUBSCRIBED' })
  await expect.poll(async () => (await find(deposit)).status).toBe('DELIVERED')
  const { attempts, endpointId, xEventId } = await find(deposit)
  expect(endpointId).toBe(replaced.json.id)
  expect(attempts.length).toBeGreaterThan(1)
  const paths = receiver.received.filter(({ headers }) => headers['x-event-id'] === xEventId).map(({ path }) => path)
  expect(new Set(paths)).toEqual(new Set(['/broken', '/mended']))
  expect((await api(`/${old.id}/replace`, { body: {} })).status).toBe(404)
})

it('refuses to replace by a URL that another endpoint of the app has, or had, and by a wrong request', async () => {
  const [one, two, gone] = [
    await register({ url: 'https://partner.com/1' }),
    await register({ url: 'https://partner.com/2' }),
    await register({ url: 'https://partner.com/3' }),
  ]
  await api(`/${gone.id}`, { method: 'DELETE' })
  for (const { url } of [two, gone]) {
    const answer = await api(`/${one.id}/replace`, { body: { url } })
    expect([answer.status, answer.json.code]).toEqual([409, 'ENDPOINT_URL_IN_USE'])
  }
  const refused: readonly (readonly [unknown, string])[] = [
    [{ url: 'http://partner.com/4' }, '/url'],
    [{ eventTypes: ['NOT_A_TYPE'] }, '/eventTypes/0'],
    [{ description: 'x'.repeat(201) }, '/description'],
    [{ description: 'a\u0000b' }, '/description'],
    [{ surprise: 1 }, ''],
  ]
  for (const [body, pointer] of refused) {
    const answer = await api(`/${one.id}/replace`, { body })
    expect([answer.status, answer.json.violations?.[0]?.pointer]).toEqual([400, pointer])
  }
  const foreign = await api(`/${one.id}/replace`, { token: app(1), body: {} })
  expect(foreign.status).toBe(404)
  expect((await api('')).json.items.map(({ url }: { url: string }) => url)).toEqual([one.url, two.url])
})

it('is changed in the portal', async () => {
  const browser = createPortalClient(server)
  await browser.signIn()
  const { id } = await register({ url: 'https://partner.com/old', eventTypes: ['TRANSACTION_CREATE'] })
  const form = await browser.get(`/portal/webhooks/${id}/change`)
  expect(form.text).toContain('value="https://partner.com/old"')
  expect(form.text).toMatch(/value="TRANSACTION_CREATE" checked/)
  const refused = await browser.submit(form, `/portal/webhooks/${id}/change`, { url: 'http://partner.com/new' })
  expect(refused.status).toBe(400)
  const fields = { url: 'https://partner.com/new', description: 'Büro', eventTypes: ['TRANSACTION_UPDATE'] }
  const changed = await browser.submit(form, `/portal/webhooks/${id}/change`, fields)
  expect(changed.status).toBe(303)
  const page = await browser.follow(changed)
  expect(page.text).toContain('The URL was changed.')
  expect(page.text).toContain('Büro')
  expect((await api('')).json.items).toMatchObject([{ ...fields, standardWebhooks: false }])
  expect((await browser.get(`/portal/webhooks/${id}/change`)).status).toBe(404)
})

it('keeps a type that the operator turned off, when the portal changes something else', async () => {
  const browser = createPortalClient(server)
  await browser.signIn()
  const { id } = await register({ url: 'https://partner.com/off', eventTypes: ['TRANSACTION_CREATE'] })
  // As if `KYC_STATUS_EVENTS` had been on at the registration.
  const stored = new Database(join(server.dataDir, 'kyc.db'))
  stored
    .prepare('UPDATE kyc_relay_endpoints SET event_types = ? WHERE endpoint_id = ?')
    .run('["KYC_STATUS_CHANGED"]', id)
  stored.close()
  const form = await browser.get(`/portal/webhooks/${id}/change`)
  expect(form.text).toContain('No longer offered: KYC_STATUS_CHANGED.')
  const url = 'https://partner.com/off'
  await browser.submit(form, `/portal/webhooks/${id}/change`, { url, description: 'kept' })
  const [kept] = (await api('')).json.items
  expect(kept).toMatchObject({ description: 'kept', eventTypes: ['KYC_STATUS_CHANGED'], allEvents: false })
  const action = `/portal/webhooks/${kept.id}/change`
  await browser.submit(await browser.get(action), action, { url, eventTypes: ['TRANSACTION_CREATE'] })
  expect((await api('')).json.items).toMatchObject([{ description: null, eventTypes: ['TRANSACTION_CREATE'] }])
})

it('refuses a parameter of the internal API', async () => {
  const { internalUrl, internalToken } = server.demo
  const answer = await server.call(`${internalUrl}/internal/v1/events?dryRun=1`, { token: internalToken, body: {} })
  expect([answer.status, answer.json.code]).toEqual([400, 'UNKNOWN_PARAMETER'])
})

it.each(['?x=1', '/deliveries?statu=FAILED', '/deliveries?status=FAILED&x=', '/keys?limit=1'])(
  'refuses the parameter in %s, which does not exist, without naming it',
  async (path) => {
    const answer = await api(path)
    expect([answer.status, answer.json.code]).toEqual([400, 'UNKNOWN_PARAMETER'])
    expect(answer.text).not.toContain('statu=')
  },
)
