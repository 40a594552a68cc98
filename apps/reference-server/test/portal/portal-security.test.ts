import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { createSqliteStorage, type SqliteStorage } from '@kyc-relay/storage-drizzle/sqlite'
import Database from 'better-sqlite3'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mayComeFromOurPages } from '../../src/portal/same-origin.js'
import { returnPageOfForm } from '../../src/portal/return-page.js'
import { sessionCookie } from '../../src/portal/session-cookie.js'
import { createSessions } from '../../src/portal/sessions.js'
import { operatorRights, type Operator } from '../../src/identity/operators.js'
import { ownTables } from '../../src/storage/server-stores.js'
import { createServerStores } from '../../src/storage/sqlite/index.js'
import { durationText, visibleText } from '../../src/portal/format.js'
import { holdClock } from '../http/held-clock.js'
import { startTestServer, type RunningTestServer } from '../running-server.js'
import { createOperatorClient, createPortalClient, hiddenFields, signInOperator, textOf } from './portal-client.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const signInsOf = (storage: SqliteStorage, clock?: () => Date) => ({
  portalSessions: createServerStores(storage.database, clock).portalSessions,
  recordSignIn: storage.apps.recordSignIn,
})

const endpoints = async () =>
  (await server.call(`${server.demo.apiUrl}/api/v1/webhooks`, { token: server.demo.apps[0]?.apiKey ?? null })).json
    .items

