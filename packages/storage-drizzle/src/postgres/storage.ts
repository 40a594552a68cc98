import { randomBytes as cryptoRandomBytes, randomUUID } from 'node:crypto'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { AuditLog, AuditSeal } from '@kyc-relay/kyc-core/audit'
import type { InsertedEvent } from '@kyc-relay/webhooks/internal'
import type { KycStatusCorrections } from '@kyc-relay/kyc-core/internal'
import type { PhotoJobStore } from '@kyc-relay/kyc-core/photos'
import type { KycStatusOutbox, VerificationStore } from '@kyc-relay/kyc-core'
import type {
  FeedStore,
  PreparedEvent,
  RecoveryStore,
  TransactionStore,
  WebhookStore,
} from '@kyc-relay/webhooks/delivery'
import type { AppDirectory } from '../apps/app-directory.js'
import type { MigrationListeners } from '../engine/migrations/ledger.js'
import type { OwnTables } from '../engine/migrations/migration-files.js'
import type { Retention } from '../retention/retention.js'
import type { UserErasure } from '../erasure/user-erasure.js'
import type { UserRecords } from '../user-records/user-records.js'
import type { UserRetention } from '../user-retention/user-retention.js'
import { openAuditChain, type AuditChain } from '../audit/chain.postgres.js'
import { createAuditLog } from '../audit/log.postgres.js'
import { createAppDirectory } from '../apps/directory.postgres.js'
import type { PostgresTransaction } from '../engine/postgres/caller-transaction.js'
import { openConnection, type PostgresLocation } from '../engine/postgres/pool.js'
import { createDatabase, poolWithoutNames } from '../engine/postgres/database.js'
import { createLocalNotifications } from '../engine/due-notifications.js'
import { createDueNotifications } from '../engine/postgres/notifications.js'
import { migrate, requireMigrated } from '../engine/postgres/migrate.js'
import { runOwnWrites } from '../engine/postgres/own-writes.js'
import { queryBuilder } from '../engine/postgres/statement.js'
import { createPhotoJobStore } from '../photos/store.postgres.js'
import { tryWrite } from '../engine/postgres/readiness.js'
import { insertEvent } from '../webhooks/insert-event.postgres.js'
import { createFeedStore } from '../webhooks/feed.postgres.js'
import type { EndpointHeadersStore } from '../webhooks/sealed-headers.js'
import { createEndpointHeadersStore } from '../webhooks/sealed-headers.postgres.js'
import { createRecoveryStore } from '../webhooks/recoveries.postgres.js'
import { createTransactionStore } from '../webhooks/transactions.postgres.js'
import { createRetention } from '../retention/retention.postgres.js'
import { createUserErasure } from '../erasure/user-erasure.postgres.js'
import { createUserRecords } from '../user-records/user-records.postgres.js'
import { createUserRetention } from '../user-retention/store.postgres.js'
import { createStatusCorrections } from '../verifications/status-corrections.postgres.js'
import { createStatusOutbox } from '../verifications/status-outbox.postgres.js'
import { checkOptions } from '../check-options.js'
import { createVerificationStore } from '../verifications/store.postgres.js'
import { createWebhookStore } from '../webhooks/store.postgres.js'

/** Options of {@link createPostgresStorage}. */
export interface PostgresStorageOptions extends MigrationListeners {
  /**
   * Seal of the audit log, for example `createLocalAuditSeal` of `@kyc-relay/kyc-core/node`. With it, the store records
   * these events in keyed hash chains, in the same transaction: verifications, erasures, issued access tokens,
   * sign-ins, and changes of grants, API keys and endpoints. Every process that writes to the database needs it then.
   * Default: no audit log.
   */
  readonly audit?: AuditSeal
  /** Replaces the database's clock, which all processes share. For tests. */
  readonly clock?: () => Date
  /** Creates unique fence tokens. Default: random UUIDs. */
  readonly newToken?: () => string
  /** Cryptographic randomness for the keys that an erasure destroys. Default: `node:crypto`. */
  readonly randomBytes?: (size: number) => Uint8Array
  /**
   * Wakes the workers of other processes with `NOTIFY`. Polling is sufficient without it; set it to false to save the
   * listening connection. Default: true; always false with `transactionPooler`.
   */
  readonly notify?: boolean
  /**
   * True to make each write and each lock of one app or one user, as a PostgreSQL needs it that distributes the tables
   * over nodes (docs/scaling.md says how far that is tested). Claims and results are then one transaction for
   * each app, and a failure may leave those of some apps written. The clock is that of this process: keep the clocks of
   * all processes together. Default: false.
   */
  readonly distributed?: boolean
  /** True to keep each change of a KYC status in `statusOutbox` until its event is published. Default: false. */
  readonly kycStatusEvents?: boolean
  /**
   * `apply` migrates at the start; `require` refuses to start on a schema that is not up to date, for deployments that
   * migrate with `kyc-relay-migrate up`. Default: `apply`.
   */
  readonly migrations?: 'apply' | 'require'
  /**
   * Tables of your own in the same schema, for `database`. Their migrations are applied, or required, after those of the
   * stores. Default: none.
   */
  readonly ownTables?: OwnTables
}

/** Runs queries of your own on the pool of the stores: on your own tables, and to read those of the stores. */
export interface PostgresOwnDatabase {
  /** Runs reads, each on any connection of the pool. */
  read<T>(work: (db: NodePgDatabase) => Promise<T>): Promise<T>
  /**
   * Runs one transaction at READ COMMITTED. On an error nothing is written; what `work` itself throws is thrown unchanged.
   * After a serialization failure or a deadlock `work` runs again, up to three times.
   *
   * @throws StorageError `STATEMENT_REFUSED` for wrong SQL, `SCHEMA_OUTDATED` for a missing table or column
   */
  write<T>(work: (db: NodePgDatabase) => Promise<T>): Promise<T>
}

