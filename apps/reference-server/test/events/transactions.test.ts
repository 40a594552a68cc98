import { eventExample } from '@kyc-relay/webhooks/events'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type RunningTestServer } from '../running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
  const registered = await server.call(`${server.demo.apiUrl}/api/v1/webhooks`, {
    token: server.demo.apps[0]?.apiKey ?? null,
    body: { url: 'https://localhost:65000/transactions' },
  })
  expect(registered.status).toBe(201)
})
afterAll(() => server.stop())

const user = (index: number) => {
  const found = server.demo.users[index]
  if (found === undefined) throw new Error('no such demo user')
  return found
}

let made = 0
const freshId = () => `7a000000-0000-4000-8000-${String((made += 1)).padStart(12, '0')}`

/** The example without what the service fills. */
function payload(type: 'TRANSACTION_CREATE' | 'TRANSACTION_DECLINE', changes: Record<string, unknown> = {}) {
  const filled = ['eventType', 'userId', 'accountId', 'connectedAppId', 'connectedAppName', 'status', 'transactionId']
  const dates = ['createdAt', 'updatedAt']
  const example = Object.entries(eventExample(type)).filter(([field]) => ![...filled, ...dates].includes(field))
  return { ...Object.fromEntries(example), ...changes }
}

const call = (
  method: 'POST' | 'PATCH',
  path: string,
  body: unknown,
  token: string | null = server.demo.internalToken,
) => server.call(`${server.demo.internalUrl}/internal/v1/transactions${path}`, { method, body, token })
const owner = (index = 0) => ({ appId: user(index).appId, userId: user(index).userId })
const create = (transactionId: string, changes: Record<string, unknown> = {}, data: Record<string, unknown> = {}) =>
  call('POST', '', { ...owner(), transactionId, data: payload('TRANSACTION_CREATE', data), ...changes })
const update = (transactionId: string, body: Record<string, unknown>) => call('PATCH', `/${transactionId}`, body)
const decline = (transactionId: string, changes: Record<string, unknown> = {}) =>
  call('POST', '/decline', { ...owner(), transactionId, data: payload('TRANSACTION_DECLINE'), ...changes })

/** Types and payloads of the events written about a transaction, in order. */
async function eventsOf(transactionId: string): Promise<{ type: string; body: Record<string, unknown> | null }[]> {
  const database = new Database(`${server.dataDir}/kyc.db`, { readonly: true })
  const rows = database
    .prepare<[string], { type: string; eventId: string }>(
      `SELECT type, event_id AS eventId FROM kyc_relay_events JOIN kyc_relay_transaction_moves ON event = position
       WHERE transaction_id = ? ORDER BY position`,
    )
    .all(transactionId)
  database.close()
  const bodies = await readBodies()
  return rows.map(({ type, eventId }) => ({ type, body: bodies.get(eventId) ?? null }))
}

/** Bodies of the app's events by id, from its feed: the database has them sealed. */
async function readBodies(): Promise<ReadonlyMap<string, Record<string, unknown>>> {
  const bodies = new Map<string, Record<string, unknown>>()
  let after = ''
  for (;;) {
    const path = `/api/v1/webhooks/events?limit=100${after && `&after=${after}`}`
    const page = await server.call(`${server.demo.apiUrl}${path}`, { token: server.demo.apps[0]?.apiKey ?? null })
    const items = page.json.items as { eventId: string; body: string }[]
    for (const { eventId, body } of items) bodies.set(eventId, JSON.parse(body) as Record<string, unknown>)
    if (items.length === 0) return bodies
    after = page.json.nextCursor as string
  }
}

function countRows(): Record<string, unknown> {
  const database = new Database(`${server.dataDir}/kyc.db`, { readonly: true })
  const tables = ['events', 'deliveries', 'transactions', 'transaction_moves']
  const counts = tables.map((name) => [name, database.prepare(`SELECT count(*) FROM kyc_relay_${name}`).pluck().get()])
  database.close()
  return Object.fromEntries(counts) as Record<string, unknown>
}

