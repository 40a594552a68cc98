import { closeSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { StorageError } from '../../storage-error.js'
import { storageErrorOf } from './errors.js'

/** Where the rows are: a file that the store opens and closes, or a better-sqlite3 connection of the caller. */
export type SqliteLocation =
  | {
      /** Path of the database file, made with mode 0600 if missing. `:memory:` for a database that ends with the process. */
      readonly path: string
    }
  | {
      /** The caller's own connection. The store sets its pragmas on it and leaves closing to the caller. */
      readonly database: Database.Database
    }

/** The file that a store opens and nobody else changes, else null: a database in memory, or a connection of the caller. */
export function ownFile(location: SqliteLocation): string | null {
  if ('database' in location || location.path === ':memory:' || location.path === '') return null
  return location.path
}

/** Files up to this size are read as a whole before they are used. */
export const defaultCheckUpToBytes = 256 * 1024 * 1024

/** How long a write waits for another process's lock, in milliseconds. */
const busyTimeoutMs = 5_000

/** Most bytes the WAL file keeps after a checkpoint has emptied it: all of one that was as long as it may become. */
const walKeptBytes = 96 * 1024 * 1024

/**
 * Pages in the WAL before a commit also checkpoints: 16 MiB. Four times SQLite's default, since pages that change with
 * every write are then copied into the database a quarter as often.
 */
export const checkpointPages = 4_000

/** Opens (or adopts) a connection and sets every pragma the guarantees rest on. */
export function openConnection(location: SqliteLocation): { client: Database.Database; close(): void } {
  try {
    if ('database' in location) {
      setPragmas(location.database)
      return { client: location.database, close: () => undefined }
    }
    const file = ownFile(location)
    if (file !== null) closeSync(openSync(file, 'a', 0o600))
    const client = new Database(location.path, { timeout: busyTimeoutMs })
    try {
      setPragmas(client)
    } catch (error) {
      client.close()
      throw error
    }
    return { client, close: () => void client.close() }
  } catch (error) {
    if (error instanceof StorageError) throw error
    const mapped = storageErrorOf(error)
    throw mapped.code === 'ARGUMENT_INVALID' ? new StorageError('STORE_UNAVAILABLE') : mapped
  }
}

/**
 * What was erased is also out of the WAL then, unless another process reads or checkpoints just then.
 *
 * @returns whether it is empty now.
 * @throws StorageError `STORE_FAILED`, `STORE_UNAVAILABLE`
 */
export function emptyWal(client: Database.Database): boolean {
  if (client.memory || client.inTransaction) return false
  try {
    return client.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0
  } catch (error) {
    throw storageErrorOf(error)
  }
}

function setPragmas(client: Database.Database): void {
  if (client.inTransaction) throw new StorageError('TRANSACTION_OPEN')
  client.pragma(`busy_timeout = ${busyTimeoutMs}`)
  if (!client.memory) switchToWal(client)
  // better-sqlite3 is compiled so that WAL falls back to synchronous=NORMAL, which loses acknowledged commits on a
  // power cut; the pragma must be set on every connection.
  client.pragma('synchronous = FULL')
  client.pragma('foreign_keys = ON')
  client.pragma('secure_delete = ON')
  client.pragma('trusted_schema = OFF')
  // What SQLite sets aside to undo one write of several, and what it sorts, never touches a disk.
  client.pragma('temp_store = MEMORY')
  client.pragma(`journal_size_limit = ${walKeptBytes}`)
  client.pragma(`wal_autocheckpoint = ${checkpointPages}`)
}

function switchToWal(client: Database.Database): void {
  const giveUpAt = Date.now() + busyTimeoutMs
  for (;;) {
    try {
      if (client.pragma('journal_mode = WAL', { simple: true }) !== 'wal') {
        throw new StorageError('DURABILITY_NOT_GUARANTEED')
      }
      return
    } catch (error) {
      // The busy handler is not called while another process makes the same switch on a new file.
      const busy = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')
      if (!busy || Date.now() > giveUpAt) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

/**
 * Proves the pragmas as they are after a write: directly after opening, `synchronous` still reads as the value of the
 * rollback journal and would say FULL although the first write lowers it.
 *
 * @throws `DURABILITY_NOT_GUARANTEED`
 */
export function assertDurable(client: Database.Database): void {
  const holds =
    client.pragma('synchronous', { simple: true }) === 2 &&
    client.pragma('foreign_keys', { simple: true }) === 1 &&
    client.pragma('secure_delete', { simple: true }) === 1 &&
    (client.memory || client.pragma('journal_mode', { simple: true }) === 'wal')
  if (!holds) throw new StorageError('DURABILITY_NOT_GUARANTEED')
}
