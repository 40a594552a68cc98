import { eventExample } from '@kyc-relay/webhooks/events'
import Database from 'better-sqlite3'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { exportUser, type ExportUserDeps } from '../../src/user-export/export-user.js'
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
const exported = (userId: string, body: unknown = { purpose: 'access request 12', actor: 'privacy office' }) =>
  internal('POST', `/users/${userId}/export`, body)
const submit = (index: number, changes: Record<string, unknown> = {}) =>
  server.graphql(
    'secure',
    { query: submissionDocument, variables: submissionVariables(changes) },
    { token: user(index).accessToken },
  )

function rows<Row>(file: 'kyc.db' | 'vault.db', sql: string, ...values: unknown[]): Row[] {
  const database = new Database(`${server.dataDir}/${file}`)
  try {
    const statement = database.prepare<unknown[], Row>(sql)
    if (statement.reader) return statement.all(...values)
    statement.run(...values)
    return []
  } finally {
    database.close()
  }
}
const exportEntries = (userId: string) =>
  rows<{ kind: string }>(
    'kyc.db',
    `SELECT kind, actor, reason FROM kyc_relay_audit_entries WHERE user_id = ? AND kind LIKE 'EXPORT%' ORDER BY sequence`,
    userId,
  )
const ownFields = ['eventType', 'userId', 'accountId', 'connectedAppId', 'connectedAppName', 'transactionId', 'status']
const transactionData = () =>
  Object.fromEntries(Object.entries(eventExample('TRANSACTION_CREATE')).filter(([field]) => !ownFields.includes(field)))

