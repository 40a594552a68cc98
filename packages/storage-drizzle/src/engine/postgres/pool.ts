import { Socket } from 'node:net'
import pg, { type Pool } from 'pg'
import { StorageError } from '../../storage-error.js'
import { parseConnectionString } from './connection-string.js'
import { storageErrorOf } from './errors.js'
import { createFailoverClient, hostTimeoutMs } from './failover-client.js'

/** A database to connect to, or a pool of the caller. */
export type PostgresLocation = (
  | {
      /**
       * `postgres://user@host:port/database`. Tables are in the first schema of the connection's `search_path`. With
       * several hosts, `postgres://user@a:5432,b:5432/database`, each connection goes to the primary, so a promoted
       * standby is found without a restart. `target_session_attrs` may be `read-write` or `primary`.
       */
      readonly connectionString: string
      /** Most connections. Integer 2–1000. Default 10. */
      readonly maxConnections?: number
    }
  | {
      /**
       * A pool of the caller; the store does not end it. Set `statement_timeout`, `query_timeout` and `keepAlive` on
       * it: without them, calls wait indefinitely after a network failure.
       */
      readonly pool: Pool
    }
) & {
  /**
   * Set to true behind a pooler that lends a server connection for one transaction, for example PgBouncer with
   * `pool_mode=transaction`. The store then uses no startup parameters, named statements, session state or `LISTEN`.
   * Set time limits on the database user with `ALTER ROLE … SET statement_timeout`. Default: false.
   */
  readonly transactionPooler?: boolean
}

/** Time limit of a statement, in milliseconds. The server enforces it. */
const statementTimeoutMs = 10_000
/** Time limit of a response, in milliseconds. It ends a connection that is silent without a reset. */
const queryTimeoutMs = 12_000
const connectTimeoutMs = 5_000

export interface PostgresConnection {
  readonly pool: Pool
  readonly transactionPooler: boolean
  /** Creates a client outside the pool, not yet connected. */
  newClient(settings: pg.ClientConfig): pg.Client
  /** True after `close` was called. */
  isClosed(): boolean
  /** Ends the pool if the store created it. A repeated call does nothing. */
  close(): Promise<void>
}

/**
 * Connects, and refuses a server that does not guarantee durability. A standby returns old data. With
 * `synchronous_commit` off or local, acknowledged commits can be lost.
 *
 * @throws `DATABASE_UNUSABLE`, `STORE_UNAVAILABLE`, `DURABILITY_NOT_GUARANTEED`, `ARGUMENT_INVALID`
 */
export async function openConnection(location: PostgresLocation): Promise<PostgresConnection> {
  assertLocation(location)
  const connection =
    'pool' in location ? adopt(location.pool, location.transactionPooler === true) : connectPool(location)
  try {
    await assertUsable(connection.pool)
    return connection
  } catch (error) {
    await connection.close()
    throw error
  }
}

const connectionNames = ['connectionString', 'maxConnections', 'transactionPooler']

/** @throws `ARGUMENT_INVALID` for an unknown name, a pool beside a connection string, or a pool that is none. */
function assertLocation(location: Partial<Record<string, unknown>>): void {
  if (typeof location !== 'object' || (location as object | null) === null) throw new StorageError('ARGUMENT_INVALID')
  const { connectionString, pool } = location
  const names = 'pool' in location ? ['pool', 'transactionPooler'] : connectionNames
  const isKnown = Object.keys(location).every((name) => names.includes(name))
  // A client is no pool: it has no options.
  const { connect, options } = Object(pool) as Partial<Pool>
  const isPool = typeof connect === 'function' && typeof options === 'object'
  if ('pool' in location ? !isPool || !isKnown : connectionString !== undefined && !isKnown)
    throw new StorageError('ARGUMENT_INVALID')
}

function adopt(pool: pg.Pool, transactionPooler: boolean): PostgresConnection {
  // Several stores may share the pool.
  if (!pool.listeners('connect').includes(ignoreErrors)) pool.on('connect', ignoreErrors)
  const { options } = pool
  // pg makes these two properties non-enumerable.
  const clientConfig = { ...options, password: options.password, ssl: options.ssl }
  return {
    pool,
    transactionPooler,
    newClient: (settings) => new pg.Client({ ...clientConfig, ...settings }),
    ...closing(() => Promise.resolve()),
  }
}

