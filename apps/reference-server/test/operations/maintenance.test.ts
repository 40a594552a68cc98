import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  addSealKey,
  createKeyFile,
  createLocalAuditSeal,
  createLocalCipher,
  parseKeyFile,
} from '@kyc-relay/kyc-core/node'
import { createSqliteStorage } from '@kyc-relay/storage-drizzle/sqlite'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { readCheckpoints } from '../../src/operations/audit/checkpoint-file.js'
import { createApiKeys } from '../../src/identity/api-keys.js'
import { wrappingKeyIdOf } from '../../src/identity/sealed-api-key.js'
import { parseEnv } from '../../src/env.js'
import { createLog, type LogFields } from '../../src/operations/log.js'
import { startServer } from '../../src/server.js'
import { openStorage } from '../../src/wiring/storage.js'
import { createMaintenance } from '../../src/operations/maintenance/maintenance.js'
import { rewrapApiKeys } from '../../src/operations/maintenance/rewrap-api-keys.js'
import { startPostgres } from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'
import { event } from '../../../../packages/storage-drizzle/test/samples.js'

const now = () => new Date('2026-01-01T00:00:00Z')
const keyFile = createKeyFile({ randomBytes, now: now() })
const rotated = addSealKey(keyFile, { randomBytes, now: now() })

function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kyc-relay-maintenance-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Maintenance whose jobs have nothing to do, its log and its timers in hand. */
async function startMaintenance(changes: Partial<Parameters<typeof createMaintenance>[0]>) {
  const folder = testFolder()
  const cipher = createLocalCipher({ keys: parseKeyFile(keyFile) })
  const seal = createLocalAuditSeal({ keys: parseKeyFile(keyFile) })
  const urls = { databaseUrl: `file:${folder}/kyc.db`, vaultDatabaseUrl: `file:${folder}/vault.db` }
  const storage = await openStorage(urls, { cipher, audit: seal }, () => undefined)
  onTestFinished(() => storage.close())
  const lines: [string, LogFields][] = []
  const write = (message: string, fields: LogFields = {}) => void lines.push([message, fields])
  const timers: { callback: () => void; ms: number }[] = []
  const maintenance = createMaintenance({
    writeCheckpoints: () => Promise.resolve(0),
    vault: storage.vault,
    tokenPurge: { run: () => Promise.resolve() },
    oldRows: { retention: storage.retention, portalSessions: storage.portalSessions },
    recoverEvents: () => Promise.resolve(0),
    recoveryPauseMs: 15,
    onEnded: () => undefined,
    publishStatusChanges: null,
    rewrapHeaders: () => Promise.resolve({ rewrapped: 0, remaining: 0 }),
    apiKeys: { directory: storage.apps, cipher, now },
    nowMs: () => 0,
    log: { info: write, warn: write, error: write },
    schedule(callback, ms) {
      timers.push({ callback, ms })
      return () => undefined
    },
    ...changes,
  })
  maintenance.start()
  onTestFinished(() => maintenance.stop())
  return { lines, timers, maintenance }
}

it('audit checkpoints are written at the start, every five minutes, and also after a time that failed', async () => {
  let written = 0
  const ended: [string, boolean][] = []
  const { lines, timers } = await startMaintenance({
    onEnded: (...one) => void ended.push(one),
    writeCheckpoints() {
      written += 1
      return written === 1 ? Promise.reject(new Error('canary of a path')) : Promise.resolve(1)
    },
  })
  expect(written).toBe(1)
  const fiveMinutes = () => timers.filter(({ ms }) => ms === 300_000)
  for (const round of [1, 2]) {
    await expect.poll(() => fiveMinutes().length).toBe(round)
    fiveMinutes().at(-1)?.callback()
    expect(written).toBe(round + 1)
  }
  expect(lines).toContainEqual(['maintenance failed', { job: 'write audit checkpoints', code: 'UNEXPECTED' }])
  expect(JSON.stringify(lines)).not.toContain('canary')
  expect(ended.filter(([job]) => job === 'write audit checkpoints').slice(0, 2)).toEqual([
    ['write audit checkpoints', true],
    ['write audit checkpoints', false],
  ])
})

it('a running recovery has the pause of the operator between two steps, and a look every two seconds when none runs', async () => {
  const steps = [1, 1, 0]
  const { timers } = await startMaintenance({ recoverEvents: () => Promise.resolve(steps.shift() ?? 0) })
  const pauses = () => timers.filter(({ ms }) => ms === 15)
  for (const round of [1, 2]) {
    await expect.poll(() => pauses().length).toBe(round)
    pauses().at(-1)?.callback()
  }
  // Recoveries and changes of statuses.
  await expect.poll(() => timers.filter(({ ms }) => ms === 2000).length).toBe(2)
  expect(steps).toEqual([])
})

