// Ten thousand endpoints of which some take every request and never answer, and nobody knows which: at what pace are the
// others delivered to? And one app with a million deliveries due: how long do the others wait? Real SQLite, the worker
// with its defaults, a real sink on loopback. `packages/storage-drizzle/test/sqlite/many-endpoints.test.ts` holds the
// same in virtual time. BENCH_ENDPOINTS and BENCH_BACKLOG make it smaller.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { Pool } from 'undici'
import { createDeliveryWorker, reportOfCause } from '@kyc-relay/webhooks/delivery'
import { createSqliteStorage } from '@kyc-relay/storage-drizzle/sqlite'

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const endpoints = Number(process.env.BENCH_ENDPOINTS ?? 10_000)
const backlog = Number(process.env.BENCH_BACKLOG ?? 1_000_000)
const eventsEach = 2
const endpointsPerApp = 50
/** How long the sink takes to answer: places, not the processor, decide the pace. */
const answerMs = 100
const trickleSeconds = 20

const folder = mkdtempSync(path.join(os.tmpdir(), 'kyc-relay-many-endpoints-'))
const sink = fork(fileURLToPath(new URL('./local-sink.mjs', import.meta.url)), { env: { ANSWER_MS: String(answerMs) } })
const [{ port }] = await once(sink, 'message')
const sinkUrl = `http://127.0.0.1:${port}`
const pool = new Pool(sinkUrl, { connections: 2_048 })

async function send({ url, headers, body, timeoutMs }) {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await pool.request({ method: 'POST', path: new URL(url).pathname, headers, body, signal })
    await response.body.dump()
    return { ...reportOfCause('HTTP_STATUS'), cause: null, status: response.statusCode }
  } catch {
    return reportOfCause('TIMEOUT')
  }
}

