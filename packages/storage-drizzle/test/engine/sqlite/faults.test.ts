import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { sized } from '../../../../../scripts/test-sizes.js'
import { createSqliteStorage, type SqliteStorage } from '../../../src/sqlite/index.js'
import {
  claimRequest,
  endpoint,
  event,
  report,
  startOfTests,
  submission,
  transactionMove,
  uuid,
} from '../../samples.js'
import { dumpRowsOf, testFolder } from './sqlite-files.js'

const { resolve: fileOf } = createRequire(import.meta.url)
const hook = endpoint('a')
const recording = (name: string) => submission(name, { key: { userId: uuid(`user ${name}`) } })

/** One write of every kind that a server makes. */
async function writeEverything({ verifications, webhooks, transactions, users, retention }: SqliteStorage) {
  await webhooks.registerEndpoint(hook, 50)
  await verifications.record(submission('one'))
  await webhooks.insertEvent(event('one', [hook]))
  await transactions.moveTransaction(transactionMove('one', [hook]))
  const { claimed } = await webhooks.claimDue(claimRequest)
  await webhooks.claimExpired({ limit: 5, leaseMs: 45_000 })
  await webhooks.recordAttemptResults(
    claimed.map(({ fence }) => ({ fence, attempt: { state: 'SUCCEEDED', report }, next: { state: 'DELIVERED' } })),
  )
  await webhooks.cancelPending({ appId: uuid('app'), userId: uuid('user'), reason: 'USER_ERASED' })
  await users.eraseUser({ appId: uuid('app'), userId: uuid('user') })
  await retention.removeOld()
  await webhooks.removeEndpoint({ appId: hook.appId, endpointId: hook.endpointId })
}

/**
 * Holds the write lock of a file from a thread of its own, since a write that waits for it blocks this one. Answers
 * whether the lock has been released.
 */
async function holdWriteLock(path: string, forMs: number): Promise<() => boolean> {
  const released = new Int32Array(new SharedArrayBuffer(4))
  const holder = new Worker(
    `const { workerData, parentPort } = require('node:worker_threads')
    const database = new (require(workerData.driver))(workerData.path)
    database.exec('BEGIN IMMEDIATE')
    parentPort.postMessage('held')
    setTimeout(() => {
      Atomics.store(workerData.released, 0, 1)
      database.exec('ROLLBACK')
      database.close()
    }, workerData.forMs)`,
    { eval: true, workerData: { path, forMs, released, driver: fileOf('better-sqlite3') } },
  )
  await new Promise((resolve) => holder.once('message', resolve))
  return () => Atomics.load(released, 0) === 1
}

describe('a database file that another process is writing to', () => {
  test('a write waits for it, up to five seconds', async () => {
    const path = join(testFolder(), 'kyc.db')
    const database = new Database(path)
    const storage = await createSqliteStorage({ database })
    expect(database.pragma('busy_timeout', { simple: true })).toBe(5_000)
    const isReleased = await holdWriteLock(path, 300)
    expect(await storage.verifications.record(submission('one'))).toMatchObject({ kind: 'recorded' })
    expect(isReleased()).toBe(true)
    await storage.close()
    database.close()
  })

  test('then it is refused, retryable and without a trace, and reading goes on all the while', async () => {
    const path = join(testFolder(), 'kyc.db')
    const database = new Database(path)
    const storage = await createSqliteStorage({ database })
    database.pragma('busy_timeout = 50')
    const before = dumpRowsOf(path)
    const other = new Database(path)
    other.exec('BEGIN IMMEDIATE')
    await expect(storage.verifications.record(submission('one'))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: true,
      driverCode: 'SQLITE_BUSY',
    })
    expect(await storage.verifications.findExisting(submission('one').key)).toBeNull()
    expect(dumpRowsOf(path)).toBe(before)
    other.exec('ROLLBACK')
    expect(await storage.verifications.record(submission('one'))).toMatchObject({ kind: 'recorded' })
    other.close()
    await storage.close()
    database.close()
  })
})

