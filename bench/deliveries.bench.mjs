// Measures deliveries per second of one process to a local sink. Each attempt is durably opened before it is sent and
// durably finished afterwards. Peers: pg-boss, which sends the same POST from a real PostgreSQL, and a loop of
// undici.request without records, which is the upper limit.
import assert from 'node:assert/strict'
import path from 'node:path'
import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { createDeliveryWorker, reportOfCause } from '@kyc-relay/webhooks/delivery'
import { signWebhook } from '@kyc-relay/webhooks'
import { atLeast, inTurn, spread, median, startSink, temporaryFolder, writeReport } from './harness.mjs'
import { startPostgres } from './local-postgres.mjs'
import { cipher, users } from './sealed-bodies.mjs'
import { appId, body, publishEvent } from './delivering-worker.mjs'

// A queue may be quick while it is short: everyone drains a short one and a longer one.
const sizes = (process.env.BENCH_DELIVERIES ?? '6000,20000').split(',').map(Number)
const rounds = Number(process.env.BENCH_ROUNDS ?? 8)
// Each contender first delivers a warm-up that is not counted, on the same store, so that its code is compiled and its
// statements are planned. Garbage is not collected by force in between, because V8 then drops compiled code.
const warmUp = Number(process.env.BENCH_WARM_UP ?? 6_000)
let [deliveries] = sizes
const concurrency = 64
const lanesOfPgBoss = Number(process.env.BENCH_LANES ?? 4)
const endpoints = 200
const apiKey = 'kyc_live_0123456789abcdef0123456789abcdef'

const folder = temporaryFolder()
const sink = await startSink()
const sinkUrl = sink.url
const received = async () => Number(await (await fetch(`${sinkUrl}/count`)).text())
const pool = new Pool(sinkUrl, { connections: concurrency })

async function post(url, headers) {
  const response = await pool.request({ method: 'POST', path: new URL(url).pathname, headers, body })
  await response.body.dump()
  return response.statusCode
}

const signedHeaders = async () => ({
  'content-type': 'application/json',
  'x-hmac-signature': await signWebhook(body, apiKey),
  'x-event-id': randomUUID(),
})

/** Starts a measurement of this number of deliveries. Returns the function that ends it. */
function measure(count) {
  const before = process.cpuUsage()
  const started = performance.now()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return { perSecond: (count / (performance.now() - started)) * 1_000, cpuUs: (user + system) / count }
  }
}

/** The measurement of the last of these drains. */
async function measureLast(drain) {
  await drain(warmUp)
  return drain(deliveries)
}

/** Posts without keeping any record. */
const rawUndici = () =>
  measureLast(async (count) => {
    let left = count
    const measured = measure(count)
    const lane = async () => {
      while (left-- > 0) assert.equal(await post(`${sinkUrl}/raw`, await signedHeaders()), 200)
    }
    await Promise.all(Array.from({ length: concurrency }, lane))
    return measured()
  })

/** What the sender saw of an answer, but for its status. */
const answered = { ...reportOfCause('HTTP_STATUS'), cause: null }

/**
 * The worker on a store, sending by the same pool, so that the engines are compared and not TLS. Bodies are clear without
 * a sealer.
 */
async function worker(store, bodySealer) {
  const send = async ({ url, headers }) => {
    const status = await post(url, headers)
    return { ...answered, status }
  }
  let left = 0
  let failed = 0
  let finished = () => {}
  let filling = true
  const engine = createDeliveryWorker({
    // Nothing is claimed while the queue is filled.
    store: {
      ...store,
      claimDue: async (request) => (filling ? { claimed: [], nextDueInMs: null } : store.claimDue(request)),
    },
    bodySealer,
    send,
    grants: { find: async (pairs) => pairs.map((pair) => ({ ...pair, scopes: ['MAKE_PAYOUT_SEND'] })) },
    signingKeys: { current: async (appIds) => appIds.map((appId) => ({ appId, key: apiKey, version: 1 })) },
    now: () => new Date(),
    random: Math.random,
    onResultWritten: ({ outcome, result }) => {
      if (outcome !== 'applied' || result.next.state !== 'DELIVERED') failed += 1
      if (--left === 0) finished()
    },
  })
  const registered = await register(store)
  engine.start()
  const took = await measureLast(async (count) => {
    await fill(store, registered, count, bodySealer)
    left = count
    const done = new Promise((resolve) => (finished = resolve))
    const measured = measure(count)
    filling = false
    engine.wake()
    await done
    filling = true
    return measured()
  })
  await engine.stop()
  assert.equal(failed, 0)
  return took
}

