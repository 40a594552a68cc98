// Claims on PostgreSQL, with many apps and with one, beside 10⁶ retries that wait for their time: deliveries claimed and
// recorded in a second, and statements for each. In one transaction for any apps, and in one for each app, as on distributed
// tables. BENCH_DELIVERIES and BENCH_RETRIES make it smaller.
import pg from 'pg'
import { createPostgresStorage } from '@kyc-relay/storage-drizzle/postgres'
import { reportOfCause } from '@kyc-relay/webhooks/delivery'
import { printTable, writeReport } from './harness.mjs'
import { startPostgres } from './local-postgres.mjs'

const deliveries = Number(process.env.BENCH_DELIVERIES ?? 1_000_000)
const retries = Number(process.env.BENCH_RETRIES ?? 1_000_000)
/** A case ends when everything is recorded, or after this time. */
const mostMs = 20_000
const retryApps = 100

/** Due deliveries: `count` of them, shared out over apps with `each` endpoints. */
const cases = [
  { name: '10⁴ apps, one delivery each', apps: 10_000, each: 1, count: 10_000 },
  { name: `one app, 100 endpoints, ${deliveries} deliveries`, apps: 1, each: 100, count: deliveries },
]
const modes = [
  { mode: 'any apps in a transaction', distributed: false },
  { mode: 'one app in a transaction', distributed: true },
]

/** Rows as publishing and failed attempts leave them. `kind` keeps the ids of the two apart. */
const seed = ({ kind, apps, each, count, due }) => `
  INSERT INTO kyc_relay_endpoints (app_id, endpoint_id, lineage_id, url, standard_webhooks, created_at)
  SELECT '${kind}-' || a, e::text, e::text, 'https://receiver.example/', false, now()
  FROM generate_series(1, ${apps}) a, generate_series(1, ${each}) e;
  INSERT INTO kyc_relay_endpoint_schedules (app_id, endpoint_id, next_due_at)
  SELECT app_id, endpoint_id, ${due} FROM kyc_relay_endpoints WHERE app_id LIKE '${kind}-%';
  INSERT INTO kyc_relay_events (app_id, event_id, user_id, type, occurred_at, body, test, created_at)
  SELECT '${kind}-' || (1 + i % ${apps}), i::text, gen_random_uuid(), 'WIDGET_DEPOSIT_COMPLETE', now(),
    decode(repeat(md5(i::text), 16), 'hex'), false, now() FROM generate_series(1, ${count}) i;
  INSERT INTO kyc_relay_deliveries (
    app_id, delivery_id, event_id, endpoint_id, x_event_id, user_id, event_type, state, created_at
  )
  SELECT app_id, event_id, event_id, (1 + event_id::int / ${apps} % ${each})::text, event_id, user_id, type, 'PENDING', now()
  FROM kyc_relay_events WHERE app_id LIKE '${kind}-%';
  INSERT INTO kyc_relay_delivery_queue (app_id, position, delivery_id, endpoint_id, attempts_made, due_at)
  SELECT app_id, position, delivery_id, endpoint_id, ${kind === 'retry' ? 1 : 0}, ${due}
  FROM kyc_relay_deliveries WHERE app_id LIKE '${kind}-%';`

const report = { ...reportOfCause('HTTP_STATUS', 1), cause: null, status: 200 }

async function measure(connectionString, distributed) {
  const pool = new pg.Pool({ connectionString, max: 10 })
  let statements = 0
  pool.on('connect', (client) => {
    const query = client.query.bind(client)
    client.query = (...all) => {
      statements += 1
      return query(...all)
    }
  })
  const storage = await createPostgresStorage({ pool }, { migrations: 'require', notify: false, distributed })
  let recorded = 0
  const startedMs = performance.now()
  while (performance.now() - startedMs < mostMs) {
    const { claimed } = await storage.webhooks.claimDue({
      limit: 256,
      keepForHealthy: 64,
      leaseMs: 45_000,
      maxInFlight: { healthy: 4, failing: 1 },
    })
    if (claimed.length === 0) break
    await storage.webhooks.recordAttemptResults(
      claimed.map(({ fence }) => ({ fence, attempt: { state: 'SUCCEEDED', report }, next: { state: 'DELIVERED' } })),
    )
    recorded += claimed.length
  }
  const seconds = (performance.now() - startedMs) / 1_000
  await storage.close()
  await pool.end()
  return { recorded, 'per second': recorded / seconds, 'statements each': statements / recorded }
}

const server = await startPostgres()
const rows = []
try {
  for (const { name, ...due } of cases) {
    for (const { mode, distributed } of modes) {
      const database = `apps_${process.pid}_${rows.length}`
      const admin = new pg.Client({ connectionString: server.url })
      await admin.connect()
      await admin.query(`CREATE DATABASE ${database}`)
      const url = new URL(server.url)
      url.pathname = `/${database}`
      await (await createPostgresStorage({ connectionString: url.href })).close()
      const client = new pg.Client({ connectionString: url.href })
      await client.connect()
      await client.query('SET synchronous_commit = off')
      const waiting = { kind: 'retry', apps: retryApps, each: 100, count: retries, due: `now() + interval '1 hour'` }
      await client.query(seed(waiting))
      await client.query(seed({ kind: 'due', ...due, due: 'now()' }))
      await client.query('VACUUM ANALYZE')
      await client.query('CHECKPOINT')
      await client.end()
      rows.push({ case: `${name}: ${mode}`, ...(await measure(url.href, distributed)) })
      await admin.query(`DROP DATABASE ${database}`)
      await admin.end()
    }
  }
} finally {
  await server.stop()
}

console.log(`Claimed and recorded on PostgreSQL, beside ${retries} waiting retries; one worker, no sending.\n`)
printTable(rows, 'case', 2)
writeReport('apps', { unit: 'deliveries per second', sizes: { 'waiting retries': retries }, rows })
