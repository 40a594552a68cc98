import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createPostgresStorage, type PostgresStorage } from '../../src/postgres/index.js'
import { startProgram } from '../child-process.js'
import { compileProgram } from '../compiled.js'
import { endpoint, event, report } from '../samples.js'
import { startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'

let server: PostgresServer
let connectionString: string
let storage: PostgresStorage

beforeAll(async () => {
  server = await startPostgres()
  connectionString = await server.createDatabase()
  storage = await createPostgresStorage({ connectionString })
})
afterAll(async () => {
  await storage.close()
  await server.stop()
})

/** Claims once with a lease of a second, posts, and records it as delivered when the answer comes. */
const program = `
import { createPostgresStorage } from '#src/postgres/index.ts'
import { report } from '#test/samples.ts'

const [connectionString, sink] = process.argv.slice(2)
const { webhooks } = await createPostgresStorage({ connectionString }, { notify: false })
const { claimed } = await webhooks.claimDue({
  limit: 100, leaseMs: 1_000, maxInFlight: { healthy: 100, failing: 100 }, keepForHealthy: 0,
})
console.log('claimed ' + claimed.length)
await Promise.all(claimed.map(({ deliveryId, body }) =>
  fetch(sink, { method: 'POST', headers: { 'x-delivery': deliveryId }, body }).then((answer) => answer.text())))
const { stale } = await webhooks.recordAttemptResults(claimed.map(({ fence }) => (
  { fence, attempt: { state: 'SUCCEEDED', report }, next: { state: 'DELIVERED' } })))
console.log('stale ' + stale.length)
process.exit(0)
`

/** Keeps every answer back until it is told to give them. */
async function startSink() {
  const waiting: ServerResponse[] = []
  let look = () => {}
  const sink = createServer((request, response) => {
    request.resume()
    waiting.push(response)
    look()
  })
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    sink.close()
    sink.closeAllConnections()
  })
  const address = sink.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}/`,
    arrived: (count: number) =>
      new Promise<void>((resolve) => {
        look = () => waiting.length >= count && resolve()
        look()
      }),
    answerAll: () => waiting.splice(0).forEach((response) => response.end('ok')),
  }
}

test('a worker that slept between sending and recording changes nothing of what another one took over', async () => {
  const hook = endpoint('paused')
  await storage.webhooks.registerEndpoint(hook, 50)
  const count = 6
  for (let n = 0; n < count; n++) await storage.webhooks.insertEvent(event(`paused ${n}`, [hook]))
  const sink = await startSink()
  const paused = startProgram(compileProgram(program), [connectionString, sink.url])
  expect(await paused.line('claimed')).toBe(`claimed ${count}`)
  await sink.arrived(count)
  paused.kill('SIGSTOP')

  // Two rescuers at once: each attempt goes to one of them.
  const taken = []
  while (taken.length < count) {
    const pages = await Promise.all([1, 2].map(() => storage.webhooks.claimExpired({ limit: count, leaseMs: 45_000 })))
    taken.push(...pages.flat())
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  expect(new Set(taken.map(({ deliveryId }) => deliveryId)).size).toBe(count)
  // Half of them are recorded before the sleeper wakes, the others are still held by the rescuer.
  const recorded = taken.slice(0, count / 2)
  const interrupted = { state: 'INTERRUPTED' as const, report: { ...report, cause: 'INTERRUPTED' as const } }
  const next = { state: 'PENDING' as const, delayMs: 60_000 }
  const answer = await storage.webhooks.recordAttemptResults(
    recorded.map(({ fence }) => ({ fence, attempt: interrupted, next })),
  )
  expect(answer).toMatchObject({ stale: [] })

  const { appId } = hook
  const before = (await storage.webhooks.listDeliveries({ appId, limit: 50 })).items
  sink.answerAll()
  paused.kill('SIGCONT')
  expect(await paused.line('stale')).toBe(`stale ${count}`)
  expect(await paused.ended).toBe(0)
  expect((await storage.webhooks.listDeliveries({ appId, limit: 50 })).items).toEqual(before)
  expect(before.map(({ state, attemptsMade }) => [state, attemptsMade])).toEqual(
    Array.from({ length: count }, () => ['PENDING', 1]),
  )
  // The rescuer's own fences still hold.
  const rest = taken.slice(count / 2).map(({ fence }) => ({ fence, attempt: interrupted, next }))
  expect(await storage.webhooks.recordAttemptResults(rest)).toMatchObject({ stale: [] })
})
