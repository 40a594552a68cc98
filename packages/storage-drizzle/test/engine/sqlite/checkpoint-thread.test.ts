import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSqliteStorage, createSqliteVault } from '../../../src/sqlite/index.js'
import { createCheckpointThread } from '../../../src/engine/sqlite/checkpoint-thread.js'
import { openConnection } from '../../../src/engine/sqlite/open.js'
import { auditKeyFile } from '../../audit/audit-samples.js'
import { startProgram } from '../../child-process.js'
import { compileProgram } from '../../compiled.js'
import { submission, uuid } from '../../samples.js'
import { testFolder } from './sqlite-files.js'

/** The threads that this process starts from now on. */
function watchWorkers(): Worker[] {
  const started: Worker[] = []
  const watch = (worker: Worker) => void started.push(worker)
  process.on('worker', watch)
  onTestFinished(() => void process.off('worker', watch))
  return started
}

/** A database with 4 MiB in its WAL. */
function writtenDatabase() {
  const path = join(testFolder(), 'some.db')
  const { client, close } = openConnection({ path })
  onTestFinished(close)
  client.pragma('wal_autocheckpoint = 0')
  client.exec('CREATE TABLE rows (bytes BLOB); INSERT INTO rows VALUES (randomblob(4194304))')
  return { path, client, wal: () => client.prepare('PRAGMA wal_checkpoint(NOOP)').get() }
}

describe('the thread', () => {
  test('copies the WAL into the file, and leaves the file to its last connection', async () => {
    const { path, client, wal } = writtenDatabase()
    const checkpointClient = createCheckpointThread().register(path)
    expect(wal()).toMatchObject({ busy: 0, checkpointed: 0 })
    expect(await checkpointClient.checkpoint()).toBeNull()
    const { log } = wal() as { log: number }
    expect(log).toBeGreaterThan(1_024)
    expect(wal()).toMatchObject({ log, checkpointed: log })
    await checkpointClient.release()
    expect(existsSync(`${path}-wal`)).toBe(true)
    client.close()
    expect(existsSync(`${path}-wal`)).toBe(false)
  })

  test('starts with the first checkpoint, is one for all, and ends when the last store left', async () => {
    const workers = watchWorkers()
    const thread = createCheckpointThread()
    const databases = [writtenDatabase(), writtenDatabase()]
    const clients = databases.map(({ path }) => thread.register(path))
    expect(workers).toEqual([])
    expect(await Promise.all(clients.map((client) => client.checkpoint()))).toEqual([null, null])
    expect(workers).toHaveLength(1)
    const ended = once(workers[0] as Worker, 'exit')
    await clients[0]?.release()
    await clients[0]?.release()
    // The last connection removes the WAL: none of the thread is left.
    databases[0]?.client.close()
    expect(existsSync(`${databases[0]?.path}-wal`)).toBe(false)
    expect(await clients[1]?.checkpoint()).toBeNull()
    expect(workers[0]?.threadId).toBeGreaterThan(0)
    await clients[1]?.release()
    await ended
    // Who comes later gets another.
    const later = thread.register(writtenDatabase().path)
    expect(await later.checkpoint()).toBeNull()
    expect(workers).toHaveLength(2)
    await later.release()
  })

  test('leaving waits for what was asked', async () => {
    const { path, wal } = writtenDatabase()
    const client = createCheckpointThread().register(path)
    const asked = client.checkpoint()
    await client.release()
    const { log } = wal() as { log: number }
    expect(wal()).toMatchObject({ checkpointed: log })
    expect(await asked).toBeNull()
  })

  test('tells what SQLite says by its code alone, and makes no file', async () => {
    const folder = testFolder()
    const [missing, damaged] = [join(folder, 'missing.db'), join(folder, 'damaged.db')]
    writeFileSync(damaged, Buffer.alloc(8_192, 0xa5))
    const thread = createCheckpointThread()
    const clients = [missing, damaged].map((path) => thread.register(path))
    const errors = await Promise.all(clients.map((client) => client.checkpoint()))
    expect(errors).toMatchObject([
      { code: 'STORE_UNAVAILABLE', driverCode: 'SQLITE_CANTOPEN' },
      { code: 'STORE_FAILED', driverCode: 'SQLITE_NOTADB' },
    ])
    expect(errors.map((error) => error?.message).join()).not.toMatch(/unable|not a database/)
    expect(existsSync(missing)).toBe(false)
    expect(clients.map((client) => client.isThere())).toEqual([true, true])
    await Promise.all(clients.map((client) => client.release()))
  })

  test('sees neither the environment of the process nor its options', async () => {
    const program = join(testFolder(), 'program.mjs')
    writeFileSync(
      program,
      `import { parentPort } from 'node:worker_threads'
       const seen = [...Object.keys(process.env), ...process.execArgv].length
       parentPort.on('message', ({ id }) => parentPort.postMessage({ id, code: seen === 0 ? null : 'SQLITE_IOERR' }))`,
    )
    const client = createCheckpointThread(program).register('some.db')
    expect(await client.checkpoint()).toBeNull()
    await client.release()
  })

  test.each([
    ['is missing', null],
    ['is not found when it starts', ''],
    ['does not load', `import 'there-is-no-such-module'`],
    ['ends at once', `process.exit(0)`],
    [
      'ends at the first question',
      `import w from 'node:worker_threads'; w.parentPort.on('message', () => process.exit(0))`,
    ],
    [
      'throws at the first question',
      `import w from 'node:worker_threads'; w.parentPort.on('message', () => { throw 1 })`,
    ],
    [
      'takes more memory than it was given',
      `import w from 'node:worker_threads'; const all = []; w.parentPort.on('message', () => { for (;;) all.push(new Array(1e4).fill({})) })`,
    ],
  ])('whose program %s is lost, and asked no more', async (_what, source) => {
    const workers = watchWorkers()
    const program = source === null ? null : join(testFolder(), 'program.mjs')
    if (program !== null && source !== null && source !== '') writeFileSync(program, source)
    const thread = createCheckpointThread(program)
    const client = thread.register('some.db')
    expect(await client.checkpoint()).toBeNull()
    expect(client.isThere()).toBe(false)
    expect(await client.checkpoint()).toBeNull()
    expect(workers).toHaveLength(program === null ? 0 : 1)
    await client.release()
    expect(thread.register('some.db').isThere()).toBe(program !== null)
  })
})

