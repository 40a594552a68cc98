import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPostgresStorage } from '../../src/postgres/index.js'
import { claimRequest, endpoint, event, report } from '../samples.js'
import { startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

test('a delivery ends on the page it was written to, so that no index of it is written again', async () => {
  const pool = new pg.Pool({ connectionString: await server.createDatabase(), max: 3 })
  const storage = await createPostgresStorage({ pool }, { notify: false })
  const { webhooks } = storage
  const hooks = Array.from({ length: 4 }, (_, n) => endpoint(`h${n}`))
  for (const hook of hooks) await webhooks.registerEndpoint(hook, 4)
  for (let n = 0; n < 60; n++) await webhooks.insertEvent(event(`e${n}`, hooks))
  const pages = async () =>
    (
      await pool.query<{ page: number }>(
        'SELECT (ctid::text::point)[0] AS page FROM kyc_relay_deliveries ORDER BY delivery_id',
      )
    ).rows.map(({ page }) => page)

  const written = await pages()
  const maxInFlight = { healthy: 60, failing: 60 }
  const { claimed } = await webhooks.claimDue({ ...claimRequest, limit: 240, maxInFlight })
  expect(claimed).toHaveLength(240)
  // All at once: no version of before can be cleared away in between to make room.
  await webhooks.recordAttemptResults(
    claimed.map(({ fence }) => ({ fence, attempt: { state: 'SUCCEEDED', report }, next: { state: 'DELIVERED' } })),
  )
  expect(await pages()).toEqual(written)
  expect(new Set(written).size).toBeGreaterThan(5)

  await storage.close()
  await pool.end()
})
