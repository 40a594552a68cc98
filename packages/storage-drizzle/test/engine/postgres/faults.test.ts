import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPostgresStorage, type PostgresStorage } from '../../../src/postgres/index.js'
import { claimRequest, endpoint, event, report, submission, uuid } from '../../samples.js'
import { emptyTables, startPostgres, type PostgresServer } from './postgres-server.js'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.js'

let server: PostgresServer
let connectionString: string
let direct: pg.Pool
let proxy: TcpProxy
let storage: PostgresStorage
let pool: pg.Pool

const hook = endpoint('a')
/** The message that commits, told from the READ COMMITTED of the one that begins. */
const commit = 'COMMIT\0'

beforeAll(async () => {
  server = await startPostgres({ own: true })
  connectionString = await server.createDatabase()
  await (await createPostgresStorage({ connectionString })).close()
  direct = new pg.Pool({ connectionString, max: 3 })
  direct.on('error', () => undefined)
})
afterAll(async () => {
  await direct.end()
  await server.stop()
})

beforeEach(async () => {
  await emptyTables(direct)
  proxy = await startTcpProxy(Number(new URL(connectionString).port))
  const through = new URL(connectionString)
  through.port = String(proxy.port)
  pool = new pg.Pool({ connectionString: through.href, max: 3, query_timeout: 1_000, connectionTimeoutMillis: 1_000 })
  pool.on('error', () => undefined)
  storage = await createPostgresStorage({ pool }, { notify: false })
  await storage.webhooks.registerEndpoint(hook, 50)
})
afterEach(async () => {
  await storage.close()
  await proxy.close()
  await pool.end()
})

const endOthers = `
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`

const count = async (table: string) =>
  (await direct.query<{ n: number }>(`SELECT count(*)::int AS n FROM kyc_relay_${table}`)).rows[0]?.n

describe('a connection lost around COMMIT', () => {
  test('a submission may be sent again: it is recorded once, whether or not the commit arrived', async () => {
    proxy.change('lose the answer', commit)
    const first = await storage.verifications.record(submission('one')).catch((error: unknown) => error)
    expect(first).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true })
    const again = await storage.verifications.record(submission('one'))
    expect(again).toMatchObject({ result: { status: 'VERIFIED', verificationId: uuid('verification one') } })
    expect(await count('verifications')).toBe(1)
    expect(await count('submission_keys')).toBe(1)
  })

  test('a submission whose insert was cut off left nothing', async () => {
    proxy.change('lose the answer', 'INSERT INTO kyc_relay_verifications')
    const first = await storage.verifications.record(submission('one')).catch((error: unknown) => error)
    expect(first).toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(await storage.verifications.record(submission('one'))).toMatchObject({ kind: 'recorded' })
    expect(await count('verifications')).toBe(1)
  })

  test('an event with a source may be published again', async () => {
    proxy.change('lose the answer', 'INSERT INTO kyc_relay_events')
    const first = await storage.webhooks
      .insertEvent(event('one', [hook], { sourceEventId: 's' }))
      .catch((error: unknown) => error)
    expect(first).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true })
    const again = await storage.webhooks.insertEvent(event('two', [hook], { sourceEventId: 's' }))
    expect(again).toMatchObject({
      eventId: uuid('event one'),
      duplicate: true,
      deliveries: [{ endpointId: hook.endpointId }],
    })
    expect(await count('deliveries')).toBe(1)
  })

  test('a claim whose answer was lost counts: its attempt is taken over when the lease ends', async () => {
    await storage.webhooks.insertEvent(event('one', [hook]))
    proxy.change('lose the answer', commit)
    await expect(storage.webhooks.claimDue({ ...claimRequest, leaseMs: 0 })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
    expect((await storage.webhooks.claimDue(claimRequest)).claimed).toEqual([])
    const [taken] = await storage.webhooks.claimExpired({ limit: 5, leaseMs: 45_000 })
    expect(taken?.fence.attempt).toBe(1)
  })

  test('a result may be repeated: the second time its fence is stale and nothing changes', async () => {
    await storage.webhooks.insertEvent(event('one', [hook]))
    const { claimed } = await storage.webhooks.claimDue(claimRequest)
    const results = claimed.map(({ fence }) => ({
      fence,
      attempt: { state: 'SUCCEEDED' as const, report },
      next: { state: 'DELIVERED' as const },
    }))
    proxy.change('lose the answer', commit)
    await expect(storage.webhooks.recordAttemptResults(results)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    const again = await storage.webhooks.recordAttemptResults(results)
    expect(again).toEqual({ stale: results.map(({ fence }) => fence), healthChanges: [] })
    const { items } = await storage.webhooks.listDeliveries({ appId: hook.appId, limit: 5 })
    expect(items).toMatchObject([{ state: 'DELIVERED', attemptsMade: 1 }])
  })
})

