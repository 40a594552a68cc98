import { sql } from 'drizzle-orm'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createPostgresStorage, createPostgresVault } from '../../../src/postgres/index.js'
import { createDatabase, type PostgresDatabase } from '../../../src/engine/postgres/database.js'
import { connectPool } from '../../../src/engine/postgres/pool.js'
import { statement } from '../../../src/engine/postgres/statement.js'
import { testConformance } from '../../postgres-conformance.js'
import { pgbouncerProgram, startPgbouncer, type Pgbouncer } from './pgbouncer.js'
import { startPostgres } from './postgres-server.js'
import { submission } from '../../samples.js'
import { cipher } from '../../vault/any-cipher.js'

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
    await (await createPostgresVault(through, { cipher })).close()
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
      code: 'DATABASE_UNUSABLE',
      cause: 'STARTUP_PARAMETER_REFUSED',
      driverCode: '08P01',
      retryable: false,
    })
  })

  test('in session mode too it is refused without the setting, and works with it', async () => {
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    const inSessions = await startPgbouncer(await server.createDatabase(), serverSessions, 'pool_mode = session')
    onTestFinished(() => inSessions.stop())
    const { connectionString } = inSessions
    const opening = createPostgresStorage({ connectionString })
    await expect(opening).rejects.toMatchObject({ cause: 'STARTUP_PARAMETER_REFUSED' })
    const storage = await createPostgresStorage({ connectionString, maxConnections: 2, transactionPooler: true })
    expect(await storage.verifications.record(submission('one'))).toMatchObject({ kind: 'recorded' })
    await storage.close()
  })

  test('without the setting, where the pooler ignores startup parameters, a lost statement is named', async () => {
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    const direct = await server.createDatabase()
    const ignored = 'ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,options'
    const ignoring = await startPgbouncer(direct, 1, ignored)
    onTestFinished(() => ignoring.stop())
    // Two connections that share a session: both prepare a statement of the same name there.
    const clients = [1, 2].map(() => new pg.Pool({ connectionString: ignoring.connectionString, max: 1 }))
    onTestFinished(async () => void (await Promise.all(clients.map((one) => one.end()))))
    const [one, other] = clients.map((pool) => createDatabase(pool)) as [PostgresDatabase, PostgresDatabase]
    const example = statement('example', sql`SELECT 1`)
    const ask = (database: PostgresDatabase) => database.run((on) => example.rows(on, {}))
    await ask(one)
    await expect(ask(other)).rejects.toMatchObject({
      code: 'DATABASE_UNUSABLE',
      cause: 'STATEMENT_LOST',
      driverCode: '42P05',
      retryable: false,
    })
  })
})
