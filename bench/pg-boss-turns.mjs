// pg-boss sends the same POST from a real PostgreSQL. A contender of `deliveries.bench.mjs`; its argument is the number of
// lanes.
import assert from 'node:assert/strict'
import PgBoss from 'pg-boss'
import { takeQueues } from './contender.mjs'
import { body, concurrency, endpoints, signedHeaders, sinkClient } from './delivering-worker.mjs'
import { startSink } from './harness.mjs'
import { startPostgres } from './local-postgres.mjs'

const lanes = Number(process.argv[2])
const postgres = await startPostgres()
const sink = await startSink()
const client = sinkClient(sink.url)
const boss = new PgBoss({ connectionString: postgres.url, max: 10 })
boss.on('error', () => {})
await boss.start()
let queues = 0
let queue

async function fill(count) {
  queue = `deliveries-${(queues += 1)}`
  await boss.createQueue(queue)
  const job = (n) => ({ name: queue, data: { url: `${sink.url}/${n % endpoints}`, body: body.toString() } })
  for (let first = 0; first < count; first += 1_000)
    await boss.insert(Array.from({ length: Math.min(1_000, count - first) }, (_, n) => job(first + n)))
}

/** Its own `work` polls at most every half second for each worker. Fetching by hand shows the queue at its best. */
async function lane() {
  for (;;) {
    const jobs = await boss.fetch(queue, { batchSize: concurrency })
    if (jobs.length === 0) return
    await Promise.all(
      jobs.map(async ({ data }) =>
        assert.equal(await client.post(new URL(data.url).pathname, await signedHeaders()), 200),
      ),
    )
    await boss.complete(
      queue,
      jobs.map(({ id }) => id),
    )
  }
}

takeQueues({
  sink,
  fill,
  drain: () => Promise.all(Array.from({ length: lanes }, lane)),
  async close() {
    await boss.stop({ graceful: false })
    await client.close()
    await postgres.stop()
  },
})
