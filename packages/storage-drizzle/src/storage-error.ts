/** What a {@link StorageError} can be about. */
export type StorageErrorCode =
  | 'STORE_UNAVAILABLE'
  | 'STORE_FAILED'
  | 'STORE_CLOSED'
  | 'CONSTRAINT'
  | 'ARGUMENT_INVALID'
  | 'CURSOR_INVALID'
  | 'TRANSACTION_OPEN'
  | 'TRANSACTION_REQUIRED'
  | 'WORKER_LOCKED'
  | 'DURABILITY_NOT_GUARANTEED'
  | 'MIGRATIONS_NOT_FOUND'
  | 'SCHEMA_NEWER'
  | 'SCHEMA_EDITED'
  | 'SCHEMA_OUTDATED'
  | 'AUDIT_INCOMPLETE'
  | 'COMMITS_MISSING'
  | 'DATABASE_DAMAGED'
  | 'VAULT_UNAVAILABLE'
  | 'TOKEN_UNKNOWN'
  | 'NOT_REVEALABLE'
  | 'SEAL_BROKEN'

const messages: Readonly<Record<StorageErrorCode, string>> = {
  STORE_UNAVAILABLE: 'The database could not be read or written now. Nothing was written; try again.',
  STORE_FAILED: 'The database reported damage or a failing disk. Nothing more is written until the process restarts.',
  STORE_CLOSED: 'The store was closed.',
  CONSTRAINT: 'The write contradicts what is stored. Nothing was written.',
  ARGUMENT_INVALID: 'An argument is outside its documented range.',
  CURSOR_INVALID: 'The cursor was not made by this store.',
  TRANSACTION_OPEN:
    'A transaction of the caller is open on this connection. Use the function that takes the transaction.',
  TRANSACTION_REQUIRED: 'This function writes inside a transaction of the caller, and none is open on this connection.',
  WORKER_LOCKED: 'Another worker process is running on this database file. A SQLite file has one delivery worker.',
  DURABILITY_NOT_GUARANTEED: 'The connection does not keep synchronous=FULL, foreign keys or WAL. Refusing to write.',
  MIGRATIONS_NOT_FOUND: 'The migration files of the package were not found beside it.',
  SCHEMA_NEWER: 'The database was migrated by a newer version of the package. Refusing to use it.',
  SCHEMA_EDITED: 'The tables or applied migrations differ from the files of the package. Refusing to use the database.',
  SCHEMA_OUTDATED: 'The database lacks migrations. Apply them with `kyc-relay-migrate up` or let the store do it.',
  AUDIT_INCOMPLETE:
    'A chain of the audit log is missing from the database. Nothing was written; verify the audit log before going on.',
  COMMITS_MISSING:
    'The database lacks commits that were made: it or its -wal file was removed, replaced or cut off, or a backup was put back. Nothing was changed. Put the files back; to go on with what is there, remove the file beside it whose name ends in commits.',
  DATABASE_DAMAGED: 'The database file is damaged or is no database. Nothing was changed. Restore it from a backup.',
  VAULT_UNAVAILABLE: 'The vault could not be read or written now. Nothing was written; try again.',
  TOKEN_UNKNOWN: 'No such token of this owner.',
  NOT_REVEALABLE: 'Only a hash of this value is kept.',
  SEAL_BROKEN: 'The bytes were not sealed for this owner, record and part, or the owner was erased.',
}

const brand = Symbol.for('@kyc-relay/storage-drizzle.StorageError')

/**
 * The only error the stores of this package throw. Its message is a fixed text: never a stored value, never a
 * driver's message, which can carry both parameters and rows.
 *
 * `instanceof` works across copies of the package.
 *
 * @example
 * ```ts
 * import { StorageError, type SqliteStorage } from '@kyc-relay/storage-drizzle/sqlite'
 *
 * export async function kycStatus(storage: SqliteStorage, userId: string) {
 *   try {
 *     return await storage.verifications.findKycStatus(userId)
 *   } catch (error) {
 *     if (error instanceof StorageError && error.retryable) return null
 *     throw error
 *   }
 * }
 * ```
 */
export class StorageError extends Error {
  readonly code: StorageErrorCode
  /** True when the same call may succeed later and nothing was written. */
  readonly retryable: boolean
  /** The driver's own code, such as `SQLITE_BUSY` or `40001`: an identifier, never data. Null when there is none. */
  readonly driverCode: string | null

  constructor(code: StorageErrorCode, driverCode: string | null = null) {
    super(messages[code])
    this.name = 'StorageError'
    this.code = code
    this.retryable = code === 'STORE_UNAVAILABLE' || code === 'VAULT_UNAVAILABLE'
    this.driverCode = driverCode
    Object.defineProperty(this, brand, { value: true })
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value
  }
}
