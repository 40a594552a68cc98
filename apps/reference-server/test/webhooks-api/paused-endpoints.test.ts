import { randomUUID } from 'node:crypto'
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

const app = (index: number) => server.demo.apps[index]!
const api = (path: string, options: CallOptions = {}) =>
  server.call(`${server.demo.apiUrl}/api/v1/webhooks${path}`, { token: app(0).apiKey, ...options })
const internal = (path: string, options: CallOptions = {}) =>
  server.call(`${server.demo.internalUrl}/internal/v1${path}`, { token: server.demo.internalToken, ...options })
const post = { method: 'POST' } as const

/** Registers a path of the receiver. */
async function register(path: string) {
  return (await api('', { body: { url: receiver.url(path) } })).json as { id: string; state: string }
}

async function publish(amount: number) {
  const [user] = server.demo.users
  const event = { appId: user?.appId, userId: user?.userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount } }
  const answer = await internal('/events', { body: event })
  expect(answer.status).toBe(202)
  return answer.json.deliveries[0].deliveryId as string
}

const find = async (id: string) => (await api(`/deliveries/${id}`)).json

it('waits while paused, sends test events all the same, and sends the rest after it is resumed', async () => {
  const { id, state } = await register('/paused')
  expect(state).toBe('HEALTHY')
  const paused = await api(`/${id}/pause`, post)
  expect([paused.status, paused.json]).toMatchObject([200, { id, state: 'PAUSED', pausedBy: 'PARTNER' }])
  expect((await api(`/${id}/pause`, post)).status).toBe(200)
  const waiting = await publish(1)
  const test = (await api(`/${id}/test`, post)).json.deliveries[0].deliveryId as string
  await expect.poll(async () => (await find(test)).status).toBe('DELIVERED')
  expect(await find(waiting)).toMatchObject({ status: 'PENDING', attemptsMade: 0 })
  const resumed = await api(`/${id}/resume`, post)
  expect([resumed.status, resumed.json]).toMatchObject([200, { id, state: 'HEALTHY', pausedBy: null }])
  await expect.poll(async () => (await find(waiting)).status).toBe('DELIVERED')
  expect((await api(`/${id}`)).json).toMatchObject({ failingSince: null, lastSuccessAt: expect.any(String) })
})

it('tells that an endpoint fails, and since when', async () => {
  receiver.answerBy('/failing', () => ({ status: 500 }))
  const { id } = await register('/failing')
  await publish(2)
  await expect.poll(async () => (await api(`/${id}`)).json.state).toBe('FAILING')
  expect(Date.parse((await api(`/${id}`)).json.failingSince)).not.toBeNaN()
})

it("keeps an operator's pause until the operator lifts it", async () => {
  const { id } = await register('/held')
  const path = `/apps/${app(0).appId}/endpoints/${id}`
  expect((await internal(`${path}/pause`, post)).status).toBe(204)
  const refused = await api(`/${id}/resume`, post)
  expect([refused.status, refused.json.code]).toEqual([409, 'PAUSED_BY_OPERATOR'])
  expect((await api(`/${id}`)).json).toMatchObject({ state: 'PAUSED', pausedBy: 'OPERATOR' })
  const replaced = await api(`/${id}/replace`, { body: { description: 'new' } })
  expect(replaced.json).toMatchObject({ state: 'PAUSED', pausedBy: 'OPERATOR' })
  await api(`/${replaced.json.id}`, { method: 'DELETE' })
  const again = (await register('/held')).id
  expect((await api(`/${again}`)).json.pausedBy).toBe('OPERATOR')
  expect((await internal(`/apps/${app(0).appId}/endpoints/${again}/resume`, post)).status).toBe(204)
  expect((await api(`/${again}`)).json.state).toBe('HEALTHY')
})

it('is not found for another app, an unknown id and what is no id', async () => {
  const { id } = await register('/mine')
  for (const verb of ['pause', 'resume']) {
    expect((await api(`/${id}/${verb}`, { ...post, token: app(1).apiKey })).status).toBe(404)
    expect((await api(`/${randomUUID()}/${verb}`, post)).status).toBe(404)
    for (const path of [
      `/apps/${app(1).appId}/endpoints/${id}`,
      `/apps/x/endpoints/${id}`,
      `/apps/${app(0).appId}/endpoints/x`,
    ])
      expect((await internal(`${path}/${verb}`, post)).status).toBe(404)
  }
  expect((await api(`/${id}`)).json.state).toBe('HEALTHY')
})

it('is paused and resumed in the portal, which tells who paused it', async () => {
  const { id } = await register('/portal')
  const browser = createPortalClient(server)
  await browser.signIn()
  const before = await browser.get('/portal/webhooks')
  expect(before.text).toContain('Healthy')
  await browser.submit(before, `/portal/webhooks/${id}/pause`, {})
  expect((await api(`/${id}`)).json.state).toBe('PAUSED')
  const paused = await browser.get('/portal/webhooks')
  expect(paused.text).toContain('by your application')
  await browser.submit(paused, `/portal/webhooks/${id}/resume`, {})
  expect((await api(`/${id}`)).json.state).toBe('HEALTHY')
  await internal(`/apps/${app(0).appId}/endpoints/${id}/pause`, post)
  const held = await browser.get('/portal/webhooks')
  expect(held.text).toContain('by the operator')
  await browser.submit(held, `/portal/webhooks/${id}/resume`, {})
  expect((await browser.get('/portal/webhooks')).text).toContain('The operator paused this URL')
  expect((await api(`/${id}`)).json.state).toBe('PAUSED')
})
