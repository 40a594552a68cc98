import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectPool } from '../../src/engine/postgres/pool.js'
import { createPostgresStorage } from '../../src/postgres/index.js'
import { migrate } from '../../src/engine/postgres/migrate.js'
import { claimRequest, endpoint, event, report } from '../samples.js'
import { startPostgres, type PostgresServer } from './postgres-server.js'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const hook = endpoint('a')
const published = event('one', [hook])
const at = (minute: number) => new Date(Date.UTC(2026, 0, 2, 3, minute))
const now = at(30)

/** The rows of a time when the delivery itself said what is due and what is leased. */
const deliveriesOf0009 = [
  { id: 'waiting', state: 'PENDING', made: 0, due: at(0), attempts: [] },
  { id: 'between attempts', state: 'PENDING', made: 1, due: at(40), attempts: ['FAILED'] },
  { id: 'unsent', state: 'PENDING', made: 0, due: at(41), unsentSince: at(1), attempts: ['UNSENT'] },
  { id: 'in flight', state: 'PENDING', made: 2, lease: 't', until: at(31), attempts: ['FAILED', 'STARTED'] },
  { id: 'given up by its process', state: 'PENDING', made: 1, lease: 'u', until: at(29), attempts: ['STARTED'] },
  {
    id: 'to be cancelled',
    state: 'PENDING',
    made: 1,
    lease: 'v',
    until: at(32),
    cancel: 'gone',
    attempts: ['STARTED'],
  },
  { id: 'delivered', state: 'DELIVERED', made: 1, ended: at(2), attempts: ['SUCCEEDED'] },
  { id: 'failed', state: 'FAILED', made: 5, ended: at(3), attempts: ['FAILED'] },
  { id: 'cancelled', state: 'CANCELLED', made: 0, ended: at(4), reason: 'x', attempts: [] },
] as const

async function databaseOf0009(): Promise<string> {
  const connectionString = await server.createDatabase()
  const untilThen = migrate(connectPool({ connectionString }), 'postgres', {
    onMigration: ({ number, state }) => {
      if (number === 10 && state === 'applying') throw new Error('here')
    },
  })
  await expect(untilThen).rejects.toThrow()
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(
    `INSERT INTO kyc_relay_endpoints (endpoint_id, app_id, url, standard_webhooks, created_at) VALUES ($1, $2, $3, false, $4)`,
    [hook.endpointId, hook.appId, hook.url, at(0)],
  )
  const { eventId, appId, userId, type, body } = published
  await client.query(
    `INSERT INTO kyc_relay_events (event_id, app_id, user_id, type, occurred_at, body, test, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, false, $5)`,
    [eventId, appId, userId, type, at(0), Buffer.from(body)],
  )
  for (const row of deliveriesOf0009) {
    const { due, lease, until, unsentSince, ended, reason, cancel } = { ...none, ...row }
    await client.query(
      `INSERT INTO kyc_relay_deliveries (delivery_id, event_id, endpoint_id, x_event_id, app_id, user_id, event_type, state,
        attempts_made, created_at, due_at, lease_token, lease_until, unsent_since, ended_at, cancel_reason, cancel_requested)
      VALUES ($1, $2, $3, $1, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
      [
        ...[row.id, eventId, hook.endpointId, appId, userId, type, row.state, row.made, at(0)],
        ...[due, lease, until, unsentSince, ended, reason, cancel],
      ],
    )
    for (const [index, state] of row.attempts.entries()) {
      const end = state === 'STARTED' ? null : at(11 + index)
      await client.query(
        `INSERT INTO kyc_relay_attempts (delivery_id, number, state, started_at, ended_at) VALUES ($1, $2, $3, $4, $5)`,
        [row.id, index + 1, state, at(10 + index), end],
      )
    }
  }
  const inFlight = deliveriesOf0009.filter((row) => 'lease' in row).length
  await client.query('INSERT INTO kyc_relay_endpoint_turns (endpoint_id, in_flight, next_due_at) VALUES ($1, $2, $3)', [
    hook.endpointId,
    inFlight,
    at(0),
  ])
  await client.end()
  return connectionString
}

const none = { due: null, lease: null, until: null, unsentSince: null, ended: null, reason: null, cancel: null }

test('deliveries of a database of 0009 are kept, seen as they stood, and go on', async () => {
  const connectionString = await databaseOf0009()
  const { webhooks, queue, close } = await createPostgresStorage({ connectionString }, { clock: () => now })
  const { appId } = hook
  const seen = await Promise.all(
    deliveriesOf0009.map(async ({ id }) => (await webhooks.findDelivery({ appId, deliveryId: id }))!),
  )
  expect(
    seen.map(({ deliveryId, state, attemptsMade, nextAttemptAt, endedAt, cancelReason, attempts }) => ({
      ...{ deliveryId, state, attemptsMade, nextAttemptAt, endedAt, cancelReason },
      attempts: attempts.map((attempt) => [attempt.number, attempt.state, attempt.startedAt, attempt.endedAt]),
    })),
  ).toEqual(
    deliveriesOf0009.map((row) => ({
      ...{ deliveryId: row.id, state: row.state, attemptsMade: row.made },
      nextAttemptAt: { ...none, ...row }.due,
      endedAt: { ...none, ...row }.ended,
      cancelReason: { ...none, ...row }.reason,
      attempts: row.attempts.map((state, index) => [
        ...[index + 1, state, at(10 + index)],
        state === 'STARTED' ? null : at(11 + index),
      ]),
    })),
  )
  for (const state of ['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED'] as const) {
    const { items } = await webhooks.listDeliveries({ appId, limit: 20, state })
    const expected = deliveriesOf0009.filter((row) => row.state === state).map(({ id }) => id)
    expect(items.map(({ deliveryId }) => deliveryId).reverse()).toEqual(expected)
  }
  expect(await queue.inspectQueue()).toMatchObject({ waiting: 3, inFlight: 3 })

  const claim = { ...claimRequest, maxInFlight: { healthy: 9, failing: 9 } }
  const { claimed, nextDueInMs } = await webhooks.claimDue(claim)
  expect(claimed.map(({ deliveryId, fence }) => [deliveryId, fence.attempt])).toEqual([['waiting', 1]])
  expect(nextDueInMs).toBe(10 * 60_000)
  const [taken, ...others] = await webhooks.claimExpired({ limit: 9, leaseMs: 45_000 })
  expect([taken?.deliveryId, taken?.fence.attempt, others]).toEqual(['given up by its process', 1, []])
  const fences = [
    { deliveryId: 'in flight', attempt: 2, token: 't' },
    { deliveryId: 'given up by its process', attempt: 1, token: 'u' },
    { deliveryId: 'to be cancelled', attempt: 1, token: 'v' },
  ]
  const next = { state: 'PENDING', delayMs: 1_000 } as const
  const { stale } = await webhooks.recordAttemptResults(
    fences.map((fence) => ({ fence, attempt: { state: 'FAILED', report }, next })),
  )
  expect(stale).toEqual([fences[1]])
  const ends = await Promise.all(fences.map(({ deliveryId }) => webhooks.findDelivery({ appId, deliveryId })))
  expect(ends).toMatchObject([
    { state: 'PENDING', attempts: [{ state: 'FAILED' }, { state: 'FAILED', startedAt: at(11), endedAt: now }] },
    { state: 'PENDING', attempts: [{ state: 'STARTED', startedAt: at(10) }] },
    { state: 'CANCELLED', cancelReason: 'gone', attempts: [{ state: 'FAILED', startedAt: at(10), endedAt: now }] },
  ])
  await close()
})
