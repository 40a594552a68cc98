export type { AccessTokenRow, ApiKeyRow, AppDirectory, Grant } from '../app-directory.js'
export type { MigrationStep } from '../migrations/ledger.js'
export type { PortalHolder, PortalSession, PortalSessions } from '../portal-sessions.js'
export type { QueueInspection, QueueState } from '../queue-inspection.js'
export type { RemovedRows, Retention, RetentionPolicy } from '../retention.js'
export { StorageError, type StorageErrorCause, type StorageErrorCode } from '../storage-error.js'
export type { ErasedRows, UserErasure } from '../user-erasure.js'
export type { LatestVerification, VerificationOverview } from '../verification-overview.js'
export { openSqliteAuditLog, type OpenedAuditLog } from './audit-log.js'
export type { SqliteLocation } from './connection.js'
export type { SqliteTransaction } from './caller-transaction.js'
export {
  createSqliteDeduplicationStore,
  markProcessed,
  type SqliteDeduplicationOptions,
} from './deduplication-store.js'
export { insertEvent } from './insert-event.js'
export { createSqliteStorage, type SqliteStorage, type SqliteStorageOptions } from './storage.js'
export type { StoredVault } from '../vault/vault.js'
export type { KeyCheck, VaultInspection, VaultReference } from '../vault/vault-inspection.js'
export { createSqliteVault, type SqliteVaultOptions } from './vault.js'
export type { SqliteWebhookStore } from './webhook-store.js'
export type { WorkerLock } from './worker-lock.js'
