import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventExample } from '@kyc-relay/webhooks/events'
import { startPostgres } from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'
import { startTestServer, type RunningTestServer } from '../running-server.js'

/** The example without what the service fills. */
const {
  eventType: _type,
  userId: _user,
  accountId: _account,
  connectedAppId: _app,
  ...rest
} = eventExample('TRANSACTION_CREATE')
const {
  connectedAppName: _name,
  status: _status,
  transactionId: _id,
  createdAt: _at,
  updatedAt: _then,
  ...payload
} = rest

const unknownId = '00000000-0000-4000-8000-000000000000'

describe.each(['SQLite', 'PostgreSQL'])('the reads of an operator on %s', (engine) => {
  let server: RunningTestServer
  let stop: () => Promise<void>
  beforeAll(async () => {
    const postgres = engine === 'PostgreSQL' ? await startPostgres() : null
    const variables: Record<string, string> = {}
    if (postgres !== null) variables['DATABASE_URL'] = await postgres.createDatabase()
    server = await startTestServer(variables)
    stop = async () => {
      await server.stop()
      await postgres?.stop()
    }
  })
  afterAll(() => stop())

  const read = (path: string) =>
    server.call(`${server.demo.internalUrl}/internal/v1${path}`, { token: server.demo.internalToken })
  const write = (path: string, body: unknown) =>
    server.call(`${server.demo.internalUrl}/internal/v1${path}`, { token: server.demo.internalToken, body })

  async function readAll(path: string, limit: number) {
    const items: Record<string, unknown>[] = []
    let cursor = ''
    for (let page = 0; page < 100; page += 1) {
      const and = path.includes('?') ? '&' : '?'
      const { json } = await read(`${path}${and}limit=${limit}${cursor}`)
      items.push(...json.items)
      if (json.nextCursor === null) return items
      cursor = `&cursor=${json.nextCursor}`
    }
    throw new Error('the pages do not end')
  }

  it('lists apps, their users, one user by reference, and one grant', async () => {
    const { apps, users } = server.demo
    const listed = await readAll('/apps', 1)
    expect(listed.map(({ appId }) => appId)).toEqual(apps.map(({ appId }) => appId).sort())
    const [first] = apps
    const ofFirst = users.filter(({ appId }) => appId === first?.appId)
    const found = await readAll(`/apps/${first?.appId}/users`, 4)
    expect(found.map(({ userId }) => userId)).toEqual(ofFirst.map(({ userId }) => userId).sort())
    const [user] = users
    const { accessToken: _token, ...grant } = user ?? { accessToken: '' }
    const byReference = await read(`/apps/${first?.appId}/users?externalReferenceId=demo-user-1`)
    expect(byReference.json).toEqual({ items: [grant], nextCursor: null })
    expect((await read(`/grants/${user?.appId}/${user?.userId}`)).json).toEqual(grant)
    expect((await read(`/grants/${user?.appId}/${unknownId}`)).status).toBe(404)
    expect((await read(`/apps/${unknownId}/users`)).json).toMatchObject({ code: 'NOT_FOUND', detail: 'APP_UNKNOWN' })
  })

  it('lists deliveries, the queue and withheld events over all apps, and finds a transaction', async () => {
    const { apps, users } = server.demo
    const [one, other] = [users[0], users.find(({ appId }) => appId === apps[1]?.appId)]
    const withheld = await write('/events', {
      appId: other?.appId,
      userId: other?.userId,
      eventType: 'WIDGET_KYC_INITIATION',
      data: {},
    })
    expect(withheld.json.withheld).toBe('NO_ENDPOINT')
    for (const { apiKey } of apps) {
      const body = { url: 'https://partner.example.com/webhooks' }
      expect((await server.call(`${server.demo.apiUrl}/api/v1/webhooks`, { token: apiKey, body })).status).toBe(201)
    }
    const eventIds = []
    for (const user of [one, other, one]) {
      const { appId, userId } = user ?? {}
      const sent = await write('/events', { appId, userId, eventType: 'WIDGET_KYC_INITIATION', data: {} })
      eventIds.unshift(sent.json.eventId)
    }
    const listed = await readAll('/deliveries', 1)
    expect(listed.map(({ eventId }) => eventId)).toEqual(eventIds)
    expect(Object.keys(listed[0] ?? {})).not.toContain('position')
    const ofOther = await read(`/deliveries?appId=${other?.appId}&eventType=WIDGET_KYC_INITIATION`)
    expect(ofOther.json.items).toMatchObject([{ eventId: eventIds[1], appId: other?.appId }])
    expect((await read('/deliveries?status=DELIVERED')).json).toEqual({ items: [], nextCursor: null })
    expect((await readAll('/withheld-events', 1)).map(({ eventId, reason }) => [eventId, reason])).toEqual([
      [withheld.json.eventId, 'NO_ENDPOINT'],
    ])
    const queue = await readAll('/queue', 1)
    for (const row of queue) expect(apps.map(({ appId }) => appId)).toContain(row['appId'])
    const created = await write('/transactions', {
      appId: one?.appId,
      userId: one?.userId,
      data: { ...payload, description: 'canary' },
    })
    const id = created.json.transactionId as string
    const found = await read(`/transactions/${id}`)
    expect(found.json).toMatchObject({ transactionId: id, status: 'PENDING', revision: 1, appId: one?.appId })
    expect(found.text).not.toContain('canary')
    expect((await read(`/transactions/${unknownId}`)).status).toBe(404)
  })

  it('lists both audit logs, newest first, each entry once', async () => {
    const user = server.demo.users[0]
    const entries = await readAll('/audit-entries', 7)
    const places = entries.map(({ chain, sequence }) => `${String(chain)} ${String(sequence)}`)
    expect(new Set(places).size).toBe(places.length)
    const issued = entries.filter(({ kind }) => kind === 'ACCESS_TOKEN_ISSUED')
    expect(issued).toHaveLength(server.demo.users.length)
    const times = entries.map(({ at }) => String(at))
    expect(times).toEqual([...times].sort().reverse())
    const ofUser = await readAll(`/audit-entries?userId=${user?.userId}`, 1)
    expect(ofUser.map(({ kind }) => kind).sort()).toEqual(['ACCESS_TOKEN_ISSUED', 'GRANT_GIVEN'])
    expect((await readAll('/audit-entries?log=vault', 50)).map(({ kind }) => kind)).toContain('CHAIN_STARTED')
  })

  it.each(['/apps', `/apps/${unknownId}/users`, '/deliveries', '/withheld-events', '/queue', '/audit-entries'])(
    'refuses unknown parameters, foreign cursors and wrong limits of %s',
    async (path) => {
      const listPath = path.replace(unknownId, server.demo.apps[0]?.appId ?? '')
      expect((await read(`${listPath}?canary=1`)).json).toMatchObject({ status: 400, code: 'UNKNOWN_PARAMETER' })
      const foreign = Buffer.from('["elsewhere","a"]').toString('base64url')
      for (const cursor of ['canary', foreign]) {
        expect((await read(`${listPath}?cursor=${cursor}`)).json).toMatchObject({ status: 400, code: 'CURSOR_INVALID' })
      }
      for (const limit of ['0', '-1', 'x', '1.5']) {
        expect((await read(`${listPath}?limit=${limit}`)).json).toMatchObject({ status: 400, detail: 'QUERY_INVALID' })
      }
      expect((await read(`${listPath}?limit=1000`)).status).toBe(200)
      const head = { token: server.demo.internalToken, method: 'HEAD' } as const
      expect((await server.call(`${server.demo.internalUrl}/internal/v1${listPath}?limit=1`, head)).status).toBe(200)
    },
  )

  it.each([
    ['deliveries', '0000-01-01T00:00:00.000Z'],
    ['withheld', '0000-01-01T00:00:00.000Z'],
    ['deliveries', '2026-01-01T00:00:00Z'],
  ])('refuses a cursor of %s at %s, which no page gives', async (list, at) => {
    const cursor = Buffer.from(JSON.stringify([list, at, 1])).toString('base64url')
    const path = list === 'deliveries' ? '/deliveries' : '/withheld-events'
    expect((await read(`${path}?cursor=${cursor}`)).json).toMatchObject({ status: 400, code: 'CURSOR_INVALID' })
  })

  it('refuses texts with a NUL, which PostgreSQL does not store', async () => {
    const { appId = '' } = server.demo.apps[0] ?? {}
    expect((await read(`/apps/${appId}/users?externalReferenceId=a%00`)).json).toMatchObject({
      detail: 'QUERY_INVALID',
    })
    for (const [list, path] of [
      ['apps', '/apps'],
      [`users ${appId}`, `/apps/${appId}/users`],
    ] as const) {
      const cursor = Buffer.from(JSON.stringify([list, 'a\0'])).toString('base64url')
      expect((await read(`${path}?cursor=${cursor}`)).json).toMatchObject({ status: 400, code: 'CURSOR_INVALID' })
    }
    expect((await write('/apps', { name: 'a\0' })).json).toMatchObject({ detail: 'BODY_INVALID' })
    const terms = { accountId: unknownId, externalReferenceId: 'a\0', scopes: ['VERIFY_KYC'] }
    const path = `${server.demo.internalUrl}/internal/v1/grants/${appId}/${unknownId}`
    const granted = await server.call(path, { method: 'PUT', token: server.demo.internalToken, body: terms })
    expect(granted.json).toMatchObject({ detail: 'BODY_INVALID' })
  })

  it('makes one app of two requests at once with one id', async () => {
    const appId = '7a000000-0000-4000-8000-0000000000aa'
    const made = await Promise.all([1, 2, 3].map((one) => write('/apps', { appId, name: `app ${one}` })))
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    expect(made.find(({ status }) => status === 409)?.json).toMatchObject({ detail: 'APP_EXISTS' })
  })

  it.each(['/grants/canary/canary', '/transactions/canary', `/apps/canary/users`])('knows no %s', async (path) => {
    expect((await read(path)).json).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })

  it('refuses unknown parameters where there are none', async () => {
    for (const path of [`/grants/${unknownId}/${unknownId}`, `/transactions/${unknownId}`, '/retention-report']) {
      expect((await read(`${path}?canary=1`)).json).toMatchObject({ status: 400, code: 'UNKNOWN_PARAMETER' })
    }
  })
})