describe('an export', () => {
  it('holds everything about the user, with the SSN masked, and says at its end that it is complete', async () => {
    const { appId, userId, accountId, externalReferenceId } = user(0)
    await submit(0, { decisionReason: 'Canaryreason' })
    await submit(1, { person: { ...(submissionVariables()['person'] as object), firstName: 'Bystander' } })
    expect((await internal('POST', '/transactions', { appId, userId, data: transactionData() })).status).toBe(201)
    await internal('POST', `/users/${userId}/closed`, { closedAt: '2026-01-02T03:04:05Z' })
    await internal('PUT', `/users/${userId}/hold`, { reason: 'subpoena 17' })

    const correction = { expectedStatus: 'PASS', status: 'UNVERIFIED', reason: 'mistake 99' }
    expect((await internal('POST', `/users/${userId}/kyc-status`, correction)).status).toBe(200)

    const answer = await exported(userId.toUpperCase())
    expect(answer.status).toBe(200)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.text).toMatch(/"complete": true\}$/)
    expect(Object.keys(answer.json as object).at(-1)).toBe('complete')
    expect(answer.json).toMatchObject({
      userId,
      kycStatus: 'UNVERIFIED',
      kycStatusCorrections: [{ at: expect.any(String), previous: 'PASS', next: 'UNVERIFIED' }],
      closedAt: '2026-01-02T03:04:05.000Z',
      grants: [{ appId, accountId, externalReferenceId }],
      accessTokens: [{ appId, scopes: expect.arrayContaining(['VERIFY_KYC']) }],
      revokedGrants: [],
      apps: [
        {
          appId,
          verifications: [
            {
              decision: 'PASSED',
              decisionReason: 'Canaryreason',
              status: 'VERIFIED',
              erased: false,
              person: { firstName: 'Jane', ssn: '***-**-1120', address: { city: 'Springfield' } },
              photos: [],
            },
          ],
          events: [{ type: 'TRANSACTION_CREATE', body: { eventType: 'TRANSACTION_CREATE', userId } }],
          transactions: [{ state: 'PENDING', fields: { merchantName: expect.any(String) } }],
        },
      ],
      complete: true,
    })
    for (const hidden of [
      '078051120',
      '078-05-1120',
      'subpoena',
      'hold',
      'Bystander',
      'mistake 99',
      'access request',
      'privacy office',
    ])
      expect([hidden, answer.text.toLowerCase().includes(hidden.toLowerCase())]).toEqual([hidden, false])
    const entry = { actor: 'claimed:privacy office', reason: 'access request 12' }
    expect(exportEntries(userId)).toEqual([
      { kind: 'EXPORT_STARTED', ...entry },
      { kind: 'EXPORT_COMPLETED', ...entry },
    ])
    expect(rows('vault.db', `SELECT actor FROM kyc_relay_vault_audit WHERE user_id = ?`, userId)).toEqual([
      { actor: 'claimed:privacy office' },
    ])
  })

  it('has each record once, over several pages', async () => {
    const { appId, userId } = user(2)
    const ids: string[] = []
    for (let count = 0; count < 53; count += 1) {
      const made = await internal('POST', '/transactions', { appId, userId, data: transactionData() })
      ids.push(made.json.transactionId as string)
    }
    const [app] = (await exported(userId)).json.apps
    const found = app.transactions.map(({ transactionId }: { transactionId: string }) => transactionId) as string[]
    expect([found.length, new Set(found).size]).toEqual([53, 53])
    expect([...found].sort()).toEqual([...ids].sort())
    expect(new Set(app.events.map(({ eventId }: { eventId: string }) => eventId)).size).toBe(53)
  })

  it('of an erased user says what is kept, and of nobody that nothing is', async () => {
    const { userId } = user(3)
    await submit(3)
    await internal('DELETE', `/users/${userId}/pii`, { purpose: 'asked' })
    const { json, text } = await exported(userId)
    expect(json).toMatchObject({ apps: [{ verifications: [{ erased: true, decision: 'PASSED' }] }], complete: true })
    expect(text).not.toContain('Springfield')
    const nobody = '7a000000-0000-4000-8000-000000000066'
    expect((await exported(nobody)).json).toMatchObject({
      userId: nobody,
      kycStatus: 'UNVERIFIED',
      apps: [],
      complete: true,
    })
  })

  it('begins only when the audit log has its entry', async () => {
    rows('kyc.db', 'ALTER TABLE kyc_relay_audit_entries RENAME TO entries_away')
    try {
      const refused = await exported(user(0).userId)
      expect(refused.status).toBe(503)
      expect(refused.text).not.toContain('Springfield')
    } finally {
      rows('kyc.db', 'ALTER TABLE entries_away RENAME TO kyc_relay_audit_entries')
    }
  })

  it('that fails half-way ends without `complete`, and without its second entry', async () => {
    const { userId, appId } = user(4)
    await submit(4)
    expect((await internal('POST', '/transactions', { appId, userId, data: transactionData() })).status).toBe(201)
    rows('kyc.db', 'UPDATE kyc_relay_transactions SET fields = ? WHERE user_id = ?', '{"sealed":"AA=="}', userId)
    const { json, text } = await exported(userId)
    expect(json.apps[0].verifications).toHaveLength(1)
    expect(text).not.toContain('complete')
    expect(exportEntries(userId).map(({ kind }) => kind)).toEqual(['EXPORT_STARTED'])
    expect(server.logLines.some((line) => line.includes('export failed'))).toBe(true)
  })

  it('whose end cannot be recorded is logged, and its connection is cut', async () => {
    const { userId } = user(5)
    rows(
      'kyc.db',
      `CREATE TRIGGER no_end BEFORE INSERT ON kyc_relay_audit_entries WHEN NEW.kind = 'EXPORT_COMPLETED'
       BEGIN SELECT RAISE(ABORT, 'x'); END`,
    )
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    try {
      await expect(exported(userId)).rejects.toThrow()
      expect(printed).not.toHaveBeenCalled()
    } finally {
      printed.mockRestore()
      rows('kyc.db', 'DROP TRIGGER no_end')
    }
    expect(exportEntries(userId).map(({ kind }) => kind)).toEqual(['EXPORT_STARTED'])
    expect(server.logLines.some((line) => line.includes('export failed') && line.includes(userId))).toBe(true)
  })

  it('whose connection is cut is logged, and has no second entry', async () => {
    const { userId, appId } = user(1)
    // More than the socket buffers of both sides hold.
    const note = 'x'.repeat(20_000)
    for (let round = 0; round < 15; round += 1) {
      const made = Array.from({ length: 10 }, () =>
        internal('POST', '/transactions', { appId, userId, data: { ...transactionData(), note } }),
      )
      expect(new Set((await Promise.all(made)).map(({ status }) => status))).toEqual(new Set([201]))
    }
    const { hostname, port } = new URL(server.demo.internalUrl)
    const body = JSON.stringify({ purpose: 'access request 13' })
    const cut = request({
      hostname,
      port,
      method: 'POST',
      path: `/internal/v1/users/${userId}/export`,
      headers: {
        authorization: `Bearer ${server.demo.internalToken}`,
        'content-type': 'application/json',
        'content-length': body.length,
      },
    })
    cut.end(body)
    const [answer] = (await once(cut, 'response')) as [IncomingMessage]
    await once(answer, 'data')
    answer.destroy()
    await expect
      .poll(() => server.logLines.filter((line) => line.includes('export cut off') && line.includes(userId)))
      .toHaveLength(1)
    expect(exportEntries(userId).map(({ kind }) => kind)).toEqual(['EXPORT_STARTED'])
  })

  it.each([{}, { purpose: ' ' }, { reason: 'x' }])('with %j is refused', async (body) => {
    expect((await exported(user(0).userId, body)).json.detail).toBe('BODY_INVALID')
  })
})

