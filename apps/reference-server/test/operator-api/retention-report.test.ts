import { KycError } from '@kyc-relay/kyc-core'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  confirmRetentionReport,
  readRetentionReport,
  yearsBefore,
  type RetentionReportDeps,
} from '../../src/operator-api/retention-report.js'
import {
  startTestServer,
  submissionDocument,
  submissionVariables,
  type CallOptions,
  type RunningTestServer,
} from '../running-server.js'

let server: RunningTestServer
beforeAll(async () => {
  server = await startTestServer({ CLOSED_ACCOUNT_RETENTION_YEARS: '5' })
})
afterAll(() => server.stop())

const user = (index: number) => {
  const found = server.demo.users[index]
  if (found === undefined) throw new Error('no such demo user')
  return found
}
const internal = (method: NonNullable<CallOptions['method']>, path: string, body?: unknown) =>
  server.call(`${server.demo.internalUrl}/internal/v1${path}`, { method, body, token: server.demo.internalToken })
const close = (userId: string, closedAt: unknown) => internal('POST', `/users/${userId}/closed`, { closedAt })
const report = async () => (await internal('GET', '/retention-report')).json
const confirm = (reportId: string) =>
  internal('POST', `/retention-report/${reportId}/erase`, { purpose: 'retention time over', actor: 'records' })
const submit = (index: number) =>
  server.graphql(
    'secure',
    { query: submissionDocument, variables: submissionVariables() },
    { token: user(index).accessToken },
  )
const inYears = (years: number, ms = 0) => new Date(yearsBefore(new Date(), years).getTime() + ms).toISOString()

function rows<Row>(file: 'kyc.db' | 'vault.db', sql: string, ...values: unknown[]): Row[] {
  const database = new Database(`${server.dataDir}/${file}`, { readonly: true })
  const found = database.prepare<unknown[], Row>(sql).all(...values)
  database.close()
  return found
}
const hasKey = (userId: string) =>
  rows('vault.db', 'SELECT 1 FROM kyc_relay_vault_data_keys WHERE user_id = ?', userId).length === 1

describe('going back years', () => {
  it.each([
    ['2026-11-24T12:00:00.000Z', 5, '2021-11-24T12:00:00.000Z'],
    ['2024-02-29T12:00:00.000Z', 4, '2020-02-29T12:00:00.000Z'],
    ['2024-02-29T12:00:00.000Z', 5, '2019-02-28T12:00:00.000Z'],
    ['2025-03-01T00:00:00.000Z', 5, '2020-03-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00.000Z', 1, '2025-01-01T00:00:00.000Z'],
  ])('from %s by %i ends at %s', (at, years, before) => {
    expect(yearsBefore(new Date(at), years).toISOString()).toBe(before)
  })
})

