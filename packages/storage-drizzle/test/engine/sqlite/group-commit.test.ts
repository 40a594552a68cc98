import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test, vi } from 'vitest'
import { createSqliteStorage, StorageError } from '../../../src/sqlite/index.js'
import { assertDurable } from '../../../src/engine/sqlite/open.js'
import { createGroupCommit } from '../../../src/engine/sqlite/group-commit.js'
import { endpoint, event, submission, uuid } from '../../samples.js'
import { dumpRowsOf, testFolder } from './sqlite-files.js'

/**
 * Commits in a WAL file: frames whose header says how large the database is after the commit. With synchronous=FULL
 * each of them was one fsync.
 */
function countCommits(path: string): number {
  const wal = readFileSync(`${path}-wal`)
  const pageBytes = wal.readUInt32BE(8)
  const salt = wal.subarray(16, 24)
  let commits = 0
  for (let frame = 32; frame + 24 <= wal.length; frame += 24 + pageBytes) {
    // Frames of an earlier round of the file have another salt.
    if (!wal.subarray(frame + 8, frame + 16).equals(salt)) break
    if (wal.readUInt32BE(frame + 4) > 0) commits++
  }
  return commits
}

describe('shared commits', () => {
  test('64 concurrent writes cost at most 8 commits, and each caller has its row when it is answered', async () => {
    const path = join(testFolder(), 'kyc.db')
    const database = new Database(path)
    const storage = await createSqliteStorage({ database })
    // A checkpoint would start the WAL over, and the count with it.
    database.pragma('wal_autocheckpoint = 0')
    // After the checkpoint of the migrations this write starts the WAL over.
    await storage.verifications.record(submission('before', { key: { userId: uuid('user before') } }))
    const before = countCommits(path)
    const answers = await Promise.all(
      Array.from({ length: 64 }, async (_, index) => {
        const recording = submission(`s${index}`, { key: { userId: uuid(`user ${index}`) } })
        const answer = await storage.verifications.record(recording)
        // Asked of the file by another connection: the row is committed before the answer.
        return { answer, visible: dumpRowsOf(path).includes(recording.verification.verificationId) }
      }),
    )
    expect(answers.every(({ answer, visible }) => answer.kind === 'recorded' && visible)).toBe(true)
    const shared = countCommits(path) - before
    expect(shared).toBeGreaterThan(0)
    expect(shared).toBeLessThanOrEqual(8)
    // The count itself can tell: one after the other they are 64.
    for (let index = 64; index < 128; index++) {
      await storage.verifications.record(submission(`s${index}`, { key: { userId: uuid(`user ${index}`) } }))
    }
    expect(countCommits(path) - before - shared).toBe(64)
    await storage.close()
    database.close()
  })

  test.each([
    { delayTurns: 0, turns: 2, commits: 2 },
    { delayTurns: 2, turns: 2, commits: 1 },
    { delayTurns: 2, turns: 6, commits: 2 },
  ])('delays a commit for more writes: for %o', async ({ delayTurns, turns, commits: expected }) => {
    const database = new Database(':memory:')
    database.exec('CREATE TABLE t (n INTEGER)')
    const insert = database.prepare('INSERT INTO t VALUES (?)')
    const commits = createGroupCommit(database, undefined, delayTurns)
    const writes: Promise<unknown>[] = []
    for (let turn = 0; turn < turns; turn++) {
      writes.push(commits.write(() => insert.run(turn)))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all(writes)
    expect(commits.epoch()).toBe(expected)
    commits.close()
    database.close()
  })

  test('a failing write takes none of its neighbours down', async () => {
    const path = join(testFolder(), 'kyc.db')
    const storage = await createSqliteStorage({ path })
    const hook = endpoint('a')
    await storage.webhooks.registerEndpoint(hook, 50)
    await storage.webhooks.insertEvent(event('taken', [hook]))
    const answers = await Promise.allSettled([
      storage.webhooks.insertEvent(event('one', [hook])),
      storage.webhooks.insertEvent(event('taken', [hook])),
      storage.webhooks.insertEvent(event('two', [hook])),
    ])
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(answers[1]).toMatchObject({ reason: { code: 'CONSTRAINT', retryable: false } })
    const { items } = await storage.webhooks.listDeliveries({ appId: hook.appId, limit: 10 })
    expect(items.map(({ eventId }) => eventId)).toEqual([uuid('event two'), uuid('event one'), uuid('event taken')])
    await storage.close()
  })

  test('undoes the part of a failing write that had already happened', async () => {
    const database = new Database(':memory:')
    database.exec('CREATE TABLE t (n INTEGER)')
    const commits = createGroupCommit(database)
    const insert = database.prepare('INSERT INTO t VALUES (?)')
    const answers = await Promise.allSettled([
      commits.write(() => insert.run(1).changes),
      commits.write(() => {
        insert.run(2)
        throw new TypeError('078-05-1120')
      }),
      commits.write(() => insert.run(3).changes),
    ])
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(answers[1]).toMatchObject({ reason: { code: 'ARGUMENT_INVALID' } })
    expect(database.prepare('SELECT n FROM t').pluck().all()).toEqual([1, 3])
  })

  test('does not try a failed COMMIT again: what is on disk then, only a new process knows', async () => {
    const database = new Database(':memory:')
    database.exec('CREATE TABLE t (n INTEGER)')
    const prepareStatement = database.prepare.bind(database)
    let commitsTried = 0
    const failingCommit = () => {
      commitsTried++
      throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC')
    }
    Object.assign(database, {
      prepare(source: string) {
        const statement = prepareStatement(source)
        return source === 'COMMIT' ? Object.assign(statement, { run: failingCommit }) : statement
      },
    })
    const failures: string[] = []
    const commits = createGroupCommit(database, ({ code }) => failures.push(code))
    const insert = database.prepare('INSERT INTO t VALUES (?)')
    const answers = await Promise.allSettled([1, 2].map((n) => commits.write(() => insert.run(n).changes)))
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(commitsTried).toBe(1)
    expect(failures).toEqual(['STORE_FAILED'])
    expect(database.prepare('SELECT n FROM t').all()).toEqual([])
  })

  test('a broken disk in the middle of several writes fails them all at once', async () => {
    const database = new Database(':memory:')
    let runs = 0
    const commits = createGroupCommit(database)
    const broken = () => {
      runs++
      throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_WRITE')
    }
    const answers = await Promise.allSettled([commits.write(broken), commits.write(broken)])
    expect(answers).toMatchObject([{ reason: { code: 'STORE_FAILED' } }, { reason: { code: 'STORE_FAILED' } }])
    expect(runs).toBe(1)
  })

  test('refuses to start while a transaction of the caller is open, and leaves it untouched', async () => {
    const database = new Database(join(testFolder(), 'kyc.db'))
    const storage = await createSqliteStorage({ database })
    database.exec('CREATE TABLE orders (id TEXT)')

    const refusedAtOnce: Promise<unknown>[] = []
    database.transaction(() => {
      database.exec(`INSERT INTO orders VALUES ('in')`)
      refusedAtOnce.push(storage.verifications.record(submission('inside')))
    })()
    await expect(refusedAtOnce[0]).rejects.toMatchObject({ code: 'TRANSACTION_OPEN' })

    const queued = storage.verifications.record(submission('queued before'))
    database.exec('BEGIN')
    database.exec(`INSERT INTO orders VALUES ('kept open')`)
    await expect(queued).rejects.toMatchObject({ code: 'TRANSACTION_OPEN' })
    expect(database.inTransaction).toBe(true)
    database.exec('COMMIT')

    expect(database.prepare('SELECT id FROM orders').pluck().all()).toEqual(['in', 'kept open'])
    expect(await storage.verifications.record(submission('after'))).toMatchObject({ kind: 'recorded' })
    await storage.close()
    expect(database.open).toBe(true)
    database.close()
  })

  test('a full disk fails the writes, not the reads, and they resume when there is room', async () => {
    const database = new Database(join(testFolder(), 'kyc.db'))
    const storage = await createSqliteStorage({ database })
    await storage.verifications.record(submission('first'))
    const room = database.pragma('page_count', { simple: true })
    database.pragma(`max_page_count = ${String(room)}`)
    const large = submission('large', { key: { userId: uuid('another user') } })
    const bulky = { ...large, verification: { ...large.verification, sealedDetails: new Uint8Array(64 * 1024) } }
    const outcomes = await Promise.allSettled([
      storage.verifications.record(submission('neighbour', { key: { userId: uuid('a third user') } })),
      storage.verifications.record(bulky),
    ])
    expect(outcomes[1]).toMatchObject({
      reason: { code: 'STORE_UNAVAILABLE', retryable: true, driverCode: 'SQLITE_FULL' },
    })
    expect(await storage.verifications.findKycStatus(uuid('user'))).toBe('PASS')
    expect(await storage.verifications.findExisting(bulky.key)).toBeNull()
    database.pragma('max_page_count = 1000000')
    expect(await storage.verifications.record(bulky)).toMatchObject({ kind: 'recorded' })
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    await storage.close()
    database.close()
  })

  test('a replay writes nothing: no commit at all', async () => {
    const path = join(testFolder(), 'kyc.db')
    const storage = await createSqliteStorage({ path })
    const first = await storage.verifications.record(submission('once'))
    const [commits, rows] = [countCommits(path), dumpRowsOf(path)]
    const again = await storage.verifications.record(submission('once'))
    expect(again).toMatchObject({ kind: 'replayed', result: first.kind === 'recorded' ? first.result : null })
    expect(countCommits(path)).toBe(commits)
    expect(dumpRowsOf(path)).toBe(rows)
    await storage.close()
  })

  test('what was queued is written before close, and afterwards every call is refused', async () => {
    const path = join(testFolder(), 'kyc.db')
    const storage = await createSqliteStorage({ path })
    const queued = storage.verifications.record(submission('queued'))
    await storage.close()
    expect(await queued).toMatchObject({ kind: 'recorded' })
    const late = submission('late')
    await expect(storage.verifications.record(late)).rejects.toMatchObject({ code: 'STORE_CLOSED' })
    await expect(storage.verifications.findExisting(late.key)).rejects.toMatchObject({ code: 'STORE_CLOSED' })
    expect(dumpRowsOf(path)).toContain('ext-queued')
  })

  test('a failed fsync stops every later write of the process', async () => {
    const database = new Database(':memory:')
    database.exec('CREATE TABLE t (n INTEGER)')
    const failures: StorageError[] = []
    const commits = createGroupCommit(database, (error) => failures.push(error))
    const broken = commits.write(() => {
      throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC')
    })
    await expect(broken).rejects.toMatchObject({ code: 'STORE_FAILED', driverCode: 'SQLITE_IOERR_FSYNC' })
    await expect(commits.write(() => 1)).rejects.toMatchObject({ code: 'STORE_FAILED', retryable: false })
    expect(failures).toHaveLength(1)
  })
})

test('a failure is told after the writes were answered, also to a callback that throws', () => {
  const thrown: unknown[] = []
  vi.spyOn(globalThis, 'queueMicrotask').mockImplementationOnce((callback) => {
    expect(callback).toThrow('thrown by onFailure')
    thrown.push(callback)
  })
  const commits = createGroupCommit(new Database(':memory:'), () => {
    throw new Error('thrown by onFailure')
  })
  expect(() => commits.fail(new StorageError('FILES_REPLACED'))).not.toThrow()
  expect(thrown).toHaveLength(1)
})

describe('the WAL', () => {
  test('stays small under sustained writes: 192 MiB of rows leave it under 96 MiB', async () => {
    const path = join(testFolder(), 'kyc.db')
    const storage = await createSqliteStorage({ path })
    let largest = 0
    for (let round = 0; round < 48; round++) {
      await Promise.all(
        Array.from({ length: 64 }, (_, index) => {
          const { verification, ...rest } = submission(`${round}-${index}`, { key: { userId: uuid(`user ${index}`) } })
          return storage.verifications.record({
            ...rest,
            verification: { ...verification, sealedDetails: new Uint8Array(64 * 1024) },
          })
        }),
      )
      largest = Math.max(largest, statSync(`${path}-wal`).size)
    }
    await storage.close()
    expect(statSync(path).size).toBeGreaterThan(192 * 1024 * 1024)
    expect(largest).toBeLessThan(96 * 1024 * 1024)
  })

  test('readers of another process see the last commit and hold no writer up', async () => {
    const path = join(testFolder(), 'kyc.db')
    const storage = await createSqliteStorage({ path })
    const reader = new Database(path, { readonly: true })
    const count = reader.prepare('SELECT count(*) FROM kyc_relay_verifications').pluck()
    reader.exec('BEGIN')
    expect(count.get()).toBe(0)
    await storage.verifications.record(submission('while reading'))
    expect(count.get()).toBe(0)
    reader.exec('COMMIT')
    expect(count.get()).toBe(1)
    reader.close()
    await storage.close()
  })
})

describe('durability', () => {
  test('synchronous=FULL holds after a write, on a file of its own and on a connection of the caller', async () => {
    const path = join(testFolder(), 'kyc.db')
    await (await createSqliteStorage({ path })).close()
    const database = new Database(path)
    const storage = await createSqliteStorage({ database })
    await storage.verifications.record(submission('first'))
    expect(database.pragma('synchronous', { simple: true })).toBe(2)
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(database.pragma('foreign_keys', { simple: true })).toBe(1)
    expect(database.pragma('secure_delete', { simple: true })).toBe(1)
    await storage.close()
    database.close()
  })

  test.each([
    ['busy_timeout', 1_234],
    ['trusted_schema', 1],
    ['temp_store', 1],
    ['journal_size_limit', 1_000_000],
    ['wal_autocheckpoint', 77],
    ['cache_size', -4_321],
    ['recursive_triggers', 1],
  ])('%s of a connection of the caller stays, and so do its temporary tables', async (name, value) => {
    const database = new Database(join(testFolder(), 'kyc.db'))
    database.pragma(`${name} = ${value}`)
    database.exec('CREATE TEMP TABLE basket (item TEXT)')
    const storage = await createSqliteStorage({ database })
    await storage.verifications.record(submission('first'))
    await storage.close()
    expect(database.pragma(name, { simple: true })).toBe(value)
    expect(() => database.exec("INSERT INTO basket VALUES ('apple')")).not.toThrow()
    database.close()
  })

  test.each(['synchronous = NORMAL', 'foreign_keys = OFF', 'secure_delete = OFF', 'journal_mode = DELETE'])(
    'the proof notices %s',
    (pragma) => {
      const database = new Database(join(testFolder(), 'kyc.db'))
      database.pragma('journal_mode = WAL')
      database.pragma('synchronous = FULL')
      database.pragma('foreign_keys = ON')
      database.pragma('secure_delete = ON')
      expect(() => assertDurable(database)).not.toThrow()
      database.pragma(pragma)
      expect(() => assertDurable(database)).toThrow(StorageError)
      database.close()
    },
  )
})
