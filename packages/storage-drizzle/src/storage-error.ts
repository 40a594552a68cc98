/** Codes of a {@link StorageError}. */
export type StorageErrorCode =
  | 'STORE_UNAVAILABLE'
  | 'DATABASE_UNUSABLE'
  | 'STORE_FAILED'
  | 'STORE_CLOSED'
  | 'STATEMENT_REFUSED'
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
  | 'LEGAL_HOLD'
  | 'ERASURE_IN_PROGRESS'
  | 'COMMITS_MISSING'
  | 'DATABASE_DAMAGED'
  | 'FILES_REPLACED'

const messages: Readonly<Record<StorageErrorCode, string>> = {
  STORE_UNAVAILABLE: 'The database is temporarily unavailable. Retrying is safe.',
  DATABASE_UNUSABLE:
    'The configuration of the database or its connection is wrong. Nothing was written. A retry does not help.',
  STORE_FAILED: 'The database reported damage or a failing disk. The store refuses writes until the process restarts.',
  STORE_CLOSED: 'The store was closed.',
  STATEMENT_REFUSED:
    'The database refuses a statement: its SQL is wrong, or names a table, column or function that does not exist. A retry does not help.',
  CONSTRAINT: 'The write violates a constraint. Nothing was written.',
  ARGUMENT_INVALID: 'An argument is missing, has an unknown name or is not as documented.',
  CURSOR_INVALID: 'This store did not create the cursor.',
  TRANSACTION_OPEN:
    'A transaction of the caller is open on this connection. Use the function that takes the transaction.',
  TRANSACTION_REQUIRED: 'This function needs an open transaction of the caller. None is open on this connection.',
  WORKER_LOCKED:
    'Another delivery worker runs on this database file. A SQLite file can have only one. Stop the other process, or start this one without a worker: ROLE=api of the server.',
  DURABILITY_NOT_GUARANTEED:
    'The connection does not keep synchronous=FULL, foreign keys or WAL. The store refuses to write.',
  MIGRATIONS_NOT_FOUND: 'The migration files of the package were not found.',
  SCHEMA_NEWER: 'A newer version of the package has migrated the database. The store refuses to use it.',
  SCHEMA_EDITED:
    'The tables or the applied migrations differ from the files of the package. The store refuses to use the database.',
  SCHEMA_OUTDATED:
    'The database needs migrations. Apply them with `kyc-relay-migrate up`, or let the store apply them.',
  AUDIT_INCOMPLETE:
    'A chain of the audit log is missing from the database. Nothing was written. Verify the audit log before you continue.',
  LEGAL_HOLD: 'The user is under a legal hold. Nothing was erased.',
  ERASURE_IN_PROGRESS: 'The user is being erased. Nothing was written. Retry after the erasure.',
  COMMITS_MISSING:
    'The database has lost commits: it or its -wal file was removed, replaced or truncated, or a backup was restored. Nothing was changed. Restore the files. To continue with the data that is left, remove the file beside the database that has its name with `.commits`, or for a vault `.vault-commits`.',
  DATABASE_DAMAGED: 'The database file is damaged or not a database. Nothing was changed. Restore it from a backup.',
  FILES_REPLACED:
    'The database file or its -wal file was removed or replaced while it was open. The store refuses writes until the process restarts.',
}

/**
 * Reasons why PostgreSQL could not be used. Causes of `DATABASE_UNUSABLE` need a changed setting. Causes of
 * `STORE_UNAVAILABLE` are temporary. Those of `STORE_FAILED` need a repair.
 */
export type StorageErrorCause = keyof typeof causeMessages

