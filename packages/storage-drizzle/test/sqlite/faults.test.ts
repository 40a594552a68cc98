import {
  copyFileSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { createSqliteStorage, type SqliteStorage, type StorageError } from '../../src/sqlite/index.js'
import { claimRequest, endpoint, event, report, submission, transactionMove, uuid } from '../samples.js'
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
  await webhooks.settle(
    claimed.map(({ fence }) => ({ fence, attempt: { state: 'SUCCEEDED', report }, next: { state: 'DELIVERED' } })),
  )
  await webhooks.cancelPending({ appId: uuid('app'), userId: uuid('user'), reason: 'USER_ERASED' })
  await users.eraseUser({ appId: uuid('app'), userId: uuid('user') })
  await retention.removeOld()
  await webhooks.removeEndpoint({ appId: hook.appId, endpointId: hook.endpointId })
}

/** Holds the write lock of a file from a thread of its own, since a write that waits for it blocks this one. */
async function holdWriteLock(path: string, forMs: number): Promise<void> {
  const holder = new Worker(
    `const { workerData, parentPort } = require('node:worker_threads')
    const database = new (require(workerData.driver))(workerData.path)
    database.exec('BEGIN IMMEDIATE')
    parentPort.postMessage('held')
    setTimeout(() => { database.exec('ROLLBACK'); database.close() }, workerData.forMs)`,
    { eval: true, workerData: { path, forMs, driver: fileOf('better-sqlite3') } },
  )
  await new Promise((resolve) => holder.once('message', resolve))
}

describe('F02 a database file that another process is writing to', () => {
  test('a write waits for it, up to five seconds', async () => {
    const path = join(testFolder(), 'kyc.db')
    const database = new Database(path)
    const storage = await createSqliteStorage({ database })
    expect(database.pragma('busy_timeout', { simple: true })).toBe(5_000)
    await holdWriteLock(path, 300)
    const started = performance.now()
    expect(await storage.verifications.record(submission('one'))).toMatchObject({ kind: 'recorded' })
    expect(performance.now() - started).toBeGreaterThan(200)
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
    expect(await storage.verifications.findPrior(submission('one').key)).toBeNull()
    expect(dumpRowsOf(path)).toBe(before)
    other.exec('ROLLBACK')
    expect(await storage.verifications.record(submission('one'))).toMatchObject({ kind: 'recorded' })
    other.close()
    await storage.close()
    database.close()
  })
})

