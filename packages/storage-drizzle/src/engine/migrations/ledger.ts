import { StorageError } from '../../storage-error.js'
import type { Migration } from './migration-files.js'

/** Hash of a schema without tables of this package (hash of the empty text). */
const emptySchemaSha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** One row of the ledger: an applied migration. */
export interface LedgerRow {
  readonly number: number
  readonly name: string
  readonly sha256: string
  /** SHA-256 of the schema after this migration. */
  readonly schemaSha256: string
}

/** Migration status of a database. */
export interface MigrationStatus {
  readonly applied: readonly Pick<Migration, 'number' | 'name' | 'prefix'>[]
  readonly pending: readonly Migration[]
  /** True when there is no file yet. A path with a mistake looks the same. */
  readonly fileIsMissing?: boolean
}

/** Joins the status of several histories of one database. */
export function wholeStatus(parts: readonly MigrationStatus[]): MigrationStatus {
  return { applied: parts.flatMap(({ applied }) => applied), pending: parts.flatMap(({ pending }) => pending) }
}

/** Progress of one migration: reported at its start and after its commit. */
export interface MigrationStep {
  readonly state: 'applying' | 'applied'
  /** File name without its ending, for example `0001_create_tables`. */
  readonly name: string
  /** First part of the names of its tables: `kyc_relay_`, or that of the embedding system's tables. */
  readonly prefix: string
  /** Its number: 1, 2, … */
  readonly number: number
  /** Total number of migrations of the package for this database. */
  readonly total: number
}

/** Reports one migration at its start or after its commit. */
export function stepOf(
  { name, prefix, number }: Migration,
  state: MigrationStep['state'],
  shipped: readonly Migration[],
): MigrationStep {
  return { state, name, prefix, number, total: shipped.length }
}

/**
 * Adds the migration to the error that ended it. Its file is the embedding system's own, so its name may be told. A table
 * that it does not find is a mistake in its SQL: more migrations do not help.
 */
export function failedMigration({ code, driverCode, cause }: StorageError, { name, prefix }: Migration): StorageError {
  const isSql = code === 'SCHEMA_OUTDATED'
  return new StorageError(isSql ? 'STATEMENT_REFUSED' : code, driverCode, cause, `${name} (${prefix})`)
}

/** Progress report while a migration waits for a lock in PostgreSQL. */
export interface MigrationWait {
  /** Milliseconds since the transaction of the migration started, an upper limit of the wait. */
  readonly waitedMs: number
}

/** Callbacks for the progress of migrations. */
export interface MigrationListeners {
  /** Called at the start and after the commit of a migration. Default: no calls. */
  readonly onMigration?: (step: MigrationStep) => void
  /**
   * Called after 1 s, and then every 10 s, while a migration waits for a lock of another migrating process or of
   * transactions on the tables. Default: no calls.
   */
  readonly onMigrationWaiting?: (wait: MigrationWait) => void
  /**
   * Called at every start for each index on our tables that no migration created. An operator's index slows writes, and
   * a later migration may refuse it. A unique one is refused. Default: no calls.
   */
  readonly onUnknownIndex?: (name: string) => void
}

/** Callbacks for the progress of migrations of a SQLite file, which report no waiting for locks. */
export type SqliteMigrationListeners = Omit<MigrationListeners, 'onMigrationWaiting'>

/** Migration history of one database. */
export interface MigrationTarget {
  /** @throws `SCHEMA_NEWER`, `SCHEMA_EDITED`. Writes nothing. */
  status(): Promise<MigrationStatus>
  /** Applies pending migrations, reports their progress, and returns the names of those applied by this call. */
  up(listeners?: MigrationListeners): Promise<readonly string[]>
  close(): Promise<void>
}

/**
 * Checks that the applied migrations are the first ones of the package, and returns the pending ones.
 *
 * @param schemaSha256 Hash of the current schema of the database.
 * @throws `SCHEMA_NEWER` when the database knows migrations that the package does not; `SCHEMA_EDITED` when a name, a
 *   hash or the order differs, or when tables were changed by hand.
 */
export function pendingMigrations(
  shipped: readonly Migration[],
  ledger: readonly LedgerRow[],
  schemaSha256: string,
): readonly Migration[] {
  if (ledger.length > shipped.length) throw new StorageError('SCHEMA_NEWER')
  ledger.forEach((row, index) => {
    const file = shipped[index]
    if (row.number !== index + 1 || row.name !== file?.name || row.sha256 !== file.sha256) {
      throw new StorageError('SCHEMA_EDITED')
    }
  })
  // Without a ledger there must be no tables: either the ledger was lost, or the tables belong to another system.
  if ((ledger.at(-1)?.schemaSha256 ?? emptySchemaSha256) !== schemaSha256) throw new StorageError('SCHEMA_EDITED')
  return shipped.slice(ledger.length)
}
