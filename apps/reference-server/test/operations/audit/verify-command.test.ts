import { randomBytes } from 'node:crypto'
import {
  closeSync,
  openSync,
  writeSync,
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyFile, createLocalAuditSeal, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import type { StoredVault } from '@kyc-relay/storage-drizzle/internal'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createCheckpointWriter, readCheckpoints } from '../../../src/operations/audit/checkpoint-file.js'
import { runVerifyCommand } from '../../../src/operations/audit/verify-command.js'
import { openAuditLogs } from '../../../src/wiring/audit-logs.js'
import { openAuditLog, openStorage } from '../../../src/wiring/storage.js'

const keyFile = createKeyFile({ randomBytes, now: new Date(0) })
const keys = parseKeyFile(keyFile)
const seal = createLocalAuditSeal({ keys })
const owner = { appId: 'a', userId: 'u' }
const why = { owner, actor: 'ops@example.com', purpose: 'case 1' }
const now = () => new Date('2026-01-02T03:04:05.678Z')

let folder: string
let checkpointPath: string
let storage: Awaited<ReturnType<typeof openStorage>>
let vault: StoredVault
let printed: string[]
let warned: string[]
const url = (name: string) => `file:${join(folder, name)}`

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kyc-relay-audit-'))
  checkpointPath = join(folder, 'checkpoints.jsonl')
  const databases = { databaseUrl: url('kyc.db'), vaultDatabaseUrl: url('vault.db') }
  storage = await openStorage(databases, { cipher: createLocalCipher({ keys }), audit: seal }, () => undefined)
  vault = storage.vault
  printed = []
  warned = []
})
afterEach(async () => {
  await storage.close()
  rmSync(folder, { recursive: true })
})

const writer = () => createCheckpointWriter({ path: checkpointPath, seal, logs: [storage.audit!, vault.audit!], now })

const run = (...parameters: string[]) =>
  runVerifyCommand(parameters, {
    open: () =>
      Promise.resolve({
        seal,
        logs: {
          stores: () => openAuditLog(url('kyc.db'), { log: 'stores', seal }, false),
          vault: () => openAuditLog(url('vault.db'), { log: 'vault', seal }, false),
        },
        checkpointPath,
        unknownSettings: [],
      }),
    readCheckpoints,
    nowMs: () => 0,
    print: (line) => printed.push(line),
    warn: (line) => warned.push(line),
  })

async function reveal(times: number): Promise<void> {
  const [ssn] = await vault.tokenize(owner, [{ kind: 'ssn', value: '078-05-1120' }])
  if (ssn?.kind !== 'ssn') throw new Error('no token')
  for (let time = 0; time < times; time++) await vault.reveal({ ...why, token: ssn.token })
}

function tamper(text: string): void {
  const database = new Database(join(folder, 'vault.db'))
  database.exec(text)
  database.close()
}

test('a truthful log is verified with exit code 0, and says when there is no checkpoint', async () => {
  await reveal(3)
  expect(await run('verify')).toBe(0)
  expect(printed).toHaveLength(2)
  expect(printed[1]).toMatch(/^vault: as it was written; begun .*, 4 entries, 6 rows looked at, 0 checkpoints$/)
  expect(warned).toHaveLength(2)
  await writer()()
  expect(await run('verify', '--json')).toBe(0)
  expect(warned).toHaveLength(2)
  expect(JSON.parse(printed[3] ?? '')).toMatchObject({ type: 'report', log: 'vault', checkpoints: 1, findings: 0 })
})

test('a setting with a misspelt name is named, because another database is verified', async () => {
  writeFileSync(join(folder, 'keys.json'), keyFile, { mode: 0o600 })
  const code = await runVerifyCommand(['verify'], {
    open: () => openAuditLogs({ DATA_DIR: folder, DATABASE_ULR: 'postgres://canary' }),
    readCheckpoints,
    nowMs: () => 0,
    print: (line) => printed.push(line),
    warn: (line) => warned.push(line),
  })
  expect([code, warned[0]]).toEqual([0, 'Unknown setting DATABASE_ULR: did you mean DATABASE_URL?'])
  expect(warned.join()).not.toContain('canary')
})

