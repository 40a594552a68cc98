import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createPostgresStorage, type PostgresStorage } from '../../src/postgres/index.js'
import { endpoint, event, submission, uuid } from '../samples.js'
import { emptyTables, startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'

// What meets a running step of a hold, the retention or an erasure: another transaction stops one of them half-way.

let server: PostgresServer
let storage: PostgresStorage
let direct: pg.Pool
const day = 86_400_000
const start = new Date('2026-01-02T03:04:05.678Z')
let nowMs = start.getTime()

const hook = endpoint('a')
const userId = uuid('user')
const request = { userId, reason: 'case 4711' }
const lockName = `hashtextextended(current_schema() || 'kyc_relay_user_retention', 0)`

beforeAll(async () => {
  server = await startPostgres()
  const connectionString = await server.createDatabase()
  storage = await createPostgresStorage({ connectionString }, { notify: false, clock: () => new Date(nowMs) })
  direct = new pg.Pool({ connectionString, max: 3 })
})
afterAll(async () => {
  await storage.close()
  await direct.end()
  await server.stop()
})
beforeEach(async () => {
  await emptyTables(direct)
  nowMs = start.getTime()
  await storage.webhooks.registerEndpoint(hook, 50)
  await storage.webhooks.insertEvent(event('one', [hook]))
  await storage.webhooks.cancelPending({ appId: hook.appId, userId, reason: 'GRANT_REVOKED' })
  nowMs += 91 * day
})

const bodies = async () => {
  const { rows } = await direct.query<{ left: boolean }>('SELECT body IS NOT NULL AS "left" FROM kyc_relay_events')
  return rows.map(({ left }) => left)
}

/** Waits until this number of transactions waits for a lock of this kind. */
async function waiting(lock: 'advisory' | 'transactionid', count: number): Promise<void> {
  const ask = `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = $1`
  await expect.poll(async () => (await direct.query<{ count: number }>(ask, [lock])).rows[0]?.count).toBe(count)
}

/** Runs `work` while a transaction of our own stands after these statements; then commits it. */
async function beside<T>(statements: readonly string[], work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await direct.connect()
  try {
    await client.query('BEGIN')
    for (const text of statements) await client.query(text)
    const value = await work(client)
    await client.query('COMMIT')
    client.release()
    return value
  } catch (error) {
    client.release(true)
    throw error
  }
}

test('a hold waits for a step that already chose its rows', async () => {
  let held = false
  const { step, hold } = await beside(['SELECT FROM kyc_relay_events FOR UPDATE'], async () => {
    const step = storage.retention.removeOld()
    await waiting('transactionid', 1)
    const hold = storage.userRetention.hold(request).then((outcome) => {
      held = true
      return outcome
    })
    await waiting('advisory', 1)
    expect(held).toBe(false)
    return { step, hold }
  })
  expect(await hold).toBe('held')
  expect([(await step).bodiesBlanked, await bodies()]).toEqual([1, [false]])
})

test('a step that chose rows before a hold keeps them after it', async () => {
  const placing = [
    `SELECT pg_advisory_xact_lock(${lockName})`,
    `INSERT INTO kyc_relay_user_retention (user_id, held_at, hold_reason) VALUES ('${userId}', now(), 'case 4711')`,
  ]
  const { step } = await beside(placing, async () => {
    const step = storage.retention.removeOld()
    await waiting('advisory', 1)
    return { step }
  })
  expect([(await step).bodiesBlanked, await bodies()]).toEqual([0, [true]])
})

test('an erasure waits for a submission that already looked whether one runs', async () => {
  const { key, ...late } = submission('late')
  const { appId, externalVerificationId } = key
  const erase = async () => {
    const erasure = { userId, erasureId: uuid('erasure') }
    await storage.userRetention.startErasure(erasure)
    for (const app of await storage.users.listAppsOfUser(userId)) await storage.users.eraseUser({ appId: app, userId })
    await storage.userRetention.finishErasure(erasure)
  }
  // Another submission with the same id keeps the first one from its commit.
  const taking = `INSERT INTO kyc_relay_submission_keys
    VALUES ('${externalVerificationId}', '${appId}', '${userId}', 'v', 'VERIFIED', 'm', NULL)`
  const client = await direct.connect()
  const both: Promise<unknown>[] = []
  try {
    await client.query('BEGIN')
    await client.query(taking)
    both.push(storage.verifications.record({ key, ...late }))
    await waiting('transactionid', 1)
    both.push(erase())
    await waiting('transactionid', 2)
  } finally {
    // A closed connection rolls back.
    client.release(true)
  }
  await Promise.all(both)
  const { items } = await storage.verifications.listVerifications({ appId, userId }, { limit: 10 })
  expect(items).toMatchObject([{ ssn: null }])
})
