import { createWebhooks } from '@kyc-relay/webhooks/delivery'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPostgresStorage, insertEvent, markProcessed, type PostgresStorage } from '../../src/postgres/index.js'
import { claimRequest, endpoint, event, uuid } from '../samples.js'
import { emptyTables, startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'

let server: PostgresServer
let connectionString: string
let pool: pg.Pool
let storage: PostgresStorage

const hook = endpoint('shop')

beforeAll(async () => {
  server = await startPostgres()
  connectionString = await server.createDatabase()
  pool = new pg.Pool({ connectionString, max: 4 })
  storage = await createPostgresStorage({ pool })
  await pool.query('CREATE TABLE orders (id text PRIMARY KEY)')
})
afterAll(async () => {
  await storage.close()
  await pool.end()
  await server.stop()
})
beforeEach(async () => {
  await emptyTables(pool)
  await pool.query('DELETE FROM orders')
  await storage.webhooks.registerEndpoint(hook, 50)
})

async function counts() {
  const { rows } = await pool.query<{ orders: number; events: number; deliveries: number }>(
    `SELECT (SELECT count(*)::int FROM orders) AS orders, (SELECT count(*)::int FROM kyc_relay_events) AS events,
      (SELECT count(*)::int FROM kyc_relay_deliveries) AS deliveries`,
  )
  return rows[0]
}

const grant = {
  appName: 'Shop',
  accountId: uuid('account'),
  externalReferenceId: 'customer-1',
  scopes: ['MAKE_PAYOUT_SEND'],
}
const createShopWebhooks = () =>
  createWebhooks({
    storage,
    grants: { find: async (pairs) => pairs.map((pair) => ({ ...grant, ...pair })) },
    signingKeys: { current: async (appIds) => appIds.map(() => null) },
    send: () => Promise.reject(new Error('nothing is sent here')),
  })

describe('an endpoint that is replaced while an event waits for it', () => {
  const heir = uuid('heir')
  const waiting = `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'transactionid'`

  /** Replaces the endpoint in a transaction that ends when `publish` waits for it. */
  async function replaceDuring<T>(publish: () => Promise<T>): Promise<T> {
    const replacing = await pool.connect()
    try {
      await replacing.query('BEGIN')
      await replacing.query('UPDATE kyc_relay_endpoints SET removed_at = now() WHERE endpoint_id = $1', [
        hook.endpointId,
      ])
      await replacing.query(
        `INSERT INTO kyc_relay_endpoints (app_id, endpoint_id, url, lineage_id, standard_webhooks, created_at)
        SELECT app_id, $2, url, lineage_id, standard_webhooks, created_at FROM kyc_relay_endpoints WHERE endpoint_id = $1`,
        [hook.endpointId, heir],
      )
      const published = publish()
      await expect.poll(async () => (await pool.query<{ count: number }>(waiting)).rows[0]?.count).toBe(1)
      await replacing.query('COMMIT')
      return await published
    } finally {
      replacing.release(true)
    }
  }

  test('passes it on, in a call of the store and in a transaction of the caller', async () => {
    const inserted = await replaceDuring(() => storage.webhooks.insertEvent(event('one', [hook])))
    expect(inserted.deliveries.map(({ endpointId }) => endpointId)).toEqual([heir])
    await emptyTables(pool)
    await storage.webhooks.registerEndpoint(hook, 50)
    const own = await replaceDuring(() => inTransaction((client) => insertEvent(client, event('two', [hook]))))
    expect(own.deliveries.map(({ endpointId }) => endpointId)).toEqual([heir])
    expect(await counts()).toMatchObject({ events: 1, deliveries: 1 })
  })
})

describe('publishIn of createWebhooks', () => {
  const deposit = {
    appId: hook.appId,
    userId: uuid('user'),
    eventType: 'WIDGET_DEPOSIT_COMPLETE',
    data: { amount: 1 },
  } as const

  test('commits and rolls back with the business row, prepared before or inside the transaction', async () => {
    const webhooks = createShopWebhooks()
    const prepared = await webhooks.prepare(deposit)
    const published = await inTransaction(async (client) => {
      await client.query("INSERT INTO orders VALUES ('o1')")
      return webhooks.publishIn(client, prepared)
    })
    expect(published).toMatchObject({ status: 'QUEUED', eventId: prepared.eventId, deliveries: [{}] })
    const failing = inTransaction(async (client) => {
      await client.query("INSERT INTO orders VALUES ('o2')")
      await webhooks.publishIn(client, deposit)
      throw new Error('payment refused')
    })
    await expect(failing).rejects.toThrow('payment refused')
    expect(await counts()).toEqual({ orders: 1, events: 1, deliveries: 1 })
  })

  test('refuses a client and a Drizzle database without a transaction, and writes nothing', async () => {
    const client = await pool.connect()
    try {
      const prepared = await createShopWebhooks().prepare(deposit)
      for (const tx of [client, drizzle({ client: pool }), drizzle({ client })]) {
        await expect(insertEvent(tx, prepared)).rejects.toMatchObject({ code: 'TRANSACTION_REQUIRED' })
        await expect(markProcessed(tx, { eventId: 'event-1' })).rejects.toMatchObject({ code: 'TRANSACTION_REQUIRED' })
      }
      expect(await counts()).toEqual({ orders: 0, events: 0, deliveries: 0 })
      // The client is as good as before.
      await client.query('BEGIN')
      await insertEvent(client, prepared)
      await client.query('COMMIT')
      expect(await counts()).toEqual({ orders: 0, events: 1, deliveries: 1 })
    } finally {
      client.release()
    }
  })

  test('refuses a pool', async () => {
    await expect(createShopWebhooks().publishIn(pool, deposit)).rejects.toMatchObject({ code: 'TRANSACTION_REQUIRED' })
  })
})

async function inTransaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const value = await work(client)
    await client.query('COMMIT')
    return value
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}

