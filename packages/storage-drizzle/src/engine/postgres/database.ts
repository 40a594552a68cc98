import type pg from 'pg'
import { StorageError } from '../../storage-error.js'
import { isRerunnable, storageErrorOf, sqlStateOf } from './errors.js'
import { withoutName, type Queryable, type StatementQuery } from './statement.js'

/** Runs statements and transactions on a pool, with retries and this package's errors. */
export interface PostgresDatabase {
  /** Runs statements, each on any free connection and in a transaction of its own. */
  run<T>(work: (on: Queryable) => Promise<T>): Promise<T>
  /**
   * Runs one transaction at READ COMMITTED. After a serialization failure or a deadlock nothing was written, and it
   * runs again, up to three times.
   */
  transaction<T>(work: (on: Queryable) => Promise<T>): Promise<T>
}

/**
 * Begins a transaction. It finds rows by keys: PostgreSQL would plan to read a whole table that was empty when it was last
 * analysed, and would keep the plan when the table is long.
 */
export const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL enable_seqscan = off'

/** SQLSTATE of a write in a read-only transaction. */
const readOnlyState = '25006'

/** Most runs of a transaction before the caller gets the conflict. */
const mostStarts = 4

/** Error that restarts a transaction whose reads are outdated. */
export const overtaken = new StorageError('STORE_UNAVAILABLE', '40001')

/** A pool for Drizzle that drops the names of prepared statements. */
export function poolWithoutNames(pool: pg.Pool): pg.Pool {
  const query = (query: StatementQuery, values: unknown[]) => pool.query(withoutName(query), values)
  return Object.assign(Object.create(pool) as pg.Pool, { query })
}

/** Options of a database. */
export interface DatabaseOptions {
  /** True if a pooler may give each transaction another session; no session state is then used. Default: false. */
  readonly transactionPooler?: boolean
  /** True once the store was closed: every call then fails with `STORE_CLOSED`. Default: never. */
  readonly isClosed?: () => boolean
}

export function createDatabase(pool: pg.Pool, options: DatabaseOptions = {}): PostgresDatabase {
  const { transactionPooler = false, isClosed = () => false } = options

  async function rerun<T>(work: () => Promise<T>): Promise<T> {
    for (let start = 1; ; start++) {
      if (isClosed()) throw new StorageError('STORE_CLOSED')
      try {
        return await work()
      } catch (error) {
        const again = error === overtaken || isRerunnable(error)
        if (!again || start === mostStarts) throw storageErrorOf(error)
        await new Promise((resolve) => setTimeout(resolve, 2 ** start))
      }
    }
  }

  /** Lends a connection to `work`, which decides whether the connection can be reused. */
  async function lend<T>(work: (client: pg.PoolClient, isSound: () => void) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    let broken = true
    // The pool handles errors of idle connections only. Without a listener, a connection lost now would end the
    // process.
    const ignore = () => undefined
    client.on('error', ignore)
    try {
      return await work(client, () => (broken = false))
    } finally {
      client.off('error', ignore)
      client.release(broken)
    }
  }

  /** Behind a pooler the next statement of this name may meet another session, which does not know it. */
  const ask = (client: pg.PoolClient, query: StatementQuery): Promise<pg.QueryResult> =>
    client.query(transactionPooler ? withoutName(query) : query)

  function inTransaction<T>(work: (on: Queryable) => Promise<T>): Promise<T> {
    return lend(async (client, isSound) => {
      await client.query(begin)
      try {
        const value = await work({ query: (query) => ask(client, query) })
        const { command } = await client.query('COMMIT')
        // COMMIT of a failed transaction returns ROLLBACK, not an error.
        if (command !== 'COMMIT') throw new StorageError('STORE_UNAVAILABLE')
        isSound()
        return value
      } catch (error) {
        // A lost or silent connection is dropped; the server rolls back when it notices.
        const state = sqlStateOf(error)
        if (error instanceof StorageError || state !== null) {
          await client.query('ROLLBACK')
          // After a failover a session may be permanently read-only. It is dropped, and the next connection goes to the
          // new primary.
          if (state !== readOnlyState) isSound()
        }
        throw error
      }
    })
  }

  /** Runs each statement on any free connection. */
  const anyConnection: Queryable = {
    query: (query) =>
      lend(async (client, isSound) => {
        const answer = await ask(client, query)
        isSound()
        return answer
      }),
  }

  return {
    run: (work) => rerun(() => work(anyConnection)),
    transaction: (work) => rerun(() => inTransaction(work)),
  }
}
