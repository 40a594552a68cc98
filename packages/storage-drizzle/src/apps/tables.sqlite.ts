import { blob, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

// Columns as migrations/sqlite/*.sql makes them; instants are milliseconds since 1970 in UTC.

export const apps = sqliteTable('kyc_relay_apps', {
  appId: text('app_id').primaryKey(),
  name: text('name').notNull(),
})

export const apiKeys = sqliteTable(
  'kyc_relay_api_keys',
  {
    appId: text('app_id').notNull(),
    version: integer('version').notNull(),
    hash: blob('hash', { mode: 'buffer' }).notNull(),
    sealed: blob('sealed', { mode: 'buffer' }).notNull(),
    createdAt: integer('created_at').notNull(),
    signsFrom: integer('signs_from').notNull(),
    retiredAt: integer('retired_at'),
    /** What the operator gave as the reason. */
    issuedReason: text('issued_reason'),
    revokedReason: text('revoked_reason'),
  },
  (table) => [primaryKey({ columns: [table.appId, table.version] })],
)

export const grants = sqliteTable(
  'kyc_relay_grants',
  {
    appId: text('app_id').notNull(),
    userId: text('user_id').notNull(),
    accountId: text('account_id').notNull(),
    externalReferenceId: text('external_reference_id').notNull(),
    /** JSON array. */
    scopes: text('scopes').notNull(),
  },
  (table) => [primaryKey({ columns: [table.appId, table.userId] })],
)

export const revokedGrants = sqliteTable(
  'kyc_relay_revoked_grants',
  {
    appId: text('app_id').notNull(),
    userId: text('user_id').notNull(),
    revokedAt: integer('revoked_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.appId, table.userId] })],
)

export const accessTokens = sqliteTable('kyc_relay_access_tokens', {
  hash: blob('hash', { mode: 'buffer' }).primaryKey(),
  appId: text('app_id').notNull(),
  userId: text('user_id').notNull(),
  /** JSON array. */
  scopes: text('scopes').notNull(),
  expiresAt: integer('expires_at').notNull(),
})
