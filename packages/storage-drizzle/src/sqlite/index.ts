export type { ApiKeyRow, AppDirectory } from '../apps/app-directory.js'
export type { PortalHolder, PortalSessions } from '../portal/portal-sessions.js'
export type { QueueInspection } from '../portal/queue-inspection.js'
export type { Retention } from '../retention/retention.js'
export { StorageError, type StorageErrorCode } from '../storage-error.js'
export type { ErasedRows, UserErasure } from '../erasure/user-erasure.js'
export type { LatestVerification, VerificationOverview } from '../portal/verification-overview.js'
export { openSqliteAuditLog } from '../audit/log.sqlite.js'
export type { SqliteTransaction } from '../engine/sqlite/caller-transaction.js'
export {
  createSqliteDeduplicationStore,
  markProcessed,
  type SqliteDeduplicationOptions,
} from '../receiver/store.sqlite.js'
export { insertEvent } from '../webhooks/insert-event.sqlite.js'
export { createSqliteStorage, type SqliteStorage, type SqliteStorageOptions } from './storage.js'
export type { StoredVault } from '../vault/vault.js'
export type { KeyCheck } from '../vault/vault-inspection.js'
export { createSqliteVault, type SqliteVaultOptions } from '../vault/store.sqlite.js'
