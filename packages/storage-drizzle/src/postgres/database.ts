import type pg from 'pg'
import { StorageError } from '../storage-error.js'
import { isRerunnable, storageErrorOf, sqlStateOf } from './driver-errors.js'
import type { Queryable } from './statement.js'

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

/** How often work is started before a conflict becomes the caller's. */
const mostStarts = 4

/** Ends a transaction so that it runs again: what it read was overtaken by another one. */
export const overtaken = new StorageError('STORE_UNAVAILABLE', '40001')

export function createDatabase(pool: pg.Pool): PostgresDatabase {
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

  async function once<T>(work: (on: Queryable) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    let broken = true
    // The pool listens to idle connections only: without a listener a connection lost now would end the process.
    const ignore = () => undefined
    client.on('error', ignore)
    try {
      await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
      try {
        const value = await work(client)
        const { command } = await client.query('COMMIT')
        // COMMIT of a transaction that had failed is answered with ROLLBACK, not with an error.
        if (command !== 'COMMIT') throw new StorageError('STORE_UNAVAILABLE')
        broken = false
        return value
      } catch (error) {
        // After a lost or silent connection nothing more can be asked of it; the server rolls back when it notices.
        if (error instanceof StorageError || sqlStateOf(error) !== null) {
          await client.query('ROLLBACK')
          broken = false
        }
        throw error
      }
    } finally {
      client.off('error', ignore)
      client.release(broken)
    }
  }

  return {
    run: (work) => rerun(() => work(pool)),
    transaction: (work) => rerun(() => once(work)),
  }
}
