import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sized } from '../../../../scripts/test-sizes.js'
import { createPostgresStorage } from '../../src/postgres/index.js'
import { claimRequest, endpoint, event, startOfTests, uuid } from '../samples.js'
import { emptyTables, startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'

let server: PostgresServer
let direct: pg.Pool

const hook = endpoint('a')

beforeAll(async () => {
  server = await startPostgres()
  const connectionString = await server.createDatabase()
  await (await createPostgresStorage({ connectionString })).close()
  direct = new pg.Pool({ connectionString, max: 3 })
})
afterAll(async () => {
  await direct.end()
  await server.stop()
})
beforeEach(() => emptyTables(direct))

/** Many times what one call takes over. */
const stuck = sized(5_000, 100_000)
const pages = 20

describe('many attempts that nobody can finish, before the one that can be taken over', () => {
  const last = uuid(`delivery last ${endpoint('b').endpointId}`)

  /** The attempts, leased until so many milliseconds from now, and after them one of another endpoint whose lease ends now. */
  async function withOthers(leaseMs: number) {
    let nowMs = startOfTests.getTime()
    const options = { notify: false, clock: () => new Date(nowMs), migrations: 'require' } as const
    const stores = await createPostgresStorage({ pool: direct }, options)
    const { webhooks } = stores
    await webhooks.registerEndpoint(hook, 50)
    await webhooks.insertEvent(event('first', [hook]))
    await direct.query(
      `WITH written AS (
        INSERT INTO kyc_relay_deliveries (delivery_id, event_id, endpoint_id, x_event_id, app_id, user_id, event_type, state,
          created_at)
        SELECT 'delivery ' || i, event_id, endpoint_id, 'x ' || i, app_id, user_id, event_type, 'PENDING', now()
        FROM generate_series(1, ${stuck}) i, kyc_relay_deliveries
        RETURNING *
      )
      INSERT INTO kyc_relay_delivery_queue (app_id, position, delivery_id, endpoint_id, attempts_made, lease_token,
        lease_until, started_at)
      SELECT app_id, position, delivery_id, endpoint_id, 1, 'token ' || position, $1::timestamptz, now() FROM written`,
      [new Date(nowMs + leaseMs)],
    )
    await direct.query(
      `WITH gone AS (DELETE FROM kyc_relay_delivery_queue WHERE due_at IS NOT NULL RETURNING delivery_id)
      UPDATE kyc_relay_deliveries AS delivery SET state = 'CANCELLED', cancel_reason = 'x', ended_at = now()
      FROM gone WHERE delivery.delivery_id = gone.delivery_id`,
    )
    await webhooks.registerEndpoint(endpoint('b'), 50)
    await webhooks.insertEvent(event('last', [endpoint('b')]))
    expect((await webhooks.claimDue({ ...claimRequest, leaseMs: 0 })).claimed).toHaveLength(1)
    return { webhooks, advance: (ms: number) => void (nowMs += ms), close: () => stores.close() }
  }

  test('because their leases go on: it is taken over at once', async () => {
    const { webhooks, close } = await withOthers(86_400_000)
    const taken = await webhooks.claimExpired({ limit: 10, leaseMs: 45_000 })
    expect(taken.map(({ deliveryId }) => deliveryId)).toEqual([last])
    await close()
  })

  test('because another process holds them and stands still: it is taken over at once', async () => {
    const { webhooks, close } = await withOthers(-1)
    const holder = await direct.connect()
    await holder.query('BEGIN')
    const held = await holder.query(
      `SELECT FROM kyc_relay_delivery_queue WHERE lease_token LIKE 'token %' FOR NO KEY UPDATE`,
    )
    expect(held.rowCount).toBe(stuck)
    const taken = await webhooks.claimExpired({ limit: 10, leaseMs: 45_000 })
    expect(taken.map(({ deliveryId }) => deliveryId)).toEqual([last])
    await holder.query('ROLLBACK')
    holder.release()
    await close()
  })

  test('because each process that takes them over dies: they are paged past, each once', async () => {
    const { webhooks, advance, close } = await withOthers(-1)
    const taken: string[] = []
    for (let page = 0; page <= pages; page++) {
      const claimed = await webhooks.claimExpired({ limit: stuck / pages, leaseMs: 3_600_000 })
      taken.push(...claimed.map(({ deliveryId }) => deliveryId))
      advance(1)
    }
    expect(taken).toHaveLength(stuck + 1)
    expect(new Set(taken).size).toBe(stuck + 1)
    expect(taken.at(-1)).toBe(last)
    await close()
  })
})
