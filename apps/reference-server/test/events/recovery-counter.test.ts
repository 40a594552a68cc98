import { randomUUID } from 'node:crypto'
import { createSqliteStorage, type SqliteStorage } from '@kyc-relay/storage-drizzle/sqlite'
import { createEventTypes } from '@kyc-relay/webhooks/events'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRecoveryCounter } from '../../src/events/recovery-counter.js'

const [appId, userId] = [randomUUID(), randomUUID()]
const range = { appId, endpointId: randomUUID(), since: new Date(0), until: new Date('2100-01-01'), eventTypes: null }

let storage: SqliteStorage
beforeEach(async () => {
  storage = await createSqliteStorage({ path: ':memory:' })
  const times = { createdAt: new Date(), removedAt: null }
  const url = { url: 'https://receiver.example.com/hooks', lineageId: range.endpointId, description: null }
  const settings = { headers: null, pausedBy: null, eventTypes: null, standardWebhooks: false }
  const endpoint = { appId, endpointId: range.endpointId, ...url, ...settings, ...times }
  await storage.webhooks.registerEndpoint(endpoint, 50)
})
afterEach(() => storage.close())

const newCounter = () => {
  const grants = { find: (pairs: readonly unknown[]) => Promise.resolve(pairs.map(() => null)) }
  return createRecoveryCounter({
    recoveries: storage.recoveries,
    grants,
    catalogue: { eventTypes: createEventTypes([]) },
  })
}

async function publish(count: number) {
  const one = {
    appId,
    userId,
    type: 'TRANSACTION_CREATE',
    occurredAt: new Date(),
    body: Buffer.from('{}'),
    test: false,
  }
  const rest = { sourceEventId: null, withheld: 'NO_GRANT' as const, traceContext: null, deliveries: [] }
  for (let n = 0; n < count; n += 1) await storage.webhooks.insertEvent({ eventId: randomUUID(), ...one, ...rest })
}

it('leaves turns to other requests while it counts', async () => {
  await publish(401)
  let turns = 0
  let isOver = false
  const look = () => {
    turns += 1
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  expect(await newCounter()(range)).toMatchObject({ matched: 401, skipped: { scope: 401 } })
  isOver = true
  // A page has 200 events, so there were three.
  expect(turns).toBeGreaterThanOrEqual(3)
})

it('runs once at a time for an app, and again afterwards', async () => {
  const count = newCounter()
  const first = count(range)
  expect(await count(range)).toBe('running')
  expect(await count({ ...range, appId: randomUUID() })).toMatchObject({ matched: 0 })
  expect(await first).toMatchObject({ matched: 0 })
  expect(await count(range)).toMatchObject({ matched: 0 })
})

it('can be asked for again after a failure', async () => {
  const down = { find: () => Promise.reject(new Error('down')) }
  const catalogue = { eventTypes: createEventTypes([]) }
  const count = createRecoveryCounter({ recoveries: storage.recoveries, grants: down, catalogue })
  await publish(1)
  await expect(count(range)).rejects.toThrow('down')
  await expect(count(range)).rejects.toThrow('down')
})