async function register(store) {
  const registered = []
  for (let n = 0; n < endpoints; n += 1) {
    const endpointId = randomUUID()
    registered.push(endpointId)
    const url = `${sinkUrl}/${n}`
    const endpoint = { endpointId, appId, url, eventTypes: null, standardWebhooks: false, createdAt: new Date() }
    await store.registerEndpoint(endpoint, endpoints)
  }
  return registered
}

async function fill(store, registered, count, bodySealer) {
  const publish = (n) =>
    publishEvent(store, { userId: users[n % users.length], endpointId: registered[n % endpoints], bodySealer })
  for (let first = 0; first < count; first += 256)
    await Promise.all(Array.from({ length: Math.min(256, count - first) }, (_, n) => publish(first + n)))
}

let databases = 0
async function onSqlite({ sealed }) {
  const { createSqliteStorage, createSqliteVault } = await import('@kyc-relay/storage-drizzle/sqlite')
  const storage = await createSqliteStorage({ path: path.join(folder, `${(databases += 1)}.db`) })
  const vault = await createSqliteVault({ path: path.join(folder, `${databases}.vault.db`) }, { cipher })
  try {
    return await worker(storage.webhooks, sealed ? vault.bodySealer : undefined)
  } finally {
    await vault.close()
    await storage.close()
  }
}

let postgres
async function onPostgres({ sealed }) {
  postgres ??= await startPostgres()
  const { createPostgresStorage, createPostgresVault } = await import('@kyc-relay/storage-drizzle/postgres')
  const { default: pg } = await import('pg')
  const name = `kyc_relay_bench_${(databases += 1)}`
  const url = new URL(postgres.url)
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  url.pathname = `/${name}`
  const storage = await createPostgresStorage({ connectionString: url.href, maxConnections: 10 })
  const vault = await createPostgresVault({ connectionString: url.href, maxConnections: 10 }, { cipher })
  try {
    return await worker(storage.webhooks, sealed ? vault.bodySealer : undefined)
  } finally {
    await vault.close()
    await storage.close()
    await client.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await client.end()
  }
}

let queues = 0
async function onPgBoss() {
  postgres ??= await startPostgres()
  const { default: PgBoss } = await import('pg-boss')
  const boss = new PgBoss({ connectionString: postgres.url, max: 10 })
  boss.on('error', () => {})
  await boss.start()
  const took = await measureLast(async (count) => {
    const queue = `deliveries-${(queues += 1)}`
    await boss.createQueue(queue)
    for (let n = 0; n < count; n += 1_000) {
      const size = Math.min(1_000, count - n)
      await boss.insert(
        Array.from({ length: size }, (_, m) => ({
          name: queue,
          data: { url: `${sinkUrl}/${m % endpoints}`, body: body.toString() },
        })),
      )
    }
    let done = 0
    const measured = measure(count)
    // Its own `work` polls at most every half second per worker; fetching by hand shows the queue at its best.
    const lane = async () => {
      for (;;) {
        const jobs = await boss.fetch(queue, { batchSize: concurrency })
        if (jobs.length === 0) return
        await Promise.all(jobs.map(async ({ data }) => assert.equal(await post(data.url, await signedHeaders()), 200)))
        await boss.complete(
          queue,
          jobs.map(({ id }) => id),
        )
        done += jobs.length
      }
    }
    await Promise.all(Array.from({ length: lanesOfPgBoss }, lane))
    assert.equal(done, count)
    return measured()
  })
  await boss.stop({ graceful: false })
  return took
}

const contenders = {
  'undici.request, nothing recorded': rawUndici,
  'kyc-relay on SQLite': () => onSqlite({ sealed: false }),
  'kyc-relay on PostgreSQL': () => onPostgres({ sealed: false }),
  'kyc-relay on SQLite, sealed bodies': () => onSqlite({ sealed: true }),
  'kyc-relay on PostgreSQL, sealed bodies': () => onPostgres({ sealed: true }),
  'pg-boss on PostgreSQL, batches of 64': onPgBoss,
}
// BENCH_ONLY is the name of a contender, or a word: `sqlite` runs those with that word in their name.
const only = process.env.BENCH_ONLY ?? ''
const isRun = (name) => (contenders[only] ? name === only : name.toLowerCase().includes(only.toLowerCase()))
for (const name of Object.keys(contenders).filter((name) => !isRun(name))) delete contenders[name]
const notMeasured = { 'BullMQ on Redis': 'needs a Redis' }

