import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startReceiver, type LocalReceiver, type ReceivedRequest } from '../local-receiver.js'
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

const internal = (path: string, options: CallOptions = {}) =>
  server.call(`${server.demo.internalUrl}/internal/v1${path}`, { token: server.demo.internalToken, ...options })
const api = (path: string, token: string, options: CallOptions = {}) =>
  server.call(`${server.demo.apiUrl}/api/v1/webhooks${path}`, { token, ...options })
const post = (path: string, token: string, body?: unknown) =>
  api(path, token, { method: 'POST', ...(body === undefined ? {} : { body }) })

/** A fresh app with one user. */
async function newApp() {
  const name = `app ${randomUUID()}`
  const { appId, apiKey } = (await internal('/apps', { body: { name } })).json as { appId: string; apiKey: string }
  const scopes = ['CREATE_WIDGET_PAYMENT', ...(server.demo.users[0]?.scopes ?? [])]
  const { userId } = (await internal('/access-tokens', { body: { appId, scopes } })).json as { userId: string }
  const publish = async () => {
    const body = { appId, userId, eventType: 'WIDGET_DEPOSIT_COMPLETE', data: { amount: 100.5 } }
    const { json, status } = await internal('/events', { body })
    expect(status).toBe(202)
    return (json.deliveries as { deliveryId: string }[])[0]?.deliveryId ?? ''
  }
  return { appId, apiKey, name, publish }
}

const rotate = async (key: string) => {
  const { status, json } = await post('/keys/rotate', key)
  expect(status).toBe(201)
  return json as { apiKey: string; version: number }
}
const keyStates = async (key: string) =>
  ((await api('/keys', key)).json.items as { version: number; state: string }[]).map(
    ({ version, state }) => `${version} ${state}`,
  )
const signedBy = (key: string, request: ReceivedRequest | undefined) =>
  request?.headers['x-hmac-signature'] ===
  createHmac('sha256', key)
    .update(request?.body ?? '')
    .digest('hex')

/** Resolves once an attempt of this delivery was logged with this cause. */
async function attemptLogged(deliveryId: string, cause: string): Promise<void> {
  const isThere = () => server.logLines.some((line) => line.includes(deliveryId) && line.includes(`"cause":"${cause}"`))
  await expect.poll(isThere, { timeout: 15_000 }).toBe(true)
}

describe('a retiring API key', () => {
  it('reads, and changes and sends nothing', async () => {
    const { apiKey } = await newApp()
    const { json: endpoint } = await post('', apiKey, { url: receiver.url('/retiring') })
    const next = await rotate(apiKey)
    expect((await post('/keys/activate', next.apiKey)).status).toBe(200)
    expect(await keyStates(apiKey)).toEqual(['2 SIGNING', '1 RETIRING'])
    for (const path of ['', '/deliveries', '/keys', `/${endpoint.id}`]) {
      expect([path, (await api(path, apiKey)).status]).toEqual([path, 200])
    }
    const changes: [CallOptions['method'], string, unknown?][] = [
      ['POST', '', { url: 'https://attacker.com/hooks' }],
      ['DELETE', `/${endpoint.id}`],
      ['POST', `/${endpoint.id}/test`],
      ['POST', `/${endpoint.id}/test`, { dryRun: true }],
      ['POST', `/deliveries/${randomUUID()}/resend`],
      ['POST', '/keys/rotate'],
      ['POST', '/keys/activate'],
      ['POST', '/keys/discard'],
      ['POST', '/keys/dry-run', { endpointId: endpoint.id }],
      ['POST', '/keys/2/revoke'],
      ['POST', '/keys/1/revoke'],
    ]
    for (const [method = 'POST', path, body] of changes) {
      const answer = await api(path, apiKey, { method, ...(body === undefined ? {} : { body }) })
      expect([path, answer.status, answer.json.code, answer.json.detail]).toEqual([
        path,
        403,
        'FORBIDDEN',
        'API_KEY_RETIRING',
      ])
    }
    expect((await api('', next.apiKey)).json.items).toHaveLength(1)
    expect(await keyStates(next.apiKey)).toEqual(['2 SIGNING', '1 RETIRING'])
    expect((await post('/keys/1/revoke', next.apiKey)).status).toBe(204)
    expect((await api('/keys', apiKey)).status).toBe(401)
  })

  it('opens a portal session that reads and changes nothing', async () => {
    const { apiKey, name } = await newApp()
    const browser = createPortalClient(server)
    await browser.signIn({ name, apiKey })
    const form = await browser.get('/portal/webhooks/new')
    const next = await rotate(apiKey)
    await post('/keys/activate', next.apiKey)
    const late = createPortalClient(server)
    await late.signIn({ name, apiKey })
    for (const session of [browser, late]) {
      expect((await session.get('/portal/keys')).status).toBe(200)
      const fields = { url: 'https://attacker.com/hooks' }
      const own = session === browser ? form : await session.get('/portal/webhooks/new')
      const refused = await session.submit(own, '/portal/webhooks/new', fields)
      expect([refused.status, refused.text.includes('sign in with the new key')]).toEqual([403, true])
    }
    expect((await api('', next.apiKey)).json.items).toEqual([])
    expect((await browser.submit(form, '/portal/sign-out')).status).toBe(303)
  })

  it('shows its portal session no test event, which the new key signs', async () => {
    const { apiKey, name } = await newApp()
    const { json: endpoint } = await post('', apiKey, { url: receiver.url('/preview') })
    const next = await rotate(apiKey)
    const preview = async (key: string) => {
      const browser = createPortalClient(server)
      await browser.signIn({ name, apiKey: key })
      const { status, text } = await browser.get(`/portal/webhooks/${endpoint.id}/test`)
      return [status, text.includes('x-hmac-signature: ')]
    }
    expect(await preview(apiKey)).toEqual([200, true])
    await post('/keys/activate', next.apiKey)
    expect(await preview(apiKey)).toEqual([403, false])
    expect(await preview(next.apiKey)).toEqual([200, true])
  })
})

