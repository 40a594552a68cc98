import Database from 'better-sqlite3'
import { StorageError } from '../../storage-error.js'
import { storageErrorOf } from './errors.js'

/** The right to run the delivery worker of one SQLite file. The kernel takes it back when the process ends. */
export interface WorkerLock {
  /** Gives the right back. Harmless when repeated. */
  release(): Promise<void>
}

/**
 * Takes the exclusive lock beside a database file: a transaction held open on `<path>.worker`, so that it ends with
 * the process however the process ends, and never blocks a reader or writer of the database itself.
 *
 * @throws `WORKER_LOCKED` when another worker, of this or another process, holds it.
 */
export function lockWorker(databasePath: string): { release(): void } {
  const lock = new Database(`${databasePath}.worker`, { timeout: 0 })
  try {
    lock.pragma('locking_mode = EXCLUSIVE')
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new StorageError('WORKER_LOCKED', 'SQLITE_BUSY')
    }
    throw storageErrorOf(error)
  }
  return { release: () => void lock.close() }
}