describe('signing in', () => {
  it('takes the name or the id of the app with its key, in any case, and gives a fresh session', async () => {
    const app = server.demo.apps[0]
    for (const name of [app?.name ?? '', app?.appId ?? '', ` ${app?.name.toUpperCase()} `]) {
      const browser = createPortalClient(server)
      browser.cookies.set('kyc_relay_portal', 'fixed-before-sign-in')
      const page = await browser.get('/portal/sign-in')
      const answer = await browser.submit(page, '/portal/sign-in', { app: name, apiKey: app?.apiKey ?? '' })
      expect([answer.status, answer.headers.location]).toEqual([303, '/portal'])
      const id = browser.cookies.get('kyc_relay_portal')
      expect(id).toMatch(/^[A-Za-z0-9_-]{43}$/)
      expect(id).not.toBe('fixed-before-sign-in')
      const line = String([answer.headers['set-cookie']].flat()[0])
      expect(line).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/)
    }
  })

  it('returns to the page that was asked for, also when the session has ended', async () => {
    const [app] = server.demo.apps
    const fields = { app: app?.name ?? '', apiKey: app?.apiKey ?? '' }
    const asked = '/portal/deliveries?status=FAILED'
    const browser = createPortalClient(server)
    const away = await browser.get(asked)
    expect([away.status, away.headers.location]).toEqual([303, `/portal/sign-in?next=${encodeURIComponent(asked)}`])
    const form = await browser.follow(away)
    const wrong = await browser.submit(form, '/portal/sign-in', { ...fields, apiKey: 'wrong' })
    expect((await browser.submit(wrong, '/portal/sign-in', fields)).headers.location).toBe(asked)
    browser.cookies.set('kyc_relay_portal', 'ended')
    const ended = await browser.get(asked)
    expect(ended.status).toBe(401)
    expect((await browser.submit(ended, '/portal/sign-in', fields)).headers.location).toBe(asked)
  })

  it.each(['a sign-in that goes elsewhere', 'a sign-out'])('drops what was filled in at %s', async (event) => {
    const browser = createPortalClient(server)
    await browser.signIn()
    const session = browser.cookies.get('kyc_relay_portal') ?? ''
    const form = await browser.get('/portal/webhooks/new')
    browser.cookies.set('kyc_relay_portal', 'ended')
    await browser.submit(form, '/portal/webhooks/new', { url: 'https://partner.com/secret-path' })
    expect(browser.cookies.has('kyc_relay_form')).toBe(true)
    if (event === 'a sign-out') {
      browser.cookies.set('kyc_relay_portal', session)
      await browser.submit(form, '/portal/sign-out')
    } else await browser.signIn()
    expect(browser.cookies.has('kyc_relay_form')).toBe(false)
    await browser.signIn()
    expect((await browser.get('/portal/webhooks/new')).text).not.toMatch(/secret-path/)
  })

  it('keeps what was filled in, but for secrets, when the session has ended meanwhile', async () => {
    const [app] = server.demo.apps
    const fields = { app: app?.name ?? '', apiKey: app?.apiKey ?? '' }
    const browser = createPortalClient(server)
    await browser.signIn()
    const filled = {
      url: 'https://partner.com/hooks/%20ü/secret-path?key=secret-query',
      description: 'Deposits & more',
      eventTypes: ['WIDGET_DEPOSIT_COMPLETE', 'TRANSACTION_CREATE'],
      standardWebhooks: 'on',
      headers: 'X-Tenant: canary-secret',
    }
    const form = await browser.get('/portal/webhooks/new')
    browser.cookies.set('kyc_relay_portal', 'ended')
    const ended = await browser.submit(form, '/portal/webhooks/new', filled)
    expect(ended.status).toBe(401)
    expect(ended.text).not.toMatch(/canary-secret/)
    const signedIn = await browser.submit(ended, '/portal/sign-in', fields)
    // No address contains the URL, for its path and query may hold secrets.
    expect([signedIn.headers.location, ended.text]).toEqual([
      '/portal/webhooks/new',
      expect.not.stringMatching(/secret-path|secret-query/),
    ])
    const again = await browser.follow(signedIn)
    expect(again.status).toBe(200)
    expect(again.text).toContain('value="https://partner.com/hooks/%20ü/secret-path?key=secret-query"')
    expect(again.text).toContain('value="Deposits &amp; more"')
    expect([...again.text.matchAll(/<input[^>]*value="([A-Z_]+)"[^>]* checked/g)].map(([, type]) => type)).toEqual(
      filled.eventTypes,
    )
    // The names of the headers ask for their values: without them the URL is not added.
    expect(textOf(again.text, 'headers')).toBe('X-Tenant: ')
    const untyped = { url: 'https://partner.com/hooks', headers: textOf(again.text, 'headers') }
    expect((await browser.submit(again, '/portal/webhooks/new', untyped)).text).toContain('A header value has 1 to')
    expect(await endpoints()).toEqual([])

    expect((await browser.get('/portal/webhooks/new')).text).not.toMatch(/secret-path/)
    expect((await browser.get('/portal/webhooks/new?url=https://partner.com/link')).text).not.toMatch(
      /partner\.com\/link/,
    )

    const shared = createPortalClient(server)
    await shared.signIn()
    const ofFirst = await shared.get('/portal/webhooks/new')
    shared.cookies.set('kyc_relay_portal', 'ended')
    expect((await shared.submit(ofFirst, '/portal/webhooks/new', filled)).status).toBe(401)
    await shared.signIn(server.demo.apps[1])
    expect((await shared.get('/portal/webhooks/new')).text).not.toMatch(/secret-path/)

    const tooLong = createPortalClient(server)
    await tooLong.signIn()
    const page = await tooLong.get('/portal/webhooks/new')
    tooLong.cookies.set('kyc_relay_portal', 'ended')
    const refused = await tooLong.submit(page, '/portal/webhooks/new', {
      url: `https://partner.com/${'x'.repeat(4000)}`,
    })
    const empty = await tooLong.submit(refused, '/portal/sign-in', fields)
    expect(empty.headers.location).toBe('/portal/webhooks/new')
    const unkept = await tooLong.follow(empty)
    expect([unkept.status, unkept.text]).toEqual([200, expect.not.stringMatching(/xxxx/)])
    expect(unkept.text).toContain('the form was too large to keep')
    expect((await tooLong.get('/portal/webhooks/new')).text).not.toContain('too large to keep')
  })

  it.each([
    [' X-Tenant : canary', 'X-Tenant: ', 'A header value has 1 to'],
    ['X_Tenant.2: canary', 'X_Tenant.2: ', 'A header value has 1 to'],
    ['X-One: canary\r\n\r\nX-Two: canary', 'X-One: \nX-Two: ', 'A header value has 1 to'],
    // These may be a secret from the first character on.
    ['canary-without-a-colon', ':', 'A header name has 1 to'],
    ['Basic canary: blue', ':', 'A header name has 1 to'],
  ])('forgets no header of a form with %j when the session has ended', async (typed, kept, problem) => {
    const [app] = server.demo.apps
    const browser = createPortalClient(server)
    await browser.signIn()
    const form = await browser.get('/portal/webhooks/new')
    browser.cookies.set('kyc_relay_portal', 'ended')
    const url = 'https://partner.com/hooks'
    const ended = await browser.submit(form, '/portal/webhooks/new', { url, headers: typed })
    const cookie = Buffer.from(browser.cookies.get('kyc_relay_form') ?? '', 'base64url').toString()
    expect(cookie).toContain('url=')
    expect(cookie).not.toContain('canary')
    const fields = { app: app?.name ?? '', apiKey: app?.apiKey ?? '' }
    const again = await browser.follow(await browser.submit(ended, '/portal/sign-in', fields))
    const headers = textOf(again.text, 'headers')
    expect(headers).toBe(kept)
    expect((await browser.submit(again, '/portal/webhooks/new', { url, headers })).text).toContain(problem)
    expect(await endpoints()).toEqual([])
  })

  it('keeps that the headers of a URL are to be removed when the session has ended', async () => {
    const [app] = server.demo.apps
    const path = `${server.demo.apiUrl}/api/v1/webhooks`
    const token = app?.apiKey ?? null
    const url = 'https://partner.com/hooks'
    const { id } = (await server.call(path, { token, body: { url, headers: { 'X-Tenant': 'blue' } } })).json
    const page = `/portal/webhooks/${id}/change`
    const browser = createPortalClient(server)
    await browser.signIn()
    const form = await browser.get(page)
    expect(form.text).toMatch(/name="removeHeaders"\/?>/)
    browser.cookies.set('kyc_relay_portal', 'ended')
    const ended = await browser.submit(form, page, { url, removeHeaders: 'on' })
    const fields = { app: app?.name ?? '', apiKey: app?.apiKey ?? '' }
    const again = await browser.follow(await browser.submit(ended, '/portal/sign-in', fields))
    expect(again.text).toMatch(/name="removeHeaders" checked/)
    await server.call(`${path}/${id}`, { method: 'DELETE', token })
  })

  it.each([
    [
      '/portal/webhooks/7a000000-0000-4000-8000-000000000066/pause',
      '/portal/webhooks/7a000000-0000-4000-8000-000000000066',
    ],
    ['/portal/webhooks/1f0c/remove', '/portal/webhooks/1f0c/remove'],
    ['/portal/deliveries/1f0c/resend', '/portal/deliveries/1f0c'],
    ['/portal/deliveries/resend', '/portal/deliveries'],
    ['/portal/keys/rotate', '/portal/keys'],
    ['/portal/keys/dry-run', '/portal/keys'],
    ['/portal/keys/3/revoke', '/portal/keys/3/revoke'],
    ['/portal/sign-out', null],
  ])('leads from the form %s back to %s', (path, page) => {
    expect(returnPageOfForm(path)).toBe(page)
  })

  it.each([
    [
      '/portal/webhooks/7a000000-0000-4000-8000-000000000066/pause',
      '/portal/webhooks/7a000000-0000-4000-8000-000000000066',
    ],
    ['/portal/deliveries/resend', '/portal/deliveries'],
    ['/portal/keys/rotate', '/portal/keys'],
  ])('leads a browser that asks for %s, which takes only a form, to %s', async (path, page) => {
    const browser = createPortalClient(server)
    await browser.signIn()
    const asked = await browser.get(path)
    expect([asked.status, asked.headers.location]).toEqual([303, page])
    expect((await browser.get(`${page}/nothing`)).status).toBe(404)
  })

  it.each([
    ...['//evil.example', 'https://evil.example/portal/webhooks', '/portal/sign-out', '/portal/webhooks//evil.example'],
    ...[
      '/portal/webhooks/..//evil',
      '/portal/webhooks\\evil',
      '/portal/webhooks?x=\r\nset-cookie:a',
      '/portal/kyc',
      'x',
    ],
    `/portal/webhooks?x=${'x'.repeat(2000)}`,
  ])('does not return to %s', async (next) => {
    const [app] = server.demo.apps
    const browser = createPortalClient(server)
    const form = await browser.get(`/portal/sign-in?next=${encodeURIComponent(next)}`)
    const fields = { app: app?.name ?? '', apiKey: app?.apiKey ?? '', next }
    const answer = await browser.submit(form, '/portal/sign-in', fields)
    expect([answer.status, answer.headers.location]).toEqual([303, '/portal'])
  })

  it('signing in again ends the session that was', async () => {
    const browser = createPortalClient(server)
    await browser.signIn()
    const first = browser.cookies.get('kyc_relay_portal') ?? ''
    await browser.signIn()
    const other = createPortalClient(server)
    other.cookies.set('kyc_relay_portal', first)
    expect((await other.get('/portal/webhooks')).status).toBe(401)
  })

  it('refuses another app’s name, a wrong key, nothing at all, in the same words and without repeating them', async () => {
    const [app, other] = server.demo.apps
    const said = new Set<string>()
    for (const fields of [
      { app: other?.name ?? '', apiKey: app?.apiKey ?? '' },
      { app: app?.name ?? '', apiKey: 'canary-key' },
      { app: '<script>canary</script>', apiKey: '' },
      { app: '', apiKey: '' },
    ]) {
      const browser = createPortalClient(server)
      const page = await browser.get('/portal/sign-in')
      const answer = await browser.submit(page, '/portal/sign-in', fields)
      expect(answer.status).toBe(401)
      expect(answer.text).not.toContain('canary')
      expect(browser.cookies.has('kyc_relay_portal')).toBe(false)
      said.add(/id="message">.*?<\/div>/s.exec(answer.text)?.[0] ?? '')
    }
    expect(said.size).toBe(1)
  })

  it('limits failures by address, and lets a right key in when they are used up', async () => {
    holdClock()
    const limited = await startTestServer()
    try {
      const [app] = limited.demo.apps
      if (app === undefined) throw new Error('no demo app')
      const signedInBefore = createPortalClient(limited)
      await signedInBefore.signIn(app)
      const stranger = createPortalClient(limited)
      const page = await stranger.get('/portal/sign-in')
      const guess = (count: number) =>
        stranger.submit(page, '/portal/sign-in', { app: app.name, apiKey: `guess-${count}` })
      const statuses = []
      for (let count = 0; count < 31; count += 1) statuses.push((await guess(count)).status)
      expect(statuses).toEqual([...Array.from({ length: 30 }, () => 401), 429])
      const refused = await guess(31)
      expect(refused.status).toBe(429)
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)

      const operator = createOperatorClient(limited)
      expect((await signInOperator(operator, 'guess')).status).toBe(429)
      expect((await signInOperator(operator, limited.demo.internalToken)).status).toBe(429)
      expect((await signInOperator(operator, limited.demo.operatorToken)).status).toBe(303)
      await createPortalClient(limited).signIn(app)

      const keys = await signedInBefore.get('/portal/keys')
      expect(keys.status).toBe(200)
      expect((await signedInBefore.submit(keys, '/portal/keys/rotate', { apiKey: 'guess' })).status).toBe(429)
      expect((await signedInBefore.submit(keys, '/portal/keys/rotate', { apiKey: app.apiKey })).status).toBe(200)
    } finally {
      await limited.stop()
    }
  })
})