describe('insertEvent in a transaction of the caller', () => {
  test('commits with the business row, and the event is due at once', async () => {
    const inserted = await inTransaction(async (client) => {
      await client.query(`INSERT INTO orders VALUES ('o1')`)
      const written = await insertEvent(client, event('o1', [hook]))
      // Nobody sees it before the commit.
      expect(await counts()).toEqual({ orders: 0, events: 0, deliveries: 0 })
      return written
    })
    expect(inserted).toMatchObject({ duplicate: false, deliveries: [{ endpointId: hook.endpointId }] })
    expect(await counts()).toEqual({ orders: 1, events: 1, deliveries: 1 })
    const { claimed } = await storage.webhooks.claimDue(claimRequest)
    expect(claimed.map(({ deliveryId }) => deliveryId)).toEqual(inserted.deliveries.map((one) => one.deliveryId))
  })

  test('goes with the business row when the transaction is rolled back', async () => {
    const failing = inTransaction(async (client) => {
      await client.query(`INSERT INTO orders VALUES ('o1')`)
      await insertEvent(client, event('o1', [hook]))
      throw new Error('payment refused')
    })
    await expect(failing).rejects.toThrow('payment refused')
    expect(await counts()).toEqual({ orders: 0, events: 0, deliveries: 0 })
  })

  test('takes the tx of a Drizzle transaction, also for a known source event', async () => {
    const db = drizzle({ client: pool })
    const publish = (name: string) =>
      db.transaction((tx) => insertEvent(tx, event(name, [hook], { sourceEventId: 'order-1-paid' })))
    const first = await publish('first')
    expect(await publish('second')).toEqual({ ...first, duplicate: true, original: expect.anything() })
    await expect(
      db.transaction(async (tx) => {
        await insertEvent(tx, event('third', [hook]))
        tx.rollback()
      }),
    ).rejects.toThrow()
    expect(await counts()).toEqual({ orders: 0, events: 1, deliveries: 1 })
  })

  test('leaves out an endpoint that was removed meanwhile', async () => {
    await storage.webhooks.removeEndpoint({ appId: hook.appId, endpointId: hook.endpointId })
    expect(await inTransaction((client) => insertEvent(client, event('o1', [hook])))).toMatchObject({ deliveries: [] })
  })

  test('a contradiction is an error with a code and without any value', async () => {
    const twice = inTransaction(async (client) => {
      await insertEvent(client, event('same', [hook]))
      await insertEvent(client, event('same', [hook]))
    })
    const error: unknown = await twice.catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'CONSTRAINT', driverCode: '23505' })
    expect(String(error)).not.toContain(uuid('event same'))
    expect(await counts()).toMatchObject({ events: 0 })
  })

  test('a pool is refused: each of its queries is a transaction of its own', async () => {
    await expect(insertEvent(pool, event('o1', [hook]))).rejects.toMatchObject({ code: 'TRANSACTION_REQUIRED' })
    expect(await counts()).toMatchObject({ events: 0 })
  })

  test('publishers of one endpoint do not wait for each other', async () => {
    await inTransaction(async (client) => {
      await insertEvent(client, event('open', [hook]))
      // Another publisher, and a claim, while the first has not committed.
      await storage.webhooks.insertEvent(event('other', [hook]))
      const { claimed } = await storage.webhooks.claimDue(claimRequest)
      expect(claimed.map(({ eventId }) => eventId)).toEqual([uuid('event other')])
    })
    const { claimed } = await storage.webhooks.claimDue(claimRequest)
    expect(claimed.map(({ eventId }) => eventId)).toEqual([uuid('event open')])
  })
})

