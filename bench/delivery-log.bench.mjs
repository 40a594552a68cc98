// Measures one page of the delivery log with each filter, alone and combined, in a log of 10⁶ deliveries of one app, on both
// engines. What a filter finds is at the old end of the log, or not there: the most that a page can cost.
import path from 'node:path'
import { createPostgresStorage } from '@kyc-relay/storage-drizzle/postgres'
import { createSqliteStorage } from '@kyc-relay/storage-drizzle/sqlite'
import { fillSqlite } from './fill-sqlite.mjs'
import { atMost, median, printTable, temporaryFolder, writeReport } from './harness.mjs'
import { startPostgres } from './local-postgres.mjs'

const deliveries = Number(process.env.BENCH_DELIVERIES ?? 1_000_000)
const rounds = Number(process.env.BENCH_ROUNDS ?? 7)
const reachMs = 50

const appId = '0a000000-0000-7000-8000-000000000000'
const id = (kind, n) => `${n.toString(16).padStart(8, '0')}-000${kind}-7000-8000-000000000000`
const oldest = 40
const start = Date.now() - deliveries * 1_000

/** Old rows differ from all later ones in every column that a filter can name. */
const rare = (engine, column, old, later) => `CASE WHEN i <= ${oldest} THEN ${old} ELSE ${later} END`
const seed = ({ ids, at, text, rows, settings, body }) => `
  ${settings}
  INSERT INTO kyc_relay_endpoints (endpoint_id, lineage_id, app_id, url, standard_webhooks, created_at)
  SELECT ${ids(4)}, ${text}, '${appId}', 'https://example.com/', ${body.no}, ${at} FROM ${rows(50)};
  INSERT INTO kyc_relay_events (event_id, app_id, user_id, type, occurred_at, body, test, created_at)
  SELECT ${ids(1)}, '${appId}', ${ids(2)}, ${rare('', 'type', "'TRANSACTION_DECLINE'", "'WIDGET_DEPOSIT_COMPLETE'")}, ${at},
    ${body.bytes}, ${body.no}, ${at} FROM ${rows(deliveries)};`

const engines = {
  async SQLite(folder) {
    const file = path.join(folder, 'log.db')
    await (await createSqliteStorage({ path: file })).close()
    const rows = (count) =>
      `(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n)`
    const ids = (kind) => `printf('%08x-000${kind}-7000-8000-000000000000', i)`
    const body = { no: 0, bytes: 'randomblob(250)' }
    await fillSqlite(
      file,
      seed({ ids, rows, body, at: `${start} + i * 1000`, text: 'i', settings: 'PRAGMA synchronous = OFF; BEGIN;' }) +
        `INSERT INTO kyc_relay_deliveries (delivery_id, event, endpoint, x_event_id, app_id, user_id, event_type, state,
          attempts_made, created_at, ended_at, cancel_reason, http_status, latency_ms)
        SELECT ${ids(3)}, i, CASE WHEN i <= ${oldest} THEN 1 ELSE 2 + i % 49 END, ${ids(5)}, '${appId}', ${ids(2)},
          CASE WHEN i <= ${oldest} THEN 'TRANSACTION_DECLINE' ELSE 'WIDGET_DEPOSIT_COMPLETE' END,
          CASE WHEN i <= ${oldest} THEN 'FAILED' ELSE 'DELIVERED' END, 1, ${start} + i * 1000, ${start} + i * 1000, NULL,
          CASE WHEN i <= ${oldest / 2} THEN 503 WHEN i <= ${oldest} THEN 202 ELSE 200 END, 12.5 FROM ${rows(deliveries)};
        COMMIT; ANALYZE;`,
    )
    return { storage: await createSqliteStorage({ path: file }), stop: async () => {} }
  },
  async PostgreSQL() {
    const { default: pg } = await import('pg')
    const server = await startPostgres()
    await (await createPostgresStorage({ connectionString: server.url })).close()
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    const rows = (count) => `generate_series(1, ${count}) AS i`
    const ids = (kind) => `lpad(to_hex(i), 8, '0') || '-000${kind}-7000-8000-000000000000'`
    const at = `to_timestamp(${start / 1000} + i)`
    const body = { no: false, bytes: "decode(repeat(md5(i::text), 16), 'hex')" }
    await client.query(
      seed({ ids, rows, body, at, text: 'i::text', settings: 'SET synchronous_commit = off;' }) +
        `INSERT INTO kyc_relay_deliveries (delivery_id, event_id, endpoint_id, x_event_id, app_id, user_id, event_type, state,
          attempts_made, created_at, ended_at, http_status, latency_ms)
        SELECT ${ids(3)}, ${ids(1)}, '${id(4, 0).slice(8)}', ${ids(5)}, '${appId}', ${ids(2)},
          CASE WHEN i <= ${oldest} THEN 'TRANSACTION_DECLINE' ELSE 'WIDGET_DEPOSIT_COMPLETE' END,
          CASE WHEN i <= ${oldest} THEN 'FAILED' ELSE 'DELIVERED' END, 1, ${at}, ${at},
          CASE WHEN i <= ${oldest / 2} THEN 503 WHEN i <= ${oldest} THEN 202 ELSE 200 END, 12.5 FROM ${rows(deliveries)};`.replace(
          `'${id(4, 0).slice(8)}'`,
          `lpad(to_hex(CASE WHEN i <= ${oldest} THEN 1 ELSE 2 + i % 49 END), 8, '0') || '${id(4, 0).slice(8)}'`,
        ),
    )
    await client.query('VACUUM ANALYZE')
    await client.end()
    return { storage: await createPostgresStorage({ connectionString: server.url }), stop: () => server.stop() }
  },
}

