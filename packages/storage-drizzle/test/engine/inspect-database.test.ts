import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as postgres from '../../src/postgres/index.js'
import * as sqlite from '../../src/sqlite/index.js'
import { createApps } from '../../src/testing/app-directory/sample-apps.js'
import { startPostgres } from './postgres/postgres-server.js'
import { testFolder } from './sqlite/sqlite-files.js'
import { cipher } from '../vault/any-cipher.js'

const checks = [{ keyId: 'k', purpose: 'seal', checkValue: '00' }] as const

const engines = {
  async sqlite() {
    const path = join(testFolder(), 'kyc.db')
    return {
      inspect: () => sqlite.inspectSqliteDatabase({ path }),
      openStores: () => sqlite.createSqliteStorage({ path }),
      openVault: () => sqlite.createSqliteVault({ path }, { cipher }),
    }
  },
  async postgres() {
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    const connectionString = await server.createDatabase()
    return {
      inspect: () => postgres.inspectPostgresDatabase({ connectionString }),
      openStores: () => postgres.createPostgresStorage({ connectionString }),
      openVault: () => postgres.createPostgresVault({ connectionString }, { cipher }),
    }
  },
}

const empty = { hasStores: false, hasVault: false, vaultIsUsed: false, needsKeys: false }

describe.each(Object.entries(engines))('%s', (_, open) => {
  test('tells an empty database, a vault, a used vault, and a database of both', async () => {
    const { inspect, openStores, openVault } = await open()
    expect(await inspect()).toEqual(empty)
    const vault = await openVault()
    expect(await inspect()).toEqual({ ...empty, hasVault: true })
    await vault.inspection.addKeyChecks(checks)
    await vault.close()
    expect(await inspect()).toEqual({ ...empty, hasVault: true, vaultIsUsed: true, needsKeys: true })
    await (await openStores()).close()
    expect(await inspect()).toEqual({ hasStores: true, hasVault: true, vaultIsUsed: true, needsKeys: true })
  })

  test('tells a database of the stores, which needs the key file once it holds an API key', async () => {
    const { inspect, openStores } = await open()
    const stores = await openStores()
    expect(await inspect()).toEqual({ ...empty, hasStores: true })
    await createApps(stores.apps)
    await stores.close()
    expect(await inspect()).toEqual({ ...empty, hasStores: true, needsKeys: true })
  })
})

test('a file that is missing is not created, and one that is no database is refused', async () => {
  const path = join(testFolder(), 'kyc.db')
  expect(await sqlite.inspectSqliteDatabase({ path })).toEqual(empty)
  expect(existsSync(path)).toBe(false)
  writeFileSync(path, 'no database'.repeat(1_000))
  await expect(sqlite.inspectSqliteDatabase({ path })).rejects.toMatchObject({ code: 'DATABASE_DAMAGED' })
  for (const wrong of [undefined, null, {}, { path: 5 }])
    await expect(sqlite.inspectSqliteDatabase(wrong as never)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
})

test.each([[undefined], [null], [{}], [{ connectionString: 5 }]])('a location that is %j is refused', async (wrong) => {
  await expect(postgres.inspectPostgresDatabase(wrong as never)).rejects.toMatchObject({ code: 'DATABASE_UNUSABLE' })
})
