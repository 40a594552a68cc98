// Measures whether a recovery of 10⁵ events delays live events: the latency from publishing to delivery, with and without a
// recovery that runs beside them. Live events go to the recovering endpoint and to others. Both engines, real sockets.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { startPostgres } from './local-postgres.mjs'
import { atMost, startSink, temporaryFolder, writeReport } from './harness.mjs'
import { createDeliveryWorker, recoverEvents, reportOfCause } from '@kyc-relay/webhooks/delivery'
import { createPostgresStorage } from '@kyc-relay/storage-drizzle/postgres'
import { createSqliteStorage } from '@kyc-relay/storage-drizzle/sqlite'

const missed = Number(process.env.BENCH_EVENTS ?? 100_000)
const withoutSeconds = Number(process.env.BENCH_SECONDS ?? 30)
const everyMs = 10
/** As the server does it. */
const recoverEveryMs = 2_000
const recoveryPauseMs = 40
const otherEndpoints = 20
const appId = '0a000000-0000-4000-8000-00000000000a'
const userId = '0b000000-0000-4000-8000-00000000000b'
const body = Buffer.from(
  JSON.stringify({ eventType: 'WIDGET_DEPOSIT_COMPLETE', amount: 100.5, note: 'x'.repeat(1_000) }),
)

const sink = await startSink()
const folder = temporaryFolder()

async function send({ url, headers, body: bytes }) {
  const response = await request(url, { method: 'POST', headers, body: bytes })
  await response.body.dump()
  return { ...reportOfCause('HTTP_STATUS'), cause: null, status: response.statusCode }
}

const grants = { find: async (pairs) => pairs.map((pair) => ({ ...pair, scopes: ['MAKE_PAYOUT_SEND'] })) }
const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

async function measure({ webhooks: store, recoveries }) {
  const register = async (url) => {
    const endpointId = randomUUID()
    const endpoint = { endpointId, appId, url, eventTypes: null, standardWebhooks: false, createdAt: new Date() }
    await store.registerEndpoint(endpoint, 1_000)
    return endpointId
  }
  const publish = (deliveries) => {
    const about = { appId, userId, type: 'WIDGET_DEPOSIT_COMPLETE', occurredAt: new Date() }
    const withheld = deliveries.length === 0 ? 'NO_ENDPOINT' : null
    const event = { eventId: randomUUID(), ...about, body, test: false, sourceEventId: null, withheld, deliveries }
    return store.insertEvent(event)
  }

  const since = new Date(Date.now() - 60_000)
  for (let n = 0; n < missed; n += 500)
    await Promise.all(Array.from({ length: Math.min(500, missed - n) }, () => publish([])))
  await sleep(10)
  const until = new Date()
  const recovering = await register(`${sink.url}/recovering`)
  const others = []
  for (let n = 0; n < otherEndpoints; n += 1) others.push(await register(`${sink.url}/${n}`))

  const publishedAt = new Map()
  const latencies = { same: [], other: [] }
  let recovered = 0
  const worker = createDeliveryWorker({
    store,
    send,
    grants,
    signingKeys: { current: async (appIds) => appIds.map(() => ({ appId, key: 'kyc_live_example', version: 1 })) },
    now: () => new Date(),
    random: Math.random,
    onResultWritten: ({ delivery, result }) => {
      assert.equal(result.next.state, 'DELIVERED')
      const live = publishedAt.get(delivery.deliveryId)
      if (live === undefined) recovered += 1
      else latencies[live.kind].push(performance.now() - live.ms)
      publishedAt.delete(delivery.deliveryId)
    },
  })
  /** Publishes live events in turn to the recovering endpoint and to another one, until `isOver`. */
  async function publishLive(isOver) {
    latencies.same = []
    latencies.other = []
    const startedAt = performance.now()
    let n = 0
    for (; !isOver(); n += 1) {
      const kind = n % 2 === 0 ? 'same' : 'other'
      const endpointId = kind === 'same' ? recovering : others[n % otherEndpoints]
      const delivery = { deliveryId: randomUUID(), endpointId, xEventId: randomUUID() }
      publishedAt.set(delivery.deliveryId, { kind, ms: performance.now() })
      await publish([delivery])
      await sleep(Math.max(0, startedAt + n * everyMs - performance.now()))
    }
    while (publishedAt.size > 0) await sleep(20)
    const sorted = (kind) => latencies[kind].toSorted((one, other) => one - other)
    return {
      seconds: (performance.now() - startedAt) / 1_000,
      samePeak: at(sorted('same'), 0.99),
      otherPeak: at(sorted('other'), 0.99),
      events: n,
    }
  }
  const forSeconds = (seconds) => {
    const end = performance.now() + seconds * 1_000
    return () => performance.now() > end
  }

  worker.start()
  await publishLive(forSeconds(2))
  const without = await publishLive(forSeconds(withoutSeconds))
  const range = { appId, recoveryId: randomUUID(), endpointId: recovering, since, until, eventTypes: null }
  await recoveries.startRecovery(range)
  let stopped = false
  const recover = (async () => {
    while (!stopped) {
      while ((await recoverEvents({ store: recoveries, grants, newId: randomUUID })) > 0) await sleep(recoveryPauseMs)
      await sleep(recoverEveryMs)
    }
  })()
  recovered = 0
  const beside = await publishLive(() => recovered >= missed)
  stopped = true
  await recover
  assert.equal(recovered, missed)
  await worker.stop()
  return { without, beside }
}

const postgres = await startPostgres()
const engines = {
  SQLite: () => createSqliteStorage({ path: path.join(folder, 'recover.db') }),
  PostgreSQL: () => createPostgresStorage({ connectionString: postgres.url }),
}
const rows = []
try {
  for (const [engine, open] of Object.entries(engines)) {
    const storage = await open()
    const { without, beside } = await measure(storage)
    await storage.close()
    for (const [kind, contender] of [
      ['samePeak', 'the recovering endpoint'],
      ['otherPeak', 'other endpoints'],
    ])
      rows.push({
        contender: `${engine}, ${contender}`,
        without: without[kind],
        beside: beside[kind],
        ratio: beside[kind] / without[kind],
        seconds: beside.seconds,
      })
  }
} finally {
  sink.stop()
  await postgres.stop()
}

console.log(
  `A recovery of ${missed} events beside live events, one every ${everyMs} ms. p99 in milliseconds from publishing to`,
)
console.log('delivered, and how long the recovery took.\n')
console.log(`${''.padEnd(38)} without   beside    ratio  seconds  reach ≤ 1.5`)
for (const { contender, without, beside, ratio, seconds } of rows) {
  const numbers = [without.toFixed(1), beside.toFixed(1), ratio.toFixed(2), seconds.toFixed(0)]
  console.log(
    `${contender.padEnd(38)}${numbers.map((one) => one.padStart(9)).join('')}  ${ratio <= 1.5 ? 'yes' : 'no'}`,
  )
}
writeReport('recover', {
  unit: 'p99 in milliseconds from publishing to delivery',
  sizes: {
    'recovered events': missed,
    'seconds without a recovery': withoutSeconds,
    'live events a second': 1_000 / everyMs,
  },
  setup: { recovery: `steps of the server: a pause of ${recoveryPauseMs} ms after each` },
  rows,
  goals: rows.map(({ contender, ratio }) => atMost(`${contender}: p99 beside a recovery over p99 without`, ratio, 1.5)),
  plots: [{ name: 'recover', title: 'p99 of live events, milliseconds', columns: ['without', 'beside'] }],
})
process.exit(0)
