// Measures whether hanging endpoints delay the others: the latency from publishing to delivery at healthy endpoints, with
// and without fifty endpoints that accept every request and never answer. Real SQLite, real sockets.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { atMost, median, startSink, temporaryFolder, writeReport } from './harness.mjs'
import { createDeliveryWorker, reportOfCause } from '@kyc-relay/webhooks/delivery'
import { createSqliteStorage } from '@kyc-relay/storage-drizzle/sqlite'

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const healthyEndpoints = 50
const blackHoles = 50
const backlogPerBlackHole = 20
const published = 300
const everyMs = 5
const appId = '0a000000-0000-4000-8000-00000000000a'
const body = Buffer.from(JSON.stringify({ eventType: 'WIDGET_DEPOSIT_COMPLETE', amount: 100.5 }))

const folder = temporaryFolder()
const sink = await startSink()
const sinkUrl = sink.url

async function send({ url, headers, body: bytes, timeoutMs }) {
  try {
    const response = await request(url, {
      method: 'POST',
      headers,
      body: bytes,
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body.dump()
    return { ...reportOfCause('HTTP_STATUS'), cause: null, status: response.statusCode }
  } catch {
    return reportOfCause('TIMEOUT')
  }
}

let databases = 0
async function measure(hanging) {
  const storage = await createSqliteStorage({ path: path.join(folder, `${(databases += 1)}.db`) })
  const store = storage.webhooks
  const register = async (url) => {
    const endpointId = randomUUID()
    const endpoint = { endpointId, appId, url, eventTypes: null, standardWebhooks: false, createdAt: new Date() }
    await store.registerEndpoint(endpoint, 1_000)
    return endpointId
  }
  const publish = (endpointId, deliveryId = randomUUID()) =>
    store.insertEvent({
      eventId: randomUUID(),
      appId,
      userId: randomUUID(),
      type: 'WIDGET_DEPOSIT_COMPLETE',
      occurredAt: new Date(),
      body,
      test: false,
      sourceEventId: null,
      withheld: null,
      deliveries: [{ deliveryId, endpointId, xEventId: randomUUID() }],
    })
  const healthy = []
  for (let n = 0; n < healthyEndpoints; n += 1) healthy.push(await register(`${sinkUrl}/${n}`))
  for (let n = 0; n < hanging; n += 1) {
    const endpointId = await register(`${sinkUrl}/hang/${n}`)
    await Promise.all(Array.from({ length: backlogPerBlackHole }, () => publish(endpointId)))
  }

  const publishedAt = new Map()
  const latencies = []
  let failed = false
  let finished = () => {}
  const done = new Promise((resolve) => (finished = resolve))
  const worker = createDeliveryWorker({
    store,
    send,
    grants: { find: async (pairs) => pairs.map((pair) => ({ ...pair, scopes: ['MAKE_PAYOUT_SEND'] })) },
    signingKeys: { current: async (appIds) => appIds.map((appId) => ({ appId, key: 'kyc_live_example', version: 1 })) },
    now: () => new Date(),
    random: Math.random,
    // Short attempts, so that black holes are found to be failing and come back several times within a round.
    options: { attemptTimeoutMs: 3_000, retry: { baseMs: 500, factor: 1 }, stopTimeoutMs: 5_000 },
    onResultWritten: ({ delivery, result }) => {
      const at = publishedAt.get(delivery.deliveryId)
      if (at === undefined) return
      if (result.next.state !== 'DELIVERED') failed = true
      latencies.push(performance.now() - at)
      if (latencies.length === published) finished()
    },
  })
  worker.start()
  await sleep(500)
  for (let n = 0; n < published; n += 1) {
    const deliveryId = randomUUID()
    publishedAt.set(deliveryId, performance.now())
    await publish(healthy[n % healthyEndpoints], deliveryId)
    await sleep(everyMs)
  }
  await done
  assert.equal(failed, false, 'a healthy endpoint was not delivered to')
  await worker.stop()
  await storage.close()
  latencies.sort((one, other) => one - other)
  const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]
  return { p50: at(0.5), p99: at(0.99) }
}

const cases = { 'no black hole': 0, [`${blackHoles} black holes`]: blackHoles }
const results = Object.fromEntries(Object.keys(cases).map((name) => [name, []]))
try {
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, hanging] of Object.entries(cases)) {
      globalThis.gc?.()
      const measured = await measure(hanging)
      // The round before the first warms up.
      if (round >= 0) results[name].push(measured)
    }
  }
} finally {
  sink.stop()
}

const rows = Object.entries(results).map(([contender, measured]) => ({
  contender,
  p50: median(measured.map(({ p50 }) => p50)),
  p99: median(measured.map(({ p99 }) => p99)),
  lowest: Math.min(...measured.map(({ p99 }) => p99)),
  highest: Math.max(...measured.map(({ p99 }) => p99)),
}))
const [without, beside] = rows
const ratio = beside.p99 / without.p99

console.log(
  `${published} events to ${healthyEndpoints} healthy endpoints, one every ${everyMs} ms; milliseconds from publishing to`,
)
console.log(`delivered, median of ${rounds} rounds. Each black hole has ${backlogPerBlackHole} deliveries due.\n`)
console.log(`${''.padEnd(20)}     p50     p99  lowest  highest p99`)
for (const { contender, p50, p99, lowest, highest } of rows) {
  console.log(`${contender.padEnd(20)}${[p50, p99, lowest, highest].map((ms) => ms.toFixed(1).padStart(8)).join('')}`)
}
console.log(`\np99 beside black holes / without   ${ratio.toFixed(2)}   reach ≤ 1.5: ${ratio <= 1.5 ? 'yes' : 'no'}`)

writeReport('isolation', {
  unit: 'milliseconds from publishing to delivery',
  sizes: { rounds, 'events in a round': published, 'healthy endpoints': healthyEndpoints, 'black holes': blackHoles },
  setup: { 'black hole': `accepts each request and never answers; has ${backlogPerBlackHole} deliveries due` },
  rows,
  goals: [atMost('p99 at healthy endpoints beside black holes over p99 without', ratio, 1.5)],
  plots: [{ name: 'isolation', title: 'Latency at healthy endpoints, milliseconds', columns: ['p50', 'p99'] }],
})
process.exit(0)