test('what was tampered with gives exit code 1 and a line with its place', async () => {
  await reveal(3)
  await writer()()
  tamper(
    'DELETE FROM kyc_relay_vault_audit_entries WHERE sequence = 4; DELETE FROM kyc_relay_vault_audit WHERE position = 3',
  )
  expect(await run('verify', '--log', 'vault')).toBe(1)
  expect(printed[0]).toBe(
    'CHAIN_CUT_OFF vault, chain 0, entry 4, to 4: The chain ends before this position: the newest entries were removed, or an older copy was restored.',
  )
  printed.length = 0
  expect(await run('verify', '--log', 'vault', '--json')).toBe(1)
  expect(JSON.parse(printed[0] ?? '')).toMatchObject({
    type: 'finding',
    code: 'CHAIN_CUT_OFF',
    log: 'vault',
    sequence: 4,
  })
})

test('checkpoints are appended for chains that grew, and a line cut short by a crash harms none', async () => {
  const write = writer()
  expect(await write()).toBe(2)
  expect(await write()).toBe(0)
  const whole = readFileSync(checkpointPath, 'utf8')
  appendFileSync(checkpointPath, whole.slice(0, 40))
  await reveal(1)
  expect(await write()).toBe(1)
  const file = await readCheckpoints(checkpointPath)
  expect(file).toMatchObject({ unreadableLines: 1, checkpoints: [{ sequence: 1 }, { sequence: 1 }, { sequence: 2 }] })
  expect(readFileSync(checkpointPath, 'utf8').startsWith(whole)).toBe(true)
  expect(await run('verify')).toBe(0)
  expect(warned).toEqual(['1 lines of checkpoints cannot be read.'])
})

test('a checkpoint that was made up is found', async () => {
  await writer()()
  writeFileSync(checkpointPath, readFileSync(checkpointPath, 'utf8').replaceAll('"sequence":1', '"sequence":2'))
  expect(await run('verify')).toBe(1)
  expect(printed[0]).toMatch(/^CHECKPOINT_CHANGED stores, chain 0, entry 2: .*or the key file does not hold its key\.$/)
})

test.each([
  [[], 'No command is given. The command is verify.'],
  [['check-canary'], 'The command is unknown. The command is verify.'],
  [['verify', 'canary'], 'There is an argument after verify. Name files with --checkpoints <file>.'],
  [['verify', '--log', 'canary'], '--log is stores or vault.'],
  [['verify', '--canary'], /^An option is unknown or lacks its value\. The options are --json, --log/],
  [['verify', '--checkpoints'], /^An option is unknown or lacks its value/],
])('%j is told on standard error what is wrong and how to call the command', async (parameters, problem) => {
  expect(await run(...parameters)).toBe(64)
  expect(warned[0]?.split('\n')[0]).toMatch(problem)
  expect(warned[0]).toContain('audit.js verify [--json]')
  expect(printed).toEqual([])
  expect(warned.join()).not.toContain('canary')
})

test.each([
  [[], 64],
  [['verify', 'more'], 64],
  [['verify', '--log', 'other'], 64],
  [['--help'], 0],
  [['verify', '--checkpoints', '/nowhere/checkpoints.jsonl'], 2],
])('%j ends with exit code %i', async (parameters, code) => {
  expect(await run(...parameters)).toBe(code)
})

test('a database that is not there ends with exit code 2, without its path', async () => {
  rmSync(join(folder, 'vault.db'))
  expect(await run('verify')).toBe(2)
  expect(warned.at(-1)).toMatch(
    /^VAULT_DATABASE_URL \(default: vault\.db in DATA_DIR, .*\): STORE_UNAVAILABLE: The file does not exist, /,
  )
  expect(warned.join()).not.toContain(folder)
})

