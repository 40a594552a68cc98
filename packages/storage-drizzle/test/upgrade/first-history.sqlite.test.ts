// Opens a database that the first history of migrations wrote. `npm run first-history -w packages/storage-drizzle` writes
// it again: before the first release only, after the first migration was squashed anew.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { createSqliteDeduplicationStore, createSqliteStorage, createSqliteVault } from '../../src/sqlite/index.js'
import { auditSeal } from '../audit/audit-samples.js'
import { testFolder } from '../engine/sqlite/sqlite-files.js'
import { continueFirstHistory, firstCipher, writeFirstHistory, writtenAtMs, type FirstStores } from './first-history.js'

const fixture = fileURLToPath(new URL('first-history.sqlite.sql', import.meta.url))

async function withStores(path: string, nowMs: number, use: (stores: FirstStores) => Promise<void>): Promise<void> {
  const clock = () => new Date(nowMs)
  const storage = await createSqliteStorage({ path }, { audit: auditSeal, clock })
  const vault = await createSqliteVault({ path }, { cipher: firstCipher(), audit: auditSeal, clock })
  const deduplication = await createSqliteDeduplicationStore({ path }, { clock })
  await use({ storage, vault, deduplication })
  await deduplication.close()
  await vault.close()
  await storage.close()
}

/** Everything in the file as SQL that makes the same file. */
function dump(database: Database.Database): string {
  const objects = database
    .prepare<[], { name: string; type: string; sql: string }>(
      "SELECT name, type, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY type DESC, name",
    )
    .all()
  const rows = objects
    .filter(({ type }) => type === 'table')
    .flatMap(({ name }) => {
      const columns = database
        .prepare<[string], { name: string }>('SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0')
        .all(name)
      const values = columns.map((column) => `quote("${column.name}")`).join(` || ',' || `)
      const names = columns.map((column) => `"${column.name}"`).join()
      return database
        .prepare<[], string>(`SELECT ${values} FROM "${name}"`)
        .pluck()
        .all()
        .map((row) => `INSERT INTO "${name}" (${names}) VALUES (${row});`)
    })
  return [...objects.map(({ sql }) => `${sql};`), ...rows, ''].join('\n')
}

test('a database of the first history is opened, and what it had begun goes on', async () => {
  if (process.env['WRITE_FIRST_HISTORY']) {
    const path = join(testFolder(), 'written.db')
    await withStores(path, writtenAtMs, writeFirstHistory)
    const database = new Database(path)
    writeFileSync(fixture, dump(database))
    database.close()
  }
  const path = join(testFolder(), 'kyc.db')
  const database = new Database(path)
  database.pragma('foreign_keys = OFF')
  database.exec(readFileSync(fixture, 'utf8'))
  database.close()
  await withStores(path, writtenAtMs + 3_600_000, continueFirstHistory)
  const reopened = new Database(path)
  expect(reopened.pragma('foreign_key_check')).toEqual([])
  reopened.close()
})
