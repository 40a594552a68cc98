import { join } from 'node:path'
import { createWebhooks } from '@kyc-relay/webhooks/delivery'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { describe, expect, test } from 'vitest'
import { createSqliteDeduplicationStore, createSqliteStorage, insertEvent } from '../../src/sqlite/index.js'
import { endpoint, event, uuid } from '../samples.js'
import { testFolder } from '../engine/sqlite/sqlite-files.js'

async function openShop() {
  const database = new Database(join(testFolder(), 'shop.db'))
  database.exec('CREATE TABLE orders (id TEXT PRIMARY KEY)')
  const storage = await createSqliteStorage({ database })
  const hook = endpoint('shop')
  await storage.webhooks.registerEndpoint(hook, 50)
  const count = () => ({
    orders: database.prepare('SELECT count(*) FROM orders').pluck().get(),
    events: database.prepare('SELECT count(*) FROM kyc_relay_events').pluck().get(),
    deliveries: database.prepare('SELECT count(*) FROM kyc_relay_deliveries').pluck().get(),
  })
  return { database, storage, hook, count }
}

describe('publishIn of createWebhooks', () => {
  const grant = {
    appName: 'Shop',
    accountId: uuid('account'),
    externalReferenceId: 'customer-1',
    scopes: ['MAKE_PAYOUT_SEND'],
  }

  test('commits and rolls back with the business row, and is refused outside a transaction', async () => {
    const { database, storage, hook, count } = await openShop()
    const webhooks = createWebhooks({
      storage,
      grants: { find: async (pairs) => pairs.map((pair) => ({ ...grant, ...pair })) },
      signingKeys: { current: async (appIds) => appIds.map(() => null) },
      send: () => Promise.reject(new Error('nothing is sent here')),
    })
    const deposit = {
      appId: hook.appId,
      userId: uuid('user'),
      eventType: 'WIDGET_DEPOSIT_COMPLETE',
      data: { amount: 1 },
    } as const
    const place = async (id: string, end: () => void) => {
      const prepared = await webhooks.prepare(deposit)
      const transaction = database.transaction(() => {
        database.prepare('INSERT INTO orders VALUES (?)').run(id)
        const published = webhooks.publishIn(database, prepared)
        end()
        return published
      })
      return transaction.immediate()
    }
    expect(await place('o1', () => undefined)).toMatchObject({ status: 'QUEUED', deliveries: [{}] })
    const refuse = () => {
      throw new Error('payment refused')
    }
    await expect(place('o2', refuse)).rejects.toThrow('payment refused')
    const prepared = await webhooks.prepare(deposit)
    expect(() => webhooks.publishIn(database, prepared)).toThrow(
      expect.objectContaining({ code: 'TRANSACTION_REQUIRED' }),
    )
    // Prepared while another transaction is open, it would be written there.
    // @ts-expect-error -- the types refuse it too
    expect(() => webhooks.publishIn(database, deposit)).toThrow(expect.objectContaining({ code: 'EVENT_NOT_PREPARED' }))
    expect(count()).toEqual({ orders: 1, events: 1, deliveries: 1 })
  })
})

describe('insertEvent in a transaction of the caller', () => {
  test('commits with the business row, and the event is due at once', async () => {
    const { database, storage, hook, count } = await openShop()
    const inserted = database
      .transaction(() => {
        database.prepare('INSERT INTO orders VALUES (?)').run('o1')
        return insertEvent(database, event('o1', [hook]))
      })
      .immediate()
    expect(inserted).toMatchObject({ duplicate: false, deliveries: [{ endpointId: hook.endpointId }] })
    expect(count()).toEqual({ orders: 1, events: 1, deliveries: 1 })
    const { claimed } = await storage.webhooks.claimDue({
      limit: 10,
      leaseMs: 45_000,
      maxInFlight: { healthy: 4, failing: 1 },
      keepForHealthy: 2,
    })
    expect(claimed.map(({ deliveryId }) => deliveryId)).toEqual(inserted.deliveries.map((one) => one.deliveryId))
  })

  test('goes with the business row when the transaction is rolled back', async () => {
    const { database, hook, count } = await openShop()
    const failing = database.transaction(() => {
      database.prepare('INSERT INTO orders VALUES (?)').run('o1')
      insertEvent(database, event('o1', [hook]))
      throw new Error('payment refused')
    })
    expect(() => failing.immediate()).toThrow('payment refused')
    expect(count()).toEqual({ orders: 0, events: 0, deliveries: 0 })
  })

  test('takes the tx of a Drizzle transaction', async () => {
    const { database, hook, count } = await openShop()
    const db = drizzle({ client: database })
    db.transaction((tx) => void insertEvent(tx, event('o1', [hook])), { behavior: 'immediate' })
    expect(() =>
      db.transaction((tx) => {
        insertEvent(tx, event('o2', [hook]))
        tx.rollback()
      }),
    ).toThrow()
    expect(count()).toEqual({ orders: 0, events: 1, deliveries: 1 })
  })

  test('a known source event writes nothing and gives the original', async () => {
    const { database, hook, count } = await openShop()
    const publish = (name: string) =>
      database
        .transaction(() => insertEvent(database, event(name, [hook], { sourceEventId: 'order-1-paid' })))
        .immediate()
    const first = publish('first')
    expect(publish('second')).toEqual({ ...first, duplicate: true, original: expect.anything() })
    expect(count()).toEqual({ orders: 0, events: 1, deliveries: 1 })
  })

  test('is refused outside a transaction, where it would not be atomic', async () => {
    const { database, hook, count } = await openShop()
    expect(() => insertEvent(database, event('o1', [hook]))).toThrow(
      expect.objectContaining({ code: 'TRANSACTION_REQUIRED' }),
    )
    expect(() => insertEvent(drizzle({ client: database }), event('o1', [hook]))).toThrow(
      expect.objectContaining({ code: 'TRANSACTION_REQUIRED' }),
    )
    expect(count()).toEqual({ orders: 0, events: 0, deliveries: 0 })
  })

  test('a contradiction is an error without any value in it', async () => {
    const { database, hook } = await openShop()
    const twice = database.transaction(() => {
      insertEvent(database, event('same', [hook]))
      insertEvent(database, event('same', [hook]))
    })
    let caught: unknown
    try {
      twice()
    } catch (error) {
      caught = error
    }
    expect(caught).toMatchObject({ code: 'CONSTRAINT', driverCode: 'SQLITE_CONSTRAINT_UNIQUE' })
    expect(String(caught)).not.toContain('event_id')
  })
})

test.each([
  undefined,
  null,
  {},
  { path: undefined },
  { path: null },
  { path: '' },
  { path: 5 },
  { database: undefined },
])('the location %j is refused: SQLite would open a file that vanishes', async (location) => {
  const refused = { code: 'ARGUMENT_INVALID' }
  await expect(createSqliteStorage(location as never)).rejects.toMatchObject(refused)
  await expect(createSqliteDeduplicationStore(location as never)).rejects.toMatchObject(refused)
})
