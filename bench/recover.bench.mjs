// Measures whether a recovery of 10⁵ events delays live events: the latency from publishing to delivery, with and without a
// recovery that runs beside them. Live events go to the recovering endpoint and to others. Spans with and without the
// recovery take turns, so that both meet the same machine. Both engines, real sockets. The recovery runs for some minutes,
// or to its end.
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
const mostRecoverySeconds = Number(process.env.BENCH_RECOVERY_SECONDS ?? 120)
const spanSeconds = Number(process.env.BENCH_SECONDS ?? 10)
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

  /** Where the latency of a live event goes, and when it was published. */
  const live = new Map()
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
      const event = live.get(delivery.deliveryId)
      if (event === undefined) recovered += 1
      else event.latencies.push(performance.now() - event.publishedAtMs)
      live.delete(delivery.deliveryId)
    },
  })
  /**
   * Publishes live events for some seconds, or until the recovery has ended, in turn to the recovering endpoint and to
   * another one. Then it waits until all are delivered.
   */
  async function publishLive(seconds, { same, other }) {
    const startedAt = performance.now()
    for (let n = 0; recovered < missed && performance.now() < startedAt + seconds * 1_000; n += 1) {
      const [endpointId, latencies] = n % 2 === 0 ? [recovering, same] : [others[n % otherEndpoints], other]
      const delivery = { deliveryId: randomUUID(), endpointId, xEventId: randomUUID() }
      live.set(delivery.deliveryId, { latencies, publishedAtMs: performance.now() })
      await publish([delivery])
      await sleep(Math.max(0, startedAt + n * everyMs - performance.now()))
    }
    while (live.size > 0) await sleep(20)
  }
  const latenciesOfSpans = () => ({ same: [], other: [] })

  worker.start()
  await publishLive(2, latenciesOfSpans())
  const range = { appId, recoveryId: randomUUID(), endpointId: recovering, since, until, eventTypes: null }
  await recoveries.startRecovery(range)
  const without = latenciesOfSpans()
  const beside = latenciesOfSpans()
  recovered = 0
  let recoverySeconds = 0
  while (recovered < missed && recoverySeconds < mostRecoverySeconds) {
    await publishLive(spanSeconds, without)
    const startedAt = performance.now()
    let isOver = false
    const recover = (async () => {
      while (!isOver) {
        const steps = await recoverEvents({ store: recoveries, grants, newId: randomUUID })
        await sleep(steps > 0 ? recoveryPauseMs : recoverEveryMs)
      }
    })()
    await publishLive(spanSeconds, beside)
    isOver = true
    await recover
    recoverySeconds += (performance.now() - startedAt) / 1_000
  }
  await worker.stop()
  assert.ok(recovered <= missed)
  const p99 = (latencies) =>
    at(
      latencies.toSorted((one, other) => one - other),
      0.99,
    )
  return { without, beside, p99, recoverySeconds, recovered }
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
    const { without, beside, p99, recoverySeconds, recovered } = await measure(storage)
    await storage.close()
    for (const [kind, contender] of [
      ['same', 'the recovering endpoint'],
      ['other', 'other endpoints'],
    ]) {
      const [alone, besideIt] = [p99(without[kind]), p99(beside[kind])]
      rows.push({
        contender: `${engine}, ${contender}`,
        without: alone,
        beside: besideIt,
        ratio: besideIt / alone,
        seconds: recoverySeconds,
        recovered,
      })
    }
  }
} finally {
  sink.stop()
  await postgres.stop()
}

console.log(
  `A recovery of ${missed} events beside live events, one every ${everyMs} ms. p99 in milliseconds from publishing to`,
)
console.log('delivered, how long the recovery ran, and how many events it delivered.\n')
console.log(`${''.padEnd(38)} without   beside    ratio  seconds recovered  reach ≤ 1.5`)
for (const { contender, without, beside, ratio, seconds, recovered } of rows) {
  const numbers = [without.toFixed(1), beside.toFixed(1), ratio.toFixed(2), seconds.toFixed(0), String(recovered)]
  console.log(
    `${contender.padEnd(38)}${numbers.map((one) => one.padStart(9)).join('')}  ${ratio <= 1.5 ? 'yes' : 'no'}`,
  )
}
writeReport('recover', {
  unit: 'p99 in milliseconds from publishing to delivery',
  sizes: {
    'events to recover': missed,
    'most seconds of a recovery': mostRecoverySeconds,
    'seconds of a span': spanSeconds,
    'live events a second': 1_000 / everyMs,
  },
  setup: { recovery: `steps of the server: a pause of ${recoveryPauseMs} ms after each` },
  rows,
  goals: rows.map(({ contender, ratio }) => atMost(`${contender}: p99 beside a recovery over p99 without`, ratio, 1.5)),
  plots: [{ name: 'recover', title: 'p99 of live events, milliseconds', columns: ['without', 'beside'] }],
})
process.exit(0)
