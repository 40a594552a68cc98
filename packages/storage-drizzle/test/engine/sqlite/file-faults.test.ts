import { createHash } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { createSqliteStorage, createSqliteVault, type StorageError } from '../../../src/sqlite/index.js'
import { auditKeyFile } from '../../audit/audit-samples.js'
import { startProgram } from '../../child-process.js'
import { compileProgram } from '../../compiled.js'
import { endpoint, submission, uuid } from '../../samples.js'
import { testFolder } from './sqlite-files.js'

const recording = (name: string) => submission(name, { key: { userId: uuid(`user ${name}`) } })
const junk = Buffer.alloc(4_096, 0xa5)

/** What the files of a database hold, by name. An empty WAL is none. */
function filesOf(path: string): Record<string, string> {
  const folder = dirname(path)
  const names = readdirSync(folder).filter((name) => name.startsWith(basename(path)) && !name.endsWith('-shm'))
  const held = names.filter((name) => !name.endsWith('-wal') || statSync(join(folder, name)).size > 0)
  const digest = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')
  return Object.fromEntries(held.sort().map((name) => [name, digest(name)]))
}

test.each([
  ['in no folder', (folder: string) => join(folder, 'missing', 'kyc.db')],
  ['of a folder', (folder: string) => folder],
  ['below a file', (folder: string) => join(folder, 'a-file', 'kyc.db')],
])('a path %s is a wrong setting, which no retry mends', async (_what, pathIn) => {
  const folder = testFolder()
  writeFileSync(join(folder, 'a-file'), '')
  await expect(createSqliteStorage({ path: pathIn(folder) })).rejects.toMatchObject({
    code: 'DATABASE_UNUSABLE',
    retryable: false,
  })
})

async function recordSome(path: string, from: number, to: number): Promise<void> {
  const storage = await createSqliteStorage({ path })
  for (let n = from; n < to; n++) await storage.verifications.record(recording(`s${n}`))
  await storage.close()
}

/** Which of `s0` to `s19` are there; whatever is, is whole, and the database goes on. */
async function recorded(path: string): Promise<number> {
  const storage = await createSqliteStorage({ path })
  const existing = await Promise.all(
    Array.from({ length: 20 }, (_, n) => storage.verifications.findExisting(recording(`s${n}`).key)),
  )
  expect(await storage.verifications.record(recording('next'))).toMatchObject({ kind: 'recorded' })
  await storage.close()
  const database = new Database(path, { readonly: true })
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
  database.close()
  const there = existing.map((existing) => existing !== null)
  const count = there.filter(Boolean).length
  expect(there).toEqual(there.map((_, n) => n < count))
  return count
}

describe('a damaged file', () => {
  function damage(path: string, table: string | null): void {
    const database = new Database(path, { readonly: true })
    const find = database.prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE tbl_name = ?').pluck()
    const pages = table === null ? [1] : find.all(table)
    database.close()
    const file = openSync(path, 'r+')
    for (const page of pages) writeSync(file, junk, 0, junk.length, (page - 1) * junk.length)
    closeSync(file)
  }

  async function damaged(table: string | null): Promise<string> {
    const path = join(testFolder(), 'kyc.db')
    await recordSome(path, 0, 20)
    damage(path, table)
    return path
  }

  test.each([null, 'kyc_relay_verifications', 'kyc_relay_photo_jobs'])(
    'is not opened and not changed: %s',
    async (table) => {
      const path = await damaged(table)
      const before = filesOf(path)
      await expect(createSqliteStorage({ path })).rejects.toMatchObject({ code: 'DATABASE_DAMAGED', retryable: false })
      expect(filesOf(path)).toEqual(before)
    },
  )

  test('is not opened as a vault either', async () => {
    const path = join(testFolder(), 'vault.db')
    const cipher = createLocalCipher({ keys: parseKeyFile(auditKeyFile) })
    const owner = { appId: uuid('app'), userId: uuid('user') }
    const vault = await createSqliteVault({ path }, { cipher })
    await vault.tokenize(owner, [{ kind: 'ssn', value: '078-05-1120' }])
    await vault.close()
    damage(path, 'kyc_relay_vault_tokens')
    await expect(createSqliteVault({ path }, { cipher })).rejects.toMatchObject({ code: 'DATABASE_DAMAGED' })
    const failures: StorageError[] = []
    const options = { cipher, checkUpToBytes: 0, onFailure: (error: StorageError) => void failures.push(error) }
    const unchecked = await createSqliteVault({ path }, options)
    await expect(unchecked.tokenize(owner, [{ kind: 'ssn', value: '078-05-1120' }])).rejects.toMatchObject({
      code: 'VAULT_UNAVAILABLE',
    })
    expect(failures).toMatchObject([{ code: 'STORE_FAILED' }])
    await unchecked.close()
  })

  test.each([
    ['a write', (path: string) => recording(path)],
    ['a read', null],
  ])('that was too large to be read at the start: %s that meets the damage ends all writing', async (_what, write) => {
    const path = await damaged('kyc_relay_verifications')
    const failures: StorageError[] = []
    const checkUpToBytes = statSync(path).size - 1
    const storage = await createSqliteStorage({ path }, { checkUpToBytes, onFailure: (error) => failures.push(error) })
    const meeting =
      write === null ? storage.verifications.findKycStatus('nobody') : storage.verifications.record(write('new'))
    await expect(meeting).rejects.toMatchObject({ code: 'STORE_FAILED' })
    expect(failures).toMatchObject([{ code: 'STORE_FAILED', retryable: false, driverCode: 'SQLITE_CORRUPT' }])
    await expect(storage.webhooks.registerEndpoint(endpoint('a'), 50)).rejects.toMatchObject({ code: 'STORE_FAILED' })
    expect(failures).toHaveLength(1)
    await storage.close()
  })

  test('is restored from a backup as docs/operate.md says', async () => {
    const path = join(testFolder(), 'kyc.db')
    await recordSome(path, 0, 10)
    const database = new Database(path)
    await database.backup(`${path}.backup`)
    database.close()
    await recordSome(path, 10, 20)
    damage(path, 'kyc_relay_verifications')
    await expect(createSqliteStorage({ path })).rejects.toMatchObject({ code: 'DATABASE_DAMAGED' })
    for (const end of ['', '-wal', '-shm', '.commits']) rmSync(`${path}${end}`, { force: true })
    copyFileSync(`${path}.backup`, path)
    expect(await recorded(path)).toBe(10)
  })
})