const causeMessages = {
  // DATABASE_UNUSABLE
  CONNECTION_STRING_INVALID:
    'The connection string is missing, empty, or not of the form postgres://user@host:port/database. Nothing was connected.',
  TLS_FILE_UNREADABLE:
    'A file of the connection string (sslrootcert, sslcert or sslkey) cannot be read, or is not a certificate or key.',
  HOST_NOT_FOUND: 'The host name of the database server has no address. Check the host in the connection string.',
  CERTIFICATE_NOT_TRUSTED:
    'The certificate of the database server is not signed by a trusted authority. Set its authority with sslrootcert.',
  CERTIFICATE_EXPIRED: 'The certificate of the database server has expired or is not valid yet.',
  CERTIFICATE_NAME_MISMATCH:
    'The certificate of the database server is for another host name. Connect with a host name of the certificate.',
  TLS_NOT_OFFERED: 'The connection string requires TLS, but the database server does not offer it.',
  LOGIN_REFUSED:
    'The database server refuses this user: the password is wrong or missing, the user is unknown, or pg_hba.conf does not allow the host or the encryption.',
  STARTUP_PARAMETER_REFUSED:
    'A connection pooler refuses the startup parameters of the connection. Set the option transactionPooler, or DATABASE_TRANSACTION_POOLER=1 of the server. Give kyc-relay-migrate the address of PostgreSQL itself.',
  STATEMENT_LOST:
    'A prepared statement was lost: a connection pooler changes the session between transactions. Set the option transactionPooler, or DATABASE_TRANSACTION_POOLER=1 of the server.',
  DATABASE_NOT_FOUND: 'The database server has no database of this name.',
  SCHEMA_NOT_FOUND: 'No schema of the search_path exists in the database.',
  PERMISSION_MISSING:
    'The database user lacks a required right on a table, a schema or the database. After each migration the owner runs postgres-runtime.sql of the package, for the tables of the server with own_tables.',
  DATE_STYLE:
    'The setting DateStyle is not ISO, so days and months of stored times could be exchanged. Set it to ISO for this database user.',
  // DURABILITY_NOT_GUARANTEED
  STANDBY: 'The database server is a standby: it may return old data and accepts no writes. Connect to the primary.',
  SYNCHRONOUS_COMMIT:
    'The setting synchronous_commit is off or local, so acknowledged commits can be lost. Set it to on for this database user.',
  // STORE_FAILED
  DATA_DAMAGED: 'The database server reported a damaged table or index. Nothing was written. A retry does not help.',
  // STORE_UNAVAILABLE
  READ_ONLY: 'The database accepts no writes: it is a standby, or its transactions are read-only.',
  NO_PRIMARY: 'No host in the connection string is currently a primary that accepts writes.',
  NOT_LISTENING: 'No server listens at the host and port of the database server.',
  HOST_LOOKUP_FAILED: 'The DNS look-up of the database host failed temporarily.',
  HOST_UNREACHABLE: 'The host of the database server is currently unreachable.',
  CONNECTION_LOST: 'The connection to the database server was lost or ended.',
  TLS_FAILED: 'The TLS handshake with the database server failed.',
  POOLER_REFUSED:
    'The connection was refused or ended with a protocol error (08P01). Connection poolers send it for a wrong login, an unknown database or a full pool.',
  TOO_MANY_CONNECTIONS: 'The database server has no free connection for this user or database.',
  POOL_EXHAUSTED: 'All database connections of this process were in use for too long.',
  STARTING_OR_STOPPING: 'The database server is starting up, shutting down or recovering.',
  TIMED_OUT: 'A connection, a response or a lock of the database took too long.',
  CONFLICT: 'The transaction conflicted with other transactions in every run.',
  DISK_FULL: 'The disk of the database server is full.',
  OUT_OF_MEMORY: 'The database server is out of memory.',
  SYSTEM_ERROR:
    'The database server reported an error of its machine, for example of a disk, or lost a node that it distributes to.',
} as const

const retryableCodes: ReadonlySet<StorageErrorCode> = new Set(['STORE_UNAVAILABLE', 'ERASURE_IN_PROGRESS'])

const brand = Symbol.for('@kyc-relay/storage-drizzle.StorageError')

/**
 * The only error of the stores of this package. Its message is a fixed text for its cause, or for its code without a
 * known cause. A migration that failed is named after it. It never holds a stored value or a driver's message, which can
 * contain parameters and rows.
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
  /** True when the same call is safe to repeat and may succeed later. */
  readonly retryable: boolean
  /** The driver's code, for example `SQLITE_BUSY`, SQLSTATE `40001` or `ECONNREFUSED`; null when there is none. */
  readonly driverCode: string | null
  /** Reason why PostgreSQL could not be used; null if unknown, and on SQLite. */
  override readonly cause: StorageErrorCause | null

  /** `migration`: file name of a migration that failed, without its ending; null for none. */
  constructor(
    code: StorageErrorCode,
    driverCode: string | null = null,
    cause: StorageErrorCause | null = null,
    migration: string | null = null,
  ) {
    const text = cause === null ? messages[code] : causeMessages[cause]
    super(migration === null ? text : `${text} The migration ${migration} failed.`)
    this.cause = cause
    this.name = 'StorageError'
    this.code = code
    this.retryable = retryableCodes.has(code)
    this.driverCode = driverCode
    Object.defineProperty(this, brand, { value: true })
  }

  /** Formats code, cause, driver's code and message in one line, for a log or a terminal. */
  override toString(): string {
    const codes = [this.code, this.cause, this.driverCode].filter((part) => part !== null)
    return `${codes.join(' ')}: ${this.message}`
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value
  }
}
