import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createPostgresStorage } from '../../src/postgres/index.js'
import { startPostgres } from '../engine/postgres/postgres-server.js'

// A busy endpoint has thousands of rows in an hour, and the server ends a statement after 10 s.

test('the counts of each endpoint and hour are merged by a statement of their own', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const pool = new pg.Pool({ connectionString: await server.createDatabase(), max: 2 })
  onTestFinished(() => pool.end())
  const merged: (number | null)[] = []
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<pg.QueryResult>
    client.query = ((...args: unknown[]) => {
      const answer = query(...args)
      const name = (args[0] as { readonly name?: string }).name ?? ''
      if (name.startsWith('kyc_relay_merge_hour')) void answer.then(({ rowCount }) => merged.push(rowCount))
      return answer
    }) as typeof client.query
  })
  const storage = await createPostgresStorage({ pool }, { notify: false })
  onTestFinished(() => storage.close())
  await pool.query(`INSERT INTO kyc_relay_endpoint_hours
      (app_id, endpoint_id, hour, cause, attempts, first_attempts, failed_deliveries)
    SELECT 'app', 'endpoint ' || e, date_trunc('hour', now()) - interval '5 hours', cause, 1, 1, 0
    FROM generate_series(1, 3) e, generate_series(1, 50), unnest('{"",TIMEOUT}'::text[]) cause`)

  const { endpointHoursMerged } = await storage.retention.removeOld()
  expect([endpointHoursMerged, merged]).toEqual([3, [2, 2, 2]])
  const { rows } = await pool.query('SELECT attempts::int, merged FROM kyc_relay_endpoint_hours')
  expect(rows).toEqual(Array.from({ length: 6 }, () => ({ attempts: 50, merged: true })))
  expect(await storage.retention.removeOld()).toMatchObject({ endpointHoursMerged: 0, more: false })
})
