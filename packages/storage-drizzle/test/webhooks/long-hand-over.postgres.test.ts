import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createPostgresStorage, type PostgresStorage } from '../../src/postgres/index.js'
import { claimRequest, endpoint, event } from '../samples.js'
import { emptyTables, startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'

// What waits for an endpoint that fails has no bound, and the server ends a statement after 10 s.

let server: PostgresServer
let pool: pg.Pool
let storage: PostgresStorage
/** Rows that each statement of the stores returned or changed. */
const counts: number[] = []

const hook = endpoint('a')
const heir = { ...endpoint('heir'), url: hook.url }
const { appId, endpointId } = hook
const waiting = 2_500
const mostAtOnce = 1_000

beforeAll(async () => {
  server = await startPostgres()
  pool = new pg.Pool({ connectionString: await server.createDatabase(), max: 3 })
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<pg.QueryResult> | undefined
    client.query = ((...args: unknown[]) => {
      const answer = query(...args)
      answer?.then(({ rowCount }) => counts.push(rowCount ?? 0)).catch(() => undefined)
      return answer
    }) as typeof client.query
  })
  storage = await createPostgresStorage({ pool }, { notify: false })
})
afterAll(async () => {
  await storage.close()
  await pool.end()
  await server.stop()
})
beforeEach(async () => {
  await emptyTables(pool)
  await storage.webhooks.registerEndpoint(hook, 50)
  await storage.webhooks.insertEvent(event('first', [hook]))
  const copied = `INSERT INTO kyc_relay_deliveries (delivery_id, event_id, endpoint_id, x_event_id, app_id, user_id, event_type, state,
      created_at)
    SELECT 'delivery ' || i, event_id, endpoint_id, 'x ' || i, app_id, user_id, event_type, state, created_at
    FROM generate_series(2, ${waiting}) i, kyc_relay_deliveries`
  await pool.query(`WITH written AS (${copied} RETURNING *)
    INSERT INTO kyc_relay_delivery_queue (app_id, position, delivery_id, endpoint_id, due_at)
    SELECT app_id, position, delivery_id, endpoint_id, created_at FROM written`)
  counts.length = 0
})

const countBy = async (column: string) =>
  (await pool.query(`SELECT ${column} AS value, count(*)::int FROM kyc_relay_deliveries GROUP BY 1`)).rows

test('what waits for a removed endpoint is cancelled in statements of bounded size', async () => {
  expect(await storage.webhooks.removeEndpoint({ appId, endpointId })).toBe(true)
  expect(Math.max(...counts)).toBe(mostAtOnce)
  expect(await countBy('cancel_reason')).toEqual([{ value: 'ENDPOINT_REMOVED', count: waiting }])
  expect((await pool.query('SELECT FROM kyc_relay_delivery_queue')).rowCount).toBe(0)
})

test('what waits for a replaced endpoint goes to the new one in statements of bounded size', async () => {
  expect(await storage.webhooks.replaceEndpoint({ appId, endpointId, replacement: heir })).toBe('replaced')
  expect(Math.max(...counts)).toBe(mostAtOnce)
  expect(await countBy('endpoint_id')).toEqual([{ value: heir.endpointId, count: waiting }])
  expect((await storage.webhooks.claimDue(claimRequest)).claimed.length).toBeGreaterThan(0)
})