describe('files of a database after a kill', () => {
  const ends = ['', '-wal', '-shm', '.commits']

  /** A copy of the files in the middle of the work, as a kill leaves them: 10 checkpointed, 10 in the WAL. */
  async function killed(): Promise<string> {
    const folder = testFolder()
    const path = join(folder, 'kyc.db')
    await recordSome(path, 0, 10)
    const storage = await createSqliteStorage({ path })
    for (let n = 10; n < 20; n++) await storage.verifications.record(recording(`s${n}`))
    const left = join(folder, 'left.db')
    for (const end of ends) copyFileSync(`${path}${end}`, `${left}${end}`)
    await storage.close()
    return left
  }

  test('as they are: everything is there', async () => {
    expect(await recorded(await killed())).toBe(20)
  })

  test.each([
    ['gone', (path: string) => rmSync(path)],
    ['cut off', (path: string) => truncateSync(path, 100)],
    ['full of something else', (path: string) => writeFileSync(path, Buffer.alloc(32_768, 0xa5))],
  ])('with a shared-memory file that is %s: everything is there', async (_what, change) => {
    const path = await killed()
    change(`${path}-shm`)
    expect(await recorded(path)).toBe(20)
  })

  const losses: readonly (readonly [string, (path: string) => void])[] = [
    ['a WAL that is gone', (path) => rmSync(`${path}-wal`)],
    ['a WAL that is empty', (path) => truncateSync(`${path}-wal`, 0)],
    ['a WAL that is cut off', (path) => truncateSync(`${path}-wal`, statSync(`${path}-wal`).size - 5_000)],
    ['a WAL full of something else', (path) => writeFileSync(`${path}-wal`, Buffer.alloc(32_768, 0xa5))],
    ['a file that is gone, its WAL beside it', (path) => rmSync(path)],
    ['a file that is empty, its WAL beside it', (path) => truncateSync(path, 0)],
    [
      'a file that is gone with its WAL',
      (path) => {
        rmSync(path)
        rmSync(`${path}-wal`)
      },
    ],
    [
      'a file and a WAL that nothing remembers, and the file is empty',
      (path) => {
        truncateSync(path, 0)
        rmSync(`${path}.commits`)
      },
    ],
  ]

  test.each(losses)(
    'with %s: refused and not touched, and everything is there when it is back',
    async (_what, lose) => {
      const path = await killed()
      for (const end of ends) copyFileSync(`${path}${end}`, `${path}.kept${end}`)
      lose(path)
      rmSync(`${path}-shm`)
      const before = filesOf(path)
      await expect(createSqliteStorage({ path })).rejects.toMatchObject({ code: 'COMMITS_MISSING', retryable: false })
      expect(filesOf(path)).toEqual(before)
      for (const end of ends) renameSync(`${path}.kept${end}`, `${path}${end}`)
      expect(await recorded(path)).toBe(20)
    },
  )

  test('an older copy of the file is refused, until what remembers the newer one is removed', async () => {
    const path = join(testFolder(), 'kyc.db')
    await recordSome(path, 0, 10)
    copyFileSync(path, `${path}.older`)
    await recordSome(path, 10, 20)
    copyFileSync(`${path}.older`, path)
    await expect(createSqliteStorage({ path })).rejects.toMatchObject({ code: 'COMMITS_MISSING' })
    rmSync(`${path}.commits`)
    expect(await recorded(path)).toBe(10)
  })

  test('without its WAL and what remembers it: the last checkpoint, whole', async () => {
    const path = await killed()
    for (const end of ['-wal', '-shm', '.commits']) rmSync(`${path}${end}`)
    expect(await recorded(path)).toBe(10)
  })

  test.each(['', '0', 'x'.repeat(17), '000000000000000'])('a power cut left %j of what remembers it', async (text) => {
    const path = await killed()
    writeFileSync(`${path}.commits`, text)
    expect(await recorded(path)).toBe(20)
    expect(readFileSync(`${path}.commits`, 'utf8')).toMatch(/^0{14}\d\d\n$/)
  })

  test('a vault without its WAL is refused too', async () => {
    const path = join(testFolder(), 'vault.db')
    const cipher = createLocalCipher({ keys: parseKeyFile(auditKeyFile) })
    const vault = await createSqliteVault({ path }, { cipher })
    await vault.tokenize({ appId: uuid('app'), userId: uuid('user') }, [{ kind: 'ssn', value: '078-05-1120' }])
    const left = `${path}.left`
    for (const end of ['', '.vault-commits']) copyFileSync(`${path}${end}`, `${left}${end}`)
    await vault.close()
    await expect(createSqliteVault({ path: left }, { cipher })).rejects.toMatchObject({ code: 'COMMITS_MISSING' })
  })
})