describe('a form', () => {
  const send = async (
    change: (fields: Record<string, string>) => Record<string, string>,
    headers: Record<string, string>,
  ) => {
    const browser = createPortalClient(server)
    await browser.signIn()
    const page = await browser.get('/portal/webhooks/new')
    const fields = change({ ...hiddenFields(page.text, '/portal/webhooks/new'), url: 'https://partner.com/csrf' })
    return browser.post('/portal/webhooks/new', fields, headers)
  }
  const same = (fields: Record<string, string>) => fields

  it.each([
    ['without its token', ({ csrf: _csrf, ...rest }: Record<string, string>) => rest, {}],
    ['with an empty token', (fields: Record<string, string>) => ({ ...fields, csrf: '' }), {}],
    ['with another token', (fields: Record<string, string>) => ({ ...fields, csrf: 'A'.repeat(43) }), {}],
    ['from another origin', same, { origin: 'https://evil.example' }],
    ['from an origin that begins like ours', same, { origin: 'http://127.0.0.1.evil.example' }],
    ['from another port', same, { origin: 'http://127.0.0.1:1' }],
    ['from an opaque origin', same, { origin: 'null' }],
    ['from a sibling site', same, { 'sec-fetch-site': 'same-site' }],
    ['from another site', same, { 'sec-fetch-site': 'cross-site' }],
    ['typed into the address bar', same, { 'sec-fetch-site': 'none' }],
  ])('%s is refused, and nothing happens', async (_name, change, headers: Record<string, string>) => {
    const answer = await send(change, headers)
    expect(answer.status).toBe(403)
    expect(await endpoints()).toEqual([])
  })

  it('with a NUL, which PostgreSQL does not compare, is refused', async () => {
    const browser = createPortalClient(server)
    await browser.signIn()
    const form = await browser.get('/portal/webhooks/new')
    const refused = await browser.submit(form, '/portal/webhooks/new', { url: 'https://partner.com/nul', other: 'a\0' })
    expect(refused.status).toBe(415)
  })

  it('that is JSON, or too large, is refused', async () => {
    const browser = createPortalClient(server)
    await browser.signIn()
    const json = await server.call(`${server.demo.apiUrl}/portal/webhooks/new`, {
      body: { url: 'https://partner.com/csrf' },
      headers: { cookie: `kyc_relay_portal=${browser.cookies.get('kyc_relay_portal')}` },
    })
    expect(json.status).toBe(415)
    const cross = await server.call(`${server.demo.apiUrl}/portal/webhooks/new`, {
      body: { url: 'https://partner.com/csrf' },
      headers: {
        cookie: `kyc_relay_portal=${browser.cookies.get('kyc_relay_portal')}`,
        'sec-fetch-site': 'cross-site',
      },
    })
    expect(cross.status).toBe(403)
    const page = await browser.get('/portal/webhooks/new')
    const large = await browser.submit(page, '/portal/webhooks/new', { url: 'x'.repeat(20_000) })
    expect(large.status).toBe(413)
    const { hostname, port } = new URL(server.demo.apiUrl)
    const undeclared = httpRequest({
      hostname,
      port,
      method: 'POST',
      path: '/portal/webhooks/new',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie: `kyc_relay_portal=${browser.cookies.get('kyc_relay_portal')}`,
      },
    })
    // Without a declared length, in more than one piece.
    undeclared.write('url='.padEnd(9_000, 'x'))
    undeclared.end('x'.repeat(9_000))
    const [answer] = (await once(undeclared, 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBe(413)
    expect(await endpoints()).toEqual([])
  })

  it('is accepted from a client that says nothing about where it comes from, with the token', async () => {
    const browser = createPortalClient(server)
    await browser.signIn()
    const page = await browser.get('/portal/webhooks/new')
    const body = new URLSearchParams({
      ...hiddenFields(page.text, '/portal/webhooks/new'),
      url: 'https://partner.com/quiet',
    })
    const answer = await server.call(`${server.demo.apiUrl}/portal/webhooks/new`, {
      method: 'POST',
      body: body.toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie: `kyc_relay_portal=${browser.cookies.get('kyc_relay_portal')}`,
      },
    })
    expect(answer.status).toBe(303)
    const [{ id }] = await endpoints()
    for (const method of ['DELETE', 'PUT', 'PATCH'] as const) {
      const other = await server.call(`${server.demo.apiUrl}/portal/webhooks/${id}/remove`, {
        method,
        headers: { cookie: `kyc_relay_portal=${browser.cookies.get('kyc_relay_portal')}` },
      })
      expect([method, other.status, other.headers.allow]).toEqual([method, 405, 'GET, HEAD, POST'])
    }
    const { csrf = '' } = hiddenFields(page.text, '/portal/webhooks/new')
    const toPage = await browser.post('/portal/webhooks', { csrf })
    expect([toPage.status, toPage.headers.allow]).toEqual([405, 'GET, HEAD'])
    expect((await browser.post('/portal/nowhere', { csrf })).status).toBe(404)
    expect((await browser.get('/portal/sign-out')).headers.allow).toBe('POST')
    const overridden = await browser.get(`/portal/webhooks/${id}/remove?_method=POST`, {
      'x-http-method-override': 'POST',
    })
    expect(overridden.status).toBe(200)
    expect((await endpoints()).length).toBe(1)
    await server.call(`${server.demo.apiUrl}/api/v1/webhooks/${id}`, {
      method: 'DELETE',
      token: server.demo.apps[0]?.apiKey ?? null,
    })
  })

  it('of sign-in needs the token that belongs to the browser’s own cookie', async () => {
    const [app] = server.demo.apps
    const fields = { app: app?.name ?? '', apiKey: app?.apiKey ?? '' }
    const attacker = createPortalClient(server)
    const theirs = hiddenFields((await attacker.get('/portal/sign-in')).text, '/portal/sign-in')
    const victim = createPortalClient(server)
    expect((await victim.post('/portal/sign-in', { ...theirs, ...fields })).status).toBe(403)
    await victim.get('/portal/sign-in')
    expect((await victim.post('/portal/sign-in', { ...theirs, ...fields })).status).toBe(403)
    expect((await victim.post('/portal/sign-in', fields)).status).toBe(403)
  })
})

