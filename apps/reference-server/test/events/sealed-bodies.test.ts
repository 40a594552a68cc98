import { eventExample } from '@kyc-relay/webhooks/events'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLeakSearch } from '../leak-search.js'
import { startReceiver, type LocalReceiver } from '../local-receiver.js'
import { startTestServer, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
let receiver: LocalReceiver
let endpointId: string
beforeAll(async () => {
  server = await startTestServer()
  receiver = await startReceiver(server.demo)
  endpointId = (await partner('', { url: receiver.url('/bodies') })).json.id as string
})
afterAll(async () => {
  await receiver.close()
  await server.stop()
})

const merchant = 'Qzvmerchantxq'
const note = 'qzv-notice-4711'
const amount = 90_817.26
const search = createLeakSearch([
  { name: 'merchant', forms: [merchant] },
  { name: 'note', forms: [note] },
  { name: 'amount', forms: [String(amount)] },
])

const filled = ['eventType', 'userId', 'accountId', 'connectedAppId', 'connectedAppName', 'transactionId', 'status']
const example = Object.entries(eventExample('TRANSACTION_CREATE')).filter(([field]) => !filled.includes(field))
const data = { ...Object.fromEntries(example), merchantName: merchant, description: note, amount }

const owner = (index: number) => {
  const { appId = '', userId = '' } = server.demo.users[index] ?? {}
  return { appId, userId }
}
const internal = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
  server.call(`${server.demo.internalUrl}/internal/v1${path}`, { method, body, token: server.demo.internalToken })
const partner = (path: string, body?: unknown) =>
  server.call(`${server.demo.apiUrl}/api/v1/webhooks${path}`, {
    token: server.demo.apps[0]?.apiKey ?? null,
    ...(body === undefined ? {} : { body }),
  })
const leaks = () => [...server.files()].flatMap(([name, bytes]) => search.find(name, bytes))

it('event bodies and transaction fields are in no file, log line or metric, and partners read and receive them', async () => {
  const created = await internal('POST', '/transactions', { ...owner(0), data, sourceEventId: 'first' })
  expect(created.status).toBe(201)
  const { transactionId } = created.json as { transactionId: string }
  expect((await internal('PATCH', `/transactions/${transactionId}`, { status: 'SETTLED' })).status).toBe(200)
  const deposit = { ...owner(0), eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount }, sourceEventId: 'deposit' }
  expect((await internal('POST', '/events', deposit)).status).toBe(202)

  const sent = await receiver.arrived('/bodies', 3)
  expect(sent.filter(({ body }) => body.includes(merchant) && body.includes(note))).toHaveLength(2)
  const bodies = new Set(sent.map(({ body }) => body))
  const feed = await partner('/events?limit=10')
  expect(new Set((feed.json.items as { body: string }[]).map(({ body }) => body))).toEqual(bodies)
  await expect.poll(async () => deliveredIds()).toHaveLength(3)
  for (const id of await deliveredIds()) {
    const found = (await partner(`/deliveries/${id}`)).json as { body: string; curl: string }
    expect(bodies).toContain(found.body)
    expect(found.curl).toContain(found.body)
  }

  expect((await internal('POST', '/events', deposit)).json).toMatchObject({ duplicate: true })
  const other = await internal('POST', '/events', { ...deposit, data: { amount: 1 } })
  expect([other.status, other.json.code]).toEqual([409, 'SOURCE_EVENT_ID_CONFLICT'])

  const metrics = await server.call(`${server.demo.internalUrl}/metrics`, { token: server.demo.internalToken })
  expect(metrics.status).toBe(200)
  expect(leaks()).toEqual([])
  expect(search.find('log', server.logLines.join(''))).toEqual([])
  expect(search.find('metrics', metrics.text)).toEqual([])
})

it('a resent and a recovered delivery carry the same bytes', async () => {
  const [id = ''] = await deliveredIds()
  const before = receiver.received.length
  const { body } = (await partner(`/deliveries/${id}`)).json as { body: string }
  expect((await partner(`/deliveries/${id}/resend`, {})).status).toBe(202)
  const resent = (await receiver.arrived('/bodies', before + 1)).at(-1)
  expect(resent?.body).toBe(body)
})

it('a delivery whose key is destroyed ends, and the user’s later events are sent', async () => {
  expect((await partner(`/${endpointId}/pause`, {})).status).toBeLessThan(300)
  const event = { ...owner(1), eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount } }
  const held = (await internal('POST', '/events', event)).json as { deliveries: { deliveryId: string }[] }
  const rows = new Database(`${server.dataDir}/kyc.db`)
  const find = rows.prepare<[string], Buffer>('SELECT body FROM kyc_relay_events WHERE user_id = ?').pluck()
  const sealed = find.get(owner(1).userId)
  await internal('DELETE', `/users/${owner(1).userId}/pii`)
  // A backup would bring the row back as it was before the erasure.
  const deliveryId = held.deliveries[0]?.deliveryId ?? ''
  rows.prepare('UPDATE kyc_relay_events SET body = ? WHERE user_id = ?').run(sealed, owner(1).userId)
  rows
    .prepare(
      `UPDATE kyc_relay_deliveries SET state = 'PENDING', ended_at = NULL, cancel_reason = NULL, due_at = created_at
       WHERE delivery_id = ?`,
    )
    .run(deliveryId)
  rows.close()
  const before = receiver.received.length
  await partner(`/${endpointId}/resume`, {})
  expect((await internal('POST', '/events', { ...event, data: { amount: 7 } })).status).toBe(202)
  const later = await receiver.arrived('/bodies', before + 1)
  expect(JSON.parse(later.at(-1)?.body ?? '')).toMatchObject({ amount: 7 })
  const read = async () => (await partner(`/deliveries/${deliveryId}`)).json as Record<string, unknown>
  await expect.poll(async () => (await read())['status'], { timeout: 5_000 }).toBe('CANCELLED')
  expect(await read()).toMatchObject({ cancelReason: 'USER_ERASED', body: null, curl: null })
  expect(receiver.received).toHaveLength(before + 1)
})

async function deliveredIds(): Promise<string[]> {
  const page = await partner('/deliveries?status=DELIVERED')
  return (page.json.items as { id: string }[]).map(({ id }) => id)
}