describe('a transaction', () => {
  it('goes from PENDING over an update to SETTLED, each with its event, and an update builds on what is known', async () => {
    const transactionId = freshId()
    const created = await create(transactionId, {}, { createdAt: '2026-03-02T15:04:05.000Z' })
    expect(created.status).toBe(201)
    expect(created.json).toEqual({
      transactionId,
      status: 'PENDING',
      eventId: expect.any(String),
      deliveries: [{ deliveryId: expect.any(String), endpointId: expect.any(String) }],
    })
    const noted = await update(transactionId, { data: { note: 'Lunch', fee: null } })
    expect([noted.status, noted.json.status]).toEqual([200, 'PENDING'])
    const settled = await update(transactionId, { ...owner(), status: 'SETTLED', data: { amount: 41.5 } })
    expect([settled.status, settled.json.status]).toEqual([200, 'SETTLED'])
    const corrected = await update(transactionId, { data: { cashback: 0.7, updatedAt: '2026-03-04T00:00:00Z' } })
    expect([corrected.status, corrected.json.status]).toEqual([200, 'SETTLED'])

    const events = await eventsOf(transactionId)
    expect(events.map(({ type, body }) => [type, body?.['status'], body?.['note'], body?.['amount']])).toEqual([
      ['TRANSACTION_CREATE', 'PENDING', undefined, 42.5],
      ['TRANSACTION_UPDATE', 'PENDING', 'Lunch', 42.5],
      ['TRANSACTION_UPDATE', 'SETTLED', 'Lunch', 41.5],
      ['TRANSACTION_UPDATE', 'SETTLED', 'Lunch', 41.5],
    ])
    expect(events[3]?.body).toMatchObject({
      eventType: 'TRANSACTION_UPDATE',
      transactionId,
      userId: user(0).userId,
      accountId: user(0).accountId,
      connectedAppId: user(0).appId,
      connectedAppName: server.demo.apps[0]?.name,
      createdAt: '2026-03-02T15:04:05.000Z',
      updatedAt: '2026-03-04T00:00:00Z',
      fee: null,
      cashback: 0.7,
    })
  })

  it('is declined from any state, or new; the event carries no eventType', async () => {
    const [fresh, pending, settled] = [freshId(), freshId(), freshId()]
    await create(pending)
    await create(settled)
    await update(settled, { status: 'SETTLED' })
    for (const transactionId of [fresh, pending, settled]) {
      const declined = await decline(transactionId)
      expect([declined.status, declined.json.status]).toEqual([201, 'DECLINED'])
      const last = (await eventsOf(transactionId)).at(-1)
      expect(last).toMatchObject({ type: 'TRANSACTION_DECLINE', body: { transactionId, status: 'DECLINED' } })
      expect(last?.body).not.toHaveProperty('eventType')
    }
  })

  it('keeps no fields once it is final', async () => {
    const transactionId = freshId()
    await create(transactionId)
    await decline(transactionId)
    const database = new Database(`${server.dataDir}/kyc.db`, { readonly: true })
    const find = database.prepare('SELECT state, fields FROM kyc_relay_transactions WHERE transaction_id = ?')
    expect(find.get(transactionId)).toEqual({ state: 'DECLINED', fields: null })
    database.close()
  })

  it('is given an id where it has none, and takes one in any letter case, beside the data or in it', async () => {
    const generated = await create('', { transactionId: undefined })
    expect(generated.json.transactionId).toMatch(/^[0-9a-f-]{36}$/)
    const transactionId = `ABCDEF00-0000-4000-8000-${String((made += 1)).padStart(12, '0')}`
    const inData = await create('', { transactionId: undefined }, { transactionId })
    expect(inData.json.transactionId).toBe(transactionId.toLowerCase())
    expect((await update(transactionId, { status: 'SETTLED', data: { transactionId } })).status).toBe(200)
    expect((await create(transactionId.toLowerCase())).status).toBe(409)
  })
})

