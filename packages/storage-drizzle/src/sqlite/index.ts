export type { AccessTokenRow, ApiKeyRow, AppDirectory, Grant } from '../apps/app-directory.js'
export type {
  MigrationListeners,
  MigrationStep,
  MigrationWait,
  SqliteMigrationListeners,
} from '../engine/migrations/ledger.js'
export type { PortalHolder, PortalSession, PortalSessions } from '../portal/portal-sessions.js'
export type { QueueInspection, QueueState } from '../portal/queue-inspection.js'
export type { RemovedRows, Retention, RetentionPolicy } from '../retention/retention.js'
export { StorageError, type StorageErrorCause, type StorageErrorCode } from '../storage-error.js'
export type { ErasedRows, UserErasure } from '../erasure/user-erasure.js'
export type { LatestVerification, VerificationOverview } from '../portal/verification-overview.js'
export { openSqliteAuditLog, type OpenedAuditLog } from '../audit/log.sqlite.js'
export type { SqliteLocation } from '../engine/sqlite/open.js'
export type { SqliteTransaction } from '../engine/sqlite/caller-transaction.js'
export {
  createSqliteDeduplicationStore,
  markProcessed,
  type SqliteDeduplicationOptions,
} from '../receiver/store.sqlite.js'
export { insertEvent } from '../webhooks/insert-event.sqlite.js'
export { createSqliteStorage, type SqliteStorage, type SqliteStorageOptions } from './storage.js'
export type { StoredVault } from '../vault/vault.js'
export type { KeyCheck, VaultInspection, VaultReference } from '../vault/vault-inspection.js'
export { createSqliteVault, type SqliteVaultOptions } from '../vault/store.sqlite.js'
export type { SqliteWebhookStore } from '../webhooks/store.sqlite.js'
export type { WorkerLock } from '../engine/sqlite/worker-lock.js'