const ada: Operator = { name: 'Ada', tokenHash: 'a'.repeat(64), rights: ['read', 'evidence'] }
const newSecret = () => randomBytes(32).toString('base64url')

describe('a session', () => {
  it.each([
    ['that was guessed', 'A'.repeat(43)],
    ['that is no id', 'x'],
  ])('%s is refused and its cookie removed', async (_name, id) => {
    const browser = createPortalClient(server)
    browser.cookies.set('kyc_relay_portal', id)
    for (const path of ['/portal/webhooks', '/portal/deliveries', '/portal/keys', '/portal']) {
      browser.cookies.set('kyc_relay_portal', id)
      const answer = await browser.get(path)
      expect([path, answer.status, browser.cookies.has('kyc_relay_portal')]).toEqual([path, 401, false])
    }
  })

  it('is over after signing out, in every tab', async () => {
    const browser = createPortalClient(server)
    await browser.signIn()
    const id = browser.cookies.get('kyc_relay_portal') ?? ''
    const tab = await browser.get('/portal/webhooks')
    const out = await browser.submit(tab, '/portal/sign-out')
    expect([out.status, browser.cookies.has('kyc_relay_portal')]).toEqual([303, false])
    browser.cookies.set('kyc_relay_portal', id)
    expect((await browser.get('/portal/webhooks')).status).toBe(401)
    browser.cookies.set('kyc_relay_portal', id)
    expect((await browser.submit(tab, '/portal/sign-out')).status).toBe(401)
  })

  it('without a cookie leads to sign-in, whatever is asked for', async () => {
    for (const path of ['/portal', '/portal/webhooks', '/portal/deliveries', '/portal/keys']) {
      const answer = await server.call(`${server.demo.apiUrl}${path}`)
      const next = path === '/portal' ? '' : `?next=${encodeURIComponent(path)}`
      expect([path, answer.status, answer.headers.location]).toEqual([path, 303, `/portal/sign-in${next}`])
    }
    const post = await createPortalClient(server).post('/portal/webhooks/new', { url: 'https://partner.com/' })
    expect(post.status).toBe(401)
  })

  it('ends after 30 idle minutes, and after 8 hours in any case', async () => {
    const minuteMs = 60_000
    let nowMs = 0
    const database = new Database(':memory:')
    const clock = () => new Date(nowMs)
    const storage = await createSqliteStorage({ database }, { clock, ownTables: ownTables('sqlite') })
    const signIns = signInsOf(storage, clock)
    const sessions = createSessions({ ...signIns, operators: [ada], newSecret })
    const isThere = async (id: string) => (await sessions.find(id)) !== null
    const { id } = await sessions.begin(ada)
    nowMs = 30 * minuteMs
    expect(await isThere(id)).toBe(true)
    nowMs += 30 * minuteMs + 1
    expect(await isThere(id)).toBe(false)
    nowMs = 0
    const busy = await sessions.begin(ada)
    for (nowMs = 0; nowMs <= 480 * minuteMs; nowMs += 30 * minuteMs) expect(await isThere(busy.id)).toBe(true)
    nowMs = 480 * minuteMs + 1
    expect(await isThere(busy.id)).toBe(false)
    await storage.close()
    database.close()
  })

  it('of an operator ends with the token that began it, and is unknown to the portal of apps', async () => {
    const database = new Database(':memory:')
    const storage = await createSqliteStorage({ database }, { ownTables: ownTables('sqlite') })
    const signIns = signInsOf(storage)
    const sessionsOf = (...operators: Operator[]) => createSessions({ ...signIns, operators, newSecret })
    const { id } = await sessionsOf(ada).begin(ada)
    const app = { kind: 'app', appId: 'a', appName: 'A', keyVersion: 1 } as const
    const other = await sessionsOf(ada).begin(app)
    const eve: Operator = { name: 'Eve', tokenHash: 'e'.repeat(64), rights: operatorRights }
    const beginsLikeAda = { ...eve, tokenHash: `${ada.tokenHash.slice(0, 16)}${'e'.repeat(48)}` }
    for (const [operators, holder] of [
      [[eve], undefined],
      [[beginsLikeAda], undefined],
      [[], undefined],
      [[eve, ada], { kind: 'operator', name: 'Ada', rights: ada.rights }],
      [[{ ...ada, rights: ['read'] }], { kind: 'operator', name: 'Ada', rights: ['read'] }],
    ] as const) {
      const found = [await sessionsOf(...operators).find(id), await sessionsOf(...operators).find(other.id)]
      expect(found.map((session) => session?.holder)).toEqual([holder, app])
    }
    database.exec(`UPDATE portal_sessions SET kind = 'operator', app_name = NULL, key_version = NULL`)
    expect(await sessionsOf(ada).find(other.id)).toBeNull()
    expect(await sessionsOf(ada).find(id)).not.toBeNull()
    database.exec(`UPDATE portal_sessions SET kind = 'app', app_id = 'a', app_name = 'A', key_version = 1`)
    expect(await sessionsOf(ada).find(id)).toBeNull()
    await storage.close()
    database.close()
  })

  it('does not begin where its sign-in cannot be recorded', async () => {
    const database = new Database(':memory:')
    const storage = await createSqliteStorage({ database }, { ownTables: ownTables('sqlite') })
    const recordSignIn = () => Promise.reject(new Error('the audit log is full'))
    const sessions = createSessions({ ...signInsOf(storage), recordSignIn, operators: [ada], newSecret })
    await expect(sessions.begin(ada)).rejects.toThrow('full')
    expect(database.prepare('SELECT count(*) FROM portal_sessions').pluck().get()).toBe(0)
    await storage.close()
    database.close()
  })

  it('is kept by a hash of its id: no file holds what opens it or what its forms carry', async () => {
    const browser = createPortalClient(server)
    await browser.signIn()
    const { csrf } = hiddenFields((await browser.get('/portal/webhooks')).text, '/portal/sign-out')
    const id = browser.cookies.get('kyc_relay_portal') ?? ''
    const hash = createHash('sha256').update(id).digest()
    const holds = (value: string | Buffer) => [...server.files().values()].some((bytes) => bytes.includes(value))
    expect([holds(hash), holds(id), holds(csrf ?? ''), holds(Buffer.from(id, 'base64url'))]).toEqual([
      ...[true, false, false, false],
    ])
  })
})

