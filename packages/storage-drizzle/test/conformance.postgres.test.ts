import pg from 'pg'
import { expect, test } from 'vitest'
import { createPostgresDeduplicationStore, createPostgresStorage, createPostgresVault } from '../src/postgres/index.js'
import { testConformance } from './postgres-conformance.js'
import { startPostgres } from './engine/postgres/postgres-server.js'
import { makeRuntimeUser } from './engine/postgres/runtime-role.js'
import { cipher } from './vault/any-cipher.js'

let asUser: pg.Pool
let asOwner: pg.Pool

// As the rights are that the package ships for running: the migrations alone are applied by the owner.
testConformance(async () => {
  const server = await startPostgres()
  const connectionString = await server.createDatabase()
  const owner = new pg.Pool({ connectionString, max: 3 })
  await (await createPostgresStorage({ connectionString })).close()
  await (await createPostgresVault({ connectionString }, { cipher })).close()
  await (await createPostgresDeduplicationStore({ connectionString })).close()
  asOwner = owner
  const user = await makeRuntimeUser(owner, connectionString)
  // The lag of the feed comes from transactions of other users too: those of other test files.
  await owner.query(`GRANT pg_read_all_stats TO ${new URL(user.connectionString).username}`)
  const pools = [1, 2].map(() => new pg.Pool({ connectionString: user.connectionString, max: 5 }))
  asUser = pools[0]!
  return {
    locations: pools.map((pool) => ({ pool })),
    owner,
    async end() {
      await Promise.all(pools.map((pool) => pool.end()))
      await user.remove()
      await owner.end()
      await server.stop()
    },
  }
})

test.each([
  'CREATE TABLE kyc_relay_more (id int)',
  'ALTER TABLE kyc_relay_verifications ADD COLUMN more int',
  'DROP TABLE kyc_relay_verifications',
  'TRUNCATE kyc_relay_events',
  `INSERT INTO kyc_relay_migrations (number, name, sha256, schema_sha256) VALUES (99, '', '', '')`,
  ...[
    'kyc_relay_audit_entries',
    'kyc_relay_vault_audit_entries',
    'kyc_relay_vault_audit',
    'kyc_relay_kyc_status_corrections',
    'kyc_relay_verifications',
    'kyc_relay_submission_keys',
  ].flatMap((table) => [`DELETE FROM ${table}`, `TRUNCATE ${table}`]),
  `UPDATE kyc_relay_audit_entries SET kind = ''`,
  `UPDATE kyc_relay_vault_audit_entries SET kind = ''`,
  `UPDATE kyc_relay_vault_audit SET actor = ''`,
  `UPDATE kyc_relay_verifications SET next_status = 'PASS'`,
  `UPDATE kyc_relay_kyc_status_corrections SET next = 'PASS'`,
  `UPDATE kyc_relay_submission_keys SET result_message = ''`,
  'DELETE FROM kyc_relay_audit_heads',
  'DELETE FROM kyc_relay_vault_audit_heads',
  `SELECT setval(pg_get_serial_sequence('kyc_relay_verifications', 'position'), 1)`,
])('the user that runs may not: %s', async (text) => {
  await expect(asUser.query(text)).rejects.toMatchObject({ code: '42501' })
})

test('a receiver claims and forgets under it', async () => {
  const store = await createPostgresDeduplicationStore({ pool: asUser }, { migrations: 'require' })
  const claim = await store.claim({ eventId: 'one', leaseMs: 1_000 })
  expect(claim).toEqual({ kind: 'claimed', fence: 1 })
  expect(await store.complete({ eventId: 'one', fence: 1 })).toBe('completed')
  expect(await store.forget({ olderThanMs: 0, limit: 10 })).toBeLessThanOrEqual(1)
})

test('a user that may not see other sessions is not told that the feed has no lag', async () => {
  const { rows } = await asUser.query<{ name: string }>('SELECT current_user AS name')
  const storage = await createPostgresStorage({ pool: asUser }, { migrations: 'require' })
  await asOwner.query(`REVOKE pg_read_all_stats FROM ${rows[0]?.name}`)
  try {
    expect(await storage.feed.measureLag()).toBeNull()
  } finally {
    await asOwner.query(`GRANT pg_read_all_stats TO ${rows[0]?.name}`)
    await storage.close()
  }
})
