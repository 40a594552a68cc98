export type { OwnTables } from '../engine/migrations/migration-files.js'
export type { Retention } from '../retention/retention.js'
export { StorageError, type StorageErrorCode } from '../storage-error.js'
export type { ErasedRows, UserErasure } from '../erasure/user-erasure.js'
export type {
  UserAccess,
  UserEvent,
  UserRecords,
  UserRecordsPage,
  UserTransaction,
} from '../user-records/user-records.js'
export type { ClosedUser, UserRetention, UserRetentionState } from '../user-retention/user-retention.js'
export { openSqliteAuditLog } from '../audit/log.sqlite.js'
export type { SqliteTransaction } from '../engine/sqlite/caller-transaction.js'
export {
  createSqliteDeduplicationStore,
  markProcessed,
  type SqliteDeduplicationOptions,
} from '../receiver/store.sqlite.js'
export { insertEvent } from '../webhooks/insert-event.sqlite.js'
export {
  createSqliteStorage,
  type SqliteOwnDatabase,
  type SqliteStorage,
  type SqliteStorageOptions,
} from './storage.js'
export type { StoredVault } from '../vault/vault.js'
export type { KeyCheck, VaultReference } from '../vault/vault-inspection.js'
export { sqliteNeedsKeys } from '../vault/used-keys.sqlite.js'
export { createSqliteVault, type SqliteVaultOptions } from '../vault/store.sqlite.js'
