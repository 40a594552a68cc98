import { sql } from 'drizzle-orm'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase } from '../../../src/engine/postgres/database.js'
import { createPostgresStorage } from '../../../src/postgres/index.js'
import { statement } from '../../../src/engine/postgres/statement.js'
import { claimRequest, endpoint, event, report } from '../../samples.js'
import { startPostgres, type PostgresServer } from './postgres-server.js'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const probe = statement('probe', sql`SELECT 1`)

/** One connection, what is asked of it, and a clock by which the next statement takes as long as the test says. */
async function openDatabase() {
  const pool = new pg.Pool({ connectionString: await server.createDatabase(), max: 1 })
  const asked: string[] = []
  let connections = 0
  let isBroken = false
  pool.on('connect', (client) => {
    connections++
    const query = client.query.bind(client)
    client.query = ((config: string | pg.QueryConfig, ...rest: unknown[]) => {
      asked.push(typeof config === 'string' ? config : config.text)
      if (isBroken && config === 'DISCARD PLANS') return Promise.reject(new Error('here'))
      return Reflect.apply(query, client, [config, ...rest]) as unknown
    }) as typeof client.query
  })
  let nowMs = 0
  let tookMs = 0
  let looks = 0
  // Looked at before and after each statement.
  const database = createDatabase(pool, { monotonicMs: () => (nowMs += looks++ % 2 === 0 ? 0 : tookMs) })
  return {
    pool,
    forgotten: () => asked.filter((text) => text === 'DISCARD PLANS').length,
    connections: () => connections,
    break: () => void (isBroken = true),
    wait: (ms: number) => void (nowMs += ms),
    async run(ms: number) {
      tookMs = ms
      return database.run((on) => probe.rows(on, {}))
    },
    async runInTransaction(ms: number) {
      tookMs = ms
      await database.transaction((on) => probe.rows(on, {}))
    },
  }
}

test('a connection forgets its plans after a statement of 100 ms, at most every ten seconds', async () => {
  const { pool, run, runInTransaction, wait, forgotten } = await openDatabase()
  await run(99)
  await runInTransaction(99)
  expect(forgotten()).toBe(0)
  await run(100)
  expect(forgotten()).toBe(1)
  await run(5_000)
  await runInTransaction(4_000)
  expect(forgotten()).toBe(1)
  wait(900)
  await runInTransaction(100)
  expect(forgotten()).toBe(2)
  await pool.end()
})

test('one that cannot be told so is not used again, and what the statement did stands', async () => {
  const { pool, run, break: breakIt, connections } = await openDatabase()
  await run(1)
  breakIt()
  expect(await run(100)).toHaveLength(1)
  expect(connections()).toBe(1)
  expect(await run(1)).toHaveLength(1)
  expect(connections()).toBe(2)
  await pool.end()
})

test('so a plan that was made for an empty queue is not kept for a long one', async () => {
  const { pool, run } = await openDatabase()
  const { webhooks } = await createPostgresStorage({ pool }, { notify: false })
  await pool.query('ALTER TABLE kyc_relay_delivery_queue SET (autovacuum_enabled = false)')
  const hook = endpoint('a')
  await webhooks.registerEndpoint(hook, 1)
  await pool.query('VACUUM ANALYZE kyc_relay_delivery_queue')
  // From the sixth time on PostgreSQL may keep a plan for all values.
  for (let n = 0; n < 7; n++) {
    await webhooks.insertEvent(event(`e${n}`, [hook]))
    const { claimed } = await webhooks.claimDue(claimRequest)
    await webhooks.recordAttemptResults(
      claimed.map(({ fence }) => ({ fence, attempt: { state: 'SUCCEEDED', report }, next: { state: 'DELIVERED' } })),
    )
  }
  await pool.query(`INSERT INTO kyc_relay_delivery_queue (app_id, position, delivery_id, endpoint_id, due_at)
    SELECT 'an app', n, 'a delivery', 'an endpoint', now() FROM generate_series(1, 5000) AS n`)

  const searches = async () => {
    const { rows: prepared } = await pool.query<{ name: string; kinds: string[] }>(
      `SELECT name, parameter_types::text[] AS kinds FROM pg_prepared_statements
      WHERE name IN ('kyc_relay_claim_fairly', 'kyc_relay_record_ended')`,
    )
    expect(prepared).toHaveLength(2)
    const plans: string[] = []
    for (const { name, kinds } of prepared) {
      const nothing = kinds.map(() => 'NULL').join(',')
      const { rows } = await pool.query<Record<string, string>>(`EXPLAIN EXECUTE ${name}(${nothing})`)
      plans.push(...rows.flatMap((row) => Object.values(row)))
    }
    return plans.filter((step) => step.includes('Seq Scan on kyc_relay_delivery_queue')).length
  }
  expect(await searches()).toBeGreaterThan(0)
  await run(100)
  expect(await searches()).toBe(0)
  await pool.end()
})
