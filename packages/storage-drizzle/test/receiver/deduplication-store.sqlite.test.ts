import { join } from 'node:path'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { deduplicationStoreCases } from '@kyc-relay/webhooks/testing'
import { describe, expect, test } from 'vitest'
import { createSqliteDeduplicationStore, markProcessed } from '../../src/sqlite/index.js'
import { startOfTests, uuid } from '../samples.js'
import { testFolder } from '../engine/sqlite/sqlite-files.js'

describe('DeduplicationStore', () => {
  test.each(deduplicationStoreCases)('$id $name', async ({ run }) => {
    const path = join(testFolder(), 'received.db')
    let now = startOfTests.getTime()
    await run({
      async open() {
        const store = await createSqliteDeduplicationStore({ path }, { clock: () => new Date(now) })
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
  const store = await createSqliteDeduplicationStore({ path: ':memory:' })
  const [eventId, leaseMs] = [uuid('x-event'), 1_000]
  await store.claim({ eventId, leaseMs })
  await store.complete({ eventId, fence: 1 })
  await expect(store.forget(request as never)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID', retryable: false })
  expect(await store.claim({ eventId, leaseMs })).toEqual({ kind: 'completed' })
})

test.each([null, undefined, -1, NaN, '1000'])('no lease is of %s', async (leaseMs) => {
  const store = await createSqliteDeduplicationStore({ path: ':memory:' })
  const claimed = store.claim({ eventId: uuid('x-event'), leaseMs: leaseMs as never })
  await expect(claimed).rejects.toMatchObject({ code: 'ARGUMENT_INVALID', retryable: false })
})

describe('markProcessed in a transaction of the caller', () => {
  const eventId = uuid('x-event')

  async function openShop() {
    const database = new Database(join(testFolder(), 'shop.db'))
    database.exec('CREATE TABLE balances (amount INTEGER)')
    const store = await createSqliteDeduplicationStore({ database })
    const process = (mark: { eventId: string; fence?: number }) =>
      database
        .transaction(() => {
          if (!markProcessed(database, mark)) return false
          database.exec('INSERT INTO balances VALUES (10)')
          return true
        })
        .immediate()
    const effects = () => database.prepare('SELECT count(*) FROM balances').pluck().get()
    return { database, store, process, effects }
  }

  test('lets exactly one transaction process the event', async () => {
    const { process, effects, store } = await openShop()
    expect([process({ eventId }), process({ eventId }), process({ eventId })]).toEqual([true, false, false])
    expect(effects()).toBe(1)
    expect(await store.claim({ eventId, leaseMs: 1_000 })).toEqual({ kind: 'completed' })
  })

  test('forgets the mark when the transaction is rolled back', async () => {
    const { database, process, effects } = await openShop()
    const failing = database.transaction(() => {
      markProcessed(database, { eventId })
      database.exec('INSERT INTO balances VALUES (10)')
      throw new Error('later step')
    })
    expect(() => failing.immediate()).toThrow('later step')
    expect(process({ eventId })).toBe(true)
    expect(effects()).toBe(1)
  })

  test('with a fence marks only while that claim is current', async () => {
    const { store, process, effects } = await openShop()
    const first = await store.claim({ eventId, leaseMs: 0 })
    const second = await store.claim({ eventId, leaseMs: 60_000 })
    if (first.kind !== 'claimed' || second.kind !== 'claimed') throw new Error('claims')
    expect(process({ eventId, fence: first.fence })).toBe(false)
    expect(process({ eventId, fence: second.fence })).toBe(true)
    expect(process({ eventId, fence: second.fence })).toBe(false)
    expect(effects()).toBe(1)
    expect(await store.complete({ eventId, fence: second.fence })).toBe('completed')
  })

  test('marks at the time of the clock that it is given, and forgets by it', async () => {
    const { database, store } = await openShop()
    const longAgo = () => new Date(0)
    database.transaction(() => markProcessed(database, { eventId: 'old' }, longAgo)).immediate()
    database.transaction(() => markProcessed(database, { eventId: 'new' })).immediate()
    expect(await store.forget({ olderThanMs: 86_400_000, limit: 10 })).toBe(1)
    expect(await store.claim({ eventId: 'new', leaseMs: 1_000 })).toEqual({ kind: 'completed' })
  })

  test('without a fence ends a claim of another handler, which cannot complete the event afterwards', async () => {
    const { process, store } = await openShop()
    const claimed = await store.claim({ eventId, leaseMs: 60_000 })
    if (claimed.kind !== 'claimed') throw new Error('claim')
    expect(process({ eventId })).toBe(true)
    expect(await store.complete({ eventId, fence: claimed.fence })).toBe('stale')
  })

  test('takes the tx of Drizzle, and is refused outside a transaction', async () => {
    const { database } = await openShop()
    const db = drizzle({ client: database })
    expect(db.transaction((tx) => markProcessed(tx, { eventId }))).toBe(true)
    expect(() => markProcessed(database, { eventId })).toThrow(
      expect.objectContaining({ code: 'TRANSACTION_REQUIRED' }),
    )
    expect(() => markProcessed(db, { eventId })).toThrow(expect.objectContaining({ code: 'TRANSACTION_REQUIRED' }))
  })
})