/** The stores of one PostgreSQL database. Any number of processes may open it. */
export interface PostgresStorage {
  readonly verifications: VerificationStore
  /** Changes of KYC statuses to publish; empty without `kycStatusEvents`. */
  readonly statusOutbox: KycStatusOutbox
  /** Corrections of KYC statuses by operators. */
  readonly corrections: KycStatusCorrections
  readonly photoJobs: PhotoJobStore
  readonly webhooks: Required<WebhookStore>
  readonly recoveries: RecoveryStore
  readonly feed: FeedStore
  /** Static headers of endpoints, for the rotation of the key that seals them. */
  readonly endpointHeaders: EndpointHeadersStore
  readonly apps: AppDirectory
  readonly transactions: TransactionStore
  readonly users: UserErasure
  readonly userRetention: UserRetention
  readonly userRecords: UserRecords
  readonly retention: Retention
  readonly database: PostgresOwnDatabase
  /** Writes an event in a transaction of the caller: `insertEvent` of this module with the clock of the stores. */
  readonly insertEvent: (tx: PostgresTransaction, prepared: PreparedEvent) => Promise<InsertedEvent>
  /** The audit log, for verification and checkpoints; null without `audit`. */
  readonly audit: AuditLog | null
  /**
   * Tests whether the database accepts writes, for a readiness check. Writes one dedicated row and resolves after the
   * commit. Call it at most once a second.
   *
   * @throws StorageError with the reason why the database refuses writes
   */
  tryWrite(): Promise<void>
  /** Closes the listening connection, and the pool if the store created it. */
  close(): Promise<void>
}

/**
 * Opens the stores on a PostgreSQL database (14 or newer). It applies migrations before it resolves.
 *
 * Transactions are retried up to three times after serialization failures and deadlocks; every other error has a code.
 * The database's clock decides what is due, for all processes.
 *
 * @throws StorageError `DATABASE_UNUSABLE` for a wrong setting, with its `cause`; `STORE_UNAVAILABLE`; `SCHEMA_NEWER`,
 *   `SCHEMA_EDITED`, `SCHEMA_OUTDATED`, `STATEMENT_REFUSED`, `MIGRATIONS_NOT_FOUND`; `DURABILITY_NOT_GUARANTEED` for a
 *   standby or with `synchronous_commit` off or local; `ARGUMENT_INVALID` for an unknown or wrong option
 *
 * @example
 * ```ts
 * import { createPostgresStorage } from '@kyc-relay/storage-drizzle/postgres'
 *
 * const storage = await createPostgresStorage({ connectionString: 'postgres://kyc@localhost/kyc' })
 * console.log(await storage.verifications.findKycStatus('0198c0de-0000-7000-8000-00000000b001'))
 * await storage.close()
 * ```
 */
export async function createPostgresStorage(
  location: PostgresLocation,
  options: PostgresStorageOptions = {},
): Promise<PostgresStorage> {
  checkOptions(options)
  const { clock, newToken = randomUUID, randomBytes = cryptoRandomBytes } = options
  const { notify = true, migrations = 'apply', ownTables, distributed = false } = options
  const statusEvents = options.kycStatusEvents === true
  const histories = ownTables === undefined ? (['postgres'] as const) : (['postgres', ownTables] as const)
  const connection = await openConnection(location)
  const { pool, transactionPooler, close } = connection
  const database = createDatabase(pool, connection)
  // No statement on several nodes may ask a clock.
  const instant = () => clock?.() ?? (distributed ? new Date() : null)
  let audit: AuditChain | null = null
  try {
    for (const history of histories) {
      if (migrations === 'require') await requireMigrated(pool, history, options)
      else await migrate(connection, history, options)
    }
    if (options.audit !== undefined) audit = await openAuditChain(database, 'stores', { seal: options.audit, instant })
  } catch (error) {
    await close()
    throw error
  }
  const db = drizzle({ client: transactionPooler ? poolWithoutNames(pool) : pool })
  const notifications = notify && !transactionPooler ? createDueNotifications(connection) : createLocalNotifications()
  return {
    verifications: createVerificationStore(db, database, { audit, statusEvents, randomBytes }),
    statusOutbox: createStatusOutbox({ database }),
    corrections: createStatusCorrections({ database, audit, statusEvents }),
    photoJobs: createPhotoJobStore({ database, instant, newToken, audit }),
    recoveries: createRecoveryStore({ database, notifications, instant }),
    feed: createFeedStore({ database }),
    endpointHeaders: createEndpointHeadersStore({ database }),
    webhooks: createWebhookStore({ db, database, notifications, instant, newToken, audit, distributed }),
    apps: createAppDirectory({ db, database, audit, instant }),
    transactions: createTransactionStore({ database, notifications, instant }),
    users: createUserErasure({ database, instant, audit }),
    userRetention: createUserRetention({ database, instant, audit }),
    userRecords: createUserRecords({ database, audit }),
    retention: createRetention({ database, distributed, instant }),
    database: {
      read: (work) => database.run((on) => work(queryBuilder(on))),
      write: (work) => runOwnWrites(database, work),
    },
    insertEvent: (tx, prepared) => insertEvent(tx, prepared, instant()),
    audit: audit === null ? null : createAuditLog(database, 'stores', audit.seal),
    tryWrite: () => tryWrite(database, 'stores'),
    async close() {
      await notifications.close()
      await close()
    },
  }
}
