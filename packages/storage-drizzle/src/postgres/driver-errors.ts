import { StorageError } from '../storage-error.js'

/** SQLSTATE of what pg threw, also behind Drizzle's wrapper; null for an error of the connection itself. */
export function sqlStateOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null
  if ('code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code)) return error.code
  return 'cause' in error ? sqlStateOf(error.cause) : null
}

/** True when the whole transaction may be run again at once: a serialization failure or a deadlock. */
export function isRerunnable(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state === '40001' || state === '40P01'
}

/**
 * Turns what pg or Drizzle threw into a {@link StorageError}. Their messages and details carry parameters and key
 * values, so nothing of them is kept but the SQLSTATE.
 */
export function storageErrorOf(error: unknown): StorageError {
  if (error instanceof StorageError) return error
  const state = sqlStateOf(error)
  // The connection was lost, refused or timed out. Whether a COMMIT under way arrived is unknown: every port says what
  // a repeated call finds.
  if (state === null) return new StorageError('STORE_UNAVAILABLE')
  // 22: a value that PostgreSQL cannot hold, such as U+0000 in text. 23: constraints.
  if (state.startsWith('22') || state.startsWith('23')) return new StorageError('CONSTRAINT', state)
  // XX001, XX002: a damaged table or index. 58: I/O errors.
  if (state === 'XX001' || state === 'XX002' || state.startsWith('58')) return new StorageError('STORE_FAILED', state)
  // 42P01, 42703: a table or column is missing.
  if (state === '42P01' || state === '42703') return new StorageError('SCHEMA_OUTDATED', state)
  return new StorageError('STORE_UNAVAILABLE', state)
}
