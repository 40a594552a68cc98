// Posts without keeping any record: the upper limit of deliveries. A contender of `deliveries.bench.mjs`.
import assert from 'node:assert/strict'
import { takeQueues } from './contender.mjs'
import { concurrency, signedHeaders, sinkClient } from './delivering-worker.mjs'
import { startSink } from './harness.mjs'

const sink = await startSink()
const client = sinkClient(sink.url)

takeQueues({
  sink,
  fill: async () => {},
  async drain(count) {
    let left = count
    const lane = async () => {
      while (left-- > 0) assert.equal(await client.post('/raw', await signedHeaders()), 200)
    }
    await Promise.all(Array.from({ length: concurrency }, lane))
  },
  close: client.close,
})
