import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eraseUser, type EraseUserDeps } from '../../src/operator-api/erase-user.js'
import {
  startTestServer,
  submissionDocument,
  submissionVariables,
  type CallOptions,
  type RunningTestServer,
} from '../running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const user = (index: number) => {
  const found = server.demo.users[index]
  if (found === undefined) throw new Error('no such demo user')
  return found
}
const internal = (method: NonNullable<CallOptions['method']>, path: string, body: unknown) =>
  server.call(`${server.demo.internalUrl}/internal/v1${path}`, { method, body, token: server.demo.internalToken })
const hold = (userId: string, body: unknown = { reason: 'subpoena 17', actor: 'counsel' }) =>
  internal('PUT', `/users/${userId}/hold`, body)
const release = (userId: string, body: unknown = { reason: 'case closed' }) =>
  internal('DELETE', `/users/${userId}/hold`, body)
const erase = (userId: string) => internal('DELETE', `/users/${userId}/pii`, { purpose: 'request of the user' })
const submit = (index: number) =>
  server.graphql(
    'secure',
    { query: submissionDocument, variables: submissionVariables() },
    { token: user(index).accessToken },
  )

function onDatabase<Row>(sql: string, ...values: unknown[]): Row[] {
  const database = new Database(`${server.dataDir}/kyc.db`)
  try {
    const statement = database.prepare<unknown[], Row>(sql)
    if (statement.reader) return statement.all(...values)
    statement.run(...values)
    return []
  } finally {
    database.close()
  }
}
const entriesOf = (userId: string) =>
  onDatabase<{ kind: string; actor: string; reason: string }>(
    `SELECT kind, actor, reason FROM kyc_relay_audit_entries WHERE user_id = ? AND kind <> 'VERIFICATION_RECORDED' ORDER BY sequence`,
    userId,
  ).filter(({ kind }) => !/GRANT|TOKEN/.test(kind))

describe('a legal hold', () => {
  it('refuses an erasure until it is released, and records who asked', async () => {
    await submit(0)
    const { userId, appId } = user(0)
    expect((await hold(userId.toUpperCase())).status).toBe(204)
    const refused = await erase(userId)
    expect([refused.status, refused.json.code]).toEqual([409, 'LEGAL_HOLD'])
    expect(refused.text).not.toContain('subpoena')
    expect((await hold(userId, { reason: 'subpoena 18' })).status).toBe(204)
    expect((await erase(userId)).status).toBe(409)
    expect((await release(userId)).status).toBe(204)
    expect((await release(userId)).status).toBe(404)
    expect((await erase(userId)).json).toMatchObject({ apps: [{ appId, tokensErased: 1, verificationsKept: 1 }] })
    expect(entriesOf(userId)).toEqual([
      { kind: 'LEGAL_HOLD_PLACED', actor: 'claimed:counsel', reason: 'subpoena 17' },
      { kind: 'LEGAL_HOLD_PLACED', actor: 'service', reason: 'subpoena 18' },
      { kind: 'LEGAL_HOLD_RELEASED', actor: 'service', reason: 'case closed' },
      { kind: 'ERASURE_STARTED', actor: 'service', reason: 'request of the user' },
      { kind: 'USER_ERASED', actor: 'service', reason: 'request of the user' },
    ])
    expect(server.logLines.join('')).not.toContain('subpoena')
  })

  it('is refused while an erasure has not finished, and possible after it', async () => {
    const { userId } = user(1)
    onDatabase(
      'INSERT INTO kyc_relay_user_retention (user_id, erasure_id, erasure_started_at) VALUES (?, ?, 1)',
      userId,
      'x',
    )
    const refused = await hold(userId)
    expect([refused.status, refused.json.code]).toEqual([409, 'ERASURE_IN_PROGRESS'])
    expect((await release(userId)).status).toBe(404)
    const closed = await internal('POST', `/users/${userId}/closed`, { closedAt: null })
    expect([closed.status, closed.json.code]).toEqual([409, 'ERASURE_IN_PROGRESS'])
    expect((await erase(userId)).status).toBe(200)
    expect((await hold(userId)).status).toBe(204)
  })

  it('holds also a user of whom nothing is known yet', async () => {
    const nobody = '7a000000-0000-4000-8000-000000000077'
    expect((await hold(nobody)).status).toBe(204)
    expect((await erase(nobody)).json.code).toBe('LEGAL_HOLD')
  })

  it('is not visible to the partner or to the user', async () => {
    await submit(2)
    const { accessToken, userId } = user(2)
    const key = server.demo.apps[0]?.apiKey ?? ''
    const seen = async () => {
      const query =
        '{ viewer { userId kycStatus } kycVerifications(first: 5) { edges { node { verificationId status declineCodes } } } }'
      const read = await server.graphql('api', { query }, { token: accessToken })
      const lists = ['', '/deliveries', '/events'].map((path) =>
        server.call(`${server.demo.apiUrl}/api/v1/webhooks${path}`, { token: key }),
      )
      return [read.json.data, ...(await Promise.all(lists)).map(({ json }) => json as unknown)]
    }
    const before = await seen()
    expect((await hold(userId)).status).toBe(204)
    expect(await seen()).toEqual(before)
    expect((await submit(2)).json.data.postKycVerification.status).toBe('ALREADY_VERIFIED')
  })

  it.each([
    ['no reason', {}],
    ['an empty reason', { reason: ' ' }],
    ['a reason of 201 characters', { reason: 'x'.repeat(201) }],
    ['a reason with a line break', { reason: 'a\nb' }],
    ['an unknown field', { reason: 'x', purpose: 'x' }],
  ])('with %s is refused, and holds nobody', async (_name, body) => {
    const { userId } = user(3)
    for (const ask of [hold, release]) expect((await ask(userId, body)).json.detail).toBe('BODY_INVALID')
    expect((await hold('not-a-uuid')).status).toBe(404)
    expect(onDatabase('SELECT 1 FROM kyc_relay_user_retention WHERE user_id = ?', userId)).toEqual([])
  })

  it('is not placed, and nothing is erased, without an entry in the audit log', async () => {
    await submit(3)
    const { userId } = user(3)
    onDatabase('ALTER TABLE kyc_relay_audit_entries RENAME TO entries_away')
    try {
      expect((await hold(userId)).status).toBe(503)
      expect((await erase(userId)).status).toBe(503)
    } finally {
      onDatabase('ALTER TABLE entries_away RENAME TO kyc_relay_audit_entries')
    }
    expect(onDatabase('SELECT 1 FROM kyc_relay_user_retention WHERE user_id = ?', userId)).toEqual([])
    expect((await erase(userId)).json.apps).toMatchObject([{ tokensErased: 1 }])
  })
})

