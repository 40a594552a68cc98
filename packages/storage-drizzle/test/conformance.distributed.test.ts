import pg from 'pg'
import { expect, test } from 'vitest'
import { testConformance } from './postgres-conformance.js'
import { createMigratedDatabase } from './engine/postgres/distributed-database.js'
import { guardDistribution, type DistributionGuard } from './engine/postgres/distribution-guard.js'

// The mode for distributed tables: on a real Citus with TEST_CITUS_URL, else on PostgreSQL under a guard that refuses
// what Citus would refuse, or would do on several nodes.

const guard: DistributionGuard = { refused: new Set(), readsOverAll: new Set() }
let guarded: pg.Pool

testConformance(async () => {
  const { connectionString, empty, stop } = await createMigratedDatabase({ distributed: true })
  const owner = new pg.Pool({ connectionString, max: 3 })
  const pools = [1, 2].map(() => new pg.Pool({ connectionString, max: 5 }))
  for (const pool of pools) guardDistribution(pool, guard)
  guarded = pools[0]!
  return {
    locations: pools.map((pool) => ({ pool })),
    owner,
    distributed: true,
    empty: () => empty(owner),
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
    // Counts of attempts by hour, for retention.
    'kyc_relay_endpoint_hours',
    // Ended leases.
    'kyc_relay_delivery_queue',
    // Due endpoints and due notices.
    'kyc_relay_delivery_queue kyc_relay_due_notices kyc_relay_endpoint_schedules',
    // What waited too long for the end of a pause, for retention.
    'kyc_relay_delivery_queue kyc_relay_endpoint_schedules',
    // Apps of a user, for an erasure.
    'kyc_relay_events kyc_relay_transactions',
    // Verifications in order, and what their entries cover, for `audit verify`.
    'kyc_relay_kyc_statuses kyc_relay_verifications',
    'kyc_relay_submission_keys',
    // The same with corrections.
    'kyc_relay_kyc_status_corrections',
    'kyc_relay_kyc_status_corrections kyc_relay_kyc_statuses kyc_relay_verifications',
    // Endpoints in order, for `audit verify`.
    'kyc_relay_endpoints',
    // Old fields of transactions, for retention.
    'kyc_relay_transactions',
    // Running recoveries.
    'kyc_relay_recoveries',
    // Users under a legal hold, and closed accounts.
    'kyc_relay_user_retention',
    // Changes of statuses to publish.
    'kyc_relay_kyc_status_outbox',
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