describe('a move that is not allowed', () => {
  const conflict = [409, 'TRANSITION_NOT_ALLOWED']
  const rows: readonly [string, () => Promise<[number, string]>, readonly unknown[]][] = [
    ['SETTLED → PENDING', async () => answer(await update(await settledOne(), { status: 'PENDING' })), conflict],
    [
      'SETTLED → SETTLED without a change',
      async () => answer(await update(await settledOne(), { status: 'SETTLED' })),
      conflict,
    ],
    [
      'PENDING → PENDING without a change',
      async () => answer(await update(await pendingOne(), { data: {} })),
      conflict,
    ],
    [
      'PENDING → PENDING with equal fields',
      async () => answer(await update(await pendingOne(), { data: { amount: 42.5 } })),
      conflict,
    ],
    ['DECLINED → SETTLED', async () => answer(await update(await declinedOne(), { status: 'SETTLED' })), conflict],
    ['DECLINED → PENDING', async () => answer(await update(await declinedOne(), { data: { note: 'x' } })), conflict],
    ['DECLINED → DECLINED', async () => answer(await decline(await declinedOne())), conflict],
    ['none → SETTLED', async () => answer(await create(freshId(), {}, { status: 'SETTLED' })), conflict],
    ['created twice', async () => answer(await create(await pendingOne())), [409, 'TRANSACTION_EXISTS']],
    ['created over a declined one', async () => answer(await create(await declinedOne())), [409, 'TRANSACTION_EXISTS']],
    ['none updated', async () => answer(await update(freshId(), { status: 'SETTLED' })), [404, 'TRANSACTION_UNKNOWN']],
    [
      'another user’s updated',
      async () => answer(await update(await pendingOne(), { ...owner(1), status: 'SETTLED' })),
      [404, 'TRANSACTION_UNKNOWN'],
    ],
    [
      'another user’s declined',
      async () => answer(await decline(await pendingOne(), owner(1))),
      [409, 'TRANSACTION_EXISTS'],
    ],
  ]
  const answer = (response: { status: number; json: { detail: string } }): [number, string] => [
    response.status,
    response.json.detail,
  ]
  const pendingOne = async () => (await create(freshId())).json.transactionId as string
  const settledOne = async () => (await update(await pendingOne(), { status: 'SETTLED' })).json.transactionId as string
  const declinedOne = async () => (await decline(freshId())).json.transactionId as string

  it.each(rows)('%s is refused', async (_name, run, expected) => {
    expect(await run()).toEqual(expected)
  })
})

describe('input that is malformed', () => {
  const good = () => ({ ...owner(), transactionId: freshId(), data: payload('TRANSACTION_CREATE') })
  const without = (field: string) => {
    const { [field]: _removed, ...rest } = good().data as Record<string, unknown>
    return rest
  }
  it.each([
    ['an unknown field', () => ({ ...good(), newField: 1 }), '', 'UNKNOWN_FIELD'],
    ['no app', () => ({ ...good(), appId: undefined }), '/appId', 'REQUIRED'],
    ['an app that is no UUID', () => ({ ...good(), appId: 'canary' }), '/appId', 'FORMAT'],
    ['an id that is no UUID', () => ({ ...good(), transactionId: 'canary' }), '/transactionId', 'FORMAT'],
    [
      'an id in the data that is no UUID',
      () => ({ ...good(), transactionId: null, data: { transactionId: 'canary' } }),
      '/data/transactionId',
      'FORMAT',
    ],
    [
      'an id in the data that is a number',
      () => ({ ...good(), transactionId: null, data: { transactionId: 7 } }),
      '/data/transactionId',
      'TYPE',
    ],
    [
      'two ids',
      () => ({ ...good(), data: { ...good().data, transactionId: freshId() } }),
      '/data/transactionId',
      'IDENTIFIER_MISMATCH',
    ],
    ['data that is no object', () => ({ ...good(), data: ['canary'] }), '/data', 'TYPE'],
    ['a missing amount', () => ({ ...good(), data: without('amount') }), '/data/amount', 'REQUIRED'],
    ['an amount as text', () => ({ ...good(), data: { ...good().data, amount: 'canary' } }), '/data/amount', 'TYPE'],
    [
      'a field that the event has not',
      () => ({ ...good(), data: { ...good().data, newField: 1 } }),
      '/data',
      'UNKNOWN_FIELD',
    ],
    [
      'another account',
      () => ({ ...good(), data: { ...good().data, accountId: freshId() } }),
      '/data/accountId',
      'IDENTIFIER_MISMATCH',
    ],
    ['an unknown status', () => ({ ...good(), data: { ...good().data, status: 'canary' } }), '/data/status', 'ENUM'],
    [
      'a decline as a creation',
      () => ({ ...good(), data: { ...good().data, status: 'DECLINED' } }),
      '/data/status',
      'ENUM',
    ],
    ['a status that is a number', () => ({ ...good(), data: { ...good().data, status: 1 } }), '/data/status', 'TYPE'],
    ['a source id with a space', () => ({ ...good(), sourceEventId: 'can ary' }), '/sourceEventId', 'FORMAT'],
  ])('%s is named by its pointer, and nothing is written', async (_name, body, pointer, code) => {
    const before = countRows()
    const refused = await call('POST', '', body())
    expect([refused.status, refused.json.code]).toEqual([400, 'BAD_REQUEST'])
    expect(refused.headers['content-type']).toBe('application/problem+json')
    const violations = refused.json.violations as { pointer: string; code: string; message: string }[]
    expect(violations.map((one) => [one.pointer, one.code])).toEqual([[pointer, code]])
    for (const { message } of violations) expect(message).toMatch(/^.+\.$/)
    expect(refused.text).not.toContain('canary')
    expect(countRows()).toEqual(before)
  })

  it('a status beside the data and another in it are refused', async () => {
    const transactionId = (await create(freshId())).json.transactionId as string
    const refused = await update(transactionId, { status: 'SETTLED', data: { status: 'PENDING' } })
    expect([refused.status, refused.json.violations]).toEqual([
      400,
      [{ pointer: '/data/status', code: 'IDENTIFIER_MISMATCH', message: expect.any(String) }],
    ])
    expect((await update(transactionId, { status: 'DECLINED' })).status).toBe(400)
    expect((await update('not-a-uuid', { status: 'SETTLED' })).status).toBe(404)
  })

  it('without the internal token nothing is looked at', async () => {
    for (const token of [null, 'wrong', server.demo.apps[0]?.apiKey ?? '']) {
      expect((await call('POST', '', { canary: true }, token)).status).toBe(401)
    }
  })
})

