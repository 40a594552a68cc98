// What: a lock beside the database file, held by the delivery worker of one process.
// Why: at its start a worker on SQLite ends the leases of former workers. A second one would take over attempts in flight.
// Cost: one open transaction on an empty database file.
// Without it: two servers on the same file can send a delivery twice.

import { realpathSync } from 'node:fs'
import Database from 'better-sqlite3'
import { StorageError } from '../../storage-error.js'
import { storageErrorOf } from './errors.js'

/** The lock for running the delivery worker of one SQLite file. The kernel releases it when the process ends. */
export interface WorkerLock {
  /** Releases the lock. A repeated call does nothing. */
  release(): Promise<void>
}

/**
 * Takes the exclusive lock of a database file: an open transaction on `<path>.worker`. It ends with the process, also
 * after a crash, and never blocks readers or writers of the database.
 *
 * @throws `WORKER_LOCKED` when another worker, of this or another process, holds it.
 */
export function lockWorker(databasePath: string): { release(): void } {
  let lock: Database.Database | null = null
  try {
    // Two paths may lead to the file by a symbolic link.
    lock = new Database(`${realpathSync(databasePath)}.worker`, { timeout: 0 })
    // A journal on the disk would need space, and a full disk must not stop a start.
    lock.pragma('journal_mode = MEMORY')
    lock.pragma('locking_mode = EXCLUSIVE')
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock?.close()
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new StorageError('WORKER_LOCKED', 'SQLITE_BUSY')
    }
    throw storageErrorOf(error)
  }
  const held = lock
  return { release: () => void held.close() }
}
