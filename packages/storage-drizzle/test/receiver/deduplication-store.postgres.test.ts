import { drizzle } from 'drizzle-orm/node-postgres'
import { deduplicationStoreCases } from '@kyc-relay/webhooks/testing'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPostgresDeduplicationStore, markProcessed } from '../../src/postgres/index.js'
import { startOfTests, uuid } from '../samples.js'
import { emptyTables, startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'

let server: PostgresServer
let pool: pg.Pool

beforeAll(async () => {
  server = await startPostgres()
  pool = new pg.Pool({ connectionString: await server.createDatabase(), max: 6 })
  await (await createPostgresDeduplicationStore({ pool })).close()
  await pool.query('CREATE TABLE balances (amount integer)')
})
afterAll(async () => {
  await pool.end()
  await server.stop()
})
beforeEach(() => emptyTables(pool))

describe('DeduplicationStore', () => {
  test.each(deduplicationStoreCases)('$id $name', async ({ run }) => {
    let now = startOfTests.getTime()
    await run({
      async open() {
        const store = await createPostgresDeduplicationStore(
          { pool },
          { clock: () => new Date(now), migrations: 'require' },
        )
        return { store, close: () => store.close() }
      },
      advance(ms) {
        now += ms
        return Promise.resolve()
      },
    })
  })
})

test.each([
  { olderThanMs: null, limit: 10 },
  { olderThanMs: -60_000, limit: 10 },
  { olderThan: 1, limit: 10 },
  { olderThanMs: 1, limit: 1.5 },
  { olderThanMs: 1 },
])('nothing is forgotten for %j', async (request) => {
  const store = await createPostgresDeduplicationStore({ pool }, { migrations: 'require' })
  const [eventId, leaseMs] = [uuid('x-event'), 1_000]
  await store.claim({ eventId, leaseMs })
  await store.complete({ eventId, fence: 1 })
  await expect(store.forget(request as never)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID', retryable: false })
  expect(await store.claim({ eventId, leaseMs })).toEqual({ kind: 'completed' })
})

test.each([null, undefined, -1, NaN, '1000'])('no lease is of %s', async (leaseMs) => {
  const store = await createPostgresDeduplicationStore({ pool }, { migrations: 'require' })
  const claimed = store.claim({ eventId: uuid('x-event'), leaseMs: leaseMs as never })
  await expect(claimed).rejects.toMatchObject({ code: 'ARGUMENT_INVALID', retryable: false })
})

describe('markProcessed in a transaction of the caller', () => {
  const eventId = uuid('x-event')

  async function process(mark: { eventId: string; fence?: number }): Promise<boolean> {
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      const mine = await markProcessed(client, mark)
      if (mine) await client.query('INSERT INTO balances VALUES (10)')
      await client.query('COMMIT')
      return mine
    } finally {
      client.release()
    }
  }

  const effects = async () => (await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM balances')).rows[0]?.n

  beforeEach(async () => void (await pool.query('DELETE FROM balances')))

  test('lets exactly one of racing transactions process the event', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => process({ eventId })))
    expect(answers.filter(Boolean)).toHaveLength(1)
    expect(await effects()).toBe(1)
  })

  test('takes the fence of an event without a claim, null, for none', async () => {
    const fence = null as unknown as number
    expect(await process({ eventId, fence })).toBe(true)
    expect(await process({ eventId, fence })).toBe(false)
  })

  test('with a fence marks only while that claim is current', async () => {
    const store = await createPostgresDeduplicationStore({ pool }, { migrations: 'require' })
    const first = await store.claim({ eventId, leaseMs: 0 })
    const second = await store.claim({ eventId, leaseMs: 60_000 })
    if (first.kind !== 'claimed' || second.kind !== 'claimed') throw new Error('claims')
    expect(await process({ eventId, fence: first.fence })).toBe(false)
    expect(await process({ eventId, fence: second.fence })).toBe(true)
    expect(await process({ eventId, fence: second.fence })).toBe(false)
    expect(await effects()).toBe(1)
  })

  test('without a fence ends a claim of another handler, which cannot complete the event afterwards', async () => {
    const store = await createPostgresDeduplicationStore({ pool }, { migrations: 'require' })
    const claimed = await store.claim({ eventId, leaseMs: 60_000 })
    if (claimed.kind !== 'claimed') throw new Error('claim')
    expect(await process({ eventId })).toBe(true)
    expect(await store.complete({ eventId, fence: claimed.fence })).toBe('stale')
  })

  test('takes the tx of Drizzle, and refuses a pool', async () => {
    const db = drizzle({ client: pool })
    expect(await db.transaction((tx) => markProcessed(tx, { eventId }))).toBe(true)
    expect(await db.transaction((tx) => markProcessed(tx, { eventId }))).toBe(false)
    await expect(markProcessed(pool, { eventId })).rejects.toMatchObject({ code: 'TRANSACTION_REQUIRED' })
  })
})
