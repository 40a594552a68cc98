import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import { describe, expect, test } from 'vitest'
import { complete, databases } from '../../../schema/sqlite.js'
import {
  createSqliteDeduplicationStore,
  createSqliteStorage,
  createSqliteVault,
  inspectSqliteDatabase,
  openSqliteAuditLog,
} from '../../../src/sqlite/index.js'
import { auditSeal } from '../../audit/audit-samples.js'
import { dumpSchema, migrate, migrationStatus } from '../../../src/engine/sqlite/migrate.js'
import { readMigrations } from '../../../src/engine/migrations/migration-files.js'
import { openConnection } from '../../../src/engine/sqlite/open.js'
import { openSqliteMigrations } from '../../../src/engine/sqlite/open-migrations.js'
import { startProgram } from '../../child-process.js'
import { compileProgram } from '../../compiled.js'
import { withLaterMigrations } from '../made-up-migrations.js'
import { startOfTests } from '../../samples.js'
import { cipher } from '../../vault/any-cipher.js'
import { testFolder } from './sqlite-files.js'

const now = () => startOfTests
const histories = ['sqlite', 'sqlite-vault', 'sqlite-receiver'] as const

function migrated(path: string): Database.Database {
  const { client } = openConnection({ path })
  for (const history of histories) migrate(client, history, { now })
  return client
}

function goldenSchema(history: (typeof histories)[number]): string {
  return readFileSync(fileURLToPath(new URL(`./${history}.schema.sql`, import.meta.url)), 'utf8')
}

test('each migration is told of when it begins and when it is done, and none when there is nothing to do', async () => {
  const path = join(testFolder(), 'kyc.db')
  const steps: unknown[] = []
  const open = async () => (await createSqliteStorage({ path }, { onMigration: (step) => steps.push(step) })).close()
  await open()
  const shipped = readMigrations('sqlite')
  expect(steps).toEqual(
    shipped.flatMap(({ name, number }) =>
      ['applying', 'applied'].map((state) => ({ state, name, prefix: 'kyc_relay_', number, total: shipped.length })),
    ),
  )
  await open()
  expect(steps).toHaveLength(2 * shipped.length)
})

describe('the schema', () => {
  test.each(histories)('of %s is the golden one', async (history) => {
    const client = migrated(':memory:')
    await expect(dumpSchema(client, history)).toMatchFileSnapshot(`./${history}.schema.sql`)
    expect(goldenSchema(history)).toContain('STRICT')
  })

  test.each(histories)('of %s is what the Drizzle tables and the overlay state', async (history) => {
    const stated = new Database(':memory:')
    const tables = await generateSQLiteDrizzleJson(databases[history])
    const statements = await generateSQLiteMigration(await generateSQLiteDrizzleJson({}), tables)
    for (const statement of statements) stated.exec(complete(statement.trim()))
    const { client } = openConnection({ path: ':memory:' })
    migrate(client, history, { now })
    const ledger = dumpSchema(client, history)
      .split('\n\n')
      .filter((text) => text.includes('_migrations ('))
    expect(ledger).toHaveLength(1)
    expect(dumpSchema(client, history).replace(`${ledger[0] ?? ''}\n\n`, '')).toBe(dumpSchema(stated, history))
  })

  test('has STRICT tables only', () => {
    const tables = migrated(':memory:').pragma('table_list') as { name: string; strict: 0 | 1 }[]
    const own = tables.filter(({ name }) => name.startsWith('kyc_relay_'))
    expect(own.length).toBeGreaterThan(25)
    expect(own.filter(({ strict }) => strict === 0)).toEqual([])
  })

  test('leaves tables of the embedding system out of the proof', () => {
    const path = join(testFolder(), 'kyc.db')
    migrated(path).exec('CREATE TABLE orders (id TEXT)')
    expect(migrationStatus(migrated(path), 'sqlite').pending).toEqual([])
  })
})

test('a migration that ends between two reads of the status is no edited schema', () => {
  const path = join(testFolder(), 'kyc.db')
  const { client } = openConnection({ path })
  client.pragma('journal_mode = WAL')
  const prepare = client.prepare.bind(client)
  let reads = 0
  client.prepare = (source: string) => {
    if (/sqlite_schema/.test(source) && ++reads === 2) migrated(path)
    return prepare(source)
  }
  expect(migrationStatus(client, 'sqlite').applied).toEqual([])
  expect(reads).toBe(2)
  expect(migrationStatus(client, 'sqlite').pending).toEqual([])
})

