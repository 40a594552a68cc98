import { randomBytes as cryptoRandomBytes, randomUUID } from 'node:crypto'
import type { AuditLog, AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { InsertedEvent } from '@kyc-relay/webhooks/internal'
import type { KycStatusCorrections } from '@kyc-relay/kyc-core/internal'
import type { PhotoJobStore } from '@kyc-relay/kyc-core/photos'
import type { KycStatusOutbox, VerificationStore } from '@kyc-relay/kyc-core'
import type { FeedStore, PreparedEvent, RecoveryStore, TransactionStore } from '@kyc-relay/webhooks/delivery'
import type { AppDirectory } from '../apps/app-directory.js'
import type { SqliteMigrationListeners } from '../engine/migrations/ledger.js'
import type { OwnTables } from '../engine/migrations/migration-files.js'
import { StorageError } from '../storage-error.js'
import type { Retention } from '../retention/retention.js'
import type { UserErasure } from '../erasure/user-erasure.js'
import type { UserRecords } from '../user-records/user-records.js'
import type { UserRetention } from '../user-retention/user-retention.js'
import { openAuditChain } from '../audit/chain.sqlite.js'
import { createAuditLog } from '../audit/log.sqlite.js'
import { createAppDirectory } from '../apps/directory.sqlite.js'
import type { SqliteTransaction } from '../engine/sqlite/caller-transaction.js'
import { openDatabase } from '../engine/sqlite/open-database.js'
import { type DrizzleDatabase, read } from '../engine/sqlite/statement.js'
import type { SqliteLocation } from '../engine/sqlite/open.js'
import { watchFailures } from '../engine/sqlite/failure-watch.js'
import { createPhotoJobStore } from '../photos/store.sqlite.js'
import { createStatusCorrections } from '../verifications/status-corrections.sqlite.js'
import { createStatusOutbox } from '../verifications/status-outbox.sqlite.js'
import { createVerificationStore } from '../verifications/store.sqlite.js'
import { createTryWrite } from '../engine/sqlite/readiness.js'
import { insertEvent } from '../webhooks/insert-event.sqlite.js'
import { createFeedStore } from '../webhooks/feed.sqlite.js'
import type { EndpointHeadersStore } from '../webhooks/sealed-headers.js'
import { createEndpointHeadersStore } from '../webhooks/sealed-headers.sqlite.js'
import { createRecoveryStore } from '../webhooks/recoveries.sqlite.js'
import { createTransactionStore } from '../webhooks/transactions.sqlite.js'
import { createRetention } from '../retention/retention.sqlite.js'
import { createUserErasure } from '../erasure/user-erasure.sqlite.js'
import { createUserRecords } from '../user-records/user-records.sqlite.js'
import { createUserRetention } from '../user-retention/store.sqlite.js'
import { createWebhookStore, type SqliteWebhookStore } from '../webhooks/store.sqlite.js'
import { checkOptions } from '../check-options.js'
import { lockWorker, type WorkerLock } from '../engine/sqlite/worker-lock.js'
import { runOwnWrites } from '../engine/sqlite/own-writes.js'

/** Options of {@link createSqliteStorage}. */
export interface SqliteStorageOptions extends SqliteMigrationListeners {
  /**
   * Seal of the audit log, for example `createLocalAuditSeal` of `@kyc-relay/kyc-core/node`. With it, the store records
   * these events in a keyed hash chain, in the same transaction: verifications, erasures, issued access tokens,
   * sign-ins, and changes of grants, API keys and endpoints. Every process that writes to the database needs it then.
   * Default: no audit log.
   */
  readonly audit?: AuditSeal
  /** The store's clock, for leases and due times. Default: the system clock. */
  readonly clock?: () => Date
  /** Creates unique fence tokens. Default: random UUIDs. */
  readonly newToken?: () => string
  /** Cryptographic randomness for the keys that an erasure destroys. Default: `node:crypto`. */
  readonly randomBytes?: (size: number) => Uint8Array
  /** True to keep each change of a KYC status in `statusOutbox` until its event is published. Default: false. */
  readonly kycStatusEvents?: boolean
  /**
   * `apply` migrates at the start; `require` refuses to start on a schema that is not up to date, for deployments that
   * migrate with `kyc-relay-migrate up`. Default: `apply`.
   */
  readonly migrations?: 'apply' | 'require'
  /**
   * Tables of your own in the same file, for `database`. Their migrations are applied, or required, after those of the
   * stores. Default: none.
   */
  readonly ownTables?: OwnTables
  /**
   * Largest database file, in bytes, that is checked for damage before use (`PRAGMA quick_check`). With the default
   * this delays the start by at most 0.5 s. 0 disables the check. For a file given by `path`. Default: 256 MiB.
   */
  readonly checkUpToBytes?: number
  /**
   * Called once when a write or read found the disk or the file damaged (`STORE_FAILED`), or when the file or its WAL
   * was removed or replaced (`FILES_REPLACED`). Every later write is refused. End the process; the next one recovers
   * all commits. Default: no call.
   */
  readonly onFailure?: (error: StorageError) => void
}

/** Runs queries of your own on the connection of the stores: on your own tables, and to read those of the stores. */
export interface SqliteOwnDatabase {
  /** Runs reads. They see all writes that have resolved. */
  read<T>(work: (db: DrizzleDatabase) => T): Promise<T>
  /**
   * Runs writes in one transaction, with those of the stores. Resolves once it is durable; on an error nothing of `work`
   * is written. What `work` itself throws is thrown unchanged. `work` is synchronous and may run twice, with the first run
   * undone.
   *
   * @throws StorageError `STATEMENT_REFUSED` for wrong SQL or a missing table or column
   */
  write<T>(work: (db: DrizzleDatabase) => T): Promise<T>
}

/** The stores of one SQLite database. Their writes share commits. */
export interface SqliteStorage {
  readonly verifications: VerificationStore
  /** Changes of KYC statuses to publish; empty without `kycStatusEvents`. */
  readonly statusOutbox: KycStatusOutbox
  /** Corrections of KYC statuses by operators. */
  readonly corrections: KycStatusCorrections
  readonly photoJobs: PhotoJobStore
  readonly webhooks: SqliteWebhookStore
  readonly apps: AppDirectory
  readonly transactions: TransactionStore
  readonly recoveries: RecoveryStore
  readonly feed: FeedStore
  /** Static headers of endpoints, for the rotation of the key that seals them. */
  readonly endpointHeaders: EndpointHeadersStore
  readonly users: UserErasure
  readonly userRetention: UserRetention
  readonly userRecords: UserRecords
  readonly retention: Retention
  readonly database: SqliteOwnDatabase
  /** Writes an event in a transaction of the caller: `insertEvent` of this module with the clock of the stores. */
  readonly insertEvent: (tx: SqliteTransaction, prepared: PreparedEvent) => InsertedEvent
  /** A transaction of better-sqlite3 waits for no promise. */
  readonly synchronousTransactions: true
  /** The audit log, for verification and checkpoints; null without `audit`. */
  readonly audit: AuditLog | null
  /**
   * Makes this process the delivery worker of the file and ends the leases of a former one. Attempts of the former
   * worker can then be recorded as `INTERRUPTED` at once.
   *
   * @throws StorageError `WORKER_LOCKED` while another worker runs on the same file.
   */
  acquireWorkerLock(): Promise<WorkerLock>
  /**
   * Tests whether the database accepts writes, for a readiness check. Writes one dedicated row and resolves after the
   * commit. Call it at most once a second.
   *
   * @throws StorageError with the reason why the database refuses writes
   */
  tryWrite(): Promise<void>
  /** Runs queued writes, releases the worker lock, and closes a file that the store opened. */
  close(): Promise<void>
}

/**
 * Opens the stores on a SQLite database and creates it if missing. It applies migrations before it resolves.
 *
 * The database uses WAL with `synchronous=FULL`. Every write runs in `BEGIN IMMEDIATE` and resolves only after its
 * commit; concurrent writes share a commit. While a transaction of the caller is open on the same connection, writes
 * are refused with `TRANSACTION_OPEN`: use `insertEvent(tx, prepared)` there.
 *
 * A damaged file given by `path`, or one that has lost commits, is refused and not changed. A small file with the
 * suffix `.commits` in the same folder holds the number of commits.
 *
 * @throws StorageError `DATABASE_UNUSABLE` for a path in no folder, or without the right, `COMMITS_MISSING`,
 *   `DATABASE_DAMAGED`, `STORE_FAILED`, `SCHEMA_NEWER`, `SCHEMA_EDITED`, `SCHEMA_OUTDATED`, `STATEMENT_REFUSED`,
 *   `STORE_UNAVAILABLE`, `DURABILITY_NOT_GUARANTEED`, `MIGRATIONS_NOT_FOUND`, `ARGUMENT_INVALID` for
 *   an unknown or wrong option
 *
 * @example
 * ```ts
 * import { createSqliteStorage } from '@kyc-relay/storage-drizzle/sqlite'
 *
 * const storage = await createSqliteStorage({ path: 'data/kyc.db' })
 * console.log(await storage.verifications.findKycStatus('0198c0de-0000-7000-8000-00000000b001'))
 * await storage.close()
 * ```
 */
export async function createSqliteStorage(
  location: SqliteLocation,
  options: SqliteStorageOptions = {},
): Promise<SqliteStorage> {
  return openStorage(location, options)
}

function openStorage(location: SqliteLocation, options: SqliteStorageOptions): SqliteStorage {
  checkOptions(options)
  const { clock = () => new Date(), newToken = randomUUID, randomBytes = cryptoRandomBytes, audit: seal } = options
  const statusEvents = options.kycStatusEvents === true
  const database = openDatabase(location, {
    ...options,
    history: 'sqlite',
    clock,
    start: (client, commits) =>
      seal === undefined ? null : openAuditChain(client, 'stores', { seal, commits, now: clock }),
  })
  const { client, db, commits, checkpoints, started: audit } = database
  const watched = <Port extends object>(port: Port): Port => watchFailures(port, commits.fail)
  const webhooks = watched(createWebhookStore({ client, db, commits, clock, newToken, audit }))
  let heldLock: { release(): void } | null = null

  /** Does nothing for a lock that was released before: a later one may be held. */
  function releaseLock(lock: typeof heldLock): void {
    if (lock === null || lock !== heldLock) return
    lock.release()
    heldLock = null
  }

  return {
    verifications: watched(createVerificationStore({ client, db, commits, audit, statusEvents, randomBytes })),
    statusOutbox: watched(createStatusOutbox({ db, commits })),
    corrections: watched(createStatusCorrections({ client, db, commits, audit, statusEvents })),
    photoJobs: watched(createPhotoJobStore({ db, commits, clock, newToken, audit })),
    webhooks,
    apps: watched(createAppDirectory({ client, db, commits, audit, clock })),
    transactions: watched(createTransactionStore({ db, commits, clock })),
    recoveries: watched(createRecoveryStore({ db, commits, clock })),
    feed: watched(createFeedStore({ client, db })),
    endpointHeaders: watched(createEndpointHeadersStore({ db, commits })),
    users: watched(createUserErasure({ db, commits, checkpoints, clock, audit })),
    userRetention: watched(createUserRetention({ db, commits, clock, audit })),
    userRecords: watched(createUserRecords({ db, commits, clock, audit })),
    retention: watched(createRetention({ db, commits, clock })),
    database: watched<SqliteOwnDatabase>({
      read: (work) => read(() => work(db)),
      write: (work) => runOwnWrites({ db, commits }, work),
    }),
    insertEvent: (tx, prepared) => insertEvent(tx, prepared, clock()),
    synchronousTransactions: true,
    audit: audit === null ? null : watched(createAuditLog(client, 'stores', audit.seal)),
    tryWrite: createTryWrite(client, commits, { part: 'stores', clock }),
    async acquireWorkerLock() {
      if (heldLock !== null) throw new StorageError('WORKER_LOCKED')
      // A database in memory belongs to this process only.
      const lock = client.memory ? { release: () => undefined } : lockWorker(client.name)
      heldLock = lock
      try {
        await webhooks.voidLeases()
      } catch (error) {
        releaseLock(lock)
        throw error
      }
      return {
        release() {
          releaseLock(lock)
          return Promise.resolve()
        },
      }
    },
    async close() {
      try {
        await database.close()
      } finally {
        releaseLock(heldLock)
      }
    },
  }
}
