import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPostgresStorage } from '../../src/postgres/index.js'
import { claimRequest, endpoint, event } from '../samples.js'
import { startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

test.each(['hex', 'escape'])('bodies are read as they were written, each in memory of its own: %s', async (output) => {
  const connectionString = await server.createDatabase()
  const pool = new pg.Pool({ connectionString, max: 2, options: `-c bytea_output=${output}` })
  const { webhooks } = await createPostgresStorage({ pool }, { notify: false })
  const hook = endpoint('a')
  await webhooks.registerEndpoint(hook, 1)
  const bodies = [Uint8Array.from({ length: 256 }, (_, n) => n), new TextEncoder().encode('{"note":"a\\\\b 😀"}')]
  for (const [n, body] of bodies.entries()) await webhooks.insertEvent(event(`e${n}`, [hook], { body }))

  const { claimed } = await webhooks.claimDue(claimRequest)
  expect(claimed.map(({ body }) => [...body])).toEqual(bodies.map((body) => [...body]))
  expect(claimed.map(({ body }) => Buffer.isBuffer(body))).toEqual(bodies.map(() => false))
  expect(claimed.map(({ body }) => body.buffer.byteLength)).toEqual(bodies.map(({ length }) => length))
  await pool.end()
})
