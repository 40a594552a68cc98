import { sql } from 'drizzle-orm'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSqliteStorage } from '../../src/sqlite/index.js'
import { startProgram } from '../child-process.js'
import { compileProgram } from '../compiled.js'
import { endpoint, event, uuid } from '../samples.js'
import { testFolder } from '../engine/sqlite/sqlite-files.js'

const endpoints = 250
const each = 4
const total = endpoints * each

/** The delivery worker of the package on a file, posting by plain HTTP. */
const program = `
import { createSqliteStorage } from '#src/sqlite/index.ts'
import { createDeliveryWorker } from '#src/../../webhooks/src/delivery/index.ts'
import { report } from '#test/samples.ts'

const [path, sink] = process.argv.slice(2)
const storage = await createSqliteStorage({ path })
await storage.acquireWorkerLock()
createDeliveryWorker({
  store: storage.webhooks,
  grants: { find: async (pairs) => pairs.map((pair) => ({ ...pair, scopes: ['LIST_PAYMENT'] })) },
  signingKeys: { current: async (appIds) => appIds.map((appId) => ({ appId, key: 'kyc_live_example', version: 1 })) },
  now: () => new Date(),
  random: () => 0,
  options: { slowAfterMs: 1, maxOpen: 100_000, pollIntervalMs: 20, scopeRule: 'any', takeOverIntervalMs: 50, retry: { baseMs: 10 } },
  async send({ headers, body }) {
    const answer = await fetch(sink, { method: 'POST', headers, body })
    await answer.text()
    return { ...report, cause: null, status: answer.status, responseBody: null }
  },
}).start()
console.log('started')
`

test('K27 a worker killed as if memory ran out with 1,000 in flight: each is sent once more at most', async () => {
  const posts = new Map<string, number>()
  let answering = false
  let enough = () => {}
  const sink = createServer((request, response) => {
    const eventId = String(request.headers['x-event-id'])
    posts.set(eventId, (posts.get(eventId) ?? 0) + 1)
    request.resume()
    if (answering) response.end('ok')
    else if (posts.size === total) enough()
  })
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    sink.close()
    sink.closeAllConnections()
  })
  const address = sink.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = `http://127.0.0.1:${address.port}/`

  const path = join(testFolder(), 'kyc.db')
  const storage = await createSqliteStorage({ path })
  const hooks = Array.from({ length: endpoints }, (_, n) => endpoint(`h${n}`))
  await Promise.all(hooks.map((hook) => storage.webhooks.registerEndpoint(hook, endpoints)))
  await Promise.all(Array.from({ length: each }, (_, n) => storage.webhooks.insertEvent(event(`e${n}`, hooks))))
  const count = (condition: string) =>
    storage.database.read(
      (db) =>
        db.get<{ count: number }>(sql`SELECT count(*) AS count FROM kyc_relay_deliveries WHERE ${sql.raw(condition)}`)
          .count,
    )
  const compiled = compileProgram(program)

  const allInFlight = new Promise<void>((resolve) => (enough = resolve))
  const first = startProgram(compiled, [path, url])
  await allInFlight
  expect(await count('lease_until IS NOT NULL')).toBe(total)
  // What the kernel does to a process when memory is out.
  first.kill('SIGKILL')
  expect(await first.ended).toBe('SIGKILL')
  answering = true
  const second = startProgram(compiled, [path, url])
  await second.line('started')
  while ((await count('ended_at IS NULL')) > 0) await new Promise((resolve) => setTimeout(resolve, 50))
  second.kill('SIGKILL')
  await second.ended

  expect(posts.size).toBe(total)
  expect(new Set(posts.values())).toEqual(new Set([2]))
  const ended = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof storage.webhooks.listDeliveries>> = await storage.webhooks.listDeliveries({
      appId: uuid('app'),
      limit: 200,
      ...(cursor === null ? {} : { cursor }),
    })
    ended.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null)
  expect(ended).toHaveLength(total)
  expect(new Set(ended.map(({ state, attemptsMade }) => `${state} ${attemptsMade}`))).toEqual(new Set(['DELIVERED 2']))
  await storage.close()
})