describe('a sourceEventId', () => {
  it('makes a repeated request give the original answer and write nothing, whatever happened since', async () => {
    const transactionId = freshId()
    const created = await create(transactionId, { sourceEventId: `c-${transactionId}` })
    const settled = await update(transactionId, { status: 'SETTLED', sourceEventId: `s-${transactionId}` })
    const declined = await decline(transactionId, { sourceEventId: `d-${transactionId}` })
    expect([created.status, settled.status, declined.status]).toEqual([201, 200, 201])
    const before = countRows()
    expect((await create(transactionId, { sourceEventId: `c-${transactionId}` })).json).toEqual({
      ...created.json,
      duplicate: true,
    })
    expect((await update(transactionId, { status: 'SETTLED', sourceEventId: `s-${transactionId}` })).json).toEqual({
      ...settled.json,
      duplicate: true,
    })
    expect((await decline(transactionId, { sourceEventId: `d-${transactionId}` })).json).toEqual({
      ...declined.json,
      duplicate: true,
    })
    expect(countRows()).toEqual(before)
  })

  it('of another fact is a conflict, not a silent loss', async () => {
    const transactionId = freshId()
    const sourceEventId = `once-${transactionId}`
    await create(transactionId, { sourceEventId })
    const before = countRows()
    for (const refused of [
      await create(freshId(), { sourceEventId }),
      await update(transactionId, { status: 'SETTLED', sourceEventId }),
      await decline(transactionId, { sourceEventId }),
      await create(transactionId, { sourceEventId }, { amount: 99.01 }),
      await create(transactionId, { sourceEventId, userId: user(1).userId }),
    ]) {
      expect([refused.status, refused.json.detail]).toEqual([409, 'SOURCE_EVENT_ID_CONFLICT'])
    }
    expect(countRows()).toEqual(before)
    expect((await update(transactionId, { status: 'SETTLED', sourceEventId: `${sourceEventId}-2` })).status).toBe(200)
  })

  it('lets one of many concurrent requests write, and all get the same event', async () => {
    const transactionId = freshId()
    const sourceEventId = `race-${transactionId}`
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(transactionId, { sourceEventId })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(answers.map(({ json }) => json.eventId)).size).toBe(1)
    expect(answers.filter(({ json }) => json.duplicate === undefined)).toHaveLength(1)
    expect(await eventsOf(transactionId)).toHaveLength(1)
  })
})

