import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createPostgresStorage, createPostgresVault, postgresNeedsKeys } from '../../src/postgres/index.js'
import { startPostgres } from '../engine/postgres/postgres-server.js'
import { cipher } from './any-cipher.js'

test('a database needs the key file once it holds an API key, a check of a key or a data key', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const connectionString = await server.createDatabase()
  expect(await postgresNeedsKeys({ connectionString })).toBe(false)
  await (await createPostgresStorage({ connectionString })).close()
  await (await createPostgresVault({ connectionString }, { cipher })).close()
  expect(await postgresNeedsKeys({ connectionString })).toBe(false)
  const pool = new pg.Pool({ connectionString, max: 1 })
  onTestFinished(() => pool.end())
  await pool.query("INSERT INTO kyc_relay_vault_key_checks (key_id, purpose, check_value) VALUES ('k', 'seal', '00')")
  expect(await postgresNeedsKeys({ connectionString })).toBe(true)
})
