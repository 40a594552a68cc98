import { StorageError } from '../../storage-error.js'
import type { Migration } from './migration-files.js'

/** Hash of a schema without any table of ours: of the empty text. */
const emptySchemaSha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** One row of the ledger: a migration as it was when it was applied. */
export interface LedgerRow {
  readonly number: number
  readonly name: string
  readonly sha256: string
  /** SHA-256 of the schema that this migration left behind. */
  readonly schemaSha256: string
}

/** Where a database stands. */
export interface MigrationStatus {
  readonly applied: readonly { readonly number: number; readonly name: string }[]
  readonly pending: readonly Migration[]
}

/** One migration on its way: told when it begins and when it is committed. */
export interface MigrationStep {
  readonly state: 'applying' | 'applied'
  /** File name without its ending, for example `0001_create_tables`. */
  readonly name: string
  /** Its number: 1, 2, … */
  readonly number: number
  /** How many the package ships for this database, those applied long ago included. */
  readonly total: number
}

/** Told while PostgreSQL keeps the migrations waiting for a lock. */
export interface MigrationWait {
  /** Milliseconds since the transaction of the migration began; it has waited at most as long. */
  readonly waitedMs: number
}

/** Who is told how far the migrations are. */
export interface MigrationListeners {
  /** Told when a migration begins and when it is committed. Default: nothing. */
  readonly onMigration?: (step: MigrationStep) => void
  /**
   * Told after a second, and then every ten, while a migration waits for a lock: that of another process that migrates,
   * or of transactions that use the tables. Default: nothing.
   */
  readonly onMigrationWaiting?: (wait: MigrationWait) => void
  /**
   * Told of each index of our tables that no migration made, at every start. Such an index is an operator's own: it slows
   * writes, and a later migration may refuse it. One that is unique is refused. Default: nothing.
   */
  readonly onUnknownIndex?: (name: string) => void
}

/** Who is told how far the migrations of a SQLite file are: they wait for no lock that could be told of. */
export type SqliteMigrationListeners = Omit<MigrationListeners, 'onMigrationWaiting'>

/** One history of migrations in one database. */
export interface MigrationTarget {
  /** @throws `SCHEMA_NEWER`, `SCHEMA_EDITED`. Writes nothing. */
  status(): Promise<MigrationStatus>
  /** Applies what is pending and tells of each on its way; answers the names applied by this call. */
  up(listeners?: MigrationListeners): Promise<readonly string[]>
  close(): Promise<void>
}

/**
 * Proves that what was applied is a beginning of what the package ships, and answers what is left to apply.
 *
 * @param schemaSha256 Hash of the schema as it is in the database now.
 * @throws `SCHEMA_NEWER` when the database knows migrations that the package does not; `SCHEMA_EDITED` when a name, a
 *   hash or the order differs, or when tables were changed by hand since.
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
  // Without a ledger there must be no tables either: somebody lost it, or the tables are not ours.
  if ((ledger.at(-1)?.schemaSha256 ?? emptySchemaSha256) !== schemaSha256) throw new StorageError('SCHEMA_EDITED')
  return shipped.slice(ledger.length)
}