let databases = 0
/** A store with endpoints, and a function that makes events due now, written by the database itself. */
async function open(isHanging) {
  const file = path.join(folder, `${(databases += 1)}.db`)
  const storage = await createSqliteStorage({ path: file })
  const database = new Database(file)
  database.pragma('synchronous = OFF')
  database.function('is_hanging', { deterministic: true }, (n) => (isHanging(n) ? 1 : 0))
  const appOf = (n) => `printf('0a000000-0000-7000-8000-%012d', (${n} - 1) / ${endpointsPerApp})`
  database.exec(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${endpoints})
    INSERT INTO kyc_relay_endpoints (position, endpoint_id, app_id, url, standard_webhooks, created_at)
    SELECT i, printf('0e000000-0000-7000-8000-%012d', i), ${appOf('i')},
      '${sinkUrl}' || iif(is_hanging(i), '/hang/', '/') || i, 0, 0 FROM n;
    INSERT INTO kyc_relay_endpoint_turns (endpoint) SELECT position FROM kyc_relay_endpoints;`)
  let events = 0
  const publish = (first, last, each) => {
    const now = Date.now()
    database.exec(`
      BEGIN IMMEDIATE;
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${each - 1}),
        apps(app_id) AS (SELECT DISTINCT app_id FROM kyc_relay_endpoints WHERE position BETWEEN ${first} AND ${last})
      INSERT INTO kyc_relay_events (position, event_id, app_id, user_id, type, occurred_at, body, test, created_at)
      SELECT ${events} + row_number() OVER (), lower(hex(randomblob(16))), app_id, 'user-1', 'WIDGET_DEPOSIT_COMPLETE', ${now},
        CAST('{"amount":1}' AS BLOB), 0, ${now} FROM n, apps;
      INSERT INTO kyc_relay_deliveries
        (delivery_id, event, endpoint, x_event_id, app_id, user_id, event_type, state, created_at, due_at)
      SELECT lower(hex(randomblob(16))), event.position, endpoint.position, lower(hex(randomblob(16))), event.app_id, 'user-1',
        type, 'PENDING', ${now}, ${now}
      FROM kyc_relay_events AS event JOIN kyc_relay_endpoints AS endpoint USING (app_id)
      WHERE event.position > ${events} AND endpoint.position BETWEEN ${first} AND ${last};
      UPDATE kyc_relay_endpoint_turns SET next_due_at = coalesce(min(next_due_at, ${now}), ${now})
      WHERE endpoint BETWEEN ${first} AND ${last};
      COMMIT;`)
    events = database.prepare('SELECT max(position) FROM kyc_relay_events').pluck().get()
  }
  const close = async () => {
    database.close()
    await storage.close()
    rmSync(file, { force: true })
  }
  return { store: storage.webhooks, publish, close }
}

function start(store, { onClaimed = () => {}, onDelivered = () => {} }) {
  const worker = createDeliveryWorker({
    store,
    send,
    grants: { find: async (pairs) => pairs.map((pair) => ({ ...pair, scopes: ['MAKE_PAYOUT_SEND'] })) },
    signingKeys: { current: async (appIds) => appIds.map(() => ({ key: 'kyc_live_example', version: 1 })) },
    now: () => new Date(),
    random: Math.random,
    options: { stopTimeoutMs: 100 },
    onClaimed: ({ deliveries }) => onClaimed(deliveries),
    onSettled: ({ delivery, settlement }) => settlement.next.state === 'DELIVERED' && onDelivered(delivery),
  })
  worker.start()
  return worker
}

/** Deliveries per second to those that answer, over the time in which 99 of 100 of them are delivered. */
async function pace(oneHangingIn) {
  const isHanging = (n) => oneHangingIn !== null && n % oneHangingIn === 0
  const { store, publish, close } = await open(isHanging)
  publish(1, endpoints, eventsEach)
  const answering = Array.from({ length: endpoints }, (_, n) => n + 1).filter((n) => !isHanging(n)).length
  const wanted = Math.ceil(answering * eventsEach * 0.99)
  let delivered = 0
  const started = performance.now()
  let worker
  const tookMs = await new Promise((resolve) => {
    const onDelivered = () => (delivered += 1) === wanted && resolve(performance.now() - started)
    worker = start(store, { onDelivered })
  })
  await worker.stop()
  await close()
  return (wanted / tookMs) * 1_000
}

/** Milliseconds from due to begun for the others, beside one app with a backlog. */
async function waits() {
  const { store, publish, close } = await open(() => false)
  publish(1, endpointsPerApp, backlog / endpointsPerApp)
  const waited = []
  let ofBacklog = 0
  const dueAt = new Map()
  const numberOf = ({ endpoint }) => Number(endpoint.endpointId.slice(-12))
  const onClaimed = (deliveries) => {
    for (const delivery of deliveries) {
      const n = numberOf(delivery)
      if (n <= endpointsPerApp) ofBacklog += 1
      else waited.push(performance.now() - dueAt.get(Math.floor((n - 1) / endpointsPerApp)))
    }
  }
  const worker = start(store, { onClaimed })
  const apps = Math.floor(endpoints / endpointsPerApp)
  const ticks = Math.min(trickleSeconds * 10, apps - 1)
  for (let app = 1; app <= ticks; app += 1) {
    dueAt.set(app, performance.now())
    publish(1 + app * endpointsPerApp, (app + 1) * endpointsPerApp, 1)
    await sleep(100)
  }
  await sleep(2_000)
  assert.equal(waited.length, ticks * endpointsPerApp)
  assert.ok(ofBacklog > 0)
  await worker.stop()
  await close()
  waited.sort((one, other) => one - other)
  const at = (share) => waited[Math.ceil(waited.length * share) - 1]
  return { p50: at(0.5), p99: at(0.99), ofBacklog }
}

const shares = { 'none hangs': null, '1 % hang': 100, '10 % hang': 10 }
const reach = { '1 % hang': 0.9, '10 % hang': 0.8 }
const measured = Object.fromEntries(Object.keys(shares).map((name) => [name, []]))
let besideBacklog
try {
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, oneHangingIn] of Object.entries(shares)) measured[name].push(await pace(oneHangingIn))
  }
  besideBacklog = await waits()
} finally {
  sink.kill()
  rmSync(folder, { recursive: true, force: true })
}

const median = (figures) => [...figures].sort((one, other) => one - other)[Math.floor(figures.length / 2)]
const baseline = median(measured['none hangs'])
const rows = Object.entries(measured).map(([contender, figures]) => ({
  contender,
  median: median(figures),
  lowest: Math.min(...figures),
  highest: Math.max(...figures),
  ratio: median(figures) / baseline,
}))
console.log(
  `${endpoints} endpoints with ${eventsEach} events each, answers after ${answerMs} ms; deliveries per second to those`,
)
console.log(`that answer, from the first contact on, median of ${rounds} rounds.\n`)
console.log(`${''.padEnd(12)}  median  lowest  highest  of the pace without`)
for (const { contender, ratio, ...row } of rows) {
  const figures = [row.median, row.lowest, row.highest].map((figure) => figure.toFixed(0).padStart(8)).join('')
  const least = reach[contender]
  const verdict = least === undefined ? '' : `   reach ≥ ${least}: ${ratio >= least ? 'yes' : 'no'}`
  console.log(`${contender.padEnd(12)}${figures}   ${ratio.toFixed(2)}${verdict}`)
}
console.log(
  `\nBeside ${backlog} deliveries due for one app, ${besideBacklog.ofBacklog} of which began meanwhile, the others wait ` +
    `${besideBacklog.p50.toFixed(0)} ms (median), ${besideBacklog.p99.toFixed(0)} ms (p99)   reach ≤ 5,000: ${besideBacklog.p99 <= 5_000 ? 'yes' : 'no'}`,
)

const results = new URL('./results/', import.meta.url)
mkdirSync(results, { recursive: true })
const machine = { node: process.version, cpu: os.cpus()[0]?.model, cores: os.cpus().length }
const report = { name: 'many-endpoints', unit: 'deliveries per second', machine, rows, besideBacklog, reach }
writeFileSync(new URL('many-endpoints.json', results), `${JSON.stringify(report, null, 2)}\n`)
process.exit(0)
