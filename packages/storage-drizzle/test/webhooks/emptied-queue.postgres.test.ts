import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { begin } from '../../src/engine/postgres/database.js'
import { createPostgresStorage } from '../../src/postgres/index.js'
import { claimRequest, endpoint, event, report } from '../samples.js'
import { startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'

// PostgreSQL analyses a queue when it likes: if it was empty then, a long one counts as a single row until the next time.

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

interface PlanStep {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Join Filter'?: string
  readonly Plans?: readonly PlanStep[]
}

const stepsOf = (step: PlanStep): PlanStep[] => [step, ...(step.Plans ?? []).flatMap(stepsOf)]

/** Holds only what is in flight. */
const ofThoseInFlight = 'kyc_relay_delivery_queue_in_flight'

/** Only named deliveries, or those in flight, are read. The plan tells how a step finds rows, not what it changes. */
const isSearch = (step: PlanStep) =>
  step['Relation Name'] === 'kyc_relay_delivery_queue' &&
  step['Node Type'].endsWith('Scan') &&
  step['Index Cond'] === undefined &&
  step['Index Name'] !== ofThoseInFlight

/** Each result is compared with each delivery in flight, before any of them is locked. */
const isComparison = (step: PlanStep) => step['Join Filter']?.includes('"position"') === true

/** What waits beside. */
const others = 5_000
const batch = 256

const locksLeases = ['record_ended', 'lock_leased']
const ofTheQueue = ['list_waiting', ...locksLeases, 'apply_results']

test('a long queue that was analysed while it was empty is not searched', async () => {
  const pool = new pg.Pool({ connectionString: await server.createDatabase(), max: 1 })
  onTestFinished(() => pool.end())
  const { webhooks } = await createPostgresStorage({ pool }, { notify: false })
  const hook = endpoint('a')
  await webhooks.registerEndpoint(hook, 1)
  const fill = `INSERT INTO kyc_relay_delivery_queue (app_id, position, delivery_id, endpoint_id, due_at)
    SELECT 'an app', n, 'a delivery', 'an endpoint', now() FROM generate_series(1, ${others}) AS n`
  await pool.query('ALTER TABLE kyc_relay_delivery_queue SET (autovacuum_enabled = false)')
  await pool.query(fill)
  await pool.query('DELETE FROM kyc_relay_delivery_queue')
  await pool.query('ANALYZE kyc_relay_delivery_queue')
  await pool.query(fill)
  const { rows: estimates } = await pool.query<{ pages: number; rows: number }>(
    `SELECT relpages AS pages, reltuples AS rows FROM pg_class WHERE relname = 'kyc_relay_delivery_queue'`,
  )
  expect(estimates).toEqual([{ pages: expect.any(Number) as number, rows: 0 }])
  expect(estimates[0]?.pages).toBeGreaterThan(0)

  // The server counts a moment later.
  async function rowsRead(): Promise<number> {
    const count = async () => {
      await pool.query('SELECT pg_stat_clear_snapshot()')
      const { rows } = await pool.query<{ touched: string; read: string }>(
        `SELECT n_tup_upd + n_tup_del AS touched, seq_tup_read + idx_tup_fetch AS read
        FROM pg_stat_user_tables WHERE relname = 'kyc_relay_delivery_queue'`,
      )
      return { touched: Number(rows[0]?.touched), read: Number(rows[0]?.read) }
    }
    await expect.poll(async () => (await count()).touched, { interval: 50 }).toBe(touched)
    return (await count()).read
  }
  let touched = others
  let read = await rowsRead()
  async function expectFewRead(what: string, changed: number) {
    touched += changed
    const now = await rowsRead()
    expect(now - read, what).toBeLessThan(others)
    read = now
  }

  await webhooks.claimExpired(claimRequest)
  await expectFewRead('take-over of nothing', 0)
  for (let n = 0; n < batch; n++) await webhooks.insertEvent(event(`e${n}`, [hook]))
  const claim = () =>
    webhooks.claimDue({
      ...claimRequest,
      limit: batch,
      keepForHealthy: 0,
      maxInFlight: { healthy: batch, failing: batch },
    })
  const again = { state: 'PENDING', delayMs: 0 } as const
  const failed = { state: 'FAILED', report } as const
  const succeeded = { state: 'SUCCEEDED', report } as const
  const outcomes = {
    'all again': () => ({ attempt: failed, next: again }),
    'half of them again': (n: number) => ({
      attempt: failed,
      next: n % 2 === 0 ? again : ({ state: 'FAILED' } as const),
    }),
    'none again': () => ({ attempt: succeeded, next: { state: 'DELIVERED' } as const }),
  }
  for (const [name, outcome] of Object.entries(outcomes)) {
    const { claimed } = await claim()
    expect(claimed).toHaveLength(name === 'none again' ? batch / 2 : batch)
    await expectFewRead(`claim before a result, ${name}`, claimed.length)
    const { stale } = await webhooks.recordAttemptResults(claimed.map(({ fence }, n) => ({ fence, ...outcome(n) })))
    expect(stale).toEqual([])
    await expectFewRead(`result, ${name}`, claimed.length)
  }

  // The same by the plans that a connection keeps for all values.
  await pool.query('SET plan_cache_mode = force_generic_plan')
  await pool.query(begin)
  for (const name of ofTheQueue) {
    const { rows: prepared } = await pool.query<{ kinds: string[] }>(
      `SELECT parameter_types::text[] AS kinds FROM pg_prepared_statements WHERE name = $1`,
      [`kyc_relay_${name}`],
    )
    const nothing = prepared[0]!.kinds.map(() => 'NULL').join(',')
    const { rows } = await pool.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanStep }[] }>(
      `EXPLAIN (FORMAT JSON) EXECUTE kyc_relay_${name}(${nothing})`,
    )
    const steps = stepsOf(rows[0]!['QUERY PLAN'][0]!.Plan)
    expect(
      steps.some((step) => step['Relation Name'] === 'kyc_relay_delivery_queue'),
      name,
    ).toBe(true)
    expect(steps.filter(isSearch), name).toEqual([])
    if (locksLeases.includes(name)) expect(steps.filter(isComparison), name).toEqual([])
  }
})
