import type pg from 'pg'
import { StorageError } from '../../storage-error.js'
import { isRerunnable, storageErrorOf, sqlStateOf } from './errors.js'
import { withoutName, type Queryable, type StatementQuery } from './statement.js'

/** Runs statements and transactions on a pool, with retries and errors of this package. */
export interface PostgresDatabase {
  /** One statement, or several reads that need not agree with each other. */
  run<T>(work: (on: Queryable) => Promise<T>): Promise<T>
  /**
   * One transaction at READ COMMITTED. Run again, up to three times, after a serialization failure or a deadlock: then
   * nothing of it was written.
   */
  transaction<T>(work: (on: Queryable) => Promise<T>): Promise<T>
}

/** SQLSTATE of a write in a transaction that may only read. */
const readOnlyState = '25006'

/** How often work is started before a conflict becomes the caller's. */
const mostStarts = 4

/** Ends a transaction so that it runs again: what it read was overtaken by another one. */
export const overtaken = new StorageError('STORE_UNAVAILABLE', '40001')

/**
 * A statement that took so long may be working by a plan for tables as they no longer are: PostgreSQL keeps the plans of a
 * connection until it looks at the tables again, and for a queue that was empty then it plans to search the whole of it.
 */
const slowMs = 100
/** Between two times that a connection forgets its plans. */
const plansKeptMs = 10_000

/** A pool for Drizzle, whose prepared statements all have names, that drops these. */
export function poolWithoutNames(pool: pg.Pool): pg.Pool {
  const query = (query: StatementQuery, values: unknown[]) => pool.query(withoutName(query), values)
  return Object.assign(Object.create(pool) as pg.Pool, { query })
}

/** How a database is worked with. */
export interface DatabaseOptions {
  /** Whether a pooler may give each transaction another session: nothing is kept in one then. Default: false. */
  readonly transactionPooler?: boolean
  /** Tells how long statements take. Default: `performance.now`. */
  readonly monotonicMs?: () => number
}

export function createDatabase(pool: pg.Pool, options: DatabaseOptions = {}): PostgresDatabase {
  const { transactionPooler = false, monotonicMs = () => performance.now() } = options
  const forgotAtMs = new WeakMap<pg.PoolClient, number>()
  const lost = new WeakSet<pg.PoolClient>()

  async function rerun<T>(work: () => Promise<T>): Promise<T> {
    for (let start = 1; ; start++) {
      try {
        return await work()
      } catch (error) {
        const again = error === overtaken || isRerunnable(error)
        if (!again || start === mostStarts) throw storageErrorOf(error)
        await new Promise((resolve) => setTimeout(resolve, 2 ** start))
      }
    }
  }

  /** Lends a connection to `work`, which says whether it can be used again. */
  async function lend<T>(work: (client: pg.PoolClient, isSound: () => void) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    let broken = true
    // The pool listens to idle connections only: without a listener a connection lost now would end the process.
    const ignore = () => undefined
    client.on('error', ignore)
    try {
      return await work(client, () => (broken = false))
    } finally {
      client.off('error', ignore)
      client.release(broken || lost.has(client))
    }
  }

  /**
   * Runs a statement, and makes its connection forget its plans if it took long. What the statement did stands, whatever
   * comes of that. Behind a pooler statements have no name, and so no plan is kept.
   */
  async function ask(client: pg.PoolClient, query: StatementQuery): Promise<pg.QueryResult> {
    if (transactionPooler) return client.query(withoutName(query))
    const beganAtMs = monotonicMs()
    const value = await client.query(query)
    const nowMs = monotonicMs()
    if (nowMs - beganAtMs >= slowMs && nowMs - (forgotAtMs.get(client) ?? -Infinity) >= plansKeptMs) {
      forgotAtMs.set(client, nowMs)
      await client.query('DISCARD PLANS').catch(() => lost.add(client))
    }
    return value
  }

  function inTransaction<T>(work: (on: Queryable) => Promise<T>): Promise<T> {
    return lend(async (client, isSound) => {
      await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
      try {
        const value = await work({ query: (query) => ask(client, query) })
        const { command } = await client.query('COMMIT')
        // COMMIT of a transaction that had failed is answered with ROLLBACK, not with an error.
        if (command !== 'COMMIT') throw new StorageError('STORE_UNAVAILABLE')
        isSound()
        return value
      } catch (error) {
        // After a lost or silent connection nothing more can be asked of it; the server rolls back when it notices.
        const state = sqlStateOf(error)
        if (error instanceof StorageError || state !== null) {
          await client.query('ROLLBACK')
          // A session that became read-only after a failover stays so: the next connection goes to the new primary.
          if (state !== readOnlyState) isSound()
        }
        throw error
      }
    })
  }

  /** Each statement on whichever connection is free. */
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
