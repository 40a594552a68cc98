import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSqliteMigrations } from '../../../src/engine/sqlite/open-migrations.js'
import { createSqliteStorage, inspectSqliteDatabase } from '../../../src/sqlite/index.js'

let folder: string
let path: string
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A file as a loss of power leaves it while its first transaction is written: with a journal that must be rolled back. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kyc-relay-journal-'))
  const original = join(folder, 'original.db')
  path = join(folder, 'kyc.db')
  const client = new Database(original)
  client.pragma('journal_mode = DELETE')
  client.exec('CREATE TABLE first (bytes BLOB)')
  // Pages that do not fit into the cache are written before the commit.
  client.pragma('cache_size = 5')
  client.exec('BEGIN IMMEDIATE')
  for (let row = 0; row < 100; row += 1) client.exec('INSERT INTO first VALUES (randomblob(4000))')
  copyFileSync(original, path)
  copyFileSync(`${original}-journal`, `${path}-journal`)
  client.exec('ROLLBACK')
  client.close()
  expect(() => new Database(path, { readonly: true }).prepare('SELECT 1 FROM first').get()).toThrow('readonly')
})

it('is rolled back when the storage is opened', async () => {
  const storage = await createSqliteStorage({ path })
  expect(await storage.webhooks.listEndpoints('10000000-0000-4000-8000-000000000001')).toEqual([])
  await storage.close()
  expect(existsSync(`${path}-journal`)).toBe(false)
})

it('is rolled back when somebody asks what the file holds', async () => {
  expect(await inspectSqliteDatabase({ path })).toMatchObject({ needsKeys: false })
})

it('is rolled back when somebody reads the state of the migrations', async () => {
  const { applied } = await openSqliteMigrations(path, 'stores', null).status()
  expect(applied).toEqual([])
})