describe('a server that is gone, silent or restarted', () => {
  test('a half-open connection is given up after the query timeout, and the next call uses another', async () => {
    await storage.verifications.findKycStatus(uuid('user'))
    proxy.change('silent', 'kyc_relay_find_status')
    await expect(storage.verifications.findKycStatus(uuid('user'))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: true,
    })
    proxy.change('clear')
    expect(await storage.verifications.findKycStatus(uuid('user'))).toBe('UNVERIFIED')
  })

  test('a half-open connection inside a transaction does not come back to the pool', async () => {
    proxy.change('silent', 'lock_status')
    await expect(storage.verifications.record(submission('one'))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    proxy.change('clear')
    expect(await storage.verifications.record(submission('one'))).toMatchObject({ kind: 'recorded' })
  })

  test('killed backends are replaced, and what was committed is there', async () => {
    await storage.verifications.record(submission('one'))
    await direct.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, (_, n) => storage.verifications.record(submission(`s${n}`))),
    )
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true })
    }
    const again = await Promise.all(
      Array.from({ length: 6 }, (_, n) => storage.verifications.record(submission(`s${n}`))),
    )
    expect(again).toHaveLength(6)
    expect(await count('verifications')).toBe(7)
  })

  test('an exhausted pool is a retryable error, not a wait without end', async () => {
    const held = await Promise.all([pool.connect(), pool.connect(), pool.connect()])
    await expect(storage.verifications.record(submission('one'))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: true,
    })
    for (const client of held) client.release()
    expect(await storage.verifications.record(submission('one'))).toMatchObject({ kind: 'recorded' })
  })

  test('a server that ended at once and was started again has what was committed, and takes more', async () => {
    await storage.verifications.record(submission('before'))
    await storage.webhooks.insertEvent(event('one', [hook]))
    const { claimed } = await storage.webhooks.claimDue(claimRequest)
    const results = claimed.map(({ fence }) => ({
      fence,
      attempt: { state: 'SUCCEEDED' as const, report },
      next: { state: 'DELIVERED' as const },
    }))
    await server.crash()
    // Results of what was under way are repeated until the server is back, as the worker does.
    for (;;) {
      const outcome = await storage.webhooks.recordAttemptResults(results).catch((error: unknown) => error)
      if (!(outcome instanceof Error)) {
        expect(outcome).toMatchObject({ stale: [] })
        break
      }
      expect(outcome).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true })
    }
    expect(await storage.verifications.findExisting(submission('before').key)).toMatchObject({ kind: 'replayed' })
    expect(await storage.verifications.record(submission('after'))).toMatchObject({ kind: 'recorded' })
    const { items } = await storage.webhooks.listDeliveries({ appId: hook.appId, limit: 5 })
    expect(items).toMatchObject([{ state: 'DELIVERED', attemptsMade: 1 }])
  })

  test.each([
    ['57P01', 'an administrator ended the session'],
    ['57P03', 'the server is starting up'],
    ['25P03', 'a transaction was idle for too long'],
    ['53300', 'there are too many connections'],
    ['25006', 'the server has become a replica'],
  ])('%s, %s: a retryable error, nothing is written, and the next call goes through', async (code) => {
    const connect = pool.connect.bind(pool)
    let failing = true
    pool.connect = (async () => {
      const client = await connect()
      const query = client.query.bind(client)
      client.query = ((config: unknown, ...rest: unknown[]) => {
        const text = typeof config === 'string' ? config : String((config as { text: string }).text)
        if (!failing || !text.includes('INSERT INTO kyc_relay_verifications'))
          return Reflect.apply(query, client, [config, ...rest]) as unknown
        failing = false
        return query(`DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '${code}'; END $$`)
      }) as typeof client.query
      return client
    }) as typeof pool.connect
    const refused = storage.verifications.record(submission('one'))
    await expect(refused).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true, driverCode: code })
    expect(await count('verifications')).toBe(0)
    expect(await storage.verifications.record(submission('one'))).toMatchObject({ kind: 'recorded' })
  })

  test('a read-only server refuses writes with a retryable code', async () => {
    await direct.query(
      `ALTER DATABASE ${new URL(connectionString).pathname.slice(1)} SET default_transaction_read_only = on`,
    )
    const readOnly = await createPostgresStorage({ connectionString }, { notify: false, migrations: 'require' })
    try {
      await expect(readOnly.verifications.record(submission('one'))).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        driverCode: '25006',
      })
    } finally {
      await readOnly.close()
      await direct.query(
        `ALTER DATABASE ${new URL(connectionString).pathname.slice(1)} RESET default_transaction_read_only`,
      )
    }
  })
})