test('every write happens under BEGIN IMMEDIATE: no snapshot can be too old for it', async () => {
  const statements: string[] = []
  const database = new Database(join(testFolder(), 'kyc.db'), { verbose: (sql) => statements.push(String(sql)) })
  const storage = await createSqliteStorage({ database })
  await writeEverything(storage)
  let open: string | null = null
  const outside: string[] = []
  for (const sql of statements) {
    if (/^\s*BEGIN/i.test(sql)) open = sql.trim()
    else if (/^\s*(COMMIT|ROLLBACK(?! TO))/i.test(sql)) open = null
    else if (/^\s*(INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH)/i.test(sql) && open !== 'BEGIN IMMEDIATE')
      outside.push(sql)
  }
  expect(outside).toEqual([])
  expect(new Set(statements.filter((sql) => /^\s*BEGIN/i.test(sql)))).toEqual(new Set(['BEGIN IMMEDIATE']))
  expect(statements.filter((sql) => /^\s*(INSERT|UPDATE|DELETE)/i.test(sql)).length).toBeGreaterThan(20)
  await storage.close()
  database.close()
})

test('a reader that stays lets the WAL grow and no longer: afterwards it is small again', async () => {
  const path = join(testFolder(), 'kyc.db')
  const storage = await createSqliteStorage({ path })
  const reader = new Database(path, { readonly: true })
  reader.exec('BEGIN')
  expect(reader.prepare('SELECT count(*) FROM kyc_relay_verifications').pluck().get()).toBe(0)
  const write = (round: number) =>
    Promise.all(
      Array.from({ length: 64 }, (_, n) => {
        const { verification, ...rest } = recording(`${round}-${n}`)
        return storage.verifications.record({
          ...rest,
          verification: { ...verification, sealedDetails: new Uint8Array(32 * 1024) },
        })
      }),
    )
  // No write fails or waits meanwhile.
  for (let round = 0; round < 60; round++) await write(round)
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(120 * 1024 * 1024)
  reader.exec('COMMIT')
  for (let round = 60; round < 63; round++) await write(round)
  expect(statSync(`${path}-wal`).size).toBeLessThanOrEqual(96 * 1024 * 1024)
  reader.close()
  await storage.close()
})

/** Many times what one call takes over. */
const stuck = sized(10_000, 100_000)
const pages = 100

describe('many attempts that nobody can finish, before the one that can be taken over', () => {
  /** The attempts, leased until so many milliseconds from now, and after them one of another endpoint whose lease ends now. */
  async function withOthers(leaseMs: number) {
    const database = new Database(join(testFolder(), 'kyc.db'))
    let nowMs = startOfTests.getTime()
    const storage = await createSqliteStorage({ database }, { clock: () => new Date(nowMs) })
    await storage.webhooks.registerEndpoint(hook, 50)
    await storage.webhooks.insertEvent(event('first', [hook]))
    database.exec(`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${stuck})
      INSERT INTO kyc_relay_deliveries (delivery_id, event, endpoint, x_event_id, app_id, user_id, event_type, state,
        attempts_made, created_at, lease_token, lease_until)
      SELECT 'delivery ' || i, event, endpoint, 'x ' || i, app_id, user_id, event_type, 'PENDING', 1, 0, 'token ' || i,
        ${nowMs + leaseMs}
      FROM n, kyc_relay_deliveries WHERE due_at IS NOT NULL;
      UPDATE kyc_relay_deliveries SET state = 'CANCELLED', due_at = NULL, cancel_reason = 'x', ended_at = 1
        WHERE due_at IS NOT NULL`)
    await storage.webhooks.registerEndpoint(endpoint('b'), 50)
    await storage.webhooks.insertEvent(event('last', [endpoint('b')]))
    expect((await storage.webhooks.claimDue({ ...claimRequest, leaseMs: 0 })).claimed).toHaveLength(1)
    return { database, storage, advance: (ms: number) => void (nowMs += ms) }
  }
  const last = uuid(`delivery last ${endpoint('b').endpointId}`)

  async function close({ database, storage }: { database: Database.Database; storage: SqliteStorage }) {
    await storage.close()
    database.close()
  }

  test('because their leases go on: it is taken over at once', async () => {
    const opened = await withOthers(86_400_000)
    const taken = await opened.storage.webhooks.claimExpired({ limit: 10, leaseMs: 45_000 })
    expect(taken.map(({ deliveryId }) => deliveryId)).toEqual([last])
    await close(opened)
  })

  test('because each process that takes them over dies: they are paged past, each once', async () => {
    const opened = await withOthers(-1)
    const { storage, advance } = opened
    const taken: string[] = []
    for (let page = 0; page <= pages; page++) {
      const claimed = await storage.webhooks.claimExpired({ limit: stuck / pages, leaseMs: 45_000 })
      taken.push(...claimed.map(({ deliveryId }) => deliveryId))
      advance(1)
    }
    expect(taken).toHaveLength(stuck + 1)
    expect(new Set(taken).size).toBe(stuck + 1)
    expect(taken.at(-1)).toBe(last)
    await close(opened)
  })
})
