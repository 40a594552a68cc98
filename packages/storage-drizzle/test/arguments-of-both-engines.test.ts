// Both engines answer a wrong or an extreme argument alike.
import { reportOfCause, type AttemptResult } from '@kyc-relay/webhooks/delivery'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPostgresDeduplicationStore, createPostgresStorage } from '../src/postgres/index.js'
import { createSqliteDeduplicationStore, createSqliteStorage } from '../src/sqlite/index.js'
import { startPostgres } from './engine/postgres/postgres-server.js'

const appId = '0a000000-0000-4000-8000-00000000000a'
const request = { limit: 1, maxInFlight: { healthy: 1, failing: 1 }, keepForHealthy: 0 }
const report = { ...reportOfCause('HTTP_STATUS', 1), status: 500 }

const retryIn = (fence: AttemptResult['fence'], delayMs: number): AttemptResult => ({
  fence,
  attempt: { state: 'FAILED', report },
  next: { state: 'PENDING', delayMs },
})

async function open(engine: string, connectionString: string) {
  const isSqlite = engine === 'SQLite'
  const storage = await (isSqlite
    ? createSqliteStorage({ path: ':memory:' })
    : createPostgresStorage({ connectionString }))
  const seen = await (isSqlite
    ? createSqliteDeduplicationStore({ path: ':memory:' })
    : createPostgresDeduplicationStore({ connectionString }))
  const endpoint = {
    endpointId: 'e',
    appId,
    url: 'https://partner.example.com/',
    eventTypes: null,
    standardWebhooks: false,
  }
  await storage.webhooks.registerEndpoint({ ...endpoint, createdAt: new Date() }, 1)
  await storage.webhooks.insertEvent({
    eventId: crypto.randomUUID(),
    appId,
    userId: 'u',
    type: 'WIDGET_KYC_INITIATION',
    occurredAt: new Date(),
    body: new Uint8Array(1),
    test: false,
    sourceEventId: null,
    withheld: null,
    deliveries: [{ deliveryId: 'd', endpointId: 'e', xEventId: 'x' }],
  })
  return { ...storage, seen }
}

const opened = new Map<string, Awaited<ReturnType<typeof open>>>()
let stop: () => Promise<void>

beforeAll(async () => {
  const server = await startPostgres()
  const connectionString = await server.createDatabase()
  for (const engine of ['SQLite', 'PostgreSQL']) opened.set(engine, await open(engine, connectionString))
  stop = () => server.stop()
})

afterAll(async () => {
  for (const each of opened.values()) {
    await each.seen.close()
    await each.close()
  }
  await stop()
})

function storesOf(engine: string) {
  const stores = opened.get(engine)
  if (stores === undefined) throw new Error('not opened')
  return stores
}

const code = 'ARGUMENT_INVALID'

for (const engine of ['SQLite', 'PostgreSQL']) {
  test.each([
    new Date(NaN),
    new Date(-8.64e15),
    new Date(8.64e15),
    new Date('+010000-01-01'),
    '2026-01-01',
    null,
  ] as Date[])(`${engine} takes no time %s`, async (time) => {
    const { webhooks } = storesOf(engine)
    for (const range of [{ createdAfter: time }, { createdBefore: time }])
      await expect(webhooks.listDeliveries({ appId, limit: 1, ...range })).rejects.toMatchObject({ code })
    await expect(webhooks.listEndpointHours({ appId, since: time })).rejects.toMatchObject({ code })
  })

  test(`${engine} lists from the year 1 to the year 9999`, async () => {
    const range = { createdAfter: new Date('0001-01-01'), createdBefore: new Date('9999-12-31') }
    const { webhooks } = storesOf(engine)
    expect((await webhooks.listDeliveries({ appId, limit: 9, ...range })).items).toHaveLength(1)
  })

  test.each([-1, NaN, Infinity, null, '5', 1e13, 1e18, Number.MAX_VALUE] as number[])(
    `${engine} takes no lease and no delay of %s ms`,
    async (ms) => {
      const { webhooks, seen } = storesOf(engine)
      await expect(webhooks.claimDue({ ...request, leaseMs: ms })).rejects.toMatchObject({ code })
      await expect(webhooks.claimExpired({ limit: 1, leaseMs: ms })).rejects.toMatchObject({ code })
      await expect(seen.claim({ eventId: `${ms}`, leaseMs: ms })).rejects.toMatchObject({ code })
      const [claimed] = (await webhooks.claimDue({ ...request, leaseMs: 60_000 })).claimed
      const fence = claimed!.fence
      await expect(webhooks.recordAttemptResults([retryIn(fence, ms)])).rejects.toMatchObject({ code })
      expect(await webhooks.recordAttemptResults([retryIn(fence, 0)])).toMatchObject({ stale: [] })
    },
  )

  test(`${engine} rounds a part of a millisecond up`, async () => {
    const { webhooks, seen } = storesOf(engine)
    const [claimed] = (await webhooks.claimDue({ ...request, leaseMs: 60_000.5 })).claimed
    expect(await webhooks.recordAttemptResults([retryIn(claimed!.fence, 0.5)])).toMatchObject({ stale: [] })
    expect(await seen.claim({ eventId: 'part', leaseMs: 59_999.5 })).toMatchObject({ kind: 'claimed' })
    expect(await webhooks.claimExpired({ limit: 1, leaseMs: 0.5 })).toEqual([])
  })

  test(`${engine} forgets nothing of an age that is longer than time`, async () => {
    const { seen } = storesOf(engine)
    await seen.claim({ eventId: 'kept', leaseMs: 0 })
    expect(await seen.forget({ olderThanMs: Number.MAX_SAFE_INTEGER, limit: 9 })).toBe(0)
  })

  test.each([undefined, null])(`${engine} answers nothing about a user %s`, async (nobody) => {
    const { verifications, webhooks } = storesOf(engine)
    await expect(verifications.findKycStatus(nobody as never)).rejects.toMatchObject({ code })
    for (const part of ['appId', 'userId'])
      await expect(webhooks.cancelPending({ appId, userId: 'u', reason: 'r', [part]: nobody })).rejects.toMatchObject({
        code,
      })
  })

  test(`${engine} knows no endpoint of no app, and says so without a request to retry`, async () => {
    expect(await storesOf(engine).webhooks.listEndpointHealth(undefined as never)).toEqual([])
  })
}