test('F03 every write happens under BEGIN IMMEDIATE: no snapshot can be too old for it', async () => {
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

describe('F06 a damaged file', () => {
  const junk = Buffer.alloc(4_096, 0xa5)

  /** A closed database with some pages overwritten: its first, or those where its verifications begin. */
  async function damaged(what: 'first page' | 'verifications'): Promise<string> {
    const path = join(testFolder(), 'kyc.db')
    const storage = await createSqliteStorage({ path })
    for (let n = 0; n < 20; n++) await storage.verifications.record(recording(`s${n}`))
    await storage.close()
    const database = new Database(path, { readonly: true })
    const pages = database
      .prepare<[], number>(`SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'kyc_relay_verifications'`)
      .pluck()
      .all()
    database.close()
    const file = openSync(path, 'r+')
    for (const page of what === 'first page' ? [1] : pages)
      writeSync(file, junk, 0, junk.length, (page - 1) * junk.length)
    closeSync(file)
    return path
  }

  test('is not opened when its schema cannot be read', async () => {
    const path = await damaged('first page')
    const before = readFileSync(path)
    await expect(createSqliteStorage({ path })).rejects.toMatchObject({ code: 'STORE_FAILED' })
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  test('takes no more writes once the damage is met, and tells so once', async () => {
    const path = await damaged('verifications')
    const failures: StorageError[] = []
    const storage = await createSqliteStorage({ path }, { onFailure: (error) => failures.push(error) })
    const refused: unknown[] = []
    await storage.verifications.record(recording('s1')).catch((error: unknown) => refused.push(error))
    expect(failures).toMatchObject([{ code: 'STORE_FAILED', retryable: false }])
    expect(refused).toHaveLength(1)
    await expect(storage.webhooks.registerEndpoint(hook, 50)).rejects.toMatchObject({ code: 'STORE_FAILED' })
    expect(failures).toHaveLength(1)
    await storage.close()
  })
})

describe('F07 files beside the database after a kill', () => {
  /** A copy of the three files in the middle of the work, as a kill leaves them: nothing is checkpointed at the end. */
  async function killed(): Promise<string> {
    const folder = testFolder()
    const path = join(folder, 'kyc.db')
    const storage = await createSqliteStorage({ path })
    for (let n = 0; n < 20; n++) await storage.verifications.record(recording(`s${n}`))
    const left = join(folder, 'left.db')
    for (const file of ['', '-wal', '-shm']) copyFileSync(`${path}${file}`, `${left}${file}`)
    await storage.close()
    return left
  }

  const found = async (path: string) => {
    const storage = await createSqliteStorage({ path })
    const priors = await Promise.all(
      Array.from({ length: 20 }, (_, n) => storage.verifications.findPrior(recording(`s${n}`).key)),
    )
    // Whatever was lost, what is there is whole and the database goes on.
    expect(await storage.verifications.record(recording('next'))).toMatchObject({ kind: 'recorded' })
    await storage.close()
    const database = new Database(path, { readonly: true })
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    database.close()
    return priors.map((prior) => prior !== null)
  }
  const all = Array.from({ length: 20 }, () => true)

  test('as they are: everything is there', async () => {
    expect(await found(await killed())).toEqual(all)
  })

  test.each([
    ['gone', (path: string) => rmSync(path)],
    ['cut off', (path: string) => truncateSync(path, 100)],
    ['full of something else', (path: string) => writeFileSync(path, Buffer.alloc(32_768, 0xa5))],
  ])('with a shared-memory file that is %s: everything is there', async (_what, change) => {
    const path = await killed()
    change(`${path}-shm`)
    expect(await found(path)).toEqual(all)
  })

  test('with a WAL that is cut off: every commit before the cut is there, and none behind it', async () => {
    const path = await killed()
    const { size } = statSync(`${path}-wal`)
    truncateSync(`${path}-wal`, size - 5_000)
    rmSync(`${path}-shm`)
    const there = await found(path)
    const kept = there.lastIndexOf(true) + 1
    expect(kept).toBeGreaterThan(10)
    expect(kept).toBeLessThan(20)
    expect(there).toEqual(all.map((_, n) => n < kept))
  })

  test('without its WAL: the last checkpoint, and never a file that looks like a new one', async () => {
    const path = await killed()
    rmSync(`${path}-wal`)
    rmSync(`${path}-shm`)
    const database = new Database(path, { readonly: true })
    const ledger = database.prepare('SELECT count(*) FROM kyc_relay_migrations').pluck().get()
    database.close()
    expect(ledger).toBeGreaterThan(0)
    const there = await found(path)
    expect(there).toEqual(all.map((_, n) => n <= there.lastIndexOf(true)))
  })
})

test(
  'F09 a reader that stays lets the WAL grow and no longer: afterwards it is small again',
  { timeout: 60_000 },
  async () => {
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
    for (let round = 0; round < 40; round++) await write(round)
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(80 * 1024 * 1024)
    reader.exec('COMMIT')
    for (let round = 40; round < 43; round++) await write(round)
    expect(statSync(`${path}-wal`).size).toBeLessThanOrEqual(64 * 1024 * 1024)
    reader.close()
    await storage.close()
  },
)

test(
  'F16 100,000 attempts that cannot be taken over yet do not hide the one that can',
  { timeout: 60_000 },
  async () => {
    const database = new Database(join(testFolder(), 'kyc.db'))
    const storage = await createSqliteStorage({ database })
    await storage.webhooks.registerEndpoint(hook, 50)
    await storage.webhooks.insertEvent(event('one', [hook]))
    database.exec(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
    INSERT INTO kyc_relay_deliveries (delivery_id, event, endpoint, x_event_id, app_id, user_id, event_type, state,
      attempts_made, created_at, lease_token, lease_until)
    SELECT 'delivery ' || i, event, endpoint, 'x ' || i, app_id, user_id, event_type, 'PENDING', 1, 0, 'token ' || i,
      ${Date.now() + 86_400_000}
    FROM n, kyc_relay_deliveries WHERE due_at IS NOT NULL`)
    const { claimed } = await storage.webhooks.claimDue({ ...claimRequest, leaseMs: 0 })
    const taken = await storage.webhooks.claimExpired({ limit: 10, leaseMs: 45_000 })
    expect(taken.map(({ deliveryId }) => deliveryId)).toEqual(claimed.map(({ deliveryId }) => deliveryId))
    expect(taken).toHaveLength(1)
    await storage.close()
    database.close()
  },
)
