// A backlog of 10⁶ deliveries to 10⁴ endpoints, of which one in a hundred takes every request and never answers: is it
// drained, does any endpoint wait while others are served, and how much memory does the worker need? One process, both
// engines, a real sink on loopback. BENCH_DELIVERIES and BENCH_ENDPOINTS make it smaller.
import assert from 'node:assert/strict'
import path from 'node:path'
import { clearInterval, setInterval } from 'node:timers'
import { Pool } from 'undici'
import { createDeliveryWorker, reportOfCause } from '@kyc-relay/webhooks/delivery'
import { atLeast, atMost, printGoals, startSink, temporaryFolder, writeReport } from './harness.mjs'
import { startPostgres } from './local-postgres.mjs'

const deliveries = Number(process.env.BENCH_DELIVERIES ?? 1_000_000)
const endpoints = Number(process.env.BENCH_ENDPOINTS ?? 10_000)
/** One endpoint in this number hangs. */
const oneHangingIn = 100
const reach = { jain: 0.95, rssMiB: 512, seconds: 200 }
const appId = '0a000000-0000-7000-8000-000000000001'

const folder = temporaryFolder()
const sink = await startSink()
const sinkUrl = sink.url
const pool = new Pool(sinkUrl, { connections: 256 })
const hangingPool = new Pool(sinkUrl)

/** The backlog as publishing would have left it, written by the database itself. */
const seeds = {
  sqlite: `
    PRAGMA synchronous = OFF;
    BEGIN;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${endpoints})
    INSERT INTO kyc_relay_endpoints (endpoint_id, lineage_id, app_id, url, standard_webhooks, created_at)
    SELECT printf('0e000000-0000-7000-8000-%012d', i), i, '${appId}',
      '${sinkUrl}' || iif(i % ${oneHangingIn} = 0, '/hang/', '/') || i, 0, 0 FROM n;
    INSERT INTO kyc_relay_endpoint_schedules (endpoint, next_due_at) SELECT position, 1 FROM kyc_relay_endpoints;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${deliveries})
    INSERT INTO kyc_relay_events (event_id, app_id, user_id, type, occurred_at, body, test, created_at)
    SELECT printf('%08x-0001-7000-8000-000000000000', i), '${appId}', lower(hex(randomblob(16))),
      'WIDGET_DEPOSIT_COMPLETE', 1, CAST('{"note":"' || hex(randomblob(120)) || '"}' AS BLOB), 0, 1 FROM n;
    INSERT INTO kyc_relay_deliveries (delivery_id, event, endpoint, x_event_id, app_id, user_id, event_type, state, created_at, due_at)
    SELECT printf('%08x-0002-7000-8000-000000000000', position), position, 1 + position % ${endpoints}, event_id,
      app_id, user_id, type, 'PENDING', 1, 1 FROM kyc_relay_events;
    COMMIT;`,
  postgres: `
    SET synchronous_commit = off;
    INSERT INTO kyc_relay_endpoints (endpoint_id, lineage_id, app_id, url, standard_webhooks, created_at)
    SELECT '0e000000-0000-7000-8000-' || lpad(i::text, 12, '0'), i, '${appId}',
      '${sinkUrl}' || CASE WHEN i % ${oneHangingIn} = 0 THEN '/hang/' ELSE '/' END || i, false, now() FROM generate_series(1, ${endpoints}) i;
    INSERT INTO kyc_relay_endpoint_schedules (app_id, endpoint_id, next_due_at) SELECT app_id, endpoint_id, now() FROM kyc_relay_endpoints;
    INSERT INTO kyc_relay_events (event_id, app_id, user_id, type, occurred_at, body, test, created_at)
    SELECT lpad(to_hex(i), 8, '0') || '-0001-7000-8000-000000000000', '${appId}', gen_random_uuid(), 'WIDGET_DEPOSIT_COMPLETE',
      now(), convert_to('{"note":"' || repeat(md5(i::text), 8) || '"}', 'UTF8'), false, now() FROM generate_series(1, ${deliveries}) i;
    INSERT INTO kyc_relay_deliveries (delivery_id, event_id, endpoint_id, x_event_id, app_id, user_id, event_type, state, created_at)
    SELECT left(event_id, 8) || '-0002-7000-8000-000000000000', event_id,
      '0e000000-0000-7000-8000-' || lpad((1 + ('x' || left(event_id, 8))::bit(32)::int % ${endpoints})::text, 12, '0'),
      event_id, app_id, user_id, type, 'PENDING', now() FROM kyc_relay_events;
    INSERT INTO kyc_relay_delivery_queue (app_id, position, delivery_id, endpoint_id, due_at)
    SELECT app_id, position, delivery_id, endpoint_id, created_at FROM kyc_relay_deliveries;`,
}

const engines = {
  async SQLite() {
    const { createSqliteStorage } = await import('@kyc-relay/storage-drizzle/sqlite')
    const { default: Database } = await import('better-sqlite3')
    const file = path.join(folder, 'backlog.db')
    await (await createSqliteStorage({ path: file })).close()
    const database = new Database(file)
    database.exec(seeds.sqlite)
    database.close()
    return createSqliteStorage({ path: file })
  },
  async PostgreSQL() {
    const { createPostgresStorage } = await import('@kyc-relay/storage-drizzle/postgres')
    const { default: pg } = await import('pg')
    postgres = await startPostgres()
    const url = new URL(postgres.url)
    const admin = new pg.Client({ connectionString: url.href })
    await admin.connect()
    url.pathname = `/backlog_${process.pid}`
    await admin.query(`CREATE DATABASE ${url.pathname.slice(1)}`)
    await admin.end()
    await (await createPostgresStorage({ connectionString: url.href })).close()
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    await client.query(seeds.postgres)
    await client.query('VACUUM ANALYZE')
    await client.query('CHECKPOINT')
    await client.end()
    return createPostgresStorage({ connectionString: url.href, maxConnections: 10 }, { notify: false })
  },
}

