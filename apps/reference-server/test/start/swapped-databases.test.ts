// Why: each database got the tables of the other, and the server looked as if it had never served.
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { startPostgres } from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'
import { parseEnv } from '../../src/env.js'
import { createLog } from '../../src/operations/log.js'
import { startServer } from '../../src/server.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kyc-relay-swapped-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

const silent = createLog({ logLevel: 'silent' })
const file = (name: string) => `file:${join(folder, name)}`

/** Starts with these databases and stops again. Resolves with the error of a start that is refused. */
async function start(databaseUrl: string, vaultDatabaseUrl: string): Promise<unknown> {
  const ports = { PORT: '0', INTERNAL_PORT: '0', SECURE_PORT: '0', DATA_DIR: folder }
  const urls = { DATABASE_URL: databaseUrl, VAULT_DATABASE_URL: vaultDatabaseUrl }
  return startServer(parseEnv({ ...ports, ...urls }), silent).then(
    (server) => server.stop('TEST_ENDED'),
    (error: unknown) => error,
  )
}

const refused = (...settings: readonly [string, string]) => ({
  code: 'DATABASES_SWAPPED',
  message: expect.stringMatching(
    new RegExp(`^${settings[0]} .* names a .* ${settings[1]}\\? Correct both settings\\.`),
  ) as string,
})
const vaultAsBusiness = refused('DATABASE_URL', 'VAULT_DATABASE_URL')
const businessAsVault = refused('VAULT_DATABASE_URL', 'DATABASE_URL')

test('swapped files are refused, not changed, and get no keys', async () => {
  expect(await start(file('kyc.db'), file('vault.db'))).toBeUndefined()
  const bytes = () => ['kyc.db', 'vault.db'].map((name) => readFileSync(join(folder, name)))
  const before = bytes()
  for (const name of ['kyc.db', 'vault.db']) copyFileSync(join(folder, name), join(folder, `copy-${name}`))
  expect(await start(file('vault.db'), file('kyc.db'))).toMatchObject(vaultAsBusiness)
  expect(await start(file('vault.db'), file('vault.db'))).toMatchObject(vaultAsBusiness)
  expect(await start(file('vault.db'), file('new.db'))).toMatchObject(vaultAsBusiness)
  expect(await start(file('copy-vault.db'), file('vault.db'))).toMatchObject(vaultAsBusiness)
  expect(await start(file('new.db'), file('kyc.db'))).toMatchObject(businessAsVault)
  rmSync(join(folder, 'keys.json'))
  expect(await start(file('vault.db'), file('kyc.db'))).toMatchObject(vaultAsBusiness)
  expect(await start(file('new.db'), file('kyc.db'))).toMatchObject(businessAsVault)
  expect(['keys.json', 'new.db'].map((name) => existsSync(join(folder, name)))).toEqual([false, false])
  expect(bytes()).toEqual(before)
})

test('one file may hold both, and a first start that was interrupted is continued', async () => {
  expect(await start(file('kyc.db'), file('vault.db'))).toBeUndefined()
  expect(await start(file('kyc.db'), file('new-vault.db'))).toBeUndefined()
  expect(await start(file('kyc.db'), file('kyc.db'))).toBeUndefined()
  expect(await start(file('both.db'), file('both.db'))).toBeUndefined()
  expect(await start(file('both.db'), file('both.db'))).toBeUndefined()
})

test('swapped databases of PostgreSQL are refused', async () => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.stop())
  const [business, vault] = [await postgres.createDatabase(), await postgres.createDatabase()]
  expect(await start(business, vault)).toBeUndefined()
  expect(await start(vault, business)).toMatchObject(vaultAsBusiness)
  expect(await start(await postgres.createDatabase(), business)).toMatchObject(businessAsVault)
  const both = await postgres.createDatabase()
  expect(await start(both, both)).toBeUndefined()
  expect(await start(both, both)).toBeUndefined()
})
