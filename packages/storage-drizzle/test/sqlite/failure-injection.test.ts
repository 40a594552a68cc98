import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { createSqliteStorage, type SqliteStorage } from '../../src/sqlite/index.js'
import { auditSeal, verify } from '../audit/audit-samples.js'
import { claimRequest, endpoint, event, report, submission, transactionMove, uuid } from '../samples.js'
import { dumpRows, testFolder } from './sqlite-files.js'

/**
 * A connection whose n-th executed statement fails as a broken disk would make it fail, BEGIN and COMMIT included.
 * Counts from `arm`; -1 never fails.
 */
function failingDatabase(path: string) {
  const database = new Database(path)
  let left = -1
  let executed = 0
  const watch = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, name) {
        const member: unknown = Reflect.get(object, name, object)
        if (typeof member !== 'function') return member
        return (...parameters: unknown[]) => {
          if (name === 'run' || name === 'get' || name === 'all') {
            executed++
            if (left === 0) {
              left = -1
              throw new Database.SqliteError('078-05-1120 in a driver message', 'SQLITE_FULL')
            }
            if (left > 0) left--
          }
          const answer: unknown = Reflect.apply(member, object, parameters)
          return answer === object || name === 'raw' ? watch(answer as object) : answer
        }
      },
    })
  const prepare = database.prepare.bind(database)
  database.prepare = (source: string) => watch(prepare(source))
  return {
    database,
    arm(after: number) {
      left = after
      executed = 0
    },
    executed: () => executed,
  }
}

const hook = endpoint('a')
const other = endpoint('b')

const hashOf = (name: string) => Buffer.alloc(32, name)
const holder = { kind: 'app', appId: hook.appId, appName: 'Example', keyVersion: 1 } as const
/** With it the session that was ends. */
const portalSession = (name: string) =>
  ({ hash: hashOf(name), holder, idleMs: 120_000, absoluteMs: 120_000, most: 1 }) as const
const portalPreview = (name: string) => ({
  ...{ hash: hashOf('old'), previewId: uuid(`preview ${name}`), most: 1 },
  content: Buffer.from(name),
})

/** One write of every kind, each from the same starting rows. */
const writes: readonly { readonly name: string; run(storage: SqliteStorage): Promise<unknown> }[] = [
  {
    name: 'record',
    run: ({ verifications }) => verifications.record(submission('new', { key: { userId: uuid('u2') } })),
  },
  { name: 'registerEndpoint', run: ({ webhooks }) => webhooks.registerEndpoint(endpoint('c'), 50) },
  {
    name: 'removeEndpoint',
    run: ({ webhooks }) => webhooks.removeEndpoint({ appId: hook.appId, endpointId: hook.endpointId }),
  },
  { name: 'insertEvent', run: ({ webhooks }) => webhooks.insertEvent(event('new', [hook, other])) },
  { name: 'claimDue', run: ({ webhooks }) => webhooks.claimDue(claimRequest) },
  { name: 'claimExpired', run: ({ webhooks }) => webhooks.claimExpired({ limit: 10, leaseMs: 45_000 }) },
  {
    name: 'settle',
    run: ({ webhooks }) =>
      webhooks.settle(
        ['leased-0', 'leased-1'].map((token) => ({
          fence: {
            deliveryId: uuid(`delivery ${token === 'leased-0' ? 'one' : 'two'} ${hook.endpointId}`),
            attempt: 1,
            token,
          },
          attempt: { state: 'FAILED', report },
          next: { state: 'PENDING', delayMs: 30_000 },
        })),
      ),
  },
  {
    name: 'cancelPending',
    run: ({ webhooks }) => webhooks.cancelPending({ appId: hook.appId, userId: uuid('user'), reason: 'GRANT_REVOKED' }),
  },
  {
    name: 'revokeGrant',
    run: ({ apps }) => apps.revokeGrant({ appId: hook.appId, userId: uuid('user') }),
  },
  { name: 'moveTransaction', run: ({ transactions }) => transactions.moveTransaction(transactionMove('new', [hook])) },
  { name: 'claim of photos', run: ({ photoJobs }) => photoJobs.claimDue({ limit: 5, leaseMs: 60_000 }) },
  {
    name: 'settlement of a photo',
    run: ({ photoJobs }) =>
      photoJobs.settle({ photoJobId: uuid('photo leased'), token: 'leased-2' }, { state: 'STORED' }),
  },
  {
    name: 'begin of a portal session',
    run: ({ portalSessions }) => portalSessions.beginSession(portalSession('new')).then(() => 'begun'),
  },
  {
    name: 'keeping of a portal preview',
    run: ({ portalSessions }) => portalSessions.keepPreview(portalPreview('new')).then(() => 'kept'),
  },
  { name: 'removeOld', run: ({ retention }) => retention.removeOld({ expiredTokenAgeMs: -600_000 }) },
  { name: 'eraseUser', run: ({ users }) => users.eraseUser({ appId: hook.appId, userId: uuid('user') }) },
]

