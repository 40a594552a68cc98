import pg from 'pg'
import { StorageError } from '../storage-error.js'
import { storageErrorOf } from './driver-errors.js'

/** Where the rows are: a database that the store connects to, or a pool of the caller. */
export type PostgresLocation =
  | {
      /** `postgres://…`. Tables are those of the first schema in the connection's `search_path`. */
      readonly connectionString: string
      /** Most connections. Integer 2–1000. Default 10. */
      readonly maxConnections?: number
    }
  | {
      /**
       * The caller's own pool; the store leaves ending it to the caller. Give it a `statement_timeout`, a `query_timeout`
       * and `keepAlive`: without them a silent network leaves calls waiting.
       */
      readonly pool: pg.Pool
    }

/** Longest a statement may run, in milliseconds; the server ends it then. */
const statementTimeoutMs = 10_000
/** Longest an answer may take: a connection that went silent without a reset is given up then. */
const queryTimeoutMs = 12_000

export interface PostgresConnection {
  readonly pool: pg.Pool
  /** Settings for a connection outside the pool. */
  readonly clientConfig: pg.ClientConfig
  close(): Promise<void>
}

/**
 * Connects, and refuses a server that cannot keep the promises of the ports: a replica, which answers from the past,
 * or `synchronous_commit=off`, which loses acknowledged commits.
 *
 * @throws `STORE_UNAVAILABLE`, `DURABILITY_NOT_GUARANTEED`
 */
export async function openConnection(location: PostgresLocation): Promise<PostgresConnection> {
  const connection = 'pool' in location ? adopt(location.pool) : connect(location)
  try {
    await assertDurable(connection.pool)
    return connection
  } catch (error) {
    await connection.close()
    throw error
  }
}

function adopt(pool: pg.Pool): PostgresConnection {
  const { options } = pool
  // pg hides these two from enumeration.
  const clientConfig = { ...options, password: options.password, ssl: options.ssl }
  return { pool, clientConfig, close: () => Promise.resolve() }
}

function connect(location: {
  readonly connectionString: string
  readonly maxConnections?: number
}): PostgresConnection {
  const clientConfig: pg.ClientConfig = {
    connectionString: location.connectionString,
    connectionTimeoutMillis: 5_000,
    statement_timeout: statementTimeoutMs,
    query_timeout: queryTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    application_name: 'kyc-relay',
  }
  const pool = new pg.Pool({ ...clientConfig, max: location.maxConnections ?? 10 })
  // An idle connection that breaks is replaced at its next use; without a listener it would end the process.
  pool.on('error', () => undefined)
  return { pool, clientConfig, close: () => pool.end() }
}

async function assertDurable(pool: pg.Pool): Promise<void> {
  try {
    const { rows } = await pool.query<{ replica: boolean; commit: string }>(
      `SELECT pg_is_in_recovery() AS replica, current_setting('synchronous_commit') AS commit`,
    )
    const [server] = rows
    if (server === undefined || server.replica || server.commit === 'off') {
      throw new StorageError('DURABILITY_NOT_GUARANTEED')
    }
  } catch (error) {
    throw storageErrorOf(error)
  }
}
