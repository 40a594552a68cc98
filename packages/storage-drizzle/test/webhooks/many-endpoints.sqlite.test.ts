import { join } from 'node:path'
import Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import { sized } from '../../../../scripts/test-sizes.js'
import type { VirtualTime } from '../../../webhooks/test/delivery/virtual-time.js'
import { createSqliteStorage } from '../../src/sqlite/index.js'
import { describeManyEndpoints, endpointsPerApp, type StoreOfEndpoints, type WorldSize } from './many-endpoints.js'
import { testFolder } from '../engine/sqlite/sqlite-files.js'

const size = sized<WorldSize>(
  {
    endpoints: 1_000,
    worker: { concurrency: 128, maxOpen: 512, maxBatch: 64 },
    backlog: 50_000,
    seconds: 10,
    leastOfBacklog: 500,
  },
  { endpoints: 10_000, worker: {}, backlog: 1_000_000, seconds: 20, leastOfBacklog: 500 },
)

/** The store on a file, filled by the database itself: a million rows would take the port minutes. */
async function openEndpoints(time: VirtualTime): Promise<StoreOfEndpoints> {
  const path = join(testFolder(), 'many-endpoints.db')
  const storage = await createSqliteStorage({ path }, { clock: () => time.now() })
  onTestFinished(() => storage.close())
  const seeding = new Database(path)
  onTestFinished(() => void seeding.close())
  seeding.pragma('synchronous = OFF')
  const appOf = (i: string) => `printf('0a000000-0000-7000-8000-%012d', (${i} - 1) / ${endpointsPerApp})`
  seeding.exec(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${size.endpoints})
    INSERT INTO kyc_relay_endpoints (position, endpoint_id, lineage_id, app_id, url, standard_webhooks, created_at)
    SELECT i, printf('0e000000-0000-7000-8000-%012d', i), i, ${appOf('i')}, 'https://' || i || '.example.com/', 0, 0 FROM n;
    INSERT INTO kyc_relay_endpoint_schedules (endpoint) SELECT position FROM kyc_relay_endpoints;`)

  async function publish({ first, last, each, from }: { first: number; last: number; each: number; from: number }) {
    const now = time.nowMs
    seeding.exec(`
      BEGIN IMMEDIATE;
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${each - 1})
      INSERT INTO kyc_relay_events (position, event_id, app_id, user_id, type, occurred_at, body, test, created_at)
      SELECT ${from} + app * ${each} + i, printf('%08x-0001-7000-8000-000000000000', ${from} + app * ${each} + i),
        printf('0a000000-0000-7000-8000-%012d', app), 'user-1', 'WIDGET_DEPOSIT_COMPLETE', ${now}, CAST('{"amount":1}' AS BLOB), 0, ${now}
      FROM n, (SELECT DISTINCT (position - 1) / ${endpointsPerApp} AS app FROM kyc_relay_endpoints
        WHERE position BETWEEN ${first} AND ${last});
      INSERT INTO kyc_relay_deliveries (delivery_id, event, endpoint, x_event_id, app_id, user_id, event_type, state, created_at, due_at)
      SELECT printf('%08x-%04x-7000-8000-000000000000', event.position, endpoint.position), event.position,
        endpoint.position, printf('%08x-%04x-7000-8000-000000000001', event.position, endpoint.position), event.app_id,
        'user-1', type, 'PENDING', ${now}, ${now}
      FROM kyc_relay_events AS event JOIN kyc_relay_endpoints AS endpoint USING (app_id)
      WHERE event.position >= ${from} AND endpoint.position BETWEEN ${first} AND ${last};
      UPDATE kyc_relay_endpoint_schedules SET next_due_at = coalesce(min(next_due_at, ${now}), ${now})
      WHERE endpoint BETWEEN ${first} AND ${last};
      COMMIT;`)
    return seeding.prepare<[], number>('SELECT max(position) FROM kyc_relay_events').pluck().get() ?? 0
  }
  return { webhooks: storage.webhooks, publish }
}

describeManyEndpoints(size, openEndpoints)