async function openWithRows(path: string) {
  const failing = failingDatabase(path)
  let tokens = 0
  let now = Date.parse('2026-01-02T03:04:05.678Z')
  const storage = await createSqliteStorage(
    { database: failing.database },
    { audit: auditSeal, clock: () => new Date(now), newToken: () => `leased-${tokens++}` },
  )
  const created = new Date(now)
  const key = {
    version: 1,
    hash: Buffer.alloc(32, 1),
    sealed: Buffer.from('s'),
    createdAt: created,
    signsFrom: created,
  }
  await storage.apps.createApp({
    appId: hook.appId,
    name: 'Example',
    firstKey: { appId: hook.appId, ...key, retiredAt: null },
  })
  const grant = { appId: hook.appId, userId: uuid('user'), accountId: uuid('account'), externalReferenceId: 'ref' }
  await storage.apps.putGrant({ ...grant, scopes: ['VERIFY_KYC'] })
  await storage.apps.addAccessToken({
    hash: Buffer.alloc(32, 2),
    appId: hook.appId,
    userId: uuid('user'),
    scopes: ['VERIFY_KYC'],
    expiresAt: new Date(now + 60_000),
  })
  await storage.portalSessions.beginSession(portalSession('old'))
  await storage.portalSessions.keepPreview(portalPreview('old'))
  await storage.webhooks.registerEndpoint(hook, 50)
  await storage.webhooks.registerEndpoint(other, 50)
  await storage.webhooks.insertEvent(event('one', [hook]))
  await storage.webhooks.insertEvent(event('two', [hook]))
  await storage.webhooks.claimDue({ ...claimRequest, limit: 2, keepForHealthy: 0 })
  await storage.webhooks.insertEvent(event('three', [hook, other]))
  await storage.verifications.record(submission('leased'))
  await storage.photoJobs.claimDue({ limit: 1, leaseMs: 3_600_000 })
  await storage.verifications.record(submission('old'))
  now += 60_000
  return { storage, failing }
}

describe('a failure at every statement', () => {
  test.each(writes)('of $name leaves nothing behind, and the same call works afterwards', async ({ run }) => {
    const folder = testFolder()
    let failed = 0
    for (let at = 0; ; at++) {
      const { storage, failing } = await openWithRows(join(folder, `${at}.db`))
      const before = dumpRows(failing.database)
      failing.arm(at)
      const outcome = await run(storage).then(
        () => 'done',
        (error: unknown) => error,
      )
      if (outcome === 'done') {
        expect(failing.executed()).toBeLessThanOrEqual(at)
        failing.database.close()
        break
      }
      failed++
      expect(outcome).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true, driverCode: 'SQLITE_FULL' })
      expect(`${String(outcome)} ${JSON.stringify(outcome)}`).not.toContain('078-05-1120')
      failing.arm(-1)
      expect(dumpRows(failing.database)).toBe(before)
      await expect(run(storage)).resolves.toBeDefined()
      expect(dumpRows(failing.database)).not.toBe(before)
      expect((await verify(storage.audit!)).findings).toEqual([])
      failing.database.close()
    }
    // BEGIN, the work, COMMIT: fewer would mean that the injection missed the work.
    expect(failed).toBeGreaterThanOrEqual(3)
  })

  test('of two writes in one commit leaves each of them whole or absent, as its caller is told', async () => {
    const folder = testFolder()
    const told = new Set<string>()
    for (let at = 0; ; at++) {
      const { storage, failing } = await openWithRows(join(folder, `pair ${at}.db`))
      failing.arm(at)
      const one = submission('one', { key: { userId: uuid('u2') } })
      const answers = await Promise.allSettled([
        storage.verifications.record(one),
        storage.webhooks.insertEvent(event('new', [hook, other])),
      ])
      failing.arm(-1)
      const [recorded, inserted] = answers.map(({ status }) => status === 'fulfilled')
      expect((await storage.verifications.findPrior(one.key)) !== null).toBe(recorded)
      const { items } = await storage.webhooks.listDeliveries({ appId: hook.appId, limit: 20 })
      expect(items.filter(({ eventId }) => eventId === uuid('event new'))).toHaveLength(inserted ? 2 : 0)
      told.add(`${recorded} ${inserted}`)
      const executed = failing.executed()
      failing.database.close()
      if (executed <= at) break
    }
    // A failing BEGIN or COMMIT is everybody's; a statement that fails once is done again, for both.
    expect([...told].sort()).toEqual(['false false', 'true true'])
  })

  test('of a write beside one that is refused leaves nothing behind, or nothing out', async () => {
    const folder = testFolder()
    let refused = 0
    for (let at = 0; ; at++) {
      const { storage, failing } = await openWithRows(join(folder, `${at}.db`))
      const before = dumpRows(failing.database)
      failing.arm(at)
      const [taken, published] = await Promise.allSettled([
        storage.webhooks.registerEndpoint(hook, 50),
        storage.webhooks.insertEvent(event('beside', [hook])),
      ])
      const reached = failing.executed() > at
      failing.arm(-1)
      expect(taken.status).toBe('rejected')
      if (published.status === 'rejected') {
        refused++
        expect(published.reason).toMatchObject({ code: 'STORE_UNAVAILABLE', driverCode: 'SQLITE_FULL' })
        expect(dumpRows(failing.database)).toBe(before)
        await storage.webhooks.insertEvent(event('beside', [hook]))
      }
      const { items } = await storage.webhooks.listDeliveries({ appId: hook.appId, limit: 50 })
      expect(items.filter(({ eventId }) => eventId === uuid('event beside'))).toHaveLength(1)
      failing.database.close()
      if (!reached) break
    }
    // Both times it was run, and what ends it.
    expect(refused).toBeGreaterThanOrEqual(5)
  })
})