describe('the hint that something became due', () => {
  test('reaches the workers of another process, and comes back after a lost connection', async () => {
    const other = await createPostgresStorage({ connectionString, maxConnections: 2 })
    let wakes = 0
    let woken = () => undefined as void
    const next = () => new Promise<void>((resolve) => (woken = resolve))
    const stop = await other.webhooks.onDue(() => {
      wakes++
      woken()
    })
    const first = next()
    await storage.webhooks.insertEvent(event('one', [hook]))
    await first
    const again = next()
    await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE query LIKE 'LISTEN%' AND datname = current_database() AND pid <> pg_backend_pid()`,
    )
    // Once it listens again it wakes the worker: a notification may have been missed.
    await again
    const third = next()
    await storage.webhooks.insertEvent(event('two', [hook]))
    await third
    await stop()
    const before = wakes
    await storage.webhooks.insertEvent(event('three', [hook]))
    await storage.webhooks.claimDue(claimRequest)
    expect(wakes).toBe(before)
    await other.close()
  })

  test('is one notification for many events, and none in their transactions', async () => {
    const listener = new pg.Client({ connectionString })
    await listener.connect()
    let notifications = 0
    let heard = () => undefined as void
    const first = new Promise<void>((resolve) => (heard = resolve))
    listener.on('notification', () => {
      notifications++
      heard()
    })
    await listener.query('LISTEN kyc_relay_due')
    await Promise.all(Array.from({ length: 20 }, (_, n) => storage.webhooks.insertEvent(event(`e${n}`, [hook]))))
    await first
    expect(notifications).toBeLessThan(10)
    await listener.end()
  })

  test('can be switched off: everything is found by looking', async () => {
    const quiet = await createPostgresStorage({ connectionString, maxConnections: 2 }, { notify: false })
    let wakes = 0
    const stop = await quiet.webhooks.onDue(() => void wakes++)
    await storage.webhooks.insertEvent(event('elsewhere', [hook]))
    expect((await quiet.webhooks.claimDue(claimRequest)).claimed).toHaveLength(1)
    expect(wakes).toBe(0)
    await quiet.webhooks.insertEvent(event('here', [hook]))
    expect(wakes).toBe(1)
    await stop()
    await quiet.close()
  })
})

describe('the clock', () => {
  test("is the database's: a process whose own clock is wrong claims the same", async () => {
    await storage.webhooks.insertEvent(event('one', [hook]))
    const wrong = await createPostgresStorage({ pool }, { migrations: 'require', notify: false })
    const { claimed, nextDueInMs } = await wrong.webhooks.claimDue({ ...claimRequest, leaseMs: 60_000 })
    expect(claimed).toHaveLength(1)
    expect(nextDueInMs).toBeNull()
    const { rows } = await pool.query<{ seconds: number }>(
      `SELECT extract(epoch FROM lease_until - clock_timestamp())::float8 AS seconds FROM kyc_relay_delivery_queue`,
    )
    expect(rows[0]?.seconds).toBeGreaterThan(30)
    expect(rows[0]?.seconds).toBeLessThanOrEqual(60)
  })
})

describe('after close', () => {
  test.each(['own pool', 'pool of the caller'])(
    'every call is refused, and a second close does nothing: %s',
    async (kind) => {
      const location = kind === 'own pool' ? { connectionString } : { pool }
      const closed = await createPostgresStorage(location, { migrations: 'require' })
      await Promise.all([closed.close(), closed.close()])
      const refused = { code: 'STORE_CLOSED' }
      await expect(closed.webhooks.listEndpoints(hook.appId)).rejects.toMatchObject(refused)
      await expect(closed.webhooks.registerEndpoint(endpoint('late'), 5)).rejects.toMatchObject(refused)
      await expect(closed.verifications.findKycStatus(uuid('user'))).rejects.toMatchObject(refused)
      await expect(closed.tryWrite()).rejects.toMatchObject(refused)
      expect((await pool.query('SELECT 1')).rowCount).toBe(1)
    },
  )
})

test.each([undefined, null, {}, { connectionString: undefined }, { connectionString: '' }, { pool: undefined }])(
  'the location %j is refused',
  async (location) => {
    const code = expect.stringMatching(/^(ARGUMENT_INVALID|DATABASE_UNUSABLE)$/) as string
    await expect(createPostgresStorage(location as never)).rejects.toMatchObject({ code })
  },
)
