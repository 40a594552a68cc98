import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSqliteStorage } from '../../../src/sqlite/index.js'
import { startProgram } from '../../child-process.js'
import { compileProgram } from '../../compiled.js'
import { claimRequest, endpoint, event } from '../../samples.js'
import { testFolder } from './sqlite-files.js'

const worker = `
import { createSqliteStorage } from '#src/sqlite/index.ts'
const storage = await createSqliteStorage({ path: process.argv[2] })
await storage.acquireWorkerLock()
const { claimed } = await storage.webhooks.claimDue(${JSON.stringify(claimRequest)})
console.log('claimed ' + claimed.length)
setInterval(() => undefined, 60_000)
`

test('a second worker process is refused, and takes over at once when the first was killed', async () => {
  const path = join(testFolder(), 'kyc.db')
  const storage = await createSqliteStorage({ path })
  const hook = endpoint('a')
  await storage.webhooks.registerEndpoint(hook, 50)
  await storage.webhooks.insertEvent(event('one', [hook]))

  const first = startProgram(compileProgram(worker), [path])
  expect(await first.line('claimed')).toBe('claimed 1')
  await expect(storage.acquireWorkerLock()).rejects.toMatchObject({
    code: 'WORKER_LOCKED',
    message:
      'Another delivery worker runs on this database file. A SQLite file can have only one. Stop the other process, or start this one without a worker: ROLE=api of the server.',
  })
  // What is not the worker's goes on meanwhile.
  await storage.webhooks.insertEvent(event('two', [hook]))
  expect(await storage.webhooks.claimExpired({ limit: 10, leaseMs: 45_000 })).toEqual([])

  first.kill('SIGKILL')
  expect(await first.ended).toBe('SIGKILL')
  const lock = await storage.acquireWorkerLock()
  // Its lease had 45 s to go: the holder of the lock knows that nobody is left to record it.
  const left = await storage.webhooks.claimExpired({ limit: 10, leaseMs: 45_000 })
  expect(left.map(({ fence }) => fence.attempt)).toEqual([1])
  await lock.release()
  await storage.close()
})

test('two workers in one process are refused alike, and the lock is given back by release and by close', async () => {
  const path = join(testFolder(), 'kyc.db')
  const one = await createSqliteStorage({ path })
  const two = await createSqliteStorage({ path })
  const lock = await one.acquireWorkerLock()
  await expect(one.acquireWorkerLock()).rejects.toMatchObject({ code: 'WORKER_LOCKED' })
  await expect(two.acquireWorkerLock()).rejects.toMatchObject({ code: 'WORKER_LOCKED' })
  await lock.release()
  await lock.release()
  await two.acquireWorkerLock()
  await two.close()
  await one.acquireWorkerLock()
  await one.close()
})

test('a lock that was released does not release a later one', async () => {
  const storage = await createSqliteStorage({ path: join(testFolder(), 'kyc.db') })
  const former = await storage.acquireWorkerLock()
  await former.release()
  await storage.acquireWorkerLock()
  await former.release()
  await expect(storage.acquireWorkerLock()).rejects.toMatchObject({ code: 'WORKER_LOCKED' })
  await storage.close()
})

test('a database in memory has a lock too', async () => {
  const storage = await createSqliteStorage({ path: ':memory:' })
  await storage.acquireWorkerLock()
  await expect(storage.acquireWorkerLock()).rejects.toMatchObject({ code: 'WORKER_LOCKED' })
  await storage.close()
})

test('a lock file that cannot be opened is an error of the store', async () => {
  const path = join(testFolder(), 'kyc.db')
  const storage = await createSqliteStorage({ path })
  mkdirSync(`${path}.worker`)
  await expect(storage.acquireWorkerLock()).rejects.toMatchObject({
    name: 'StorageError',
    code: 'STORE_UNAVAILABLE',
    driverCode: 'SQLITE_CANTOPEN',
  })
  await storage.close()
})

test('the lock needs no disk space: it has no journal', async () => {
  const path = join(testFolder(), 'kyc.db')
  const storage = await createSqliteStorage({ path })
  await storage.acquireWorkerLock()
  expect(existsSync(`${path}.worker-journal`)).toBe(false)
  await storage.close()
})

test('a worker on the same file under another name is refused', async () => {
  const folder = testFolder()
  const path = join(folder, 'kyc.db')
  const one = await createSqliteStorage({ path })
  symlinkSync(path, join(folder, 'link.db'))
  const two = await createSqliteStorage({ path: join(folder, 'link.db') })
  await one.acquireWorkerLock()
  await expect(two.acquireWorkerLock()).rejects.toMatchObject({ code: 'WORKER_LOCKED' })
  await two.close()
  await one.close()
})