describe('a waiting API key', () => {
  it('is discarded, when the answer that held it was lost, and another one is made', async () => {
    const { apiKey } = await newApp()
    const lost = await rotate(apiKey)
    expect((await post('/keys/rotate', apiKey)).json.detail).toBe('ROTATION_PENDING')
    const discarded = await post('/keys/discard', apiKey)
    expect([discarded.status, discarded.text]).toEqual([204, ''])
    expect((await api('', lost.apiKey)).status).toBe(401)
    const again = await post('/keys/discard', apiKey)
    expect([again.status, again.json.detail]).toEqual([409, 'NO_ROTATION_PENDING'])
    expect((await rotate(apiKey)).version).toBe(3)
    expect(await keyStates(apiKey)).toEqual(['3 WAITING', '1 SIGNING'])
  })

  it('is discarded in the portal, without JavaScript', async () => {
    const { apiKey, name } = await newApp()
    const lost = await rotate(apiKey)
    const browser = createPortalClient(server)
    await browser.signIn({ name, apiKey })
    const done = await browser.submit(await browser.get('/portal/keys'), '/portal/keys/discard')
    expect((await browser.follow(done)).text).toContain('It will not sign webhooks')
    expect((await api('', lost.apiKey)).status).toBe(401)
    expect(await keyStates(apiKey)).toEqual(['1 SIGNING'])
  })
})

describe('a revoked API key', () => {
  it('is refused at once, ends its sessions, and the waiting key signs in its place', async () => {
    const { apiKey, name, publish } = await newApp()
    await post('', apiKey, { url: receiver.url('/revoked') })
    const [theirs, ours] = [createPortalClient(server), createPortalClient(server)]
    await theirs.signIn({ name, apiKey })
    const next = await rotate(apiKey)
    await ours.signIn({ name, apiKey: next.apiKey })
    expect((await post('/keys/1/revoke', next.apiKey)).status).toBe(204)
    expect((await api('', apiKey)).status).toBe(401)
    expect((await theirs.get('/portal/keys')).status).toBe(401)
    expect((await createPortalClient(server).signIn({ name, apiKey })).status).toBe(401)
    expect((await ours.get('/portal/keys')).status).toBe(200)
    expect(await keyStates(next.apiKey)).toEqual(['2 SIGNING'])
    await publish()
    const [request] = await receiver.arrived('/revoked', 1)
    expect([signedBy(next.apiKey, request), signedBy(apiKey, request)]).toEqual([true, false])
    expect((await post('/keys/1/revoke', next.apiKey)).status).toBe(404)
    for (const version of ['0', '-1', '1e3', '3', '99999999999', randomUUID()]) {
      expect([version, (await post(`/keys/${version}/revoke`, next.apiKey)).status]).toEqual([version, 404])
    }
  })

  it('is revoked in the portal after a confirmation, without JavaScript', async () => {
    const { apiKey, name } = await newApp()
    const next = await rotate(apiKey)
    const browser = createPortalClient(server)
    await browser.signIn({ name, apiKey: next.apiKey })
    expect((await browser.get('/portal/keys')).text).toContain('href="/portal/keys/1/revoke"')
    const asked = await browser.get('/portal/keys/1/revoke')
    expect([asked.status, asked.text.includes('Key 2 signs from now on')]).toEqual([200, true])
    expect((await api('', apiKey)).status).toBe(200)
    const done = await browser.submit(asked, '/portal/keys/1/revoke')
    expect((await browser.follow(done)).text).toContain('Key 1 was revoked')
    expect((await api('', apiKey)).status).toBe(401)
    expect((await browser.get('/portal/keys/1/revoke')).status).toBe(404)
    expect((await browser.post('/portal/keys/2/revoke', {})).status).toBe(403)
    const own = await browser.submit(await browser.get('/portal/keys/2/revoke'), '/portal/keys/2/revoke')
    expect([own.status, own.text]).toEqual([200, expect.stringContaining('Key 2 was revoked, and you are signed out.')])
    expect(own.text).toContain('<input type="hidden" name="next" value="/portal/keys"/>')
    expect(await browser.get('/portal/keys')).toMatchObject({
      status: 303,
      headers: { location: '/portal/sign-in?next=%2Fportal%2Fkeys' },
    })
  })

  it('signs nothing where no key waits: deliveries are held back until the operator issues one', async () => {
    const { appId, apiKey, publish } = await newApp()
    await post('', apiKey, { url: receiver.url('/held-back') })
    const before = await rotate(apiKey)
    await post('/keys/activate', before.apiKey)
    const revoked = await internal(`/apps/${appId}/keys/2`, { method: 'DELETE', body: { reason: 'It leaked.' } })
    expect([revoked.status, revoked.text]).toEqual([204, ''])
    // The key before it was on its way out: it does not sign again, nor read any longer.
    for (const key of [apiKey, before.apiKey]) expect((await api('', key)).status).toBe(401)
    const held = await publish()
    await attemptLogged(held, 'SIGNING_KEY_MISSING')

    const issued = await internal(`/apps/${appId}/keys`, { method: 'POST', body: { reason: 'It was revoked.' } })
    expect([issued.status, issued.json.appId, issued.json.version]).toEqual([201, appId, 3])
    expect(issued.headers['cache-control']).toBe('no-store')
    const key = issued.json.apiKey as string
    expect(await keyStates(key)).toEqual(['3 SIGNING'])
    const { json } = await api(`/deliveries/${held}`, key)
    expect([json.status, json.attemptsMade, json.attempts[0].state]).toEqual(['PENDING', 0, 'UNSENT'])
    await publish()
    const [request] = await receiver.arrived('/held-back', 1)
    expect(signedBy(key, request)).toBe(true)
    expect(receiver.received.filter(({ path }) => path === '/held-back').every((one) => signedBy(key, one))).toBe(true)
  })
})

