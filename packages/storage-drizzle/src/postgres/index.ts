export type { OwnTables } from '../engine/migrations/migration-files.js'
export type { MigrationListeners } from '../engine/migrations/ledger.js'
export { StorageError, type StorageErrorCode } from '../storage-error.js'
export type { StoredVault } from '../vault/vault.js'
export { openPostgresAuditLog } from '../audit/log.postgres.js'
export type { PostgresTransaction } from '../engine/postgres/caller-transaction.js'
export {
  createPostgresDeduplicationStore,
  markProcessed,
  type PostgresDeduplicationOptions,
} from '../receiver/store.postgres.js'
export { insertEvent } from '../webhooks/insert-event.postgres.js'
export {
  createPostgresStorage,
  type PostgresOwnDatabase,
  type PostgresStorage,
  type PostgresStorageOptions,
} from './storage.js'
export { postgresNeedsKeys } from '../vault/used-keys.postgres.js'
export { createPostgresVault, type PostgresVaultOptions } from '../vault/store.postgres.js'
