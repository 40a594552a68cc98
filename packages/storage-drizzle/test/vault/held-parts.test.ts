import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as postgres from '../../src/postgres/index.js'
import * as sqlite from '../../src/sqlite/index.js'
import { startPostgres } from '../engine/postgres/postgres-server.js'
import { testFolder } from '../engine/sqlite/sqlite-files.js'
import { cipher } from './any-cipher.js'

const checks = [{ keyId: 'k', purpose: 'seal', checkValue: '00' }] as const

const engines = {
  async sqlite() {
    const path = join(testFolder(), 'kyc.db')
    return {
      heldParts: () => sqlite.sqliteHeldParts({ path }),
      openStores: () => sqlite.createSqliteStorage({ path }),
      openVault: () => sqlite.createSqliteVault({ path }, { cipher }),
    }
  },
  async postgres() {
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    const connectionString = await server.createDatabase()
    return {
      heldParts: () => postgres.postgresHeldParts({ connectionString }),
      openStores: () => postgres.createPostgresStorage({ connectionString }),
      openVault: () => postgres.createPostgresVault({ connectionString }, { cipher }),
    }
  },
}

describe.each(Object.entries(engines))('%s', (_, open) => {
  test('tells an empty database, a vault, a used vault, and a database of both', async () => {
    const { heldParts, openStores, openVault } = await open()
    expect(await heldParts()).toEqual({ stores: false, vault: false, vaultIsUsed: false })
    const vault = await openVault()
    expect(await heldParts()).toEqual({ stores: false, vault: true, vaultIsUsed: false })
    await vault.inspection.addKeyChecks(checks)
    await vault.close()
    expect(await heldParts()).toEqual({ stores: false, vault: true, vaultIsUsed: true })
    await (await openStores()).close()
    expect(await heldParts()).toEqual({ stores: true, vault: true, vaultIsUsed: true })
  })

  test('tells a database of the stores', async () => {
    const { heldParts, openStores } = await open()
    await (await openStores()).close()
    expect(await heldParts()).toEqual({ stores: true, vault: false, vaultIsUsed: false })
  })
})

test('a file that is missing is not created, and one that is no database is refused', async () => {
  const path = join(testFolder(), 'kyc.db')
  expect(await sqlite.sqliteHeldParts({ path })).toMatchObject({ stores: false, vault: false })
  expect(existsSync(path)).toBe(false)
  writeFileSync(path, 'no database'.repeat(1_000))
  await expect(sqlite.sqliteHeldParts({ path })).rejects.toMatchObject({ code: 'DATABASE_DAMAGED' })
  for (const wrong of [undefined, null, {}, { path: 5 }])
    await expect(sqlite.sqliteHeldParts(wrong as never)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
})

test.each([[undefined], [null], [{}], [{ connectionString: 5 }]])('a location that is %j is refused', async (wrong) => {
  await expect(postgres.postgresHeldParts(wrong as never)).rejects.toMatchObject({ code: 'DATABASE_UNUSABLE' })
})