let postgres = null
async function send({ url, headers, body, timeoutMs }) {
  const { pathname } = new URL(url)
  const through = pathname.startsWith('/hang/') ? hangingPool : pool
  try {
    const signal = through === hangingPool ? AbortSignal.timeout(timeoutMs) : null
    const response = await through.request({ method: 'POST', path: pathname, headers, body, signal })
    await response.body.dump()
    return { ...reportOfCause('HTTP_STATUS'), cause: null, status: response.statusCode }
  } catch {
    return reportOfCause('TIMEOUT')
  }
}

/** Jain's index: 1 when all got the same, 1/n when one got everything. */
function fairness(counts) {
  let [sum, squares] = [0, 0]
  for (const count of counts) {
    sum += count
    squares += count * count
  }
  return sum === 0 ? 1 : (sum * sum) / (counts.length * squares)
}

async function drain({ webhooks }) {
  const isHanging = (n) => n % oneHangingIn === 0
  const healthy = Array.from({ length: endpoints }, (_, n) => n + 1).filter((n) => !isHanging(n))
  const expected = Array.from({ length: deliveries }, (_, n) => 1 + ((n + 1) % endpoints)).filter(
    (n) => !isHanging(n),
  ).length
  const counts = new Float64Array(endpoints + 1)
  const servedAt = new Float64Array(endpoints + 1)
  const looks = [0.1, 0.25, 0.5, 0.75, 0.9].map((share) => Math.floor(expected * share))
  let [delivered, hung, jain, longestWaitMs, peakRss] = [0, 0, 1, 0, 0]
  let finished = () => {}
  const done = new Promise((resolve) => (finished = resolve))
  const worker = createDeliveryWorker({
    store: webhooks,
    send,
    grants: { find: async (pairs) => pairs.map((pair) => ({ ...pair, scopes: ['MAKE_PAYOUT_SEND'] })) },
    signingKeys: { current: async (appIds) => appIds.map((appId) => ({ appId, key: 'kyc_live_example', version: 1 })) },
    now: () => new Date(),
    random: Math.random,
    // Short attempts: what hangs comes back more often than it would.
    options: { attemptTimeoutMs: 5_000, stopTimeoutMs: 10_000 },
    onResultWritten({ delivery, result, outcome }) {
      const n = Number(delivery.endpoint.endpointId.slice(-12))
      if (isHanging(n)) return void (hung += 1)
      assert.equal(outcome, 'applied')
      assert.equal(result.next.state, 'DELIVERED')
      const now = performance.now()
      longestWaitMs = Math.max(longestWaitMs, now - servedAt[n])
      servedAt[n] = now
      counts[n] += 1
      delivered += 1
      if (looks.includes(delivered)) jain = Math.min(jain, fairness(healthy.map((each) => counts[each])))
      if (delivered === expected) finished()
    },
  })
  globalThis.gc?.()
  const memory = setInterval(() => (peakRss = Math.max(peakRss, process.memoryUsage.rss())), 250)
  const started = performance.now()
  servedAt.fill(started)
  worker.start()
  await done
  const seconds = (performance.now() - started) / 1_000
  clearInterval(memory)
  await worker.stop()
  const rssMiB = Math.max(peakRss, process.memoryUsage.rss()) / 2 ** 20
  return { delivered, hung, seconds, perSecond: delivered / seconds, jain, longestWaitMs, rssMiB }
}

const only = (process.env.BENCH_ONLY ?? '').toLowerCase()
const rows = []
const notMeasured = {}
try {
  for (const [engine, open] of Object.entries(engines)) {
    if (!engine.toLowerCase().includes(only)) continue
    try {
      const storage = await open()
      rows.push({ engine, ...(await drain(storage)) })
      await storage.close()
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      notMeasured[engine] = error instanceof Error ? (error.code ?? error.message) : 'failed'
    }
  }
} finally {
  await postgres?.stop()
  sink.stop()
}

console.log(
  `${deliveries} deliveries due to ${endpoints} endpoints, ${endpoints / oneHangingIn} of which never answer; one process.\n`,
)
console.log(`${'engine'.padEnd(12)}  delivered  seconds  per second    Jain  longest wait  RSS MiB  hung attempts`)
for (const { engine, delivered, hung, seconds, perSecond, jain, longestWaitMs, rssMiB } of rows) {
  const figures = [
    String(delivered).padStart(11),
    seconds.toFixed(0).padStart(9),
    perSecond.toFixed(0).padStart(12),
    jain.toFixed(3).padStart(8),
    `${(longestWaitMs / 1_000).toFixed(1)} s`.padStart(14),
    rssMiB.toFixed(0).padStart(9),
    String(hung).padStart(15),
  ]
  console.log(engine.padEnd(12) + figures.join(''))
}
for (const [engine, why] of Object.entries(notMeasured)) console.log(`${engine.padEnd(12)}  not measured (${why})`)
const goals = rows.flatMap(({ engine, jain, rssMiB, seconds }) => [
  atLeast(`${engine}: Jain's index of healthy endpoints, lowest of five looks`, jain, reach.jain),
  atMost(`${engine}: peak memory, in MiB`, rssMiB, reach.rssMiB),
  atMost(`${engine}: seconds until all is delivered`, seconds, reach.seconds),
])
console.log()
printGoals(goals)

writeReport('backlog', {
  unit: 'deliveries per second',
  sizes: { deliveries, endpoints, 'one hanging endpoint in': oneHangingIn },
  rows,
  goals,
  notMeasured,
})
process.exit(0)