const bulky = (name: string) => {
  const { verification, ...rest } = submission(name, { key: { userId: uuid(name) } })
  return { ...rest, verification: { ...verification, sealedDetails: new Uint8Array(56 * 1024) } }
}

describe('stores', () => {
  test('share one thread with the vault, which ends with the last of them', async () => {
    const workers = watchWorkers()
    const folder = testFolder()
    const storage = await createSqliteStorage({ path: join(folder, 'kyc.db') })
    const cipher = createLocalCipher({ keys: parseKeyFile(auditKeyFile) })
    const vault = await createSqliteVault({ path: join(folder, 'vault.db') }, { cipher })
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 64 }, (_, n) => storage.verifications.record(bulky(`${round}-${n}`))))
    }
    // Another program fills the WAL of the vault: the next commit of ours finds it long.
    const other = new Database(join(folder, 'vault.db'))
    other.pragma('wal_autocheckpoint = 0')
    other.exec('CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (randomblob(50000000))')
    other.close()
    const answered = once(workers[0] as Worker, 'message')
    await vault.tokenize({ appId: uuid('app'), userId: uuid('user') }, [{ kind: 'ssn', value: '078-05-1120' }])
    await answered
    expect(workers).toHaveLength(1)
    const ended = once(workers[0] as Worker, 'exit')
    await storage.close()
    await vault.close()
    await ended
    for (const name of ['kyc.db-wal', 'vault.db-wal']) expect(existsSync(join(folder, name))).toBe(false)
  })

  test('a connection of the caller and a database in memory need none', async () => {
    const workers = watchWorkers()
    const database = new Database(join(testFolder(), 'kyc.db'))
    for (const storage of [await createSqliteStorage({ database }), await createSqliteStorage({ path: ':memory:' })]) {
      for (let round = 0; round < 20; round++) {
        await Promise.all(Array.from({ length: 64 }, (_, n) => storage.verifications.record(bulky(`${round}-${n}`))))
      }
      await storage.close()
    }
    expect(workers).toEqual([])
    database.close()
  })

  const writing = `
import { createSqliteStorage } from '#src/sqlite/index.ts'
import { submission, uuid } from '#test/samples.ts'
const [path, who, rounds] = process.argv.slice(2)
process.on('worker', () => console.log('thread started'))
const storage = await createSqliteStorage({ path })
for (let round = 0; round < Number(rounds); round++) {
  await Promise.all(Array.from({ length: 64 }, (_, n) => {
    const { verification, ...rest } = submission(who + round + '-' + n, { key: { userId: uuid(who + round + '-' + n) } })
    return storage.verifications.record({ ...rest, verification: { ...verification, sealedDetails: new Uint8Array(57344) } })
  }))
}
`
  test.each([
    ['left open', '', 0],
    ['left open at an exit', 'process.exit(3)', 3],
    ['closed while it runs', `await storage.close(); console.log('closed')`, 0],
  ])('a process ends with a store that is %s', async (_what, end, code) => {
    const path = join(testFolder(), 'kyc.db')
    // 14 rounds fill the WAL so far that the thread has just been asked.
    const child = startProgram(compileProgram(writing + end), [path, 'a', '14'])
    expect(await child.ended).toBe(code)
    expect(child.lines).toEqual(end.includes('closed') ? ['thread started', 'closed'] : ['thread started'])
    const database = new Database(path)
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(database.prepare('SELECT count(*) FROM kyc_relay_verifications').pluck().get()).toBe(14 * 64)
    database.close()
  })

  test('two processes write to one file, each with a thread', async () => {
    const path = join(testFolder(), 'kyc.db')
    const program = compileProgram(`${writing}await storage.close()`)
    const writers = ['a', 'b'].map((who) => startProgram(program, [path, who, '30']))
    expect(await Promise.all(writers.map((writer) => writer.ended))).toEqual([0, 0])
    const database = new Database(path)
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(database.prepare('SELECT count(*) FROM kyc_relay_verifications').pluck().get()).toBe(2 * 30 * 64)
    database.close()
  })
})