describe('the operator', () => {
  it('issues a key for an app that lost it, which waits while the lost one signs', async () => {
    const { appId, apiKey, publish } = await newApp()
    await post('', apiKey, { url: receiver.url('/lost') })
    const unknown = await rotate(apiKey)
    const { status, json } = await internal(`/apps/${appId}/keys`, { method: 'POST', body: { reason: 'Lost.' } })
    expect([status, json.version]).toEqual([201, 3])
    const key = json.apiKey as string
    expect((await api('', unknown.apiKey)).status).toBe(401)
    expect(await keyStates(key)).toEqual(['3 WAITING', '1 SIGNING'])
    await publish()
    const [request] = await receiver.arrived('/lost', 1)
    expect(signedBy(apiKey, request)).toBe(true)
    expect((await post('/keys/activate', key)).status).toBe(200)
    await publish()
    const [, later] = await receiver.arrived('/lost', 2)
    expect(signedBy(key, later)).toBe(true)
  })

  it('gives a reason, which no log line repeats, and names an app and a version that are there', async () => {
    const { appId, apiKey } = await newApp()
    const keys = `/apps/${appId}/keys`
    const reason = 'canary-reason'
    const refusals: [CallOptions['method'], string, unknown, number][] = [
      ['POST', keys, {}, 400],
      ['POST', keys, { reason: '' }, 400],
      ['POST', keys, { reason: ' ' }, 400],
      ['POST', keys, { reason: 'x'.repeat(201) }, 400],
      ['POST', keys, { reason: 'two\nlines' }, 400],
      ['POST', keys, { reason, more: 1 }, 400],
      ['DELETE', `${keys}/1`, {}, 400],
      ['POST', `/apps/${randomUUID()}/keys`, { reason }, 404],
      ['POST', '/apps/nobody/keys', { reason }, 404],
      ['DELETE', `/apps/${randomUUID()}/keys/1`, { reason }, 404],
      ['DELETE', `${keys}/2`, { reason }, 404],
      ['DELETE', `${keys}/0`, { reason }, 404],
      ['DELETE', `${keys}/1.0`, { reason }, 404],
    ]
    for (const [method = 'POST', path, body, status] of refusals) {
      expect([path, (await internal(path, { method, body })).status]).toEqual([path, status])
      expect((await internal(path, { method, body, token: apiKey })).status).toBe(401)
    }
    expect(await keyStates(apiKey)).toEqual(['1 SIGNING'])
    expect((await internal(`${keys}/1`, { method: 'DELETE', body: { reason } })).status).toBe(204)
    expect((await internal(`${keys}/1`, { method: 'DELETE', body: { reason } })).status).toBe(404)
    const twenty = Array.from({ length: 20 }, () => internal(keys, { method: 'POST', body: { reason } }))
    const answers = await Promise.all(twenty)
    const issued = answers.filter(({ status }) => status === 201)
    expect(issued.length).toBeGreaterThan(0)
    expect(answers.every(({ status }) => status === 201 || status === 503)).toBe(true)
    expect(new Set(issued.map(({ json }) => json.version)).size).toBe(issued.length)
    expect(server.logLines.join('')).not.toContain('canary-reason')
  })
})
