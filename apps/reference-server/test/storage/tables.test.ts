import { execFileSync } from 'node:child_process'
import { createSqliteStorage } from '@kyc-relay/storage-drizzle/sqlite'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { ownTables } from '../../src/storage/server-stores.js'

test('the tables of the server, and those of the package, are what their migrations create', () => {
  const script = new URL('../../../../packages/storage-drizzle/schema/write-migrations.mjs', import.meta.url)
  expect(execFileSync(process.execPath, [script.pathname, '--check'], { encoding: 'utf8' })).toBe('')
})

test('the server has STRICT tables only', async () => {
  const database = new Database(':memory:')
  await (await createSqliteStorage({ database }, { ownTables: ownTables('sqlite') })).close()
  const tables = database.pragma('table_list') as { name: string; strict: 0 | 1 }[]
  const own = tables.filter(({ name }) => name.startsWith('portal_'))
  expect(own.map(({ name, strict }) => [name, strict]).sort()).toEqual([
    ['portal_migrations', 1],
    ['portal_previews', 1],
    ['portal_sessions', 1],
  ])
  database.close()
})
