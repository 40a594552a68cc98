import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createPostgresStorage, createPostgresVault } from '../src/postgres/index.js'
import { testConformance } from './postgres-conformance.js'
import { distributeSql, guardDistribution, type DistributionGuard } from './engine/postgres/distribution-guard.js'
import { startPostgres } from './engine/postgres/postgres-server.js'

// The mode for distributed tables: on a real Citus with TEST_CITUS_URL, else on PostgreSQL under a guard that refuses
// what Citus would refuse, or would do on several nodes.

const citus = process.env['TEST_CITUS_URL']
const guard: DistributionGuard = { refused: new Set(), readsOverAll: new Set() }
let guarded: pg.Pool

/** Empties the tables: the coordinator cannot delete in any order. */
const emptyAll = `DO $$ BEGIN
  EXECUTE (SELECT 'TRUNCATE ' || string_agg(quote_ident(relname), ', ') FROM pg_class
    WHERE relkind = 'r' AND relname LIKE 'kyc\\_relay\\_%' AND relname NOT LIKE '%\\_migrations'
      AND relnamespace = current_schema()::regnamespace);
END $$`

/** Makes a database whose tables are distributed, if there is a Citus. */
async function createDatabase() {
  if (citus === undefined) {
    const server = await startPostgres()
    return { connectionString: await server.createDatabase(), stop: () => server.stop() }
  }
  const schema = `kyc_relay_test_${randomUUID().replaceAll('-', '')}`
  const admin = new pg.Client({ connectionString: citus })
  await admin.connect()
  await admin.query(`CREATE SCHEMA ${schema}`)
  const url = new URL(citus)
  url.searchParams.set('options', `-c search_path=${schema},public`)
  return {
    connectionString: url.href,
    async stop() {
      await admin.query(`DROP SCHEMA ${schema} CASCADE`)
      await admin.end()
    },
  }
}

testConformance(async () => {
  const { connectionString, stop } = await createDatabase()
  const owner = new pg.Pool({ connectionString, max: 3 })
  await (await createPostgresStorage({ connectionString })).close()
  await (await createPostgresVault({ connectionString }, { cipher: {} as never })).close()
  if (citus !== undefined) await owner.query(distributeSql)
  const pools = [1, 2].map(() => new pg.Pool({ connectionString, max: 5 }))
  for (const pool of pools) guardDistribution(pool, guard)
  guarded = pools[0]!
  return {
    locations: pools.map((pool) => ({ pool })),
    owner,
    distributed: true,
    ...(citus === undefined ? {} : { empty: async () => void (await owner.query(emptyAll)) }),
    async end() {
      await Promise.all(pools.map((pool) => pool.end()))
      await owner.end()
      await stop()
    },
  }
})

test('every write and every lock was of one app, user or key', () => {
  expect([...guard.refused]).toEqual([])
})

test.each([
  'UPDATE kyc_relay_endpoints SET url = $1 WHERE endpoint_id = $2',
  'SELECT FROM kyc_relay_kyc_statuses WHERE kyc_status = $1 FOR UPDATE',
  'DELETE FROM kyc_relay_due_notices AS notice USING kyc_relay_endpoints AS gone WHERE notice.app_id = $1',
  'INSERT INTO kyc_relay_attempts (delivery_id) VALUES ($1)',
])('the guard refuses %s', async (text) => {
  await expect(guarded.query(text)).rejects.toThrow('not of one app or user')
})

// Each of these asks every node. The list is that of docs/scaling.md.
test('only known reads are over all shards', () => {
  const known = [
    // Old attempts, for retention.
    'kyc_relay_attempts kyc_relay_deliveries',
    // Old bodies, for retention.
    'kyc_relay_deliveries kyc_relay_events',
    // Ended leases.
    'kyc_relay_delivery_queue',
    // Due endpoints and due notices.
    'kyc_relay_delivery_queue kyc_relay_due_notices kyc_relay_endpoint_schedules',
    // Apps of a user, for an erasure.
    'kyc_relay_events kyc_relay_transactions',
    // Verifications in order, and what their entries cover, for `audit verify`.
    'kyc_relay_kyc_status_log kyc_relay_kyc_statuses kyc_relay_verifications',
    'kyc_relay_kyc_status_log kyc_relay_verifications',
    'kyc_relay_submission_keys',
    'kyc_relay_decline_codes',
    'kyc_relay_verification_checks',
    'kyc_relay_verification_sections',
    // Due photos.
    'kyc_relay_photo_jobs',
    // A transaction by its id, with the event of its source.
    'kyc_relay_event_sources kyc_relay_events kyc_relay_transaction_moves kyc_relay_transactions',
    // Referenced tokens.
    'kyc_relay_verifications',
    // Data keys under a former wrapping key, and tokens by age or in quarantine.
    'kyc_relay_vault_data_keys',
    'kyc_relay_vault_tokens',
  ]
  expect([...guard.readsOverAll].sort()).toEqual(known.sort())
})