describe('the retention report', () => {
  afterEach(async () => {
    for (const { userId } of server.demo.users) {
      await close(userId, null)
      await internal('DELETE', `/users/${userId}/hold`, { reason: 'end of the test' })
    }
  })

  it('lists who is due after the years, oldest first, and holds apart', async () => {
    expect(await report()).toMatchObject({ years: 5, users: [], held: [], more: false })
    expect((await close(user(0).userId.toUpperCase(), inYears(5))).status).toBe(204)
    await close(user(1).userId, '2019-05-31T12:00+02')
    await close(user(2).userId, inYears(5, 60_000))
    await close(user(3).userId, inYears(9))
    await internal('PUT', `/users/${user(3).userId}/hold`, { reason: 'subpoena 17' })
    const found = await internal('GET', '/retention-report')
    expect(found.json).toMatchObject({
      users: [{ userId: user(1).userId, closedAt: '2019-05-31T10:00:00.000Z' }, { userId: user(0).userId }],
      held: [{ userId: user(3).userId }],
    })
    expect(found.headers['cache-control']).toBe('no-store')
    expect(found.text).not.toContain('subpoena')
  })

  it('does not start with a revoked grant, and stops when the account is open again', async () => {
    const { appId, userId } = user(4)
    await close(userId, inYears(6))
    expect((await report()).users).toHaveLength(1)
    await close(userId, null)
    const second = user(5)
    expect((await internal('DELETE', `/grants/${second.appId}/${second.userId}`)).status).toBe(204)
    expect(await report()).toMatchObject({ users: [], held: [] })
    expect(appId).toBe(second.appId)
  })

  it('erases on confirmation of exactly that report, once, and records who confirmed', async () => {
    for (const index of [0, 1, 2]) await submit(index)
    await close(user(0).userId, inYears(6))
    await close(user(1).userId, inYears(7))
    await internal('PUT', `/users/${user(1).userId}/hold`, { reason: 'subpoena 17' })
    const { reportId } = await report()
    const confirmed = await confirm(reportId)
    expect([confirmed.status, confirmed.json]).toEqual([200, { reportId, erased: [user(0).userId], skipped: [] }])
    expect([0, 1, 2].map((index) => hasKey(user(index).userId))).toEqual([false, true, true])
    const again = await confirm(reportId)
    expect([again.status, again.json.detail]).toEqual([409, 'REPORT_OUTDATED'])
    const kinds = ['RETENTION_REPORT_CONFIRMED', 'ERASURE_STARTED']
    expect(
      rows(
        'kyc.db',
        `SELECT kind, actor, reason FROM kyc_relay_audit_entries WHERE kind IN (?, ?) ORDER BY sequence`,
        ...kinds,
      ),
    ).toEqual(kinds.map((kind) => ({ kind, actor: 'claimed:records', reason: 'retention time over' })))
    expect(await report()).toMatchObject({ users: [], held: [{ userId: user(1).userId }] })
  })

  it.each([
    ['another user is due', () => close(user(3).userId, inYears(8))],
    ['a user opened the account again', () => close(user(2).userId, null)],
    ['a user closed it at another time', () => close(user(2).userId, inYears(6, 1))],
    ['a user is held', () => internal('PUT', `/users/${user(2).userId}/hold`, { reason: 'subpoena 17' })],
    ['a user was erased', () => internal('DELETE', `/users/${user(4).userId}/pii`, { purpose: 'asked' })],
  ])('is refused, and erases nobody, when %s meanwhile', async (_what, change) => {
    await submit(2)
    await close(user(2).userId, inYears(6))
    await close(user(4).userId, inYears(6))
    const { reportId } = await report()
    expect((await change()).status).toBeLessThan(300)
    const refused = await confirm(reportId)
    expect([refused.status, refused.json.detail]).toEqual([409, 'REPORT_OUTDATED'])
    expect(hasKey(user(2).userId)).toBe(true)
  })

  it.each(['0-0', 'x', '-1-00', `${Date.now() + 60_000}-${'0'.repeat(32)}`, '99999999999999999-1'])(
    'with the id %s is outdated',
    async (reportId) => {
      expect((await confirm(reportId)).json.detail).toBe('REPORT_OUTDATED')
    },
  )

  it('needs a purpose', async () => {
    const { reportId } = await report()
    expect((await internal('POST', `/retention-report/${reportId}/erase`, {})).json.detail).toBe('BODY_INVALID')
  })

  it.each([
    ['no time', undefined, 'REQUIRED'],
    ['a day that does not exist', '2025-02-30T00:00:00Z', 'FORMAT'],
    ['a day without a time', '2025-02-01', 'FORMAT'],
    ['a number', 5, 'TYPE'],
    ['a time in the future', new Date(Date.now() + 60_000).toISOString(), 'RANGE'],
    ['a time before 1900', '0000-01-01T00:00:00Z', 'RANGE'],
  ])('a closure with %s is refused', async (_what, closedAt, code) => {
    const refused = await close(user(0).userId, closedAt)
    expect([refused.status, refused.json.violations[0]]).toMatchObject([400, { pointer: '/closedAt', code }])
  })
})

