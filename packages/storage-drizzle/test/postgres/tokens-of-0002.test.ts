import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectPool } from '../../src/engine/postgres/pool.js'
import { createPostgresVault } from '../../src/postgres/index.js'
import { migrate } from '../../src/engine/postgres/migrate.js'
import { cipher, expectAllErased, rowOfProcessOf0002, rowsOf0002 } from '../tokens-of-0002.js'
import { startPostgres, type PostgresServer } from './postgres-server.js'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const literals = { bytes: `'\\x07'`, instant: `'1970-01-01Z'` }

test('tokens that do not refer to a data key are erased with their owner, and new ones refer to theirs', async () => {
  const connectionString = await server.createDatabase()
  const untilThen = migrate(connectPool({ connectionString }), 'postgres-vault', {
    onMigration: ({ number, state }) => {
      if (number === 3 && state === 'applying') throw new Error('here')
    },
  })
  await expect(untilThen).rejects.toThrow()
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(rowsOf0002(literals))

  const vault = await createPostgresVault({ connectionString }, { cipher })
  await client.query(rowOfProcessOf0002(literals))
  const listDataKeys = async () => {
    const text = 'SELECT data_key::int FROM kyc_relay_vault_tokens ORDER BY position'
    return (await client.query<{ data_key: number | null }>(text)).rows.map((row) => row.data_key)
  }
  await expectAllErased(vault, listDataKeys)
  await vault.close()
  await client.end()
})
