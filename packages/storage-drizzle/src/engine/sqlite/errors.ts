import { StorageError } from '../../storage-error.js'

const damaged = ['SQLITE_IOERR', 'SQLITE_CORRUPT', 'SQLITE_NOTADB']
/** The second: no space for a longer index of the WAL, in the `-shm` file. */
const full = ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE']

function driverCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null
  return typeof error.code === 'string' && /^SQLITE_[A-Z_]+$/.test(error.code) ? error.code : null
}

/**
 * Turns what better-sqlite3 or Drizzle threw into a {@link StorageError}: their messages name columns and can carry
 * values, so nothing of them is kept but SQLite's result code.
 */
export function storageErrorOf(error: unknown): StorageError {
  if (error instanceof StorageError) return error
  const code = driverCode(error)
  if (code === null) {
    // better-sqlite3 throws a plain TypeError on a closed connection or an unbindable value.
    return new StorageError('ARGUMENT_INVALID')
  }
  if (code.startsWith('SQLITE_CONSTRAINT') || code === 'SQLITE_MISMATCH' || code === 'SQLITE_TOOBIG') {
    return new StorageError('CONSTRAINT', code)
  }
  if (full.includes(code)) return new StorageError('STORE_UNAVAILABLE', code)
  // A failed fsync must not be tried again in this process: the kernel may have dropped the dirty pages.
  if (damaged.some((prefix) => code.startsWith(prefix))) return new StorageError('STORE_FAILED', code)
  return new StorageError('STORE_UNAVAILABLE', code)
}

/** Whether a write found no space on its disk. Nothing of it was written. */
export function isDiskFull(error: unknown): boolean {
  return full.includes(storageErrorOf(error).driverCode ?? '')
}
