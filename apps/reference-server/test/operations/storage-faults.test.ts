import { spawnSync } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { Agent, request } from 'undici'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startServerProcess, type ServerProcess } from '../processes/server-process.js'
import { submissionDocument, submissionVariables } from '../running-server.js'
import { canMount, smallVolume } from '../../../../packages/storage-drizzle/test/engine/sqlite/small-volume.js'

// Every case starts processes of the built server: a busy machine takes seconds for each.
vi.setConfig({ testTimeout: 120_000 })

let dataDir: string
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-storage-faults-'))
  // Not `dataDir`, which a test may set to another folder.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  dataDir = folder
})

async function start(variables: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServerProcess(dataDir, variables)
  onTestFinished(async () => void (await server.end('SIGKILL')))
  return server
}

/** Calls that answer null where the connection was cut off. */
function callsTo({ demo }: ServerProcess) {
  const agent = new Agent({ connect: { ca: readFileSync(demo.caFile, 'utf8') } })
  onTestFinished(() => agent.destroy())
  const [user] = demo.users
  async function call(url: string, token: string | null, body?: unknown) {
    try {
      const answer = await request(url, {
        dispatcher: agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: answer.statusCode, text: await answer.body.text() }
    } catch {
      return null
    }
  }
  return {
    isReady: async () => (await call(`${demo.apiUrl}/readyz`, null))?.status === 200,
    /** The verification id of the answer, null where there was none. */
    async submit(externalVerificationId: string): Promise<string | null> {
      const answer = await call(`${demo.secureUrl}/api/v1/graphql`, user?.accessToken ?? '', {
        query: submissionDocument,
        variables: submissionVariables({ externalVerificationId }),
      })
      return /"verificationId":"([^"]+)"/.exec(answer?.text ?? '')?.[1] ?? null
    },
    /** The event id of the answer, null where there was none. */
    async publish(sourceEventId: string): Promise<string | null> {
      const answer = await call(`${demo.internalUrl}/internal/v1/events`, demo.internalToken, {
        appId: user?.appId,
        userId: user?.userId,
        eventType: 'WIDGET_DEPOSIT_COMPLETE',
        data: { amount: 100.5 },
        sourceEventId,
      })
      return answer?.status === 202 ? (/"eventId":"([^"]+)"/.exec(answer.text)?.[1] ?? null) : null
    },
  }
}

const exitOf = (server: ServerProcess) =>
  new Promise<number | null>((resolve) => server.process.once('close', (code) => resolve(code)))

const inDataDir = (name: string) => join(dataDir, name)

