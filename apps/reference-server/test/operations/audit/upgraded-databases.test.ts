// Step 5 of docs/upgrade.md: the audit command on a database that the first history of migrations wrote.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalAuditSeal, createLocalCipher, parseKeyFile } from '@kyc-relay/kyc-core/node'
import Database from 'better-sqlite3'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditKeyFile } from '../../../../../packages/storage-drizzle/test/audit/audit-samples.js'
import {
  startPostgres,
  type PostgresServer,
} from '../../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'
import { readCheckpoints } from '../../../src/operations/audit/checkpoint-file.js'
import { runVerifyCommand } from '../../../src/operations/audit/verify-command.js'
import { openAuditLogs } from '../../../src/wiring/audit-logs.js'
import { openStorage } from '../../../src/wiring/storage.js'

const fixture = (engine: string) =>
  readFileSync(
    new URL(`../../../../../packages/storage-drizzle/test/upgrade/first-history.${engine}.sql`, import.meta.url),
    'utf8',
  )
const keys = parseKeyFile(auditKeyFile)
const owner = { appId: 'a', userId: 'u' }

let folder: string
let postgres: PostgresServer
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kyc-relay-upgraded-'))
  writeFileSync(join(folder, 'keys.json'), auditKeyFile, { mode: 0o600 })
  postgres = await startPostgres()
})
afterAll(async () => {
  await postgres.stop()
  rmSync(folder, { recursive: true })
})

async function executeInPostgres(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(text)
  await client.end()
}

function executeInSqlite(url: string, text: string): void {
  const database = new Database(url.slice('file:'.length))
  database.pragma('foreign_keys = OFF')
  database.exec(text)
  database.close()
}

const engines = [
  { engine: 'sqlite', create: async () => `file:${join(folder, 'kyc.db')}`, execute: executeInSqlite },
  { engine: 'postgres', create: () => postgres.createDatabase(), execute: executeInPostgres },
] as const

/** Runs the command as the process does, with both logs in one database. */
async function verify(url: string) {
  const printed: string[] = []
  const variables = {
    DATA_DIR: folder,
    KEY_FILE: join(folder, 'keys.json'),
    DATABASE_URL: url,
    VAULT_DATABASE_URL: url,
  }
  const exitCode = await runVerifyCommand(['verify'], {
    open: () => openAuditLogs(variables),
    readCheckpoints,
    nowMs: () => 0,
    print: (line) => printed.push(line),
    warn: () => undefined,
  })
  return { exitCode, printed }
}

describe.each(engines)('audit verify on an upgraded database of $engine', ({ engine, create, execute }) => {
  test('finds the old entries and the new ones as they were written, and a changed old one', async () => {
    const url = await create()
    await execute(url, fixture(engine))
    const sealing = { cipher: createLocalCipher({ keys }), audit: createLocalAuditSeal({ keys }) }
    const storage = await openStorage({ databaseUrl: url, vaultDatabaseUrl: url }, sealing, () => undefined)
    const entriesOf = async () => {
      const { exitCode, printed } = await verify(url)
      expect([exitCode, printed.length]).toEqual([0, 2])
      return printed.map((line) => Number(/ as it was written; .* (\d+) entries/.exec(line)?.[1]))
    }
    const before = await entriesOf()
    expect(before[0]).toBeGreaterThan(1)
    const [ssn] = await storage.vault.tokenize(owner, [{ kind: 'ssn', value: '078-05-1120' }])
    if (ssn?.kind !== 'ssn') throw new Error('no token')
    await storage.vault.reveal({ owner, token: ssn.token, actor: 'ops@example.com', purpose: 'case 1' })
    await storage.close()
    expect((await entriesOf())[1]).toBeGreaterThan(before[1] ?? Infinity)

    await execute(url, `UPDATE kyc_relay_audit_entries SET actor = 'somebody else' WHERE sequence = 1`)
    expect((await verify(url)).exitCode).toBe(1)
  })
})
