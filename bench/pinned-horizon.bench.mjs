// Measures deliveries at a fixed pace while one transaction stays open for the whole run. PostgreSQL then keeps every
// row version that the transaction may still see, and a queue that scans past dead rows gets slower all the time.
// Peer: pg-boss at the same pace. BENCH_SECONDS is the length of each of the four runs.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { body, createDelivering, sinkClient } from './delivering-worker.mjs'
import { atLeast, printTable, startSink, writeReport } from './harness.mjs'
import { startPostgres } from './local-postgres.mjs'

const seconds = Number(process.env.BENCH_SECONDS ?? 300)
const perSecond = Number(process.env.BENCH_PACE ?? 800)
const tickMs = 100
/** The pace is compared over the last part of a run, where the dead rows are most. */
const lastPart = 0.2

const server = await startPostgres()
const sink = await startSink()
const client = sinkClient(sink.url)

/** The worker of kyc-relay. */
async function kycRelay(connectionString, onDelivered) {
  const { createPostgresStorage } = await import('@kyc-relay/storage-drizzle/postgres')
  const storage = await createPostgresStorage({ connectionString, maxConnections: 10 })
  const delivering = await createDelivering(storage.webhooks, client, onDelivered)
  delivering.start()
  return {
    insert: (count) => Promise.all(Array.from({ length: count }, () => delivering.publish())),
    async stop() {
      await delivering.stop()
      await storage.close()
    },
  }
}

/** pg-boss, fetched by hand in batches of 64 by four lanes: its own `work` polls at most every half second. */
async function pgBoss(connectionString, onDelivered) {
  const { default: PgBoss } = await import('pg-boss')
  const boss = new PgBoss({ connectionString, max: 10 })
  boss.on('error', () => {})
  await boss.start()
  const queue = 'deliveries'
  await boss.createQueue(queue)
  let going = true
  const lanes = Array.from({ length: 4 }, async () => {
    while (going) {
      const jobs = await boss.fetch(queue, { batchSize: 64 })
      if (jobs.length === 0) await sleep(10)
      else {
        await Promise.all(jobs.map(async ({ data }) => assert.equal(await client.post(data.path), 200)))
        const ids = jobs.map(({ id }) => id)
        await boss.complete(queue, ids)
        jobs.forEach(onDelivered)
      }
    }
  })
  return {
    insert: (count) =>
      boss.insert(
        Array.from({ length: count }, (_, n) => ({
          name: queue,
          data: { path: `/${n % 200}`, body: body.toString() },
        })),
      ),
    async stop() {
      going = false
      await Promise.all(lanes)
      await boss.stop({ graceful: false })
    },
  }
}

let databases = 0
async function run(contender, start, isPinned) {
  const url = new URL(server.url)
  url.pathname = `/pinned_${(databases += 1)}`
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${url.pathname.slice(1)}`)
  let delivered = 0
  let inserted = 0
  const { insert, stop } = await start(url.href, () => (delivered += 1))
  const watcher = new pg.Client({ connectionString: url.href })
  await watcher.connect()
  const pin = new pg.Client({ connectionString: url.href })
  await pin.connect()
  if (isPinned) await pin.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class')

  const startedAt = performance.now()
  const lastFrom = startedAt + seconds * 1_000 * (1 - lastPart)
  let atLast = null
  let mostWaiting = 0
  for (let tick = 1; performance.now() - startedAt < seconds * 1_000; tick += 1) {
    const count = Math.min(perSecond, Math.round((perSecond * tick * tickMs) / 1_000) - inserted)
    if (count > 0) {
      await insert(count)
      inserted += count
    }
    mostWaiting = Math.max(mostWaiting, inserted - delivered)
    if (atLast === null && performance.now() >= lastFrom) atLast = { delivered, at: performance.now() }
    await sleep(Math.max(0, startedAt + tick * tickMs - performance.now()))
  }
  const pace = (delivered - atLast.delivered) / ((performance.now() - atLast.at) / 1_000)
  const dead = await watcher.query('SELECT coalesce(sum(n_dead_tup), 0)::int AS dead FROM pg_stat_user_tables')
  const waiting = inserted - delivered
  await pin.end()
  await watcher.end()
  await stop()
  await admin.query(`DROP DATABASE ${url.pathname.slice(1)} WITH (FORCE)`)
  await admin.end()
  // At this pace, the oldest of those that wait has been due for about this long.
  return {
    contender,
    isPinned,
    pace,
    deadRows: dead.rows[0].dead,
    waiting,
    oldestDueSeconds: waiting / pace,
    mostWaiting,
  }
}

const rows = []
for (const [contender, start] of [
  ['kyc-relay', kycRelay],
  ['pg-boss', pgBoss],
]) {
  for (const isPinned of [false, true]) rows.push(await run(contender, start, isPinned))
}
client.close()
sink.stop()
await server.stop()

console.log(
  `${perSecond} deliveries a second for ${seconds} s; the pace is that of the last ${lastPart * seconds} s.\n`,
)
printTable(
  rows.map(({ contender, isPinned, ...row }) => ({ contender: `${contender}${isPinned ? ', pinned' : ''}`, ...row })),
  'contender',
)
const ratios = ['kyc-relay', 'pg-boss'].map((name) => {
  const [free, pinned] = rows.filter(({ contender }) => contender === name)
  return { contender: name, ratio: pinned.pace / free.pace }
})
for (const { contender, ratio } of ratios) console.log(`${contender}: ${ratio.toFixed(2)} of its pace without the pin`)
writeReport('pinned-horizon', {
  unit: 'deliveries per second',
  sizes: {
    'seconds of a run': seconds,
    'published a second': perSecond,
    'part that counts': `the last ${lastPart * seconds} s`,
  },
  setup: {
    pinned: 'one transaction stays open for the whole run',
    'pg-boss': 'four lanes fetch and complete batches of 64, at most 10 connections',
    PostgreSQL: 'ordinary settings, on this machine, at most 10 connections',
  },
  rows: rows.map(({ contender, isPinned, ...row }) => ({
    contender: `${contender}${isPinned ? ', pinned' : ''}`,
    ...row,
  })),
  ratios,
  goals: [atLeast('kyc-relay: pace beside an open transaction over its pace without', ratios[0].ratio, 0.75)],
})
process.exit(0)
