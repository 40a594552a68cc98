// Restarts PostgreSQL five times while a worker delivers a backlog: how long after each restart the next delivery is
// recorded, and that none is lost.
import assert from 'node:assert/strict'
import { createPostgresStorage } from '@kyc-relay/storage-drizzle/postgres'
import pg from 'pg'
import { createDelivering, sinkClient } from './delivering-worker.mjs'
import { atMost, spread, startSink, writeReport } from './harness.mjs'
import { startPostgres } from './local-postgres.mjs'

const backlog = Number(process.env.BENCH_DELIVERIES ?? 30_000)
const restarts = 5

const server = await startPostgres()
if (server.restart === null) throw new Error('The PostgreSQL of TEST_POSTGRES_URL cannot be restarted from here.')
const sink = await startSink()
const client = sinkClient(sink.url)
const storage = await createPostgresStorage({ connectionString: server.url })
let delivered = 0
let onNext = () => {}
const delivering = await createDelivering(storage.webhooks, client, () => {
  delivered += 1
  onNext()
})
const next = () => new Promise((resolve) => (onNext = resolve))

for (let done = 0; done < backlog; done += 256) {
  await Promise.all(Array.from({ length: Math.min(256, backlog - done) }, () => delivering.publish()))
}
delivering.start()
const backAfterMs = []
for (let restart = 1; restart <= restarts; restart += 1) {
  await server.restart()
  const startedAt = performance.now()
  await next()
  backAfterMs.push(performance.now() - startedAt)
  // It delivers for a while before the next restart, or it would end with the backlog still whole.
  const goal = Math.min(backlog, delivered + Math.floor(backlog / (restarts + 3)))
  while (delivered < goal) await next()
}
const database = new pg.Client({ connectionString: server.url })
await database.connect()
const left = async () => {
  const { rows } = await database.query(
    `SELECT count(*)::int AS left FROM kyc_relay_deliveries WHERE state = 'PENDING'`,
  )
  return rows[0].left
}
while ((await left()) > 0) await new Promise((resolve) => setTimeout(resolve, 100))
const { rows } = await database.query('SELECT state, count(*)::int AS count FROM kyc_relay_deliveries GROUP BY state')
assert.deepEqual(rows, [{ state: 'DELIVERED', count: backlog }])
const received = Number(await (await fetch(`${sink.url}/count`)).text())
await database.end()
await delivering.stop()
await storage.close()
client.close()
sink.stop()
await server.stop()

const { median, highest } = spread(backAfterMs)
console.log(`${restarts} restarts of PostgreSQL while ${backlog} deliveries were due: none was lost.`)
console.log(
  `The next delivery was recorded ${median.toFixed(0)} ms after PostgreSQL accepted connections (at most ${highest.toFixed(0)}).`,
)
console.log(`${received - backlog} requests were sent again, because a restart cut off the record of their result.`)
writeReport('restart', {
  unit: 'milliseconds from accepted connections to the next recorded delivery',
  sizes: { deliveries: backlog, restarts },
  setup: { 'sent again': `${received - backlog} requests, because a restart cut off the record of their result` },
  rows: [{ measure: 'next delivery', ...spread(backAfterMs) }],
  goals: [atMost('the slowest next delivery after a restart of PostgreSQL, in ms', highest, 3_000)],
})
process.exit(0)