/** What each contender made of a queue of this length, round by round. */
async function measureAll(size) {
  deliveries = size
  const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]))
  for (let round = size === sizes[0] ? -1 : 0; round < rounds; round += 1) {
    for (const [name, run] of inTurn(Object.entries(contenders), round)) {
      if (notMeasured[name] !== undefined) continue
      globalThis.gc?.()
      try {
        const before = await received()
        const took = await run()
        assert.equal((await received()) - before, warmUp + deliveries)
        // The round before the first of all warms up.
        if (round >= 0) times[name].push(took)
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
        notMeasured[name] = error instanceof Error ? (error.code ?? error.name) : 'failed'
      }
    }
  }
  return times
}

/** The medians of a length, and the ratios that matter. */
function summaryOf(size, times) {
  const rows = Object.entries(times)
    .filter(([name]) => notMeasured[name] === undefined)
    .map(([contender, measured]) => {
      return {
        deliveries: size,
        contender,
        ...spread(measured.map(({ perSecond }) => perSecond)),
        cpuUs: median(measured.map(({ cpuUs }) => cpuUs)),
      }
    })
  const medianOf = (name) => rows.find(({ contender }) => contender === name)?.median ?? NaN
  const ratios = [
    ['kyc-relay on SQLite', 'undici.request, nothing recorded', 0.3],
    ['kyc-relay on SQLite', 'pg-boss on PostgreSQL, batches of 64', 1.1],
    // pg-boss slows down on a longer queue.
    ['kyc-relay on PostgreSQL', 'pg-boss on PostgreSQL, batches of 64', size < 20_000 ? 0.9 : 1.3],
    ['kyc-relay on SQLite, sealed bodies', 'kyc-relay on SQLite', 0.9],
    ['kyc-relay on PostgreSQL, sealed bodies', 'kyc-relay on PostgreSQL', 0.9],
  ].map(([ours, against, reach]) => ({
    ...{ deliveries: size, ours, against },
    ...{ ratio: medianOf(ours) / medianOf(against), reach },
  }))
  return { rows, ratios }
}

function show(size, { rows, ratios }) {
  console.log(
    `${size} deliveries of ${body.length} bytes to ${endpoints} endpoints; per second, median of ${rounds} rounds.\n`,
  )
  console.log(`${''.padEnd(40)}  median  lowest  highest  CPU µs`)
  for (const { contender, median, lowest, highest, cpuUs } of rows) {
    const figures = [median, lowest, highest, cpuUs]
    const widths = [8, 8, 9, 8]
    console.log(contender.padEnd(40) + figures.map((figure, n) => figure.toFixed(0).padStart(widths[n])).join(''))
  }
  console.log('\nRatio of the medians')
  for (const { ours, against, ratio, reach } of ratios) {
    const verdict = Number.isNaN(ratio)
      ? 'not measured'
      : `${ratio.toFixed(2)}   reach ≥ ${reach}: ${ratio >= reach ? 'yes' : 'no'}`
    console.log(`  ${`${ours} / ${against}`.padEnd(66)}${verdict}`)
  }
  console.log()
}

const summaries = []
try {
  for (const size of sizes) {
    const summary = summaryOf(size, await measureAll(size))
    summaries.push(summary)
    show(size, summary)
  }
} finally {
  await postgres?.stop()
  await pool.destroy()
  sink.stop()
}
console.log(
  'CPU µs: processor time of the delivering process per delivery, without that of a database server beside it.',
)
for (const [contender, why] of Object.entries(notMeasured))
  console.log(`${contender.padEnd(40)}  not measured (${why})`)

writeReport('deliveries', {
  unit: 'deliveries per second',
  sizes: { deliveries: sizes.join(' and '), endpoints, rounds, 'deliveries of each warm-up': warmUp, concurrency },
  setup: {
    'kyc-relay': 'the worker of the built package; each attempt is stored before its POST and its result after it',
    'pg-boss': `\`fetch\` and \`complete\` of batches of 64 by ${lanesOfPgBoss} lanes, at most 10 connections; its own \`work\` polls more seldom`,
    'sealed bodies': 'under the keys of 10,000 users, with 20,000 unwrapped keys in memory as in the server',
    PostgreSQL: 'ordinary settings, on this machine, at most 10 connections',
    'undici.request': '64 lanes, nothing recorded: the limit',
  },
  rows: summaries.flatMap(({ rows }) => rows),
  ratios: summaries.flatMap(({ ratios }) => ratios),
  goals: summaries
    .flatMap(({ ratios }) => ratios)
    .filter(({ ratio }) => !Number.isNaN(ratio))
    .map(({ deliveries: size, ours, against, ratio, reach }) =>
      atLeast(`${ours} over ${against}, ${size.toLocaleString('en-US')} deliveries`, ratio, reach),
    ),
  notMeasured,
})
process.exit(0)
