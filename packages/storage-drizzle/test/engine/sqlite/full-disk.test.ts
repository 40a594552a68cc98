import { copyFileSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createSqliteStorage, type StorageError } from '../../../src/sqlite/index.js'
import { openConnection } from '../../../src/engine/sqlite/open.js'
import { createGroupCommit } from '../../../src/engine/sqlite/group-commit.js'
import { submission, uuid } from '../../samples.js'
import { canMount, smallVolume } from './small-volume.js'
import { testFolder } from './sqlite-files.js'

const mayMount = canMount()
if (!mayMount) process.stderr.write('FULL VOLUMES ARE NOT TESTED HERE: it takes Linux and root to mount a small one.\n')

const recording = (n: number) => submission(`s${n}`, { key: { userId: uuid(`user ${n}`) } })

/** Every look at the files and the space is due. */
let nowMs = 0
beforeEach(() => {
  nowMs = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1_001))
})
afterEach(() => {
  vi.restoreAllMocks()
})

async function open(folder: string) {
  const failures: StorageError[] = []
  const path = join(folder, 'kyc.db')
  const storage = await createSqliteStorage({ path }, { onFailure: (error) => void failures.push(error) })
  onTestFinished(() => storage.close())
  return { path, storage, failures }
}

describe.skipIf(!mayMount)('on a small volume', () => {
  test('the WAL leaves the space to what is recorded', async () => {
    const volume = smallVolume(12)
    const { path, storage, failures } = await open(volume.folder)
    // Each puts about 64 KiB into the WAL, and one into the file.
    for (let n = 0; n < 1_500; n++)
      expect(await storage.verifications.record(recording(n))).toMatchObject({ kind: 'recorded' })
    expect(statSync(`${path}-wal`).size).toBeLessThan(4 * 1024 * 1024)
    expect(failures).toEqual([])
  })

  test('that somebody else fills, writing goes on in the space of the WAL', async () => {
    const volume = smallVolume(12)
    const { storage, failures } = await open(volume.folder)
    for (let n = 0; n < 15; n++) await storage.verifications.record(recording(n))
    volume.fill()
    expect(volume.freeBytes()).toBe(0)
    for (let n = 15; n < 30; n++)
      expect(await storage.verifications.record(recording(n))).toMatchObject({ kind: 'recorded' })
    expect(failures).toEqual([])
  })

  test('that is full, a write is refused and reading goes on, until there is space', async () => {
    const volume = smallVolume(12)
    const { path, storage, failures } = await open(volume.folder)
    await storage.verifications.record(recording(0))
    volume.fill()
    const refused: unknown[] = []
    for (let n = 1; refused.length < 3 && n < 10_000; n++) {
      await storage.verifications.record(recording(n)).catch((error: unknown) => void refused.push(error))
      volume.fill()
    }
    const full = { code: 'STORE_UNAVAILABLE', retryable: true, driverCode: 'SQLITE_FULL' }
    expect(refused).toMatchObject([full, full, full])
    expect(await storage.verifications.findExisting(recording(0).key)).toMatchObject({ kind: 'replayed' })
    volume.makeRoom()
    expect(await storage.verifications.record(recording(20_000))).toMatchObject({ kind: 'recorded' })
    expect(failures).toEqual([])
    const database = new Database(path, { readonly: true })
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    database.close()
  })

  test.each([
    ['', ['', '-wal', '-shm', '.commits', '.reserve']],
    [', without its shared-memory file', ['', '-wal', '.commits', '.reserve']],
  ])('that is full, a database left by a kill is opened, and everything is there%s', async (_what, ends) => {
    const from = smallVolume(24)
    const { path, storage } = await open(from.folder)
    for (let n = 0; n < 20; n++) await storage.verifications.record(recording(n))
    const volume = smallVolume(24)
    for (const end of ends)
      if (existsSync(`${path}${end}`)) copyFileSync(`${path}${end}`, join(volume.folder, `kyc.db${end}`))
    volume.fill()
    const again = await open(volume.folder)
    for (let n = 0; n < 20; n++)
      expect(await again.storage.verifications.findExisting(recording(n).key)).toMatchObject({ kind: 'replayed' })
    expect(await again.storage.verifications.record(recording(20))).toMatchObject({ kind: 'recorded' })
    expect(again.failures).toEqual([])
  })
})

describe('a write that finds the disk full', () => {
  /** Fails as SQLite does, so many times. */
  function newSituation(times: number, makeSpace: () => boolean) {
    const { client, close } = openConnection({ path: join(testFolder(), 'some.db') })
    onTestFinished(close)
    client.exec('CREATE TABLE rows (n INTEGER)')
    const failures: StorageError[] = []
    const commits = createGroupCommit(client, (error) => void failures.push(error))
    let asked = 0
    commits.checkpointWith({
      beforeWrite: () => null,
      afterCommit: () => null,
      makeSpace() {
        asked += 1
        return makeSpace()
      },
    })
    let left = times
    const write = (n: number) =>
      commits.write(() => {
        client.prepare('INSERT INTO rows VALUES (?)').run(n)
        if (left-- > 0) throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL')
        return n
      })
    const rows = () => client.prepare('SELECT n FROM rows ORDER BY n').pluck().all()
    return { write, rows, failures, asked: () => asked }
  }

  test('is made once more when the WAL gave its space back, and is there once', async () => {
    const { write, rows, asked } = newSituation(1, () => true)
    expect(await write(1)).toBe(1)
    expect([rows(), asked()]).toEqual([[1], 1])
  })

  test.each([
    ['still is', 2, true],
    ['had nothing to give back', 1, false],
  ])('that %s, is refused, and the next one tries anew', async (_what, times, freed) => {
    const { write, rows, asked, failures } = newSituation(times, () => freed)
    await expect(write(1)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', driverCode: 'SQLITE_FULL' })
    expect(asked()).toBe(1)
    expect(await write(2)).toBe(2)
    expect([rows(), failures]).toEqual([[2], []])
  })

  test('whose checkpoint meets a failing disk ends all writing', async () => {
    const { write, failures } = newSituation(1, () => {
      throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC')
    })
    await expect(write(1)).rejects.toMatchObject({ code: 'STORE_FAILED' })
    expect(failures).toMatchObject([{ code: 'STORE_FAILED' }])
  })
})
