import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  startPostgres,
  type PostgresServer,
} from '../../../../packages/storage-drizzle/test/engine/postgres/postgres-server.js'
import { startTestServer, submissionDocument, submissionVariables, type RunningTestServer } from '../running-server.js'

// What a partner gets, and an operator reads, for each error that PostgreSQL can give in the middle of a submission.

let postgres: PostgresServer
let server: RunningTestServer
let direct: pg.Client

beforeAll(async () => {
  postgres = await startPostgres()
  const DATABASE_URL = await postgres.createDatabase()
  server = await startTestServer({ DATABASE_URL })
  direct = new pg.Client(DATABASE_URL)
  await direct.connect()
  await direct.query(`
CREATE TABLE next_error (state text NOT NULL);
CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE next text := (SELECT state FROM next_error);
BEGIN
  IF next IS NOT NULL THEN RAISE EXCEPTION 'canary' USING ERRCODE = next; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER fail BEFORE INSERT ON kyc_relay_verifications FOR EACH ROW EXECUTE FUNCTION fail()`)
})
afterAll(async () => {
  await direct.end()
  await server.stop()
  await postgres.stop()
})
beforeEach(() => direct.query('DELETE FROM next_error'))

const submit = (externalVerificationId: string) =>
  server.graphql('secure', { query: submissionDocument, variables: submissionVariables({ externalVerificationId }) })

/** A partner can only wait: 503 with Retry-After. The log has the code, and the cause that says what to look at. */
const unavailable = (cause: string | undefined, code = 'STORE_UNAVAILABLE') => ({ status: 503, code, cause })
/** Somebody has to mend it first: 500. */
const failed = (code: string, cause?: string) => ({ status: 500, code, cause })

it.each([
  // The connection, also of a coordinator to its nodes.
  ['08000', unavailable('CONNECTION_LOST')],
  ['08001', unavailable('CONNECTION_LOST')],
  ['08003', unavailable('CONNECTION_LOST')],
  ['08004', unavailable('CONNECTION_LOST')],
  ['08006', unavailable('CONNECTION_LOST')],
  ['08007', unavailable('CONNECTION_LOST')],
  ['08P01', unavailable('POOLER_REFUSED')],
  // Transactions.
  ['25006', unavailable('READ_ONLY')],
  ['25P03', unavailable('TIMED_OUT')],
  ['25P04', unavailable('TIMED_OUT')],
  ['40001', unavailable('CONFLICT')],
  ['40P01', unavailable('CONFLICT')],
  ['40003', unavailable('CONNECTION_LOST')],
  ['55P03', unavailable('TIMED_OUT')],
  ['57014', unavailable('TIMED_OUT')],
  // Settings: the operator changes them while partners repeat.
  ['28000', unavailable('LOGIN_REFUSED', 'DATABASE_UNUSABLE')],
  ['28P01', unavailable('LOGIN_REFUSED', 'DATABASE_UNUSABLE')],
  ['3D000', unavailable('DATABASE_NOT_FOUND', 'DATABASE_UNUSABLE')],
  ['3F000', unavailable('SCHEMA_NOT_FOUND', 'DATABASE_UNUSABLE')],
  ['42501', unavailable('PERMISSION_MISSING', 'DATABASE_UNUSABLE')],
  ['26000', unavailable('STATEMENT_LOST', 'DATABASE_UNUSABLE')],
  ['42P05', unavailable('STATEMENT_LOST', 'DATABASE_UNUSABLE')],
  ['57P04', unavailable('DATABASE_NOT_FOUND', 'DATABASE_UNUSABLE')],
  // What the server lacks.
  ['53000', unavailable(undefined)],
  ['53100', unavailable('DISK_FULL')],
  ['53200', unavailable('OUT_OF_MEMORY')],
  ['53300', unavailable('TOO_MANY_CONNECTIONS')],
  ['53400', unavailable(undefined)],
  // Its end and its start.
  ['57P01', unavailable('CONNECTION_LOST')],
  ['57P02', unavailable('CONNECTION_LOST')],
  ['57P03', unavailable('STARTING_OR_STOPPING')],
  ['57P05', unavailable('CONNECTION_LOST')],
  // Its machine, or a node that it distributes to. One of both comes back by a repair or a failover.
  ['58000', unavailable('SYSTEM_ERROR')],
  ['58030', unavailable('SYSTEM_ERROR')],
  ['58P01', unavailable('SYSTEM_ERROR')],
  ['58P02', unavailable('SYSTEM_ERROR')],
  // An unexpected state of the server, for example a shard that is being moved.
  ['55000', unavailable(undefined)],
  ['XX000', unavailable(undefined)],
  // Damage, and tables of another version.
  ['XX001', failed('STORE_FAILED', 'DATA_DAMAGED')],
  ['XX002', failed('STORE_FAILED', 'DATA_DAMAGED')],
  ['42P01', failed('SCHEMA_OUTDATED')],
  ['42703', failed('SCHEMA_OUTDATED')],
  // A plan that a migration changed. It is made again.
  ['0A000', unavailable(undefined)],
  // Wrong SQL, a function that does not exist, and what cannot run in a transaction or has dependents.
  ['42601', unavailable(undefined, 'STATEMENT_REFUSED')],
  ['42883', unavailable(undefined, 'STATEMENT_REFUSED')],
  ['25001', unavailable(undefined, 'STATEMENT_REFUSED')],
  ['2BP01', unavailable(undefined, 'STATEMENT_REFUSED')],
  // A value that a rule of the tables refuses: a mistake of this service.
  ['22021', failed('CONSTRAINT')],
  ['23514', failed('CONSTRAINT')],
  // What a trigger or a view of the operator refuses, as on SQLite, and what is too large for the server.
  ['P0001', failed('CONSTRAINT')],
  ['44000', failed('CONSTRAINT')],
  ['54000', failed('CONSTRAINT')],
])('%s: nothing is recorded, and the same submission is once it has passed', async (state, { status, code, cause }) => {
  await direct.query('INSERT INTO next_error VALUES ($1)', [state])
  const before = server.logLines.length
  const refused = await submit(state)
  expect(refused.status).toBe(status)
  expect(refused.headers['retry-after']).toMatch(/^\d+$/)
  expect(refused.json).toMatchObject({
    errors: [{ extensions: { code: status === 503 ? 'UNAVAILABLE' : 'INTERNAL', retryable: true } }],
  })
  const logged = server.logLines.slice(before).map((line) => JSON.parse(line) as Record<string, unknown>)
  const line = logged.find(({ driverCode }) => driverCode === state)
  expect({ code: line?.['code'], cause: line?.['cause'] }).toEqual({ code, cause })
  expect(refused.text + logged.map((one) => JSON.stringify(one)).join()).not.toContain('canary')

  await direct.query('DELETE FROM next_error')
  const found = 'SELECT FROM kyc_relay_verifications WHERE external_verification_id = $1'
  expect((await direct.query(found, [state])).rowCount).toBe(0)
  expect((await submit(state)).json).toMatchObject({ data: { postKycVerification: { status: expect.any(String) } } })
  expect((await direct.query(found, [state])).rowCount).toBe(1)
})
