import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
  const { apiUrl, apps } = server.demo
  const url = `${apiUrl}/api/v1/webhooks`
  await server.call(url, { token: apps[0]?.apiKey ?? '', body: { url: 'https://partner.com/hooks' } })
})
afterAll(() => server.stop())

function publish(fields: Record<string, unknown> = {}) {
  const { demo } = server
  const [user] = demo.users
  const event = {
    appId: user?.appId,
    userId: user?.userId,
    eventType: 'WIDGET_DEPOSIT_COMPLETE',
    data: { amount: 100.5 },
    sourceEventId: 'deposit-1',
    ...fields,
  }
  return server.call(`${demo.internalUrl}/internal/v1/events`, { token: demo.internalToken, body: event })
}

it('is the original with the same event, and 409 with another user, type or content', async () => {
  const first = await publish()
  expect(first.status).toBe(202)
  const again = await publish({ data: { amount: 100.5, accountId: server.demo.users[0]?.accountId } })
  expect([again.status, again.json]).toEqual([202, { ...first.json, duplicate: true }])
  const others = [
    { userId: server.demo.users[1]?.userId },
    { eventType: 'WIDGET_WITHDRAW_COMPLETE' },
    { data: { amount: 100.51 } },
  ]
  for (const changed of others) {
    const refused = await publish(changed)
    expect([refused.status, refused.json.code]).toEqual([409, 'SOURCE_EVENT_ID_CONFLICT'])
    expect(refused.text).not.toContain('deposit-1')
  }
})

it('may be used again after its event was withheld for a missing scope, once the user has granted it', async () => {
  const { demo } = server
  const user = demo.users.find(({ scopes, appId }) => scopes.length < 5 && appId === demo.apps[0]?.appId)
  const fields = { userId: user?.userId, eventType: 'WIDGET_KYC_INITIATION', data: {}, sourceEventId: 'kyc-1' }
  const withheld = await publish(fields)
  expect(withheld.json).toMatchObject({ withheld: 'SCOPE_NOT_GRANTED', deliveries: [] })
  expect((await publish(fields)).json).toMatchObject({ eventId: withheld.json.eventId, duplicate: true })
  const scopes = [...(user?.scopes ?? []), 'VERIFY_KYC']
  const grant = { appId: user?.appId, userId: user?.userId, scopes }
  const granted = await server.call(`${demo.internalUrl}/internal/v1/access-tokens`, {
    token: demo.internalToken,
    body: grant,
  })
  expect(granted.status).toBe(201)
  const published = await publish(fields)
  expect(published.json.deliveries).toHaveLength(1)
  expect(published.json.eventId).not.toBe(withheld.json.eventId)
  expect((await publish(fields)).json).toMatchObject({ eventId: published.json.eventId, duplicate: true })
})