describe('an erasure', () => {
  it.each([
    ['no purpose', {}],
    ['an empty purpose', { purpose: '' }],
    ['a reason instead', { reason: 'x' }],
  ])('with %s is refused', async (_name, body) => {
    const refused = await internal('DELETE', `/users/${user(4).userId}/pii`, body)
    expect([refused.status, refused.json.detail]).toEqual([400, 'BODY_INVALID'])
  })

  it('that failed half-way stays started, and its repetition finishes it', async () => {
    const [userId, appId] = ['u', 'a']
    const steps: string[] = []
    let broken = true
    const step = <T>(name: string, value: T) => {
      steps.push(name)
      return Promise.resolve(value)
    }
    const rows = {
      deliveriesCancelled: 0,
      bodiesBlanked: 0,
      transactionsBlanked: 0,
      photosErased: 0,
      verificationsKept: 0,
    }
    const deps: EraseUserDeps = {
      userRetention: {
        startErasure: ({ erasureId }) => step(`start ${erasureId}`, 'started' as const),
        finishErasure: ({ erasureId }) => step(`finish ${erasureId}`, undefined),
      },
      users: {
        listAppsOfUser: () => Promise.resolve([appId]),
        eraseUser: () => step('rows', { ...rows, photoJobIds: [] }),
      },
      vault: {
        eraseOwner: () => (broken ? Promise.reject(new Error('down')) : step('vault', 1)),
        inspection: { listAppsOfUser: () => Promise.resolve([]) },
      },
      photos: { erase: () => step('photos', undefined) },
      newId: () => String(steps.length),
      now: () => new Date(0),
    }
    const request = { userId, actor: { name: 'service', reason: 'request of the user' } }
    await expect(eraseUser(request, deps)).rejects.toThrow('down')
    broken = false
    await eraseUser(request, deps)
    expect(steps).toEqual(['start 0', 'rows', 'start 2', 'rows', 'vault', 'photos', 'finish 2'])

    // Photos that cannot be removed keep no other app of the user from being erased.
    steps.length = 0
    const removing = { ...deps.photos, erase: () => Promise.reject(new Error('photos are down')) }
    const inTwoApps = { ...deps.users, listAppsOfUser: () => Promise.resolve([appId, 'b']) }
    await expect(eraseUser(request, { ...deps, users: inTwoApps, photos: removing })).rejects.toThrow('photos are down')
    expect(steps).toEqual(['start 0', 'rows', 'vault', 'rows', 'vault'])
  })
})