describe('every page', () => {
  it('is kept by no cache, framed by nobody, and loads its own files only', async () => {
    const browser = createPortalClient(server)
    await browser.signIn()
    for (const path of [
      '/portal/sign-in',
      '/portal/webhooks',
      '/portal/webhooks/new',
      '/portal/deliveries',
      '/portal/keys',
      '/portal/nothing',
    ]) {
      const page = await browser.get(path)
      expect(page.headers['content-security-policy']).toMatch(
        /^default-src 'none'; style-src 'self'; script-src 'self'; .*form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      )
      expect(page.headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cache-control': 'no-store',
        'referrer-policy': 'same-origin',
      })
      expect(page.text).toMatch(/^<!doctype html><html lang="en">/)
      expect(page.text).not.toMatch(/<style|\sstyle="|<script>|\son\w+="|(?:src|href)="(?:https?:)?\/\//)
    }
  })
})

describe('the cookie', () => {
  it.each([
    ['localhost:4000', false],
    ['127.0.0.1', false],
    ['[::1]:4000', false],
    ['portal.partner.com', true],
    ['127.0.0.1.evil.example', true],
    ['localhost.evil.example', true],
    [undefined, true],
  ])('of host %s is bound to HTTPS: %s', async (host, secure) => {
    const portal = new Hono()
    portal.get('/', (c) => {
      const cookie = sessionCookie(c, 'app')
      cookie.set('id')
      return c.json(cookie.read())
    })
    const get = async (cookie?: string) => {
      const headers = { ...(host === undefined ? {} : { host }), ...(cookie === undefined ? {} : { cookie }) }
      const answer = await portal.request('/', { headers })
      return [answer.headers.getSetCookie(), await answer.json()] as const
    }
    const [set, read] = await get('kyc_relay_portal=plain; __Host-kyc_relay_portal=bound')
    expect(set.map((line) => line.split('; ').sort())).toEqual([
      secure
        ? ['HttpOnly', 'Path=/', 'SameSite=Strict', 'Secure', '__Host-kyc_relay_portal=id']
        : ['HttpOnly', 'Path=/', 'SameSite=Strict', 'kyc_relay_portal=id'],
    ])
    expect(read).toBe(secure ? 'bound' : 'plain')
    expect((await get())[1]).toBeNull()
    expect((await get(`${secure ? '__Host-' : ''}kyc_relay_portal=with%20blank`))[1]).toBeNull()
  })
})

describe('where a form comes from', () => {
  it.each([
    [{}, true],
    [{ host: 'a.com', origin: 'https://a.com' }, true],
    [{ host: 'A.com', origin: 'https://a.com', 'sec-fetch-site': 'same-origin' }, true],
    [{ host: 'a.com:443', origin: 'https://a.com' }, false],
    [{ host: 'a.com', origin: 'https://a.com/' }, false],
    [{ host: 'a.com', origin: 'ftp://a.com' }, false],
    [{ origin: 'https://a.com' }, false],
  ])('%j may be ours: %s', (headers, ours) => {
    expect(mayComeFromOurPages(headers)).toBe(ours)
  })
})

describe('words', () => {
  it('are the same for every reader', () => {
    expect([1, 59_400, 60_000, 3_600_000, 6_480_000].map(durationText)).toEqual([
      '1 s',
      '59 s',
      '1 min',
      '1 h',
      '1 h 48 min',
    ])
    expect(visibleText('a\u0000\u001b[31m\u007f\u009b\u202e\tb\r\n')).toBe('a\u2400\u241b[31m\u2421\ufffd\ufffd\tb\r\n')
  })
})