it('an export is JSON at whatever read it fails', async () => {
  const down = (): Promise<never> => Promise.reject(new Error('down'))
  const empty = { items: [], next: null }
  const right: ExportUserDeps = {
    users: { listAppsOfUser: () => Promise.resolve(['a', 'b']) },
    userRecords: {
      listEvents: () => Promise.resolve(empty),
      listTransactions: () => Promise.resolve(empty),
      readAccess: () => Promise.resolve({ revokedGrants: [], accessTokens: [] }),
    },
    userRetention: { find: () => Promise.resolve({ hold: null, closedAt: null, erasureStartedAt: null }) },
    apps: { listGrantsOfUser: () => Promise.resolve([]) },
    verifications: {
      findKycStatus: () => Promise.resolve('UNVERIFIED'),
      listVerifications: () => Promise.resolve({ items: [], cursors: [], nextCursor: null }),
    },
    corrections: { listCorrections: () => Promise.resolve([]) },
    photoJobs: { listPhotos: down },
    vault: { openRecord: down, inspection: { findErasure: down, listAppsOfUser: down } },
    webhooks: { listDeliveries: down, findDelivery: down },
    bodySealer: { seal: down, open: down },
    now: () => new Date(0),
  }
  const wrongs: ExportUserDeps[] = [
    { ...right, users: { listAppsOfUser: down } },
    { ...right, verifications: { ...right.verifications, listVerifications: down } },
    { ...right, userRecords: { ...right.userRecords, listEvents: down } },
    { ...right, userRecords: { ...right.userRecords, listTransactions: down } },
  ]
  const write = async (deps: ExportUserDeps, onFailure: () => void) => {
    const pieces: string[] = []
    const revealer = { actor: 'service', purpose: 'x' }
    for await (const piece of exportUser({ userId: 'u', exportId: 'e' }, revealer, deps, onFailure)) pieces.push(piece)
    return JSON.parse(pieces.join('')) as Record<string, unknown>
  }
  let failures = 0
  for (const deps of wrongs) expect(await write(deps, () => (failures += 1))).not.toHaveProperty('complete')
  expect(failures).toBe(wrongs.length)
  expect(await write(right, () => (failures += 1))).toMatchObject({
    apps: [{ appId: 'a' }, { appId: 'b' }],
    complete: true,
  })
  expect(failures).toBe(wrongs.length)
})
