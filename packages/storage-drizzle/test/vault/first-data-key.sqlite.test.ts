import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, test } from 'vitest'
import { createSqliteVault } from '../../src/sqlite/index.js'
import type { StoredVault } from '../../src/internal/index.js'
import { cipher } from './any-cipher.js'
import { expectFingerprintsOfEachApp, expectNoKeyWithoutTokens, expectOneKeyForAll } from './first-data-key.js'

describe("an owner's first data key in SQLite", () => {
  let database: Database.Database
  let vault: StoredVault

  beforeEach(async () => {
    database = new Database(':memory:')
    vault = await createSqliteVault({ database }, { cipher })
  })
  afterEach(async () => {
    await vault.close()
    database.close()
  })

  const count = async () => {
    const of = (table: string) => database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0
    return { dataKeys: of('kyc_relay_vault_data_keys'), tokens: of('kyc_relay_vault_tokens') }
  }

  test('is not kept when its tokens cannot be written', () =>
    expectNoKeyWithoutTokens(vault, count, async () => {
      database.exec(
        `CREATE TRIGGER refuse BEFORE INSERT ON kyc_relay_vault_tokens BEGIN SELECT RAISE(ABORT, 'no'); END`,
      )
      return async () => void database.exec('DROP TRIGGER refuse')
    }))

  test('fingerprints have the app in their context', () =>
    expectFingerprintsOfEachApp(vault, async () => {
      const list = database.prepare<[], string>('SELECT hex(fingerprint) FROM kyc_relay_vault_tokens').pluck()
      return list.all()
    }))

  test('is one for all who come at once, and opens what they sealed', () => expectOneKeyForAll(vault, count))
})
