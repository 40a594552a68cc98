import { createServer, type Server } from 'node:http'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createPostgresStorage } from '../../src/postgres/index.js'
import { startProgram } from '../child-process.js'
import { compileProgram } from '../compiled.js'
import { endpoint, submission, uuid } from '../samples.js'
import { createMigratedDatabase, tableModes } from '../engine/postgres/distributed-database.js'

const submissions = 90
const cap = 4

/** A server process in small: takes submissions, publishes events, and runs a worker. */
const program = `
import { createPostgresStorage } from '#src/postgres/index.ts'
import { endpoint, event, report, submission, uuid } from '#test/samples.ts'

const [connectionString, sink, me, mode] = process.argv.slice(2)
const distributed = mode === 'distributed'
const storage = await createPostgresStorage({ connectionString, maxConnections: 6 }, { distributed })
const { webhooks, verifications } = storage
const hooks = Array.from({ length: 6 }, (_, n) => endpoint('h' + n))

async function attempt(delivery) {
  let status = null
  try {
    const answer = await fetch(sink, {
      method: 'POST',
      headers: { 'x-event-id': delivery.xEventId, 'x-endpoint': delivery.endpoint.endpointId },
      body: delivery.body,
      signal: AbortSignal.timeout(1_000),
    })
    status = answer.status
    await answer.arrayBuffer()
  } catch {}
  return result(delivery, status === 200 ? 'SUCCEEDED' : 'FAILED')
}

function result({ fence }, state) {
  const next =
    state === 'SUCCEEDED' ? { state: 'DELIVERED' } : fence.attempt === 5 ? { state: 'FAILED' } : { state: 'PENDING', delayMs: 20 }
  return { fence, attempt: { state, report }, next }
}

async function work() {
  for (;;) {
    const expired = await webhooks.claimExpired({ limit: 20, leaseMs: 2_000 })
    if (expired.length > 0) await webhooks.recordAttemptResults(expired.map((one) => result(one, 'INTERRUPTED')))
    const { claimed } = await webhooks.claimDue({
      limit: 12, leaseMs: 2_000, maxInFlight: { healthy: ${cap}, failing: 2 }, keepForHealthy: 0,
    })
    await webhooks.recordAttemptResults(await Promise.all(claimed.map(attempt)))
    if (claimed.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function ingest() {
  // All processes send the same submissions: each is recorded by exactly one of them.
  for (let n = 0; n < ${submissions}; n++) {
    const recording = submission('s' + n, { key: { userId: uuid('user ' + n) } })
    const answer = await verifications.record(recording)
    console.log('accepted ' + answer.result.verificationId)
    await webhooks.insertEvent(event('e' + n + ' of ' + me, hooks.filter((_, h) => (n + h) % 3 === 0)))
  }
  console.log('ingested')
}
console.log('started')
void work()
await ingest()
`

/** Counts POSTs per event id, and how many are under way per endpoint. Answers 500 to every seventh. */
function startSink(): Promise<{ url: string; posts: Map<string, number>; most: () => number; server: Server }> {
  const posts = new Map<string, number>()
  const inFlight = new Map<string, number>()
  let most = 0
  let total = 0
  const server = createServer((request, response) => {
    const eventId = String(request.headers['x-event-id'])
    const endpointId = String(request.headers['x-endpoint'])
    posts.set(eventId, (posts.get(eventId) ?? 0) + 1)
    inFlight.set(endpointId, (inFlight.get(endpointId) ?? 0) + 1)
    most = Math.max(most, inFlight.get(endpointId) ?? 0)
    const fails = total++ % 7 === 0
    response.on('close', () => inFlight.set(endpointId, (inFlight.get(endpointId) ?? 0) - 1))
    setImmediate(() => response.writeHead(fails ? 500 : 200).end('ok'))
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address === null || typeof address === 'string') throw new Error('no port')
      resolve({ url: `http://127.0.0.1:${address.port}/`, posts, most: () => most, server })
    })
  })
}

test.each(tableModes)('three processes on $mode, one of them killed under load', async (mode) => {
  const { distributed } = mode
  const { connectionString, stop } = await createMigratedDatabase(mode)
  onTestFinished(stop)
  const storage = await createPostgresStorage({ connectionString }, { distributed })
  for (let n = 0; n < 6; n++) await storage.webhooks.registerEndpoint(endpoint(`h${n}`), 50)
  const sink = await startSink()
  const compiled = compileProgram(program)
  const processes = ['one', 'two', 'three'].map((me) =>
    startProgram(compiled, [connectionString, sink.url, me, distributed ? 'distributed' : 'plain']),
  )
  const [first, second, third] = processes
  if (!first || !second || !third) throw new Error('three processes')

  // In the middle of its work: submissions, claims and POSTs of its own are under way.
  await first.line('started')
  while (first.lines.length < 30) await new Promise((resolve) => setTimeout(resolve, 5))
  first.kill('SIGKILL')
  expect(await first.ended).toBe('SIGKILL')
  await Promise.all([second.line('ingested'), third.line('ingested')])

  const pool = new pg.Pool({ connectionString, max: 2 })
  const pending = async () =>
    (await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM kyc_relay_deliveries WHERE ended_at IS NULL`))
      .rows[0]?.n
  while ((await pending()) !== 0) await new Promise((resolve) => setTimeout(resolve, 50))
  second.kill('SIGKILL')
  third.kill('SIGKILL')
  await Promise.all([second.ended, third.ended])

  const accepted = processes.flatMap(({ lines }) => lines.flatMap((line) => line.split('accepted ')[1] ?? []))
  const recorded = await pool.query<{ id: string; n: number }>(
    `SELECT verification_id AS id, count(*)::int AS n FROM kyc_relay_verifications GROUP BY 1`,
  )
  expect(recorded.rows).toHaveLength(submissions)
  expect(new Set(accepted)).toEqual(new Set(recorded.rows.map(({ id }) => id)))
  expect(await storage.verifications.findKycStatus(uuid('user 0'))).toBe('PASS')
  expect(
    await storage.verifications.findExisting(submission('s0', { key: { userId: uuid('user 0') } }).key),
  ).not.toBeNull()

  const ended = await pool.query<{ state: string; most: number }>(
    `SELECT state, max(attempts_made) AS most FROM kyc_relay_deliveries GROUP BY state`,
  )
  expect(ended.rows.map(({ state }) => state).filter((state) => state !== 'FAILED')).toEqual(['DELIVERED'])
  expect(Math.max(...ended.rows.map(({ most }) => most))).toBeLessThanOrEqual(5)
  expect(Math.max(...sink.posts.values())).toBeLessThanOrEqual(5)
  expect(sink.posts.size).toBeGreaterThan(submissions)
  expect(sink.most()).toBeLessThanOrEqual(cap)
  const turns = await pool.query(`SELECT FROM kyc_relay_endpoint_schedules WHERE next_due_at IS NOT NULL`)
  expect(turns.rows).toEqual([])

  await pool.end()
  await storage.close()
  await new Promise((resolve) => sink.server.close(resolve))
})