it.each([
  ['data keys re-wrapped', 're-wrap data keys'],
  ['API keys re-wrapped', 're-wrap API keys'],
  ['static headers re-wrapped', 're-wrap static headers'],
] as const)('a rotation ends with the line “%s”, which says that none remains', async (message, job) => {
  const remaining = [2, 1, 0]
  const row = (version: number) => ({
    appId: 'app',
    version,
    hash: new Uint8Array(32),
    createdAt: now(),
    signsFrom: now(),
    retiredAt: null,
  })
  const old = createLocalCipher({ keys: parseKeyFile(keyFile) })
  const cipher = createLocalCipher({ keys: parseKeyFile(rotated) })
  const rows = await Promise.all(
    [1, 2, 3].map(async (version) => {
      const context = { purpose: 'api_key', appId: 'app', version: String(version) }
      const dataKey = await old.createDataKey(context)
      const sealed = JSON.stringify({ ...dataKey, dataKey: Buffer.from(dataKey.bytes).toString('base64'), sealed: '' })
      return { ...row(version), sealed: Buffer.from(sealed) }
    }),
  )
  const directory = { pageApiKeys: () => Promise.resolve(rows), replaceSealedApiKey: () => Promise.resolve(true) }
  const { lines } = await startMaintenance({
    vault: {
      rewrapDataKeys: () =>
        Promise.resolve({ rewrapped: remaining.length > 0 ? 1 : 0, remaining: remaining.shift() ?? 0 }),
    },
    apiKeys: {
      directory: directory as unknown as Parameters<typeof createMaintenance>[0]['apiKeys']['directory'],
      cipher,
      now,
    },
    rewrapHeaders: () => Promise.resolve({ rewrapped: 3, remaining: 0 }),
  })
  await expect
    .poll(() => lines.filter(([text]) => text === message))
    .toEqual([[message, { job, count: 3, remaining: 0, durationMs: 0 }]])
})

it('a server that stops writes audit checkpoints once more, and one that only listens does not', async () => {
  const dataDir = testFolder()
  const checkpoints = join(dataDir, 'checkpoints.jsonl')
  const start = (role: string) => {
    const ports = { PORT: '0', INTERNAL_PORT: '0', SECURE_PORT: '0' }
    const env = parseEnv({ ...ports, DATA_DIR: dataDir, AUDIT_CHECKPOINTS: checkpoints, ROLE: role })
    return startServer(env, createLog({ logLevel: 'error' }, { write: () => undefined }))
  }
  const first = await start('all')
  await expect.poll(() => existsSync(checkpoints)).toBe(true)
  const atStart = readFileSync(checkpoints, 'utf8')
  const addApp = async (name: string) => {
    // As a process beside this one would: the log of the stores grows.
    const keys = parseKeyFile(readFileSync(join(dataDir, 'keys.json'), 'utf8'))
    const cipher = createLocalCipher({ keys })
    const urls = { databaseUrl: `file:${dataDir}/kyc.db`, vaultDatabaseUrl: `file:${dataDir}/vault.db` }
    const storage = await openStorage(urls, { cipher, audit: createLocalAuditSeal({ keys }) }, () => undefined)
    await createApiKeys({ directory: storage.apps, cipher, now }).createApp({ appId: randomUUID(), name })
    const heads = await storage.audit?.listHeads()
    await storage.close()
    return heads?.[0]?.sequence ?? 0
  }
  const sequence = await addApp('Later')
  expect(readFileSync(checkpoints, 'utf8')).toBe(atStart)
  await first.stop('TEST')
  const newest = (await readCheckpoints(checkpoints))?.checkpoints.at(-1)
  expect(newest).toMatchObject({ log: 'stores', sequence })

  const listening = await start('api')
  await addApp('Latest')
  const before = readFileSync(checkpoints, 'utf8')
  await listening.stop('TEST')
  expect(readFileSync(checkpoints, 'utf8')).toBe(before)
})

it.each([
  ['', ['gone', 'kept']],
  ['2', ['gone', 'gone']],
])('of events that ended 40 and 3 days ago BODY_RETENTION_DAYS=%s leaves these bodies: %j', async (days, expected) => {
  const dataDir = testFolder()
  const path = join(dataDir, 'kyc.db')
  for (const [name, age] of [
    ['older', 40],
    ['newer', 3],
  ] as const) {
    const clock = () => new Date(Date.now() - age * 86_400_000)
    const storage = await createSqliteStorage({ path }, { clock })
    await storage.webhooks.insertEvent(event(name, []))
    await storage.close()
  }
  const ports = { PORT: '0', INTERNAL_PORT: '0', SECURE_PORT: '0' }
  const env = parseEnv({ ...ports, DATA_DIR: dataDir, BODY_RETENTION_DAYS: days })
  const lines: string[] = []
  const log = createLog({ logLevel: 'info' }, { write: (line) => void lines.push(line) })
  const server = await startServer(env, log)
  onTestFinished(() => server.stop('TEST'))
  await expect.poll(() => lines.some((line) => line.includes('old rows removed'))).toBe(true)
  const database = new Database(path, { readonly: true })
  onTestFinished(() => void database.close())
  const bodies = database
    .prepare<[], Buffer | null>('SELECT body FROM kyc_relay_events ORDER BY created_at')
    .pluck()
    .all()
  expect(bodies.map((body) => (body === null ? 'gone' : 'kept'))).toEqual(expected)
})

