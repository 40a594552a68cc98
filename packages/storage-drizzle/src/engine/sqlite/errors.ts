import { StorageError } from '../../storage-error.js'
import { codeOf, hasText } from '../driver-errors.js'

const damaged = ['SQLITE_IOERR', 'SQLITE_CORRUPT', 'SQLITE_NOTADB']
/** Codes of a full disk. The second means that the `-shm` file, the index of the WAL, cannot grow. */
const full = ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE']

const driverCode = (error: unknown) => codeOf(error, /^SQLITE_[A-Z_]+$/)

/** Checks for a better-sqlite3 whose binary was built for another Node, or is not there. */
function doesNotLoad(error: unknown): boolean {
  const isOfLoader = error instanceof Error && 'code' in error && error.code === 'ERR_DLOPEN_FAILED'
  return isOfLoader || hasText(error, /^Could not locate the bindings file/)
}

/**
 * Converts an error of better-sqlite3 or Drizzle to a {@link StorageError}. Only SQLite's result code is kept: messages
 * name columns and can hold values.
 */
export function storageErrorOf(error: unknown): StorageError {
  if (error instanceof StorageError) return error
  if (doesNotLoad(error)) return new StorageError('DATABASE_UNUSABLE', 'ERR_DLOPEN_FAILED')
  const code = driverCode(error)
  if (code === null) {
    // better-sqlite3 throws a plain TypeError on a closed connection or an unbindable value.
    return new StorageError(
      hasText(error, /^The database connection is not open$/) ? 'STORE_CLOSED' : 'ARGUMENT_INVALID',
    )
  }
  if (code.startsWith('SQLITE_CONSTRAINT') || code === 'SQLITE_MISMATCH' || code === 'SQLITE_TOOBIG') {
    return new StorageError('CONSTRAINT', code)
  }
  if (full.includes(code)) return new StorageError('STORE_UNAVAILABLE', code)
  // Also of a missing table or column: SQLite has no code of its own for them.
  if (code === 'SQLITE_ERROR') return new StorageError('STATEMENT_REFUSED', code)
  // A failed fsync must not be retried in this process: the kernel may have dropped the dirty pages.
  if (damaged.some((prefix) => code.startsWith(prefix))) return new StorageError('STORE_FAILED', code)
  return new StorageError('STORE_UNAVAILABLE', code)
}

/** Converts an error of opening a file. What is damaged then, or no database, was so before, and nothing was changed. */
export function openingErrorOf(error: unknown): StorageError {
  const mapped = storageErrorOf(error)
  const isDamage = /^SQLITE_(?:CORRUPT|NOTADB)/.test(mapped.driverCode ?? '')
  return isDamage ? new StorageError('DATABASE_DAMAGED', mapped.driverCode) : mapped
}

/** Checks for a table or column that is not there, as on a caller's connection to another database. */
export function lacksTables(error: unknown): boolean {
  return driverCode(error) === 'SQLITE_ERROR' && hasText(error, /no such (?:table|column)/)
}

/** Checks whether a write found the disk full. Nothing was written then. */
export function isDiskFull(error: unknown): boolean {
  return full.includes(storageErrorOf(error).driverCode ?? '')
}