const old = new Date(start + oldest * 1_000)
const filters = {
  'no filter': {},
  'status FAILED': { state: 'FAILED' },
  'status CANCELLED (none)': { state: 'CANCELLED' },
  'status PENDING (none)': { state: 'PENDING' },
  'status DELIVERED': { state: 'DELIVERED' },
  'event type': { eventType: 'TRANSACTION_DECLINE' },
  'event type (none)': { eventType: 'TRANSACTION_CREATE' },
  endpoint: { endpointId: id(4, 1) },
  event: { eventId: id(1, 7) },
  'X-Event-ID': { xEventId: id(5, 7) },
  user: { userId: id(2, 7) },
  'HTTP status 503': { httpStatus: 503 },
  'HTTP status 202': { httpStatus: 202 },
  'HTTP status 204 (none)': { httpStatus: 204 },
  'before an old time': { createdBefore: old },
  'endpoint and event type (none)': { endpointId: id(4, 2), eventType: 'TRANSACTION_DECLINE' },
  'status FAILED and HTTP status 503': { state: 'FAILED', httpStatus: 503 },
  'status DELIVERED and HTTP status 202 (none)': { state: 'DELIVERED', httpStatus: 202 },
  'event type and status FAILED': { eventType: 'TRANSACTION_DECLINE', state: 'FAILED' },
  'endpoint and HTTP status 204 (none)': { endpointId: id(4, 2), httpStatus: 204 },
}

const only = (process.env.BENCH_ONLY ?? '').toLowerCase()
const rows = []
const chosen = Object.entries(engines).filter(([engine]) => engine.toLowerCase().includes(only))
// Both logs are filled at the same time, and then measured one after the other.
const opened = await Promise.all(chosen.map(([, open]) => open(temporaryFolder())))
for (const [index, [engine]] of chosen.entries()) {
  const { storage, stop } = opened[index]
  for (const [filter, given] of Object.entries(filters)) {
    const times = []
    for (let round = 0; round < rounds; round += 1) {
      const startedAt = performance.now()
      await storage.webhooks.listDeliveries({ appId, limit: 50, ...given })
      times.push(performance.now() - startedAt)
    }
    const row = { contender: `${engine}: ${filter}`, median: median(times), highest: Math.max(...times) }
    rows.push({ ...row, reach: row.median <= reachMs ? 'yes' : 'NO' })
  }
  await storage.close()
  await stop()
}
console.log(
  `One page of 50 in a log of ${deliveries} deliveries, in milliseconds, of ${rounds} rounds. Reach ≤ ${reachMs} ms.`,
)
printTable(rows, 'contender')
writeReport('delivery-log', {
  unit: 'milliseconds for a page of 50',
  sizes: { deliveries, rounds },
  setup: { filters: 'what a filter finds is at the old end of the log, or not there: the most that a page can cost' },
  rows,
  goals: ['SQLite', 'PostgreSQL'].flatMap((engine) => {
    const medians = rows.filter(({ contender }) => contender.startsWith(engine)).map((row) => row.median)
    return medians.length === 0 ? [] : [atMost(`${engine}: slowest filter, in ms`, Math.max(...medians), reachMs)]
  }),
})