/** The pool of a caller stays open, so the store remembers by itself that it was closed. */
function closing(end: () => Promise<void>): Pick<PostgresConnection, 'isClosed' | 'close'> {
  let closed: Promise<void> | null = null
  return { isClosed: () => closed !== null, close: () => (closed ??= end()) }
}

/**
 * Keeps the errors of a new connection from ending the process. Its first error can arrive together with its greeting,
 * before anyone who awaits the connection can listen. The next statement fails, and the connection is dropped.
 */
function ignoreErrors(client: pg.PoolClient): void {
  client.on('error', () => undefined)
}

interface PoolLocation {
  readonly connectionString: string
  readonly maxConnections?: number
  readonly transactionPooler?: boolean
}

/**
 * Creates a pool, not yet connected.
 *
 * @param sessionSettings Startup parameters of each connection; left out behind a pooler.
 * @throws `DATABASE_UNUSABLE`, `ARGUMENT_INVALID`
 */
export function connectPool(
  { connectionString, maxConnections = 10, transactionPooler = false }: PoolLocation,
  sessionSettings: pg.ClientConfig = {
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    application_name: 'kyc-relay',
  },
  timeoutMs = queryTimeoutMs,
): PostgresConnection {
  if (!Number.isInteger(maxConnections) || maxConnections < 1 || maxConnections > 1_000) {
    throw new StorageError('ARGUMENT_INVALID')
  }
  // pg leaves the socket of a failed login open: without a password, for example, the server waits for one for a minute.
  const sockets = new Set<Socket>()
  const openSocket = () => {
    const socket = new Socket()
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    return socket
  }
  const hosts = parseConnectionString(connectionString).perHost.map((perHost): pg.ClientConfig => ({
    connectionString: perHost,
    stream: openSocket,
    query_timeout: timeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    ...(transactionPooler ? {} : sessionSettings),
  }))
  for (const host of hosts) assertReadable(host)
  // Startup options can make a session read-only. The search asks the host about itself, so it connects without them.
  const searched = hosts.map((host): pg.ClientConfig => ({ ...host, options: '' }))
  const Client = hosts.length > 1 ? createFailoverClient(searched) : pg.Client
  const pool = new pg.Pool({
    ...hosts[0],
    Client,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs + (hosts.length > 1 ? hosts.length * hostTimeoutMs : 0),
  })
  // A broken idle connection is replaced at its next use. Without a listener its error would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', ignoreErrors)
  return {
    pool,
    transactionPooler,
    newClient: (settings) => new Client({ ...hosts[0], connectionTimeoutMillis: connectTimeoutMs, ...settings }),
    ...closing(async () => {
      await pool.end()
      for (const socket of sockets) socket.destroy()
    }),
  }
}

/** Creates a client, for which pg reads the connection string and its certificate files. */
function assertReadable(host: pg.ClientConfig): void {
  try {
    new pg.Client(host)
  } catch (error) {
    const isFile = error instanceof Error && 'syscall' in error
    throw new StorageError('DATABASE_UNUSABLE', null, isFile ? 'TLS_FILE_UNREADABLE' : 'CONNECTION_STRING_INVALID')
  }
}

/** Refuses a standby, commits that do not wait for the disk, and times that could be misread. */
async function assertUsable(pool: pg.Pool): Promise<void> {
  const { rows } = await pool
    .query<{ standby: boolean; commit: string; dates: string }>(
      `SELECT pg_is_in_recovery() AS standby, current_setting('synchronous_commit') AS commit, current_setting('DateStyle') AS dates`,
    )
    .catch((error: unknown) => {
      throw storageErrorOf(error)
    })
  const [server] = rows
  if (server === undefined || server.standby) throw new StorageError('DURABILITY_NOT_GUARANTEED', null, 'STANDBY')
  if (server.commit === 'off' || server.commit === 'local') {
    throw new StorageError('DURABILITY_NOT_GUARANTEED', null, 'SYNCHRONOUS_COMMIT')
  }
  if (!server.dates.startsWith('ISO')) throw new StorageError('DATABASE_UNUSABLE', null, 'DATE_STYLE')
}