describe('confirming', () => {
  const now = new Date('2026-11-24T12:00:00Z')
  const closedAt = new Date('2020-01-01T00:00:00Z')
  const depsWith = (change: Partial<RetentionReportDeps> = {}): RetentionReportDeps => ({
    years: 5,
    userRetention: {
      listClosed: ({ held, limit }) =>
        Promise.resolve(
          held ? [] : Array.from({ length: 150 }, (_, index) => ({ userId: `u${index}`, closedAt })).slice(0, limit),
        ),
      recordConfirmedReport: () => Promise.resolve(),
    },
    eraseUser: () => Promise.reject(new Error('must not erase')),
    now: () => now,
    ...change,
  })
  const idOf = async (deps: RetentionReportDeps) => {
    return (await readRetentionReport(now, deps))?.reportId ?? ''
  }
  const actor = { name: 'service', reason: 'x' }

  it('erases at most 100 users, and skips those who came under a hold after the check', async () => {
    const asked: string[] = []
    const deps = depsWith({
      eraseUser: ({ userId }) => {
        asked.push(userId)
        return Promise.resolve(userId === 'u1' ? 'held' : { userId, erasedAt: now, apps: [], kept: [] })
      },
    })
    const confirmed = await confirmRetentionReport({ reportId: await idOf(deps), actor }, deps)
    expect(asked).toHaveLength(100)
    expect(confirmed).toMatchObject({ skipped: [{ userId: 'u1', reason: 'LEGAL_HOLD' }] })
    expect(typeof confirmed === 'string' ? confirmed : confirmed.erased).toHaveLength(99)
  })

  it('erases only accounts that are still closed since then', async () => {
    const asked: Date[] = []
    const deps = depsWith({
      eraseUser: ({ userId, closedUntil }) => {
        if (closedUntil !== undefined) asked.push(closedUntil)
        return Promise.resolve(userId === 'u2' ? 'not_due' : { userId, erasedAt: now, apps: [], kept: [] })
      },
    })
    const confirmed = await confirmRetentionReport({ reportId: await idOf(deps), actor }, deps)
    expect(asked).toEqual(Array(100).fill(yearsBefore(now, 5)))
    expect(confirmed).toMatchObject({ skipped: [{ userId: 'u2', reason: 'NOT_DUE' }] })
    expect(typeof confirmed === 'string' ? confirmed : confirmed.erased).toHaveLength(99)
  })

  it('erases the others when the photos of one cannot be removed, and fails in the end', async () => {
    const asked: string[] = []
    const deps = depsWith({
      eraseUser: ({ userId }) => {
        asked.push(userId)
        if (userId === 'u0') return Promise.reject(new KycError('PHOTO_STORE_UNAVAILABLE'))
        return Promise.resolve({ userId, erasedAt: now, apps: [], kept: [] })
      },
    })
    const confirming = confirmRetentionReport({ reportId: await idOf(deps), actor }, deps)
    await expect(confirming).rejects.toMatchObject({ code: 'PHOTO_STORE_UNAVAILABLE' })
    expect(asked).toHaveLength(100)
  })

  it('asks for nobody else when a database fails', async () => {
    const asked: string[] = []
    const deps = depsWith({
      eraseUser: ({ userId }) => {
        asked.push(userId)
        return Promise.reject(new Error('down'))
      },
    })
    await expect(confirmRetentionReport({ reportId: await idOf(deps), actor }, deps)).rejects.toThrow('down')
    expect(asked).toEqual(['u0'])
  })

  it('erases nobody without an entry in the audit log', async () => {
    const down = () => Promise.reject(new Error('down'))
    const deps = depsWith()
    const broken = { ...deps, userRetention: { ...deps.userRetention, recordConfirmedReport: down } }
    await expect(confirmRetentionReport({ reportId: await idOf(deps), actor }, broken)).rejects.toThrow('down')
  })

  it.each([
    ['after a day', depsWith({ now: () => new Date(now.getTime() + 86_400_001) }), 'outdated'],
    ['with other years', depsWith({ years: 6 }), 'outdated'],
    ['without years', depsWith({ years: null }), 'off'],
  ] as const)('is refused %s', async (_when, deps, outcome) => {
    expect(await confirmRetentionReport({ reportId: await idOf(depsWith()), actor }, deps)).toBe(outcome)
  })
})

it('is off by default', async () => {
  const plain = await startTestServer()
  try {
    const ask = (method: 'GET' | 'POST', path: string, body?: unknown) =>
      plain.call(`${plain.demo.internalUrl}/internal/v1${path}`, { method, body, token: plain.demo.internalToken })
    const answers = [
      await ask('GET', '/retention-report'),
      await ask('POST', '/retention-report/1-x/erase', { purpose: 'x' }),
    ]
    for (const { status, json } of answers) expect([status, json.detail]).toEqual([409, 'RETENTION_OFF'])
  } finally {
    await plain.stop()
  }
})