describe('what counts commits', () => {
  test('is refused if it cannot be read, because lost commits would go unnoticed', async () => {
    const path = join(testFolder(), 'kyc.db')
    await recordSome(path, 0, 1)
    rmSync(`${path}.commits`)
    mkdirSync(`${path}.commits`)
    await expect(createSqliteStorage({ path })).rejects.toMatchObject({
      code: 'DATABASE_UNUSABLE',
      driverCode: 'EISDIR',
    })
  })

  test('writes nothing for a transaction that changes nothing', async () => {
    const path = join(testFolder(), 'kyc.db')
    const storage = await createSqliteStorage({ path })
    await storage.verifications.record(submission('one'))
    const before = filesOf(path)
    await storage.verifications.record(submission('one'))
    expect(filesOf(path)).toEqual(before)
    await storage.close()
  })

  test('refuses nobody who opened, read, checkpointed or closed the file with another program', async () => {
    const path = join(testFolder(), 'kyc.db')
    const storage = await createSqliteStorage({ path })
    for (let n = 0; n < 20; n++) await storage.verifications.record(recording(`s${n}`))
    const left = `${path}.left`
    for (const end of ['', '-wal', '.commits']) copyFileSync(`${path}${end}`, `${left}${end}`)
    await storage.close()
    const other = new Database(left)
    other.pragma('wal_checkpoint(TRUNCATE)')
    other.exec('VACUUM')
    other.close()
    expect(existsSync(`${left}-wal`)).toBe(false)
    expect(await recorded(left)).toBe(20)
  })

  test('refuses nobody after kills, two processes writing at a time', async () => {
    const path = join(testFolder(), 'kyc.db')
    const program = compileProgram(`
import { createSqliteStorage } from '#src/sqlite/index.ts'
import { submission, uuid } from '#test/samples.ts'
const [path, who] = process.argv.slice(2)
const storage = await createSqliteStorage({ path })
for (let n = 0; ; n++) {
  await storage.verifications.record(submission(who + n, { key: { userId: uuid(who + n) } }))
  console.log('recorded ' + n)
}`)
    for (let round = 0; round < 4; round++) {
      const writers = ['a', 'b'].map((name) => startProgram(program, [path, `${name}${round}-`]))
      await Promise.all(writers.map((writer) => writer.line(`recorded ${10 + 7 * round}`)))
      for (const writer of writers) writer.kill('SIGKILL')
      await Promise.all(writers.map((writer) => writer.ended))
      const storage = await createSqliteStorage({ path })
      const answered = writers.flatMap(({ lines }, index) =>
        lines.map((_, n) => recording(`${'ab'[index]}${round}-${n}`).key.externalVerificationId),
      )
      const database = new Database(path, { readonly: true })
      const find = database.prepare('SELECT 1 FROM kyc_relay_verifications WHERE external_verification_id = ?')
      expect(answered.filter((id) => find.get(id) === undefined)).toEqual([])
      database.close()
      await storage.close()
    }
  })
})