describe('an event of a transaction that is published by itself', () => {
  const publish = (eventType: string, data: Record<string, unknown>, changes: Record<string, unknown> = {}) =>
    server.call(`${server.demo.internalUrl}/internal/v1/events`, {
      token: server.demo.internalToken,
      body: { ...owner(), eventType, data, ...changes },
    })
  const whole = (transactionId: string, status: string, data: Record<string, unknown> = {}) => ({
    ...payload('TRANSACTION_CREATE', data),
    transactionId,
    status,
    createdAt: '2026-03-02T15:04:05.000Z',
  })

  it('begins as PENDING', async () => {
    const refused = await publish('TRANSACTION_CREATE', whole(freshId(), 'SETTLED'))
    const violation = { pointer: '/data/status', code: 'ENUM', message: expect.any(String) as string }
    expect([refused.status, refused.json.detail, refused.json.violations]).toEqual([400, 'EVENT_INVALID', [violation]])
    expect((await publish('TRANSACTION_CREATE', whole(freshId(), 'PENDING'))).status).toBe(202)
    expect((await publish('TRANSACTION_UPDATE', whole(freshId(), 'SETTLED'))).status).toBe(202)
  })

  it('moves a known transaction, and is refused where the table forbids it', async () => {
    const transactionId = freshId()
    await create(transactionId)
    const upper = transactionId.toUpperCase()
    expect((await publish('TRANSACTION_CREATE', whole(upper, 'PENDING'))).json.detail).toBe('TRANSACTION_EXISTS')
    const settle = () => publish('TRANSACTION_UPDATE', whole(upper, 'SETTLED'), { sourceEventId: `e-${transactionId}` })
    const settled = await settle()
    expect(settled.status).toBe(202)
    expect((await settle()).json).toEqual({ ...settled.json, duplicate: true })
    const back = [
      await publish('TRANSACTION_UPDATE', whole(transactionId, 'PENDING')),
      await update(transactionId, { status: 'PENDING' }),
    ]
    for (const { status, json } of back) expect([status, json.detail]).toEqual([409, 'TRANSITION_NOT_ALLOWED'])
    const declined = await publish('TRANSACTION_DECLINE', { ...payload('TRANSACTION_DECLINE'), transactionId })
    expect(declined.status).toBe(202)
    expect((await decline(transactionId)).json.detail).toBe('TRANSITION_NOT_ALLOWED')
    expect((await eventsOf(transactionId)).map(({ type }) => type)).toEqual([
      ...['TRANSACTION_CREATE', 'TRANSACTION_UPDATE', 'TRANSACTION_DECLINE'],
    ])
  })

  it('of another user does not move it', async () => {
    const transactionId = freshId()
    await create(transactionId)
    const other = await publish('TRANSACTION_UPDATE', whole(transactionId, 'SETTLED'), owner(1))
    expect(other.status).toBe(202)
    expect((await update(transactionId, { data: { note: 'still pending' } })).json.status).toBe('PENDING')
  })
})

it('concurrent updates are all kept: each builds on the one before', async () => {
  const transactionId = (await create(freshId())).json.transactionId as string
  const fields = ['note', 'category', 'destination', 'channel']
  const answers = await Promise.all(fields.map((field) => update(transactionId, { data: { [field]: `new ${field}` } })))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const events = await eventsOf(transactionId)
  expect(events).toHaveLength(5)
  for (const field of fields) expect(events[4]?.body?.[field]).toBe(`new ${field}`)
})

it('of concurrent settle and decline the order decides, and the events tell the same story', async () => {
  const transactionId = (await create(freshId())).json.transactionId as string
  const [settled, declined] = await Promise.all([update(transactionId, { status: 'SETTLED' }), decline(transactionId)])
  expect(declined.status).toBe(201)
  expect([200, 409]).toContain(settled.status)
  expect((await eventsOf(transactionId)).map(({ type }) => type)).toEqual(
    settled.status === 200
      ? ['TRANSACTION_CREATE', 'TRANSACTION_UPDATE', 'TRANSACTION_DECLINE']
      : ['TRANSACTION_CREATE', 'TRANSACTION_DECLINE'],
  )
})

it('a withheld event says why, and the state moves all the same', async () => {
  const unscoped = await server.call(`${server.demo.internalUrl}/internal/v1/access-tokens`, {
    token: server.demo.internalToken,
    body: { appId: user(0).appId, scopes: ['VERIFY_KYC'] },
  })
  const userId = unscoped.json.userId as string
  const withheld = await create(freshId(), { userId })
  expect(withheld.json).toMatchObject({ status: 'PENDING', deliveries: [], withheld: 'SCOPE_NOT_GRANTED' })
  expect(await eventsOf(withheld.json.transactionId as string)).toEqual([{ type: 'TRANSACTION_CREATE', body: null }])
  const settled = await update(withheld.json.transactionId as string, { status: 'SETTLED' })
  expect(settled.json).toMatchObject({ status: 'SETTLED', withheld: 'SCOPE_NOT_GRANTED' })
  const stranger = await create(freshId(), { userId: freshId() }, { accountId: freshId(), connectedAppName: 'Example' })
  expect(stranger.json).toMatchObject({ withheld: 'NO_GRANT', deliveries: [] })
})