it('a server whose checkpoints cannot be written stops all the same, and says so', async () => {
  const dataDir = testFolder()
  const lines: string[] = []
  const env = parseEnv({
    PORT: '0',
    INTERNAL_PORT: '0',
    SECURE_PORT: '0',
    DATA_DIR: dataDir,
    AUDIT_CHECKPOINTS: join(dataDir, 'missing', 'checkpoints.jsonl'),
  })
  const server = await startServer(env, createLog({ logLevel: 'info' }, { write: (line) => void lines.push(line) }))
  await server.stop('TEST')
  expect(lines.filter((line) => line.includes('audit checkpoints not written'))).toHaveLength(1)
  expect(lines.join('')).not.toContain(dataDir)
})

it.each(['sqlite', 'postgres'] as const)(
  'API keys move under a new wrapping key on %s, resumed after a stop, beside another process, and stay the same',
  async (engine) => {
    const folder = testFolder()
    const server = engine === 'postgres' ? await startPostgres() : null
    if (server !== null) onTestFinished(() => server.stop())
    const databaseUrl = (await server?.createDatabase()) ?? `file:${folder}/kyc.db`
    const urls = { databaseUrl, vaultDatabaseUrl: `file:${folder}/vault.db` }
    const seal = createLocalAuditSeal({ keys: parseKeyFile(keyFile) })
    const before = createLocalCipher({ keys: parseKeyFile(keyFile) })
    const after = createLocalCipher({ keys: parseKeyFile(rotated) })
    const storage = await openStorage(urls, { cipher: after, audit: seal }, () => undefined)
    onTestFinished(() => storage.close())
    const directory = storage.apps
    const apiKeys = createApiKeys({ directory, cipher: before, now })
    const appIds = Array.from({ length: 450 }, () => randomUUID())
    const made = new Map<string, string>()
    for (const appId of appIds) made.set(appId, (await apiKeys.createApp({ appId, name: 'Example' })).apiKey)

    const deps = { directory, cipher: after, now }
    let looks = 0
    const progress: number[] = []
    const first = await rewrapApiKeys(
      deps,
      () => (looks += 1) <= 130,
      (rewrapped) => void progress.push(rewrapped),
    )
    expect(first).toEqual({ rewrapped: 130, remaining: 320 })
    expect(progress).toEqual([130, 130, 130])
    const [one, other] = await Promise.all([rewrapApiKeys(deps), rewrapApiKeys(deps)])
    expect([one.rewrapped + other.rewrapped, one.remaining, other.remaining]).toEqual([320, 0, 0])
    expect(await rewrapApiKeys(deps)).toEqual({ rewrapped: 0, remaining: 0 })

    const whole = JSON.parse(rotated) as { keys: { id: string; purpose: string }[] }
    const current = await after.currentKeyId()
    const stored = await directory.listApiKeys(appIds, now())
    expect(new Set(stored.map(wrappingKeyIdOf))).toEqual(new Set([current]))
    const alone = { ...whole, keys: whole.keys.filter(({ id, purpose }) => purpose !== 'seal' || id === current) }
    const cipher = createLocalCipher({ keys: parseKeyFile(JSON.stringify(alone)) })
    const signing = await createApiKeys({ directory, cipher, now }).current(appIds)
    expect(signing.map((key) => key?.key)).toEqual(appIds.map((appId) => made.get(appId)))
    expect(await createApiKeys({ directory, cipher, now }).findDamaged(new Set())).toEqual([])
    const former = createApiKeys({ directory, cipher: before, now }).findDamaged(new Set())
    await expect(former).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
  },
)

it('a key file that lacks the key of one app in the middle is found out at the start', async () => {
  const folder = testFolder()
  const urls = { databaseUrl: `file:${folder}/kyc.db`, vaultDatabaseUrl: `file:${folder}/vault.db` }
  const keys = parseKeyFile(keyFile)
  const cipher = createLocalCipher({ keys })
  const storage = await openStorage(urls, { cipher, audit: createLocalAuditSeal({ keys }) }, () => undefined)
  onTestFinished(() => storage.close())
  const stranger = createLocalCipher({ keys: parseKeyFile(createKeyFile({ randomBytes, now: now() })) })
  const directory = storage.apps
  for (const [index, sealing] of [cipher, stranger, cipher].entries()) {
    const appId = `00000000-0000-7000-8000-00000000000${index}`
    await createApiKeys({ directory, cipher: sealing, now }).createApp({ appId, name: 'Example' })
  }
  const looking = createApiKeys({ directory, cipher, now }).findDamaged(new Set())
  await expect(looking).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
  await expect(rewrapApiKeys({ directory, cipher, now })).rejects.toMatchObject({ code: 'KEY_UNKNOWN' })
})
