import { statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSqliteStorage, StorageError } from '../../../src/sqlite/index.js'
import type { CheckpointThread } from '../../../src/engine/sqlite/checkpoint-thread.js'
import { dueAfter, mostPages, takeOverCheckpoints, threadPages } from '../../../src/engine/sqlite/checkpoints.js'
import { checkpointPages, openConnection } from '../../../src/engine/sqlite/open.js'
import { createGroupCommit } from '../../../src/engine/sqlite/group-commit.js'
import { submission } from '../../samples.js'
import { testFolder } from './sqlite-files.js'

/** As long as it may become, and one commit of 16 MiB. */
const walLimit = 96 * 1024 * 1024

type Ended = StorageError | null

/** A thread whose checkpoints end when the test says so, and copy nothing. */
function heldThread() {
  const pending: ((error: Ended) => void)[] = []
  let isThere = true
  let asked = 0
  let left = 0
  const thread: CheckpointThread = {
    register: () => ({
      isThere: () => isThere,
      checkpoint() {
        asked++
        return new Promise<Ended>((resolve) => void pending.push(resolve))
      },
      async release() {
        left++
      },
    }),
  }
  return {
    thread,
    asked: () => asked,
    left: () => left,
    /** Ends the checkpoint that runs, and lets everything happen that follows from it. */
    async end(error: Ended = null) {
      pending.shift()?.(error)
      await turns(3)
    },
    die() {
      isThere = false
      for (const settle of pending.splice(0)) settle(null)
    },
  }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** A database with shared commits, whose checkpoints the thread is asked for. */
function open(thread: CheckpointThread) {
  const path = join(testFolder(), 'some.db')
  const { client, close } = openConnection({ path })
  onTestFinished(close)
  client.exec('CREATE TABLE rows (bytes BLOB)')
  const failures: StorageError[] = []
  const commits = createGroupCommit(client, (error) => failures.push(error))
  const checkpoints = takeOverCheckpoints(client, commits.fail, thread)
  commits.checkpointWith(checkpoints)
  const insert = client.prepare('INSERT INTO rows VALUES (randomblob(?))')
  const frames = client.prepare<[], { log: number; checkpointed: number }>('PRAGMA wal_checkpoint(NOOP)')
  return {
    client,
    commits,
    checkpoints,
    failures,
    /** One commit of about so many pages. */
    write: (pages = 250) => commits.write(() => insert.run(pages * 4_096)),
    wal: () => frames.get() ?? { log: 0, checkpointed: 0 },
    walBytes: () => statSync(`${path}-wal`).size,
    /** Up to 255 frames more than asked for. */
    async writeUntil(log: number) {
      for (;;) {
        const missing = log - (frames.get()?.log ?? 0)
        if (missing <= 0) return
        const pages = Math.max(250, Math.min(5_000, missing - 500))
        await commits.write(() => insert.run(pages * 4_096))
      }
    },
  }
}

describe('what a commit leaves to be done', () => {
  test.each([
    [threadPages - 1, 'idle', 'nothing'],
    [threadPages, 'idle', 'in the thread'],
    [mostPages - 1, 'idle', 'in the thread'],
    [mostPages, 'idle', 'here'],
    [threadPages, 'busy', 'nothing'],
    [mostPages - 1, 'busy', 'nothing'],
    [mostPages, 'busy', 'wait for the thread'],
    [checkpointPages - 1, 'none', 'nothing'],
    [checkpointPages, 'none', 'here'],
    [100 * mostPages, 'none', 'here'],
  ] as const)('%i frames, the thread %s: %s', (log, thread, due) => {
    expect(dueAfter({ log }, thread)).toBe(due)
  })
})

describe('checkpoints in the thread', () => {
  test('are asked for one at a time, and nothing is copied here meanwhile', async () => {
    const held = heldThread()
    const store = open(held.thread)
    await store.writeUntil(threadPages - 300)
    expect(held.asked()).toBe(0)
    await store.writeUntil(threadPages)
    expect(held.asked()).toBe(1)
    await store.writeUntil(mostPages - 600)
    expect(held.asked()).toBe(1)
    expect(store.wal().checkpointed).toBe(0)
    await held.end()
    expect(held.asked()).toBe(1)
    await store.write()
    expect(held.asked()).toBe(2)
  })

  test('hold writers up only where the WAL would grow beyond its bound, and what is left is copied here', async () => {
    const held = heldThread()
    const store = open(held.thread)
    await store.writeUntil(mostPages)
    const { log } = store.wal()
    let isWritten = false
    const waiting = store.write().then(() => (isWritten = true))
    await turns(10)
    expect(isWritten).toBe(false)
    expect(store.wal()).toMatchObject({ log, checkpointed: 0 })
    await held.end()
    await waiting
    // All was copied before this write, which therefore began the WAL anew.
    expect(store.wal().log).toBeLessThan(300)
    expect(held.asked()).toBe(1)
  })

  test.each([
    ['dies', (held: ReturnType<typeof heldThread>) => held.die()],
    ['meets an error', (held: ReturnType<typeof heldThread>) => void held.end(new StorageError('STORE_UNAVAILABLE'))],
  ])('a thread that %s while writers wait for it lets them go on', async (_what, happen) => {
    const held = heldThread()
    const store = open(held.thread)
    await store.writeUntil(mostPages)
    const waiting = store.write()
    happen(held)
    await waiting
    expect(store.wal().log).toBeLessThan(300)
    expect(store.failures).toEqual([])
  })

  test.each([
    ['is not there', (held: ReturnType<typeof heldThread>) => held.die(), 0],
    ['copies nothing', () => undefined, 1],
  ])('the WAL stays small with a thread that %s', async (_what, happen, atLeastAsked) => {
    const held = heldThread()
    happen(held)
    const store = open(held.thread)
    let largest = 0
    for (let commit = 0; commit < 16; commit++) {
      const written = store.write(4_000)
      await turns(3)
      await held.end()
      await written
      largest = Math.max(largest, store.walBytes())
    }
    expect(largest).toBeLessThan(walLimit)
    expect(Math.min(held.asked(), 1)).toBe(atLeastAsked)
  })

  test('a disk that failed in the thread refuses every later write, and is told once', async () => {
    const held = heldThread()
    const store = open(held.thread)
    await store.writeUntil(mostPages)
    const waiting = store.write()
    const emptying = store.checkpoints.empty()
    for (const refused of [waiting, emptying]) refused.catch(() => undefined)
    await held.end(new StorageError('STORE_FAILED', 'SQLITE_IOERR_FSYNC'))
    await expect(waiting).rejects.toMatchObject({ code: 'STORE_FAILED', driverCode: 'SQLITE_IOERR_FSYNC' })
    await expect(emptying).rejects.toMatchObject({ code: 'STORE_FAILED' })
    await expect(store.write()).rejects.toMatchObject({ code: 'STORE_FAILED' })
    expect(store.failures).toHaveLength(1)
    // No second try: the pages that were not synced may be gone from the memory of the system.
    expect(store.wal().checkpointed).toBe(0)
    expect(held.asked()).toBe(1)
  })

  test('one that finds no space is no failure: the next is made here, the one after it in the thread', async () => {
    const held = heldThread()
    const store = open(held.thread)
    await store.writeUntil(threadPages)
    await held.end(new StorageError('STORE_UNAVAILABLE', 'SQLITE_FULL'))
    await store.write()
    expect(store.wal()).toMatchObject({ checkpointed: store.wal().log })
    expect(held.asked()).toBe(1)
    await store.write()
    await store.writeUntil(threadPages)
    expect(held.asked()).toBe(2)
    expect(store.failures).toEqual([])
  })

  test('erasing waits for the one that runs, and leaves nothing in the WAL', async () => {
    const held = heldThread()
    const store = open(held.thread)
    await store.writeUntil(threadPages)
    let isEmpty = false
    const emptied = store.checkpoints.empty().then(() => (isEmpty = true))
    await store.write()
    expect(isEmpty).toBe(false)
    expect(store.walBytes()).toBeGreaterThan(0)
    await held.end()
    await emptied
    expect(store.walBytes()).toBe(0)
  })

  test('erasing has the thread copy a long WAL first, and copies a short one here', async () => {
    const held = heldThread()
    const store = open(held.thread)
    await store.writeUntil(checkpointPages - 600)
    await store.checkpoints.empty()
    expect(held.asked()).toBe(0)
    expect(store.walBytes()).toBe(0)
    await store.writeUntil(checkpointPages)
    let isEmpty = false
    const emptied = store.checkpoints.empty().then(() => (isEmpty = true))
    await turns(3)
    expect(held.asked()).toBe(1)
    expect(isEmpty).toBe(false)
    await held.end()
    await emptied
    // Whatever the thread left is copied here.
    expect(store.walBytes()).toBe(0)
    expect(held.asked()).toBe(1)
  })

  test('erasing asks for nothing again after a disk failed', async () => {
    const held = heldThread()
    const store = open(held.thread)
    await store.writeUntil(checkpointPages)
    const emptied = store.checkpoints.empty()
    emptied.catch(() => undefined)
    await held.end(new StorageError('STORE_FAILED', 'SQLITE_IOERR_FSYNC'))
    await expect(emptied).rejects.toMatchObject({ code: 'STORE_FAILED' })
    await expect(store.checkpoints.empty()).rejects.toMatchObject({ code: 'STORE_FAILED' })
    expect(held.asked()).toBe(1)
    expect(store.walBytes()).toBeGreaterThan(0)
  })

  test('erasing copies a long WAL here where the thread is gone', async () => {
    const held = heldThread()
    const store = open(held.thread)
    await store.writeUntil(checkpointPages)
    held.die()
    await store.checkpoints.empty()
    expect(held.asked()).toBe(0)
    expect(store.walBytes()).toBe(0)
  })

  test('closing writes what is queued, also while writers wait, and leaves the thread', async () => {
    const held = heldThread()
    const store = open(held.thread)
    await store.writeUntil(mostPages)
    const queued = store.write()
    await turns(3)
    store.commits.close()
    await queued
    await store.checkpoints.close()
    expect(held.left()).toBe(1)
    expect(held.asked()).toBe(1)
  })

  test('a SQLite that cannot tell how long the WAL is makes them itself', async () => {
    const held = heldThread()
    const { client, close } = openConnection({ path: join(testFolder(), 'some.db') })
    onTestFinished(close)
    const prepared = client.prepare.bind(client)
    const old = Object.assign(Object.create(client) as Database.Database, {
      prepare: (sql: string) => prepared(sql.replace('sqlite_version()', `'3.50.4'`)),
    })
    const checkpoints = takeOverCheckpoints(old, () => undefined, held.thread)
    expect(client.pragma('wal_autocheckpoint', { simple: true })).toBe(checkpointPages)
    expect(checkpoints.afterCommit()).toBeNull()
    await checkpoints.close()
    expect(held.left()).toBe(0)
  })
})

test('a reader in another process delays an erasure without stopping this process', async () => {
  const path = join(testFolder(), 'some.db')
  const { users, verifications, close } = await createSqliteStorage({ path })
  onTestFinished(close)
  const { key } = submission('one')
  await verifications.record(submission('one'))
  const reader = new Database(path, { readonly: true })
  onTestFinished(() => void reader.close())
  reader.exec('BEGIN; SELECT * FROM kyc_relay_verifications')
  setTimeout(() => reader.exec('COMMIT'), 20)
  await users.eraseUser(key)
  expect(reader.inTransaction).toBe(false)
  expect(statSync(`${path}-wal`).size).toBe(0)
})
