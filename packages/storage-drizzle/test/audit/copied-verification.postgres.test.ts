import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createPostgresStorage } from '../../src/postgres/index.js'
import { uuid } from '../samples.js'
import { emptyTables, startPostgres, type PostgresServer } from '../engine/postgres/postgres-server.js'
import { auditSeal, verify } from './audit-samples.js'
import { recordSome } from './tampering-cases.js'

// On PostgreSQL the id of a verification is unique for its user only.

let server: PostgresServer
let pool: pg.Pool
beforeAll(async () => {
  server = await startPostgres()
  pool = new pg.Pool({ connectionString: await server.createDatabase(), max: 5 })
  await (await createPostgresStorage({ pool })).close()
})
afterAll(async () => {
  await pool.end()
  await server.stop()
})
beforeEach(() => emptyTables(pool))

const verificationId = uuid('verification n3')

/** Copies rows of the verification for another user. */
const copy = (table: string, userId: string, fields: object = {}) =>
  pool.query(
    `INSERT INTO ${table} OVERRIDING SYSTEM VALUE
    SELECT (jsonb_populate_record(row, $1)).* FROM ${table} row WHERE verification_id = $2`,
    [{ user_id: userId, ...fields }, verificationId],
  )

// The order of their ids decides which row is read first.
test.each(['!', '~'])('finds a verification and a status that were copied for the user %s', async (userId) => {
  const storage = await createPostgresStorage({ pool }, { audit: auditSeal, migrations: 'require', notify: false })
  await recordSome(storage.verifications, 'n', uuid('user'))
  const change = { previous_status: 'UNVERIFIED', next_status: 'PASS' }
  await copy('kyc_relay_verifications', userId, { position: 1_000, ...change })
  await pool.query(
    `INSERT INTO kyc_relay_kyc_statuses (user_id, status, since)
    SELECT user_id, next_status, status_at FROM kyc_relay_verifications WHERE user_id = $1`,
    [userId],
  )
  // The right row is written again, so that it is read after its copy.
  await pool.query(`BEGIN; SET LOCAL session_replication_role = replica;
    CREATE TEMP TABLE kept ON COMMIT DROP AS
      SELECT * FROM kyc_relay_verifications WHERE verification_id = '${verificationId}' AND user_id <> '${userId}';
    DELETE FROM kyc_relay_verifications USING kept
      WHERE kyc_relay_verifications.user_id = kept.user_id AND kyc_relay_verifications.position = kept.position;
    INSERT INTO kyc_relay_verifications OVERRIDING SYSTEM VALUE SELECT * FROM kept; COMMIT`)
  for (const pageSize of [1, 3, 100]) {
    const { findings } = await verify(storage.audit!, { pageSize })
    expect(findings).toContainEqual(expect.objectContaining({ code: 'ROW_WITHOUT_ENTRY', subject: verificationId }))
  }
  await storage.close()
})