test('a database server that does not answer is not called a missing file', async () => {
  const opening = () => openAuditLog('postgres://kyc@127.0.0.1:1/kyc', { log: 'stores', seal }, false)
  const code = await runVerifyCommand(['verify'], {
    open: () =>
      Promise.resolve({ seal, logs: { stores: opening, vault: opening }, checkpointPath, unknownSettings: [] }),
    readCheckpoints,
    nowMs: () => 0,
    print: (line) => printed.push(line),
    warn: (line) => warned.push(line),
  })
  expect([code, printed]).toEqual([2, []])
  expect(warned).toEqual([
    expect.stringMatching(/^DATABASE_URL .*: STORE_UNAVAILABLE, NOT_LISTENING: No server listens/),
  ])
})

test('a damaged database ends with exit code 2, by its setting', async () => {
  await reveal(3)
  const database = new Database(join(folder, 'vault.db'))
  database.pragma('wal_checkpoint(TRUNCATE)')
  const find = "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name LIKE '%audit_entries'"
  const page = database.prepare<[], number>(find).pluck().get() ?? 0
  database.close()
  const file = openSync(join(folder, 'vault.db'), 'r+')
  writeSync(file, Buffer.alloc(4_096, 0xa5), 0, 4_096, (page - 1) * 4_096)
  closeSync(file)
  expect(await run('verify', '--log', 'vault')).toBe(2)
  expect(warned.at(-1)).toMatch(/^VAULT_DATABASE_URL \(default: vault\.db in DATA_DIR, .*\): STORE_FAILED: /)
})

test('other work, such as a signal, is heard between two reads', async () => {
  let turns = 0
  const turnsAtReads: number[] = []
  const noted = <Page, Read>(read: (page: Page) => Read) => {
    return (page: Page) => {
      turnsAtReads.push(turns)
      setImmediate(() => (turns += 1))
      return read(page)
    }
  }
  const log = await openAuditLog(url('kyc.db'), { log: 'stores', seal }, false)
  const watched = { ...log, listEntries: noted(log.listEntries), listUnaccounted: noted(log.listUnaccounted) }
  const code = await runVerifyCommand(['verify', '--log', 'stores'], {
    open: () =>
      Promise.resolve({
        seal,
        checkpointPath,
        unknownSettings: [],
        logs: { stores: () => Promise.resolve(watched), vault: () => Promise.reject(new Error()) },
      }),
    readCheckpoints,
    nowMs: () => 0,
    print: () => undefined,
    warn: () => undefined,
  })
  expect(code).toBe(0)
  expect(turnsAtReads.length).toBeGreaterThanOrEqual(2)
  expect(new Set(turnsAtReads).size).toBe(turnsAtReads.length)
})

test('says that checkpoints cannot be read', async () => {
  expect(await run('verify', '--checkpoints', folder)).toBe(2)
  expect(warned).toEqual(['AUDIT_CHECKPOINTS, or a file of --checkpoints, cannot be read.'])
})

test.each(['', '\n', '{"log":"stores"}\n'])('says that the configured file has no checkpoint: %j', async (text) => {
  writeFileSync(checkpointPath, text)
  expect(await run('verify')).toBe(2)
  expect(warned.at(-1)).toMatch(/^The file of AUDIT_CHECKPOINTS has no checkpoint/)
  expect(printed).toEqual([])
})

test.each(['', '{"log":"stores"}\n'])('says that a named file has no checkpoint: %j', async (text) => {
  writeFileSync(join(folder, 'emptied.jsonl'), text)
  expect(await run('verify', '--checkpoints', join(folder, 'emptied.jsonl'))).toBe(2)
  expect(warned.at(-1)).toBe('The files of --checkpoints have no checkpoint. Name a file that the server wrote.')
})
