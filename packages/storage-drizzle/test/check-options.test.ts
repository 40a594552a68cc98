import { describe, expect, test } from 'vitest'
import { createPostgresStorage, createPostgresVault } from '../src/postgres/index.js'
import { createSqliteStorage, createSqliteVault } from '../src/sqlite/index.js'
import { cipher } from './vault/first-data-key.js'

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
    await expect(open({ ...whole, ...option } as never)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
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
