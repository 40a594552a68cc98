/** What a {@link StorageError} can be about. */
export type StorageErrorCode =
  | 'STORE_UNAVAILABLE'
  | 'DATABASE_UNUSABLE'
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
  | 'FILES_REPLACED'
  | 'VAULT_UNAVAILABLE'
  | 'TOKEN_UNKNOWN'
  | 'NOT_REVEALABLE'
  | 'SEAL_BROKEN'

const messages: Readonly<Record<StorageErrorCode, string>> = {
  STORE_UNAVAILABLE: 'The database could not be read or written now. Nothing was written; try again.',
  DATABASE_UNUSABLE: 'The database cannot be used as it is configured. Nothing was written; a retry does not help.',
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
  FILES_REPLACED:
    'The database file or its -wal file was removed or replaced while it was open. Nothing more is written until the process restarts.',
  VAULT_UNAVAILABLE: 'The vault could not be read or written now. Nothing was written; try again.',
  TOKEN_UNKNOWN: 'No such token of this owner.',
  NOT_REVEALABLE: 'Only a hash of this value is kept.',
  SEAL_BROKEN: 'The bytes were not sealed for this owner, record and part, or the owner was erased.',
}

/**
 * Why PostgreSQL could not be used. Those of `DATABASE_UNUSABLE` last until somebody changes a setting, those of
 * `STORE_UNAVAILABLE` may pass by themselves.
 */
export type StorageErrorCause = keyof typeof causeMessages

const causeMessages = {
  // DATABASE_UNUSABLE
  CONNECTION_STRING_INVALID:
    'The connection string is missing, empty, or not of the form postgres://user@host:port/database. Nothing was connected.',
  TLS_FILE_UNREADABLE:
    'A file that the connection string names (sslrootcert, sslcert or sslkey) cannot be read, or is no certificate or key.',
  HOST_NOT_FOUND:
    'No address is known for the host name of the database server. Check the host in the connection string.',
  CERTIFICATE_NOT_TRUSTED:
    'The certificate of the database server is not signed by a trusted authority. Name its authority with sslrootcert.',
  CERTIFICATE_EXPIRED: 'The certificate of the database server has expired or is not valid yet.',
  CERTIFICATE_NAME_MISMATCH:
    'The certificate of the database server is for another host name. Connect by a name that it lists.',
  TLS_NOT_OFFERED: 'The connection string asks for TLS, and the database server does not offer it.',
  LOGIN_REFUSED:
    'The database server refuses this user: wrong password, no such user, or a host or encryption that its pg_hba.conf does not allow.',
  STARTUP_PARAMETER_REFUSED:
    'A connection pooler refuses the startup parameters of the connection. Set the option transactionPooler, or DATABASE_TRANSACTION_POOLER=1 of the server.',
  DATABASE_NOT_FOUND: 'The database server has no database of this name.',
  SCHEMA_NOT_FOUND: 'No schema of the search_path exists in the database.',
  PERMISSION_MISSING: 'The database user lacks a right on a table, a schema or the database that this work needs.',
  // DURABILITY_NOT_GUARANTEED
  STANDBY: 'The database server is a standby: it answers from the past and takes no writes. Connect to the primary.',
  SYNCHRONOUS_COMMIT:
    'Commits that were acknowledged can be lost, since synchronous_commit is off or local. Set it to on for this database user.',
  // STORE_UNAVAILABLE
  READ_ONLY: 'The database takes no writes: it is a standby, or set to read-only transactions.',
  NO_PRIMARY: 'None of the hosts in the connection string is a primary that takes writes now.',
  NOT_LISTENING: 'Nobody listens at the host and port of the database server.',
  HOST_LOOKUP_FAILED: 'The host name of the database server could not be looked up now.',
  HOST_UNREACHABLE: 'There is no route to the host of the database server now.',
  CONNECTION_LOST: 'The connection to the database server was lost or ended.',
  TLS_FAILED: 'The TLS handshake with the database server failed.',
  POOLER_REFUSED:
    'The connection was refused or ended with a protocol error (08P01), as connection poolers do for a wrong login, an unknown database or a full pool.',
  TOO_MANY_CONNECTIONS: 'The database server has no connection left for this user or database.',
  POOL_EXHAUSTED: 'All database connections of this process were in use for too long.',
  STARTING_OR_STOPPING: 'The database server is starting up, shutting down or recovering.',
  TIMED_OUT: 'The database took too long to connect, to answer, or to give a lock.',
  CONFLICT: 'The transaction conflicted with others each time it was run.',
  DISK_FULL: 'The disk of the database server is full.',
  OUT_OF_MEMORY: 'The database server is out of memory.',
} as const

const brand = Symbol.for('@kyc-relay/storage-drizzle.StorageError')

/**
 * The only error the stores of this package throw. Its message is a fixed text for its cause, or for its code where no
 * cause is known: never a stored value, never a driver's message, which can carry both parameters and rows.
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
  /**
   * The driver's own code, such as `SQLITE_BUSY`, the SQLSTATE `40001` or `ECONNREFUSED`: an identifier, never data. Null
   * when there is none.
   */
  readonly driverCode: string | null
  /** Why PostgreSQL could not be used, where that is known; null otherwise and on SQLite. */
  override readonly cause: StorageErrorCause | null

  constructor(code: StorageErrorCode, driverCode: string | null = null, cause: StorageErrorCause | null = null) {
    super(cause === null ? messages[code] : causeMessages[cause])
    this.cause = cause
    this.name = 'StorageError'
    this.code = code
    this.retryable = code === 'STORE_UNAVAILABLE' || code === 'VAULT_UNAVAILABLE'
    this.driverCode = driverCode
    Object.defineProperty(this, brand, { value: true })
  }

  /** Code, cause and driver's code, then the message: one line for a log or a terminal. */
  override toString(): string {
    const codes = [this.code, this.cause, this.driverCode].filter((part) => part !== null)
    return `${codes.join(' ')}: ${this.message}`
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value
  }
}
