// Measures one, two and three processes on one PostgreSQL: submissions recorded per second, and deliveries claimed and
// recorded per second, without a network. Each process has a separate pool.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { createPostgresStorage } from '@kyc-relay/storage-drizzle/postgres'
import { reportOfCause } from '@kyc-relay/webhooks/delivery'
import { median, printTable, processorUs, writeReport } from './harness.mjs'
import { startPostgres } from './local-postgres.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const work = Number(process.env.BENCH_OPERATIONS ?? 6_000)
const counts = [1, 2, 3]
const endpoints = 300
const concurrency = 64
const appId = '0a000000-0000-7000-8000-000000000001'
const report = { ...reportOfCause('HTTP_STATUS', 1), cause: null, status: 200 }

async function together(total, one) {
  for (let done = 0; done < total; done += concurrency) {
    await Promise.all(Array.from({ length: Math.min(concurrency, total - done) }, () => one()))
  }
}

function submission() {
  const verificationId = randomUUID()
  const result = { status: 'VERIFIED', verificationId, message: 'The user is verified.' }
  return {
    key: { appId, userId: randomUUID(), externalVerificationId: randomUUID() },
    verification: {
      verificationId,
      schemaVersion: '1.0',
      externalVerificationProvider: 'CUSTOM',
      decision: 'PASSED',
      decisionedAt: new Date(),
      countryCode: 'US',
      ssn: null,
      documentNumber: null,
      sections: [{ section: 'database', verificationId: 'x', status: 'PASSED' }],
      checks: [{ section: 'database', name: 'name_match', status: 'PASSED' }],
      declineCodes: [],
      sealedDetails: randomBytes(400),
      photoJobs: [],
    },
    payloadDigest: randomBytes(32),
    recordedAt: new Date(),
    outcomes: {
      UNVERIFIED: { next: 'PASS', result },
      PASS: { next: 'PASS', result },
      PASS_INTERNATIONAL: { next: 'PASS_INTERNATIONAL', result },
    },
  }
}

/** Claims and records until nothing is left; how many. */
async function deliver(webhooks) {
  let delivered = 0
  for (;;) {
    const request = { limit: 128, leaseMs: 45_000, maxInFlight: { healthy: 4, failing: 1 }, keepForHealthy: 16 }
    const { claimed, nextDueInMs } = await webhooks.claimDue(request)
    if (claimed.length === 0 && nextDueInMs === null) return delivered
    await webhooks.recordAttemptResults(
      claimed.map(({ fence }) => ({ fence, attempt: { state: 'SUCCEEDED', report }, next: { state: 'DELIVERED' } })),
    )
    delivered += claimed.length
  }
}

async function runProcess() {
  const { webhooks, verifications } = await createPostgresStorage(
    { connectionString: process.env.BENCH_DATABASE_URL, maxConnections: 10 },
    { notify: false, migrations: 'require' },
  )
  process.send('ready')
  process.on('message', async ({ task, amount }) => {
    if (task === 'record') {
      await together(amount, async () => {
        assert.equal((await verifications.record(submission())).kind, 'recorded')
      })
      process.send(amount)
    } else process.send(await deliver(webhooks))
  })
}

if (process.send !== undefined) await runProcess()
else await measureAll()

async function measureAll() {
  const server = await startPostgres()
  const { webhooks, close } = await createPostgresStorage({ connectionString: server.url }, { notify: false })
  const ids = Array.from({ length: endpoints }, () => randomUUID())
  for (const endpointId of ids) {
    const url = 'https://example.com/'
    const made = { endpointId, appId, url, eventTypes: null, standardWebhooks: false, createdAt: new Date() }
    await webhooks.registerEndpoint(made, endpoints)
  }
  let published = 0
  const publish = () =>
    webhooks.insertEvent({
      eventId: randomUUID(),
      appId,
      userId: randomUUID(),
      type: 'WIDGET_DEPOSIT_COMPLETE',
      occurredAt: new Date(),
      body: randomBytes(250),
      test: false,
      sourceEventId: null,
      withheld: null,
      deliveries: [{ deliveryId: randomUUID(), endpointId: ids[published++ % endpoints], xEventId: randomUUID() }],
    })

  const processes = []
  while (processes.length < Math.max(...counts)) {
    const child = fork(fileURLToPath(import.meta.url), { env: { ...process.env, BENCH_DATABASE_URL: server.url } })
    await once(child, 'message')
    processes.push(child)
  }
  const databaseUs = () => server.pids().reduce((sum, pid) => sum + processorUs(pid), 0)
  /** What the first `count` processes do in a second together, and how much of the machine's processors the database used. */
  async function inParallel(count, task) {
    const started = performance.now()
    const usedBefore = databaseUs()
    const answers = await Promise.all(
      processes.slice(0, count).map(async (child) => {
        child.send({ task, amount: Math.ceil(work / count) })
        return (await once(child, 'message'))[0]
      }),
    )
    const seconds = (performance.now() - started) / 1_000
    const perSecond = answers.reduce((sum, answer) => sum + answer, 0) / seconds
    return { perSecond, share: (databaseUs() - usedBefore) / 1e6 / seconds / os.cpus().length }
  }

  const found = Object.fromEntries(counts.map((count) => [count, { record: [], deliver: [] }]))
  for (let round = -1; round < rounds; round += 1) {
    for (const count of counts) {
      const record = await inParallel(count, 'record')
      await together(work, publish)
      const delivered = await inParallel(count, 'deliver')
      // The round before the first warms up.
      if (round >= 0) {
        found[count].record.push(record)
        found[count].deliver.push(delivered)
      }
    }
  }
  for (const child of processes) child.kill()
  await close()
  await server.stop()

  const rows = counts.map((count) => ({
    processes: count,
    submissionsPerSecond: median(found[count].record.map(({ perSecond }) => perSecond)),
    deliveriesPerSecond: median(found[count].deliver.map(({ perSecond }) => perSecond)),
    databaseShareOfSubmissions: median(found[count].record.map(({ share }) => share)),
    databaseShareOfDeliveries: median(found[count].deliver.map(({ share }) => share)),
  }))
  console.log(`per second on ${os.cpus().length} cores shared with the server; median of ${rounds} rounds of ${work}\n`)
  printTable(rows, 'processes', 2)
  console.log('The shares are those of PostgreSQL in the processor time of all cores, between 0 and 1.')
  writeReport('processes', { unit: 'per second', rows })
  process.exit(0)
}