describe('conflicts', () => {
  test('deadlocks and serialization failures are run again, at most three times', async () => {
    const outcomes: string[] = []
    const connect = pool.connect.bind(pool)
    let failures = 0
    /** Makes the first statement of a transaction fail as the server would. */
    pool.connect = (async () => {
      const client = await connect()
      const query = client.query.bind(client)
      client.query = ((config: unknown, ...rest: unknown[]) => {
        const text = typeof config === 'string' ? config : String((config as { text: string }).text)
        if (failures > 0 && text.includes('INSERT INTO kyc_relay_kyc_statuses')) {
          failures--
          const code = failures % 2 === 0 ? '40001' : '40P01'
          outcomes.push(code)
          return query(`DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '${code}'; END $$`)
        }
        return Reflect.apply(query, client, [config, ...rest]) as unknown
      }) as typeof client.query
      return client
    }) as typeof pool.connect
    failures = 3
    expect(await storage.verifications.record(submission('one'))).toMatchObject({ kind: 'recorded' })
    expect(outcomes).toEqual(['40001', '40P01', '40001'])
    failures = 4
    await expect(storage.verifications.record(submission('two'))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: true,
      driverCode: '40001',
    })
    expect(await count('verifications')).toBe(1)
  })

  test('two first submissions of one user at once: one is verified, the other finds it so', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => storage.verifications.record(submission(`s${n}`))),
    )
    const statuses = answers.map((answer) => (answer.kind === 'conflict' ? answer.kind : answer.result.status)).sort()
    expect(statuses).toEqual([...Array.from({ length: 9 }, () => 'ALREADY_VERIFIED'), 'VERIFIED'])
    expect(await count('kyc_statuses')).toBe(1)
  })

  test('an endpoint removed while events are published: nothing is left waiting for it', async () => {
    const publishes = Array.from({ length: 20 }, (_, n) => storage.webhooks.insertEvent(event(`e${n}`, [hook])))
    const removal = storage.webhooks.removeEndpoint({ appId: hook.appId, endpointId: hook.endpointId })
    await Promise.all([...publishes, removal])
    const { items } = await storage.webhooks.listDeliveries({ appId: hook.appId, limit: 50, state: 'PENDING' })
    expect(items).toEqual([])
    expect((await storage.webhooks.claimDue(claimRequest)).claimed).toEqual([])
  })
})

test('no error says a stored value, a host or a password', async () => {
  const taken = event('taken', [hook])
  await storage.webhooks.insertEvent(taken)
  const errors: unknown[] = [
    await storage.webhooks.insertEvent(taken).catch((error: unknown) => error),
    await storage.verifications
      .record(submission('one', { key: { externalVerificationId: 'with \u0000 nul 078-05-1120' } }))
      .catch((error: unknown) => error),
  ]
  expect(errors).toMatchObject([
    { code: 'CONSTRAINT', driverCode: '23505' },
    { code: 'CONSTRAINT', driverCode: '22021' },
  ])
  for (const error of errors) {
    const shown = Object.getOwnPropertyNames(error)
      .map((name) => `${name}: ${String(Reflect.get(Object(error), name))}`)
      .join('\n')
    for (const secret of [taken.eventId, '078-05-1120', '127.0.0.1', 'postgres:postgres'])
      expect(shown).not.toContain(secret)
  }
})

describe('a connection whose first error comes together with its greeting', () => {
  const url = () => new URL(connectionString)
  const ways = {
    'of one host': () => ({ connectionString: proxied(), maxConnections: 1 }),
    'of two hosts': () => ({
      connectionString: proxied(`127.0.0.1:${proxy.port},127.0.0.1:1`),
      maxConnections: 1,
    }),
    'of a pool of the caller': () => {
      const own = new pg.Pool({ connectionString: proxied() })
      own.on('error', () => undefined)
      return { pool: own }
    },
  }
  const proxied = (host = `127.0.0.1:${proxy.port}`) => connectionString.replace(url().host, host)

  test.each(Object.entries(ways))('%s fails one call and not the process', async (way, location) => {
    const own = location()
    const stores = await createPostgresStorage(own, { notify: false })
    await direct.query(endOthers)
    // With two hosts the first connection asks for the primary.
    proxy.change('greets and ends', way === 'of two hosts' ? 'pg_is_in_recovery' : undefined)
    // The first one may still meet the connection that was ended.
    for (let times = 0; times < 3; times++) {
      await expect(stores.verifications.record(submission(way))).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        retryable: true,
      })
    }
    proxy.change('clear')
    expect(await stores.verifications.record(submission(way))).toMatchObject({ kind: 'recorded' })
    await stores.close()
    if ('pool' in own) await own.pool.end()
  })
})
