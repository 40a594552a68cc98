export type { AccessTokenRow, ApiKeyRow, AppDirectory, Grant } from '../app-directory.js'
export type { MigrationListeners, MigrationStep, MigrationWait } from '../migrations/ledger.js'
export type { PortalHolder, PortalSession, PortalSessions } from '../portal-sessions.js'
export type { QueueInspection, QueueState } from '../queue-inspection.js'
export type { RemovedRows, Retention, RetentionPolicy } from '../retention.js'
export { StorageError, type StorageErrorCause, type StorageErrorCode } from '../storage-error.js'
export type { ErasedRows, UserErasure } from '../user-erasure.js'
export type { LatestVerification, VerificationOverview } from '../verification-overview.js'
export type { StoredVault } from '../vault/vault.js'
export type { KeyCheck, VaultInspection, VaultReference } from '../vault/vault-inspection.js'
export { openPostgresAuditLog, type OpenedAuditLog } from './audit-log.js'
export type { PostgresLocation } from './connection.js'
export type { DrizzlePgTransaction, PgTransaction, PostgresTransaction } from './caller-transaction.js'
export {
  createPostgresDeduplicationStore,
  markProcessed,
  type PostgresDeduplicationOptions,
} from './deduplication-store.js'
export { insertEvent } from './insert-event.js'
export { createPostgresStorage, type PostgresStorage, type PostgresStorageOptions } from './storage.js'
export { createPostgresVault, type PostgresVaultOptions } from './vault.js'
