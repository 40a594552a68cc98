import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from 'vitest'
import { createPostgresVault } from '../../src/postgres/index.js'
import type { StoredVault } from '../../src/internal/index.js'
import { cipher } from './any-cipher.js'
import { expectFingerprintsOfEachApp, expectNoKeyWithoutTokens, expectOneKeyForAll } from './first-data-key.js'
import { startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'

describe("an owner's first data key in PostgreSQL", () => {
  let server: PostgresServer
  let direct: pg.Client
  let vault: StoredVault

  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    const connectionString = await server.createDatabase()
    direct = new pg.Client({ connectionString })
    await direct.connect()
    vault = await createPostgresVault({ connectionString }, { cipher })
  })
  afterEach(async () => {
    await vault.close()
    await direct.end()
  })

  const count = async () => {
    const of = (table: string) => `(SELECT count(*)::int FROM ${table})`
    const text = `SELECT ${of('kyc_relay_vault_data_keys')} AS "dataKeys", ${of('kyc_relay_vault_tokens')} AS tokens`
    const { rows } = await direct.query<{ dataKeys: number; tokens: number }>(text)
    return rows[0] ?? { dataKeys: -1, tokens: -1 }
  }

  test('is not kept when its tokens cannot be written', () =>
    expectNoKeyWithoutTokens(vault, count, async () => {
      await direct.query('ALTER TABLE kyc_relay_vault_tokens ADD CONSTRAINT refuse CHECK (false)')
      return async () => void (await direct.query('ALTER TABLE kyc_relay_vault_tokens DROP CONSTRAINT refuse'))
    }))

  test('fingerprints have the app in their context', () =>
    expectFingerprintsOfEachApp(vault, async () => {
      const text = `SELECT encode(fingerprint, 'hex') AS hex FROM kyc_relay_vault_tokens`
      return (await direct.query<{ hex: string }>(text)).rows.map(({ hex }) => hex)
    }))

  test('is one for all who come at once, and opens what they sealed', () => expectOneKeyForAll(vault, count))
})
