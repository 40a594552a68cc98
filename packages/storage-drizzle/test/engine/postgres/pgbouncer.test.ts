import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { createPostgresStorage, createPostgresVault } from '../../../src/postgres/index.js'
import { connectPool } from '../../../src/engine/postgres/pool.js'
import { testConformance } from '../../postgres-conformance.js'
import { pgbouncerProgram, startPgbouncer, type Pgbouncer } from './pgbouncer.js'
import { startPostgres } from './postgres-server.js'

if (pgbouncerProgram === null) console.warn('SKIPPED: pgbouncer is not installed, so nothing is tested behind it.')

/** Fewer sessions than connections of the handles, so that transactions of one meet sessions of the other. */
const serverSessions = 3

describe.skipIf(pgbouncerProgram === null)('behind PgBouncer in transaction mode', () => {
  let pooler: Pgbouncer

  testConformance(async () => {
    const server = await startPostgres()
    const connectionString = await server.createDatabase()
    const owner = new pg.Pool({ connectionString, max: 3 })
    pooler = await startPgbouncer(connectionString, serverSessions)
    const through = { connectionString: pooler.connectionString, transactionPooler: true } as const
    // The migrations too.
    await (await createPostgresStorage(through)).close()
    await (await createPostgresVault(through, { cipher: {} as never })).close()
    const connections = [1, 2].map(() => connectPool({ ...through, maxConnections: 5 }))
    return {
      locations: connections.map(({ pool }) => ({ pool, transactionPooler: true })),
      owner,
      async end() {
        await Promise.all(connections.map(({ close }) => close()))
        await pooler.stop()
        await owner.end()
        await server.stop()
      },
    }
  })

  test('no statement is kept in a session', async () => {
    const pool = new pg.Pool({ connectionString: pooler.connectionString, max: serverSessions })
    const sessions = await Promise.all(
      Array.from({ length: serverSessions }, async () => {
        const client = await pool.connect()
        await client.query('BEGIN')
        const { rows } = await client.query<{ kept: number }>(
          'SELECT count(*)::int AS kept FROM pg_prepared_statements',
        )
        return { client, kept: rows[0]?.kept }
      }),
    )
    for (const { client } of sessions) {
      await client.query('ROLLBACK')
      client.release()
    }
    await pool.end()
    expect(sessions.map(({ kept }) => kept)).toEqual(sessions.map(() => 0))
  })

  test('without the setting it is refused by name, not at the first request', async () => {
    const opening = createPostgresStorage({ connectionString: pooler.connectionString })
    await expect(opening).rejects.toMatchObject({
      ...{ code: 'DATABASE_UNUSABLE', cause: 'STARTUP_PARAMETER_REFUSED', driverCode: '08P01', retryable: false },
    })
  })
})
