import { randomUUID } from 'node:crypto'
import type { AuditLog, AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { PhotoJobStore } from '@kyc-relay/kyc-core/photos'
import type { VerificationStore } from '@kyc-relay/kyc-core'
import type { TransactionStore } from '@kyc-relay/webhooks/delivery'
import type { AppDirectory } from '../apps/app-directory.js'
import type { SqliteMigrationListeners } from '../engine/migrations/ledger.js'
import { StorageError } from '../storage-error.js'
import type { PortalSessions } from '../portal/portal-sessions.js'
import type { QueueInspection } from '../portal/queue-inspection.js'
import type { Retention } from '../retention/retention.js'
import type { UserErasure } from '../erasure/user-erasure.js'
import type { VerificationOverview } from '../portal/verification-overview.js'
import { openAuditChain } from '../audit/chain.sqlite.js'
import { createAuditLog } from '../audit/log.sqlite.js'
import { createAppDirectory } from '../apps/directory.sqlite.js'
import { openDatabase } from '../engine/sqlite/open-database.js'
import type { SqliteLocation } from '../engine/sqlite/open.js'
import { watchFailures } from '../engine/sqlite/failure-watch.js'
import { createPortalSessions } from '../portal/sessions.sqlite.js'
import { createPhotoJobStore } from '../photos/store.sqlite.js'
import { createQueueInspection } from '../portal/queue-inspection.sqlite.js'
import { createVerificationOverview } from '../portal/verification-overview.sqlite.js'
import { createVerificationStore } from '../verifications/store.sqlite.js'
import { createTryWrite } from '../engine/sqlite/readiness.js'
import { createTransactionStore } from '../webhooks/transactions.sqlite.js'
import { createRetention } from '../retention/retention.sqlite.js'
import { createUserErasure } from '../erasure/user-erasure.sqlite.js'
import { createWebhookStore, type SqliteWebhookStore } from '../webhooks/store.sqlite.js'
import { lockWorker, type WorkerLock } from '../engine/sqlite/worker-lock.js'

/** Options of {@link createSqliteStorage}. */
export interface SqliteStorageOptions extends SqliteMigrationListeners {
  /**
   * Writes each verification, erasure, issued access token, sign-in and change of a grant, an API key or an endpoint into an audit log of keyed hash
   * chains, in the same transaction: for example
   * `createLocalAuditSeal` of `@kyc-relay/kyc-core/node`. Every process that writes to the database needs it then. Default:
   * no audit log.
   */
  readonly audit?: AuditSeal
  /** The store's clock, for leases and due times. Default: the system clock. */
  readonly clock?: () => Date
  /** Makes fence tokens; never the same twice. Default: random UUIDs. */
  readonly newToken?: () => string
  /**
   * `apply` migrates at the start; `require` refuses to start on a schema that is not up to date, for deployments that
   * migrate with `kyc-relay-migrate up`. Default: `apply`.
   */
  readonly migrations?: 'apply' | 'require'
  /**
   * Largest database file, in bytes, that is read from end to end for damage before it is used (`PRAGMA quick_check`),
   * which delays the start by half a second at most then. 0 never reads. For a file given by `path`. Default: 256 MiB.
   */
  readonly checkUpToBytes?: number
  /**
   * Called once when the disk or the file failed (`STORE_FAILED`), met by a write or by a read, or when the file or its
   * WAL was removed or replaced (`FILES_REPLACED`). From then on every write is refused: end the
   * process, the next one recovers what was committed. Default: nothing.
   */
  readonly onFailure?: (error: StorageError) => void
}

/** The stores of one SQLite database. Writes of all of them share commits. */
export interface SqliteStorage {
  readonly verifications: VerificationStore
  readonly photoJobs: PhotoJobStore
  readonly webhooks: SqliteWebhookStore
  readonly apps: AppDirectory
  readonly transactions: TransactionStore
  readonly portalSessions: PortalSessions
  readonly users: UserErasure
  readonly retention: Retention
  readonly queue: QueueInspection
  readonly overview: VerificationOverview
  /** The audit log, to be verified and witnessed; null without `audit`. */
  readonly audit: AuditLog | null
  /**
   * Makes this process the one that runs the delivery worker, and ends the leases that a former one left behind: their
   * attempts can be recorded as `INTERRUPTED` at once instead of after the lease.
   *
   * @throws StorageError `WORKER_LOCKED` while another worker runs on the same file.
   */
  acquireWorkerLock(): Promise<WorkerLock>
  /**
   * Writes one row that is there for it, and resolves once that is committed: for a readiness check, since a database
   * that only reads answers everything else. Ask at most once a second.
   *
   * @throws StorageError what keeps the database from being written to
   */
  tryWrite(): Promise<void>
  /** Writes what is queued, gives back the worker lock and closes a file that the store opened. */
  close(): Promise<void>
}

/**
 * Opens (and makes, if missing) a SQLite database behind the ports of kyc-relay. Migrations are applied before it
 * resolves.
 *
 * WAL with `synchronous=FULL`; every write runs in `BEGIN IMMEDIATE` and resolves only after the commit that holds it;
 * writes of concurrent callers share a commit. A write is refused with `TRANSACTION_OPEN` while a transaction of the
 * caller is open on the same connection: use `insertEvent(tx, prepared)` there.
 *
 * A file given by `path` is refused, unchanged, when it is damaged or lacks commits that were made: a small file beside it
 * whose name ends in `.commits` remembers how many there were.
 *
 * @throws StorageError `COMMITS_MISSING`, `DATABASE_DAMAGED`, `STORE_FAILED`, `SCHEMA_NEWER`, `SCHEMA_EDITED`, `SCHEMA_OUTDATED`, `STORE_UNAVAILABLE`,
 *   `DURABILITY_NOT_GUARANTEED`, `MIGRATIONS_NOT_FOUND`
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
export function createSqliteStorage(
  location: SqliteLocation,
  options: SqliteStorageOptions = {},
): Promise<SqliteStorage> {
  return new Promise((resolve) => resolve(openStorage(location, options)))
}

function openStorage(location: SqliteLocation, options: SqliteStorageOptions): SqliteStorage {
  const { clock = () => new Date(), newToken = randomUUID, audit: seal } = options
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

  function releaseLock(): void {
    heldLock?.release()
    heldLock = null
  }

  return {
    verifications: watched(createVerificationStore({ client, db, commits, audit })),
    photoJobs: watched(createPhotoJobStore({ db, commits, clock, newToken })),
    webhooks,
    apps: watched(createAppDirectory({ client, db, commits, audit, clock })),
    transactions: watched(createTransactionStore({ db, commits, clock })),
    portalSessions: watched(createPortalSessions({ client, commits, clock, audit })),
    users: watched(createUserErasure({ db, commits, checkpoints, clock, audit })),
    retention: watched(createRetention({ db, commits, clock })),
    queue: watched(createQueueInspection(db, clock)),
    overview: watched(createVerificationOverview(db)),
    audit: audit === null ? null : watched(createAuditLog(client, 'stores', audit.seal)),
    tryWrite: createTryWrite(client, commits, { part: 'stores', clock }),
    async acquireWorkerLock() {
      if (heldLock !== null) throw new StorageError('WORKER_LOCKED')
      // A database in memory is this process's alone.
      heldLock = client.memory ? { release: () => undefined } : lockWorker(client.name)
      try {
        await webhooks.voidLeases()
      } catch (error) {
        releaseLock()
        throw error
      }
      return {
        release() {
          releaseLock()
          return Promise.resolve()
        },
      }
    },
    async close() {
      try {
        await database.close()
      } finally {
        releaseLock()
      }
    },
  }
}
