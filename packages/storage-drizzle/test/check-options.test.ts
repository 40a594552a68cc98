import { describe, expect, test } from 'vitest'
import { randomBytes } from 'node:crypto'
import { createKeyFile, createLocalAuditSeal, parseKeyFile } from '@kyc-relay/kyc-core/node'
import Database from 'better-sqlite3'
import { fillPlaceholders, sql } from 'drizzle-orm'
import pg from 'pg'
import {
  createPostgresDeduplicationStore,
  createPostgresStorage,
  createPostgresVault,
  insertEvent as insertOnPostgres,
  openPostgresAuditLog,
} from '../src/postgres/index.js'
import {
  createSqliteDeduplicationStore,
  createSqliteStorage,
  createSqliteVault,
  inspectSqliteDatabase,
  insertEvent as insertOnSqlite,
  openSqliteAuditLog,
} from '../src/sqlite/index.js'
import { storageErrorOf as postgresErrorOf } from '../src/engine/postgres/errors.js'
import { cipher } from './vault/any-cipher.js'

// Options are checked before a database is opened: nothing listens there, and the folder is missing.
const nowhere = { connectionString: 'postgres://kyc@127.0.0.1:1/kyc' }
const inNoFolder = { path: '/nowhere/kyc.db' }

const opening: Record<string, (options: never) => Promise<unknown>> = {
  createSqliteStorage: (options) => createSqliteStorage(inNoFolder, options),
  createSqliteVault: (options) => createSqliteVault(inNoFolder, options),
  createPostgresStorage: (options) => createPostgresStorage(nowhere, options),
  createPostgresVault: (options) => createPostgresVault(nowhere, options),
}

const wrong = [
  { migration: 'require' },
  { migrations: 'requier' },
  { migrations: true },
  { kycStatusEvents: 'true' },
  { clock: new Date(0) },
  { audit: null },
  { checkUpToBytes: '0' },
  { onFailure: 'log' },
  { distributed: 1 },
]

describe.each(Object.entries(opening))('%s', (name, open) => {
  const whole = name.endsWith('Vault') ? { cipher } : {}

  test.each(wrong)('refuses %j', async (option) => {
    await expect(open({ ...whole, ...option } as never)).rejects.toMatchObject({
      code: 'ARGUMENT_INVALID',
      // Whoever misspelt a name must not look for a range.
      message: expect.stringMatching(/unknown name/) as string,
    })
  })

  test('opens with options of the other engine, and with undefined ones', async () => {
    const options = { ...whole, notify: true, onFailure: () => undefined, migrations: undefined }
    await expect(open(options as never)).rejects.toMatchObject({
      code: name.includes('Sqlite') ? 'DATABASE_UNUSABLE' : 'STORE_UNAVAILABLE',
    })
  })
})

test.each(['createSqliteVault', 'createPostgresVault'])('%s refuses to open without a cipher', async (name) => {
  await expect(opening[name]?.({} as never)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
  await expect(opening[name]?.(undefined as never)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
})

test.each([{}, { ...cipher, evictDataKey: undefined }])('a vault refuses the cipher %j', async (wrong) => {
  for (const name of ['createSqliteVault', 'createPostgresVault'])
    await expect(opening[name]?.({ cipher: wrong } as never)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
})

test.each([{ migrations: 'requier' }, { clok: () => new Date(0) }])(
  'a deduplication store refuses %j',
  async (option) => {
    const wrong = option as never
    const refused = [
      createSqliteDeduplicationStore(inNoFolder, wrong),
      createPostgresDeduplicationStore(nowhere, wrong),
    ]
    for (const one of refused) await expect(one).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
  },
)

const seal = createLocalAuditSeal({ keys: parseKeyFile(createKeyFile({ randomBytes, now: new Date() })) })

test.each([undefined, {}, { log: 'stores' }, { log: 'store', seal }, { seal }, { log: 'vault', seal, key: 1 }])(
  'an audit log is not opened with %o',
  async (options) => {
    for (const open of [
      () => openSqliteAuditLog({ path: '/nowhere/kyc.db' }, options as never),
      () => openPostgresAuditLog(nowhere, options as never),
    ])
      await expect(Promise.resolve().then(open)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
  },
)

// Without it, a host would take its first start for the next one, and make new keys beside a vault that is there.
test.each([undefined, null, {}, { path: '' }, { paht: 'vault.db' }])('no path of SQLite is %o', async (location) => {
  for (const open of [
    () => inspectSqliteDatabase(location as never),
    () => openSqliteAuditLog(location as never, { log: 'stores', seal }),
  ])
    await expect((async () => open())()).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
})

const closed = () => new Database(':memory:').close()

test.each([
  ['a database that is none', () => ({ database: {} })],
  ['a closed connection', () => ({ database: closed() })],
  [
    'a read-only connection',
    () => ({ database: new Database(new Database(':memory:').serialize(), { readonly: true }) }),
  ],
  ['a path beside a database', () => ({ path: ':memory:', database: new Database(':memory:') })],
  ['an unknown name', () => ({ path: ':memory:', readonly: true })],
])('SQLite refuses %s', async (_what, location) => {
  for (const open of [
    () => createSqliteStorage(location() as never),
    () => createSqliteVault(location() as never, { cipher }),
    () => createSqliteDeduplicationStore(location() as never),
  ])
    await expect(open()).rejects.toMatchObject({ code: 'ARGUMENT_INVALID', retryable: false })
})

test.each([
  { path: ':memory:', database: undefined },
  { path: undefined, database: new Database(':memory:') },
])('SQLite opens %j: the other place is undefined', async (location) => {
  await (await createSqliteStorage(location)).close()
})

test.each([
  ['a pool that is none', { pool: {} }],
  ['a client for a pool', { pool: new pg.Client(nowhere) }],
  ['a pool beside a connection string', { ...nowhere, pool: new pg.Pool(nowhere) }],
  ['an unknown name', { ...nowhere, transactionPooller: true }],
])('PostgreSQL refuses %s', async (_what, location) => {
  for (const open of [
    () => createPostgresStorage(location as never),
    () => createPostgresVault(location as never, { cipher }),
    () => createPostgresDeduplicationStore(location as never),
  ])
    await expect(open()).rejects.toMatchObject({ code: 'ARGUMENT_INVALID', retryable: false })
})

test.each([undefined, null, {}, 'BEGIN', new Database(':memory:')])(
  'PostgreSQL takes no %s as transaction',
  async (tx) => {
    const inserted = insertOnPostgres(tx as never, {} as never)
    await expect(inserted).rejects.toMatchObject({ code: 'ARGUMENT_INVALID', retryable: false })
  },
)

test('an event is not written on a connection of another database, and a retry does not help', () => {
  const other = new Database(':memory:')
  const insert = () => other.transaction(() => insertOnSqlite(other, {} as never))()
  expect(insert).toThrow(expect.objectContaining({ code: 'SCHEMA_OUTDATED', retryable: false }))
})

const missing = (() => {
  try {
    return fillPlaceholders([sql.placeholder('limit')], {})
  } catch (error) {
    return error
  }
})()

test.each([
  ['a wrong type', new TypeError('text')],
  ['an invalid date', new RangeError('text')],
  ['a wrong type that Drizzle wraps', new Error('text', { cause: new TypeError('text') })],
  ['a missing argument', missing],
])('PostgreSQL calls %s an argument, and a retry does not help', (_what, error) => {
  expect(postgresErrorOf(error)).toMatchObject({ code: 'ARGUMENT_INVALID', retryable: false })
})
