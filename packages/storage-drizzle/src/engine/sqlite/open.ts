import { closeSync, openSync } from 'node:fs'
import Database, { type Database as SqliteConnection } from 'better-sqlite3'
import { StorageError } from '../../storage-error.js'
import { openingErrorOf, storageErrorOf } from './errors.js'

/** A file that the store opens and closes, or a better-sqlite3 connection of the caller. */
export type SqliteLocation =
  | {
      /** Path of the database file, created with mode 0600 if missing. `:memory:` for a database in memory. */
      readonly path: string
    }
  | {
      /**
       * A connection of the caller, which the store does not close. It changes three pragmas of the connection, and the
       * journal mode of the file:
       *
       * - `journal_mode = WAL` and `synchronous = FULL`, so that an acknowledged commit survives a power failure
       * - `foreign_keys = ON`, on which the tables rely
       * - `secure_delete = ON`, so that erased data does not stay in the file
       *
       * All other pragmas stay: `busy_timeout` is how long a write waits for another process. Set
       * `temp_store = MEMORY` before you create temporary tables if sorts must not reach a disk.
       */
      readonly database: SqliteConnection
    }

/**
 * @throws `ARGUMENT_INVALID` unless exactly one is given. For a path that is missing or empty, SQLite would open a file
 *   that vanishes at the end.
 */
function checkedLocation(
  location: Partial<Record<'path' | 'database', unknown>> | undefined,
): string | SqliteConnection {
  const { path, database, ...others } = location ?? {}
  const isPath = typeof path === 'string' && path !== '' && database === undefined
  const { open, readonly } = Object(database) as Partial<SqliteConnection>
  const isOpen = open === true && readonly === false && path === undefined
  if (!(isPath || isOpen) || Object.keys(others).length > 0) throw new StorageError('ARGUMENT_INVALID')
  return isPath ? path : (database as SqliteConnection)
}

/** @throws `ARGUMENT_INVALID` without a path: a misspelt one would look like a database that is not there yet */
export function checkedPath(location: { readonly path: string }): string {
  const path = checkedLocation(location)
  if (typeof path !== 'string') throw new StorageError('ARGUMENT_INVALID')
  return path
}

/** Returns the path of the file that the store opens; null for a database in memory or a caller's connection. */
export function ownFile(location: SqliteLocation): string | null {
  const path = checkedLocation(location)
  return typeof path === 'string' && path !== ':memory:' ? path : null
}

/** Files up to this size are checked completely before use. */
export const defaultCheckUpToBytes = 256 * 1024 * 1024

/** Time that a write waits for another process's lock, in milliseconds. */
const busyTimeoutMs = 5_000

/** Size limit of an emptied WAL file in bytes: its largest regular size. */
const walKeptBytes = 96 * 1024 * 1024

/**
 * Pages in the WAL before a commit also checkpoints: 16 MiB, four times SQLite's default. Pages that change with every
 * write are then copied a quarter as often.
 */
export const checkpointPages = 4_000

/** Codes of the system for a path that a retry does not help: no such folder, a folder itself, or no right. */
const unusablePathCodes: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM', 'EROFS'])

/** Opens (or adopts) a connection and sets the pragmas for durability. */
export function openConnection(location: SqliteLocation): { client: Database.Database; close(): void } {
  const path = checkedLocation(location)
  try {
    if (typeof path !== 'string') {
      setRequiredPragmas(path)
      return { client: path, close: () => undefined }
    }
    const file = ownFile(location)
    if (file !== null) closeSync(openSync(file, 'a', 0o600))
    const client = new Database(path, { timeout: busyTimeoutMs })
    try {
      client.pragma(`busy_timeout = ${busyTimeoutMs}`)
      setRequiredPragmas(client)
      setOwnPragmas(client)
    } catch (error) {
      client.close()
      throw error
    }
    return { client, close: () => void client.close() }
  } catch (error) {
    if (error instanceof StorageError) throw error
    const { code } = error as { code?: unknown }
    if (typeof code === 'string' && unusablePathCodes.has(code)) throw new StorageError('DATABASE_UNUSABLE', code)
    const mapped = openingErrorOf(error)
    throw mapped.code === 'ARGUMENT_INVALID' ? new StorageError('STORE_UNAVAILABLE') : mapped
  }
}

/**
 * Empties the WAL, so that erased data is not in it either. It fails to do so at once while another process reads, writes
 * or checkpoints.
 *
 * @returns true when the WAL is empty.
 * @throws StorageError `STORE_FAILED`, `STORE_UNAVAILABLE`
 */
export function emptyWal(client: Database.Database): boolean {
  if (client.memory || client.inTransaction) return false
  try {
    const timeoutMs = Number(client.pragma('busy_timeout', { simple: true }))
    // The wait for a reader, for example a backup, would stop every request of this process.
    client.pragma('busy_timeout = 0')
    try {
      return client.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0
    } finally {
      client.pragma(`busy_timeout = ${timeoutMs}`)
    }
  } catch (error) {
    throw storageErrorOf(error)
  }
}

function setRequiredPragmas(client: Database.Database): void {
  if (client.inTransaction) throw new StorageError('TRANSACTION_OPEN')
  if (!client.memory) switchToWal(client)
  // In WAL mode better-sqlite3 defaults to synchronous=NORMAL, which loses acknowledged commits on a power failure. So
  // every connection sets the pragma.
  client.pragma('synchronous = FULL')
  client.pragma('foreign_keys = ON')
  client.pragma('secure_delete = ON')
}

/** Settings of a connection that only the store uses. A caller may rely on others, and `temp_store` drops temporary tables. */
function setOwnPragmas(client: Database.Database): void {
  client.pragma('trusted_schema = OFF')
  // Statement journals and sorts never touch a disk.
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
 * Checks the pragmas after a write. Directly after opening, `synchronous` reads FULL for the rollback journal, although
 * the first write lowers it.
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