describe('a disk that fails to sync', () => {
  const compiler = ['cc', 'gcc', 'clang'].find((name) => spawnSync(name, ['--version']).status === 0)
  const canFail = process.platform === 'linux' && compiler !== undefined
  if (!canFail)
    process.stderr.write('A FAILED FSYNC IS NOT TESTED HERE: it takes Linux and a C compiler to make a sync fail.\n')

  /** A library that makes syncs of database files fail. */
  function compileFailingSync(): string {
    const library = inDataDir('failing-sync.so')
    const source = fileURLToPath(new URL('./failing-sync.c', import.meta.url))
    const compiled = spawnSync(compiler ?? '', ['-shared', '-fPIC', '-o', library, source, '-ldl'], {
      encoding: 'utf8',
    })
    if (compiled.status !== 0) throw new Error(`the library was not compiled: ${compiled.stderr}`)
    return library
  }

  it.skipIf(!canFail).each([
    ['in the thread', 60],
    ['where the WAL is too long to leave it to the thread', 100],
  ])('ends it as well when the sync of a checkpoint fails, of which no commit hears: %s', async (_where, megabytes) => {
    const flag = inDataDir('sync-fails')
    const preload = { LD_PRELOAD: compileFailingSync(), SYNC_FAILS: flag, SYNC_FAILS_OF: 'kyc.db' }
    const server = await start(preload)
    const { submit } = callsTo(server)
    const answered = new Map<string, string | null>()
    for (const id of ['one', 'two', 'three']) answered.set(id, await submit(id))
    expect([...answered.values()]).not.toContain(null)
    // Enough in the WAL that a checkpoint is due after the next commit of the server.
    const other = new Database(inDataDir('kyc.db'))
    other.pragma('wal_autocheckpoint = 0')
    other.exec('CREATE TABLE filler (bytes BLOB)')
    for (let megabyte = 0; megabyte < megabytes; megabyte += 1)
      other.exec('INSERT INTO filler VALUES (randomblob(1000000))')
    other.close()

    const ended = exitOf(server)
    writeFileSync(flag, '')
    // Its commit is in the WAL, which can be synced: it is answered, unless the end of the process cuts it off.
    const last = await submit('last')
    expect(await ended).toBe(70)
    expect(readFileSync(flag, 'utf8')).toBe('kyc.db\n')

    rmSync(flag)
    const next = callsTo(await start())
    if (last !== null) answered.set('last', last)
    for (const [id, verificationId] of answered) expect(await next.submit(id)).toBe(verificationId)
  })

  it.skipIf(!canFail).each(['kyc.db', 'vault.db'] as const)(
    'ends the process at once, with no second try, and costs nothing that was answered: %s',
    async (name) => {
      const flag = inDataDir('sync-fails')
      const first = await start({ LD_PRELOAD: compileFailingSync(), SYNC_FAILS: flag })
      const calls = callsTo(first)
      const answered = new Map<string, string | null>()
      for (const id of ['one', 'two', 'three']) answered.set(id, await calls.submit(id))
      const event = await calls.publish('before')
      expect([...answered.values(), event]).not.toContain(null)

      const ended = exitOf(first)
      writeFileSync(flag, '')
      const write = name === 'kyc.db' ? calls.publish : calls.submit
      const refused = await Promise.all(Array.from({ length: 8 }, (_, n) => write(`failing-${n}`)))
      expect(new Set(refused)).toEqual(new Set([null]))
      expect(await ended).toBe(70)
      expect(first.output()).toContain('"the database failed; ending"')
      expect(readFileSync(flag, 'utf8')).toBe(`${name}-wal\n`)

      rmSync(flag)
      const second = await start()
      const again = callsTo(second)
      for (const [id, verificationId] of answered) expect(await again.submit(id)).toBe(verificationId)
      expect(await again.publish('before')).toBe(event)
      expect(await again.submit('four')).not.toBeNull()
      expect(await again.isReady()).toBe(true)
      for (const each of ['kyc.db', 'vault.db']) {
        const database = new Database(inDataDir(each), { readonly: true })
        expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
        database.close()
      }
      expect((await second.end('SIGTERM')).code).toBe(0)
    },
  )
})

