export type { AccessTokenRow, ApiKeyRow, AppDirectory, Grant } from '../apps/app-directory.js'
export type { MigrationListeners, MigrationStep, MigrationWait } from '../engine/migrations/ledger.js'
export type { PortalHolder, PortalSession, PortalSessions } from '../portal/portal-sessions.js'
export type { QueueInspection, QueueState } from '../portal/queue-inspection.js'
export type { RemovedRows, Retention, RetentionPolicy } from '../retention/retention.js'
export { StorageError, type StorageErrorCause, type StorageErrorCode } from '../storage-error.js'
export type { ErasedRows, UserErasure } from '../erasure/user-erasure.js'
export type { LatestVerification, VerificationOverview } from '../portal/verification-overview.js'
export type { StoredVault } from '../vault/vault.js'
export type { KeyCheck, VaultInspection, VaultReference } from '../vault/vault-inspection.js'
export { openPostgresAuditLog, type OpenedAuditLog } from '../audit/log.postgres.js'
export type { PostgresLocation } from '../engine/postgres/pool.js'
export type { DrizzlePgTransaction, PgTransaction, PostgresTransaction } from '../engine/postgres/caller-transaction.js'
export {
  createPostgresDeduplicationStore,
  markProcessed,
  type PostgresDeduplicationOptions,
} from '../receiver/store.postgres.js'
export { insertEvent } from '../webhooks/insert-event.postgres.js'
export { createPostgresStorage, type PostgresStorage, type PostgresStorageOptions } from './storage.js'
export { createPostgresVault, type PostgresVaultOptions } from '../vault/store.postgres.js'