describe('migrating', () => {
  test('again changes nothing', () => {
    const client = migrated(join(testFolder(), 'kyc.db'))
    expect(migrate(client, 'sqlite', { now })).toEqual([])
    expect(migrate(client, 'sqlite-vault', { now })).toEqual([])
  })

  test('20 processes that start at once on one new file all get the whole schema', async () => {
    const path = join(testFolder(), 'kyc.db')
    const program = compileProgram(`
      import { createSqliteStorage } from '#src/sqlite/index.ts'
      const storage = await createSqliteStorage({ path: process.argv[2] })
      console.log(await storage.verifications.findKycStatus('nobody'))
      await storage.close()
    `)
    const starts = Array.from({ length: 20 }, () => startProgram(program, [path]))
    expect(await Promise.all(starts.map(({ ended }) => ended))).toEqual(starts.map(() => 0))
    expect(starts.map(({ lines }) => lines)).toEqual(starts.map(() => ['UNVERIFIED']))
    const { client } = openConnection({ path })
    expect(migrationStatus(client, 'sqlite')).toMatchObject({ pending: [] })
    expect(dumpSchema(client, 'sqlite')).toBe(goldenSchema('sqlite'))
  })

  test('is whole after a stop before any statement', () => {
    const folder = testFolder()
    const path = join(folder, 'kyc.db')
    const { client } = openConnection({ path })
    const copies: string[] = []
    // What a process killed at this moment leaves behind is the files as they are now.
    const copyFiles = () => {
      const copy = join(folder, `stopped-${copies.length}`)
      mkdirSync(copy)
      for (const file of readdirSync(folder)) {
        if (file.startsWith('kyc.db') && !file.endsWith('-shm')) copyFileSync(join(folder, file), join(copy, file))
      }
      copies.push(join(copy, 'kyc.db'))
    }
    const exec = client.exec.bind(client)
    client.exec = (script) => {
      for (const statement of script.split(/;\n/)) {
        copyFiles()
        exec(statement)
      }
      return client
    }
    const shipped = withLaterMigrations('sqlite')
    migrate(client, 'sqlite', { now, shipped })
    const whole = dumpSchema(client, 'sqlite')
    expect(whole).toContain('kyc_relay_holidays')
    expect(copies.length).toBeGreaterThan(60)
    const found = copies.map((copy) => {
      const stopped = openConnection({ path: copy })
      const known = stopped.client.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'kyc_relay_migrations'`).get()
      const applied =
        known === undefined
          ? 0
          : stopped.client.prepare<[], number>('SELECT count(*) FROM kyc_relay_migrations').pluck().get()
      migrate(stopped.client, 'sqlite', { now, shipped })
      expect(dumpSchema(stopped.client, 'sqlite')).toBe(whole)
      stopped.close()
      return applied
    })
    // Whole migrations only, one more after the other.
    expect([...new Set(found)]).toEqual(Array.from({ length: shipped.length + 1 }, (_, count) => count))
  })

  test('adds to a database of an earlier version what is new', () => {
    const client = migrated(join(testFolder(), 'kyc.db'))
    const shipped = withLaterMigrations('sqlite')
    const added = shipped.slice(readMigrations('sqlite').length).map(({ name }) => name)
    expect(migrate(client, 'sqlite', { now, shipped })).toEqual(added)
    expect(migrate(client, 'sqlite', { now, shipped })).toEqual([])
    expect(() => migrate(client, 'sqlite', { now })).toThrow(expect.objectContaining({ code: 'SCHEMA_NEWER' }))
  })
})

test('an index that an operator added is told of at each start and refused by nobody; a unique one is refused', async () => {
  const path = join(testFolder(), 'kyc.db')
  migrated(path).exec('CREATE INDEX report ON kyc_relay_events (type, created_at)')
  const told: string[] = []
  const open = () => createSqliteStorage({ path }, { onUnknownIndex: (name) => told.push(name) })
  await (await open()).close()
  await (
    await createSqliteStorage({ path }, { migrations: 'require', onUnknownIndex: (name) => told.push(name) })
  ).close()
  expect(told).toEqual(['report', 'report'])
  const { client, close } = openConnection({ path })
  client.exec('CREATE UNIQUE INDEX one_user ON kyc_relay_events (user_id)')
  close()
  await expect(open()).rejects.toMatchObject({ code: 'SCHEMA_EDITED' })
})

describe('a database that is not ours to use is refused and not touched', () => {
  const changes = [
    {
      what: 'a newer schema',
      code: 'SCHEMA_NEWER',
      sql: `INSERT INTO kyc_relay_migrations SELECT max(number) + 1, 'future', 'x', 'y', 0 FROM kyc_relay_migrations`,
    },
    {
      what: 'an edited migration',
      code: 'SCHEMA_EDITED',
      sql: `UPDATE kyc_relay_migrations SET sha256 = 'x' WHERE number = 1`,
    },
    {
      what: 'a renamed migration',
      code: 'SCHEMA_EDITED',
      sql: `UPDATE kyc_relay_migrations SET name = '0001_x' WHERE number = 1`,
    },
    { what: 'a missing ledger row', code: 'SCHEMA_EDITED', sql: `DELETE FROM kyc_relay_migrations WHERE number = 1` },
    { what: 'a column added by hand', code: 'SCHEMA_EDITED', sql: `ALTER TABLE kyc_relay_events ADD COLUMN note TEXT` },
    { what: 'an index dropped by hand', code: 'SCHEMA_EDITED', sql: `DROP INDEX kyc_relay_deliveries_waiting` },
    { what: 'a lost ledger', code: 'SCHEMA_EDITED', sql: `DROP TABLE kyc_relay_migrations` },
  ]

  test.each(changes)('$what', async ({ code, sql }) => {
    const path = join(testFolder(), 'kyc.db')
    const client = migrated(path)
    client.exec(sql)
    const before = client.prepare('SELECT * FROM sqlite_schema').all()
    await expect(createSqliteStorage({ path })).rejects.toMatchObject({ code })
    expect(client.prepare('SELECT * FROM sqlite_schema').all()).toEqual(before)
  })

  test('a schema that lacks migrations, where they are not to be applied at the start', async () => {
    const path = join(testFolder(), 'kyc.db')
    await expect(createSqliteStorage({ path }, { migrations: 'require' })).rejects.toMatchObject({
      code: 'SCHEMA_OUTDATED',
    })
    await (await createSqliteStorage({ path })).close()
    await (await createSqliteStorage({ path }, { migrations: 'require' })).close()
  })

  test.each(['a text file', 'a folder', 'a folder that is not there'])('%s', async (what) => {
    const folder = testFolder()
    const path = what === 'a folder' ? folder : join(folder, what === 'a text file' ? 'note.txt' : 'missing/kyc.db')
    if (what === 'a text file') copyFileSync(fileURLToPath(import.meta.url), path)
    const error: unknown = await createSqliteStorage({ path }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: what === 'a text file' ? 'DATABASE_DAMAGED' : 'DATABASE_UNUSABLE' })
    expect(String(error)).not.toContain(folder)
    expect(existsSync(join(folder, 'missing'))).toBe(false)
  })
})

test('a folder is no failing disk for a command that only reads', async () => {
  const path = testFolder()
  const refusal = { code: 'DATABASE_UNUSABLE', driverCode: 'EISDIR' }
  await expect(openSqliteMigrations(path, 'stores', null).status()).rejects.toMatchObject(refusal)
  await expect(openSqliteAuditLog({ path }, { log: 'stores', seal: auditSeal })).rejects.toMatchObject(refusal)
})

test.each<[string, (path: string) => Promise<unknown>]>([
  ['reads what it holds', (path) => inspectSqliteDatabase({ path })],
  ['opens it as an audit log', (path) => openSqliteAuditLog({ path }, { log: 'stores', seal: auditSeal })],
  ['opens it as a deduplication store', (path) => createSqliteDeduplicationStore({ path })],
])('a text file is called damaged or no database where somebody %s', async (_what, open) => {
  const path = join(testFolder(), 'kyc.db')
  copyFileSync(fileURLToPath(import.meta.url), path)
  await expect(open(path)).rejects.toMatchObject({ code: 'DATABASE_DAMAGED', driverCode: 'SQLITE_NOTADB' })
})

test('the vault may share a file with the rest, each with its own ledger', async () => {
  const path = join(testFolder(), 'kyc.db')
  const storage = await createSqliteStorage({ path })
  const vault = await createSqliteVault({ path }, { cipher })
  await vault.close()
  await storage.close()
  await (await createSqliteStorage({ path }, { migrations: 'require' })).close()
})