describe('a database file that is damaged', () => {
  function damage(name: string, table: string): void {
    const database = new Database(inDataDir(name))
    database.pragma('wal_checkpoint(TRUNCATE)')
    const find = database.prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE tbl_name = ?').pluck()
    const pages = find.all(table)
    database.close()
    const file = openSync(inDataDir(name), 'r+')
    for (const page of pages) writeSync(file, Buffer.alloc(4_096, 0xa5), 0, 4_096, (page - 1) * 4_096)
    closeSync(file)
  }

  it('is refused at the start, and serves again after the restore that docs/operate.md describes', async () => {
    const first = await start()
    const verificationId = await callsTo(first).submit('before')
    const database = new Database(inDataDir('kyc.db'))
    await database.backup(inDataDir('backup'))
    database.close()
    await callsTo(first).submit('after')
    expect((await first.end('SIGTERM')).code).toBe(0)
    damage('kyc.db', 'kyc_relay_kyc_status_corrections')
    await expect(start()).rejects.toThrow(
      'served: DATABASE_URL (default: kyc.db in DATA_DIR): The database file is damaged',
    )
    // Who knows better may start without the check, as long as nothing that the start reads is damaged.
    const unchecked = await start({ SQLITE_CHECK_UP_TO_MB: '0' })
    expect(await unchecked.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' })

    for (const file of readdirSync(dataDir)) if (file.startsWith('kyc.db')) rmSync(inDataDir(file))
    copyFileSync(inDataDir('backup'), inDataDir('kyc.db'))
    const restored = await start()
    expect(await callsTo(restored).submit('before')).toBe(verificationId)
    expect((await restored.end('SIGTERM')).code).toBe(0)
  })

  it.each([
    ['kyc.db', 'kyc_relay_events'],
    ['vault.db', 'kyc_relay_vault_tokens'],
  ])('ends the process with exit code 70 when it is met at work: %s', async (name, table) => {
    const server = await start()
    const ended = exitOf(server)
    damage(name, table)
    const { publish, submit } = callsTo(server)
    expect(await (name === 'kyc.db' ? publish : submit)('one')).toBeNull()
    expect(await ended).toBe(70)
    expect(server.output()).toContain('"code":"STORE_FAILED","msg":"the database failed; ending"')
  })
})

describe('database files that are replaced under a running server', () => {
  // The tests of the storage package replace a file in each way. Here each database meets one.
  it.each<[name: string, setting: string, what: string, replace: (path: string) => void]>([
    [
      'kyc.db',
      'DATABASE_URL',
      'by a copy',
      (path) => {
        copyFileSync(path, `${path}.copy`)
        renameSync(`${path}.copy`, path)
      },
    ],
    ['vault.db', 'VAULT_DATABASE_URL', 'by nothing: the WAL is removed', (path) => rmSync(`${path}-wal`)],
  ])('end it with exit code 70 and a line that says so: %s of %s %s', async (name, setting, _what, replace) => {
    const server = await start()
    const { publish, submit } = callsTo(server)
    expect(await submit('before')).not.toBeNull()
    const ended = exitOf(server)
    replace(inDataDir(name))
    // A write looks at the files, at most once a second. Until then writes go to the files that were open.
    let isOver = false
    void ended.then(() => (isOver = true))
    for (let n = 0; !isOver && n < 20_000; n += 1) await (name === 'kyc.db' ? publish : submit)(`after-${n}`)
    expect(await ended).toBe(70)
    expect(server.output()).toContain(
      `"detail":"${setting}","code":"FILES_REPLACED","msg":"the database files were removed or replaced; ending"`,
    )
  })
})

const mayMount = canMount()
if (!mayMount)
  process.stderr.write('A SMALL VOLUME IS NOT TESTED HERE: it takes Linux and root to mount a small volume.\n')

it.skipIf(!mayMount)('on a small volume the server takes, refuses and starts as there is space', async () => {
  const volume = smallVolume(48)
  dataDir = join(volume.folder, 'data')
  const server = await start({ MIN_FREE_DISK_MB: '0' })
  const { submit } = callsTo(server)
  const answered = new Map<string, string | null>()
  for (let n = 0; n < 100; n += 1) answered.set(`early-${n}`, await submit(`early-${n}`))
  expect([...answered.values()]).not.toContain(null)

  // Somebody else takes what is left: first the space of the WALs is used, then submissions are refused.
  volume.fill()
  let refused = 0
  for (let n = 0; refused < 3 && n < 3_000; n += 1) {
    const verificationId = await submit(`full-${n}`)
    if (verificationId === null) refused += 1
    else answered.set(`full-${n}`, verificationId)
    volume.fill()
  }
  expect(refused).toBe(3)
  await server.end('SIGKILL')

  const again = await start({ MIN_FREE_DISK_MB: '0' })
  // On the full disk demo.json stays that of the first start: the ports are those of the log.
  const portOf = (name: string) => new RegExp(`"listener":"${name}","port":(\\d+)`).exec(again.output())?.[1] ?? ''
  const demo = {
    ...again.demo,
    apiUrl: `http://127.0.0.1:${portOf('api')}`,
    secureUrl: `https://localhost:${portOf('secure')}`,
  }
  const calls = callsTo({ ...again, demo })
  volume.makeRoom()
  await expect.poll(calls.isReady, { timeout: 10_000 }).toBe(true)
  for (const [id, verificationId] of answered) expect(await calls.submit(id)).toBe(verificationId)
  expect(await calls.submit('later')).not.toBeNull()
  expect((await again.end('SIGTERM')).code).toBe(0)
})

it('a WAL that is gone is refused at the start, and nothing is lost when it is back', async () => {
  const first = await start()
  const verificationId = await callsTo(first).submit('one')
  expect(verificationId).not.toBeNull()
  await first.end('SIGKILL')
  for (const [name, variable] of [
    ['kyc.db', 'DATABASE_URL'],
    ['vault.db', 'VAULT_DATABASE_URL'],
  ]) {
    renameSync(inDataDir(`${name}-wal`), inDataDir('elsewhere'))
    await expect(start()).rejects.toThrow(
      `served: ${variable} (default: ${name} in DATA_DIR): The database has lost commits`,
    )
    renameSync(inDataDir('elsewhere'), inDataDir(`${name}-wal`))
  }
  const second = await start()
  expect(await callsTo(second).submit('one')).toBe(verificationId)
  expect((await second.end('SIGTERM')).code).toBe(0)
})
