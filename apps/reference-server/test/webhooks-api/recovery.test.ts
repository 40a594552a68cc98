import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { openRaw } from '../http/raw-connection.js'
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
const register = async (path: string) =>
  (await api('', { body: { url: receiver.url(path) } })).json as { id: string; createdAt: string }

async function publish(amount: number) {
  const [user] = server.demo.users
  const event = { appId: user?.appId, userId: user?.userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount } }
  const { internalUrl, internalToken } = server.demo
  const answer = await server.call(`${internalUrl}/internal/v1/events`, { token: internalToken, body: event })
  expect(answer.status).toBe(202)
  return answer.json.eventId as string
}

const since = () => new Date(Date.now() - 60_000).toISOString()

it('brings each event of an outage exactly once, although the endpoint was removed and registered again', async () => {
  const acknowledged = new Map<string, number>()
  let isDown = true
  receiver.answerBy('/outage', ({ headers }) => {
    if (isDown) return { status: 503 }
    const id = String(headers['x-event-id'])
    acknowledged.set(id, (acknowledged.get(id) ?? 0) + 1)
    return { status: 200 }
  })
  const start = since()
  const first = await register('/outage')
  const published: string[] = []
  for (let n = 0; n < 20; n += 1) published.push(await publish(n + 1))
  await expect.poll(async () => (await api('/deliveries?status=FAILED&limit=1')).json.items.length).toBe(1)
  await api(`/${first.id}`, { method: 'DELETE' })
  for (let n = 0; n < 20; n += 1) published.push(await publish(n + 100))
  isDown = false
  const second = await register('/outage')
  published.push(await publish(1000))
  const body = { since: start, eventTypes: ['WIDGET_DEPOSIT_COMPLETE'] }
  const counted = await api(`/${second.id}/recover`, { body: { ...body, dryRun: true } })
  expect([counted.status, counted.json.matched]).toEqual([200, 41])
  const started = await api(`/${second.id}/recover`, { body })
  expect(started.status).toBe(202)
  const path = `/${second.id}/recoveries/${started.json.recoveryId}`
  await expect.poll(async () => (await api(path)).json.state, { timeout: 10_000 }).toBe('DONE')
  await expect.poll(() => acknowledged.size, { timeout: 10_000 }).toBe(published.length)
  expect([...acknowledged.values()].every((count) => count === 1)).toBe(true)
  const { json } = await api(path)
  expect(json.matched).toBe(json.created + json.skipped.acknowledged + json.skipped.pending)
  const [again, before] = (await api(`/deliveries?eventId=${published[0]}`)).json.items
  expect(again.xEventId).toBe(before.xEventId)
})

it('counts for an app once at a time', async () => {
  const { id } = await register('/counted')
  const body = JSON.stringify({ since: since(), dryRun: true })
  const head = `POST /api/v1/webhooks/${id}/recover HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${app(0).apiKey}\r\n`
  const request = `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const connection = await openRaw({ port: Number(new URL(server.demo.apiUrl).port) })
  // In one packet: both counts begin in one turn of the event loop.
  connection.send(request.repeat(2))
  const answers = [await connection.answer(), await connection.answer()]
  connection.socket.destroy()
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect(answers.find(({ status }) => status === 409)?.json).toMatchObject({
    code: 'BAD_REQUEST',
    detail: 'RECOVERY_COUNT_RUNNING',
  })
  expect((await api(`/${id}/recover`, { body: JSON.parse(body) })).status).toBe(200)
})

it('is one for an endpoint, and can be stopped', async () => {
  receiver.answerBy('/stopped', () => ({ status: 500 }))
  const { id } = await register('/stopped')
  await api(`/${id}/pause`, { method: 'POST' })
  const started = await api(`/${id}/recover`, { body: { since: since() } })
  const again = await api(`/${id}/recover`, { body: { since: since() } })
  // The first one may have ended by now.
  if (again.status !== 202) expect([again.status, again.json.code]).toEqual([409, 'RECOVERY_RUNNING'])
  const path = `/${id}/recoveries/${started.json.recoveryId}`
  expect((await api(path, { method: 'DELETE' })).status).toBe(204)
  expect(['DONE', 'STOPPED']).toContain((await api(path)).json.state)
})

it.each([
  [{}, '/since REQUIRED'],
  [{ since: 'yesterday' }, '/since FORMAT'],
  [{ since: '2026-01-02T00:00:00Z', until: '2026-01-02T00:00:00Z' }, '/until RANGE'],
  [{ since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }, '/until RANGE'],
  [{ since: '2026-01-02T00:00:00Z', eventTypes: ['NO_TYPE'] }, '/eventTypes/0 ENUM'],
  [{ since: '2026-01-02T00:00:00Z', dryRun: 'yes' }, '/dryRun TYPE'],
  [{ since: '2026-01-02T00:00:00Z', more: 1 }, ' UNKNOWN_FIELD'],
])('refuses %j', async (body, violation) => {
  const { id } = await register('/refused')
  const answer = await api(`/${id}/recover`, { body })
  expect([answer.status, answer.json.detail]).toEqual([400, 'BODY_INVALID'])
  const violations: { pointer: string; code: string }[] = answer.json.violations
  expect(violations.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([violation])
})

it('is not found for another app, an unknown endpoint and an unknown recovery', async () => {
  const { id } = await register('/mine')
  const body = { since: since() }
  expect((await api(`/${id}/recover`, { body, token: app(1).apiKey })).status).toBe(404)
  expect((await api(`/${randomUUID()}/recover`, { body })).status).toBe(404)
  const started = await api(`/${id}/recover`, { body })
  for (const [path, token] of [
    [`/${id}/recoveries/${started.json.recoveryId}`, app(1).apiKey],
    [`/${id}/recoveries/${randomUUID()}`, app(0).apiKey],
  ] as const) {
    expect((await api(path, { token })).status).toBe(404)
    expect((await api(path, { method: 'DELETE', token })).status).toBe(404)
  }
})

it('is counted, started and followed in the portal', async () => {
  receiver.answerBy('/portal', () => ({ status: 200 }))
  const { id } = await register('/portal')
  const browser = createPortalClient(server)
  await browser.signIn()
  const form = await browser.get(`/portal/webhooks/${id}/recover`)
  const from = since().slice(0, 16)
  const wrong = await browser.submit(form, `/portal/webhooks/${id}/recover`, { from: 'x', until: '' })
  expect(wrong.status).toBe(400)
  const counted = await browser.submit(form, `/portal/webhooks/${id}/recover`, { from, until: '' })
  expect(counted.text).toMatch(/to be delivered/)
  const started = await browser.submit(counted, `/portal/webhooks/${id}/recover`, { from, until: '', start: 'yes' })
  const page = await browser.follow(started)
  expect(page.text).toMatch(/Recovery/)
  await expect.poll(async () => (await browser.follow(started)).text, { timeout: 10_000 }).toContain('Done')
})
