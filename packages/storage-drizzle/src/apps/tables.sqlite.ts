import { foreignKey, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { atLeast, bytes, instant } from '../engine/sqlite/columns.js'

export const apps = sqliteTable('kyc_relay_apps', {
  appId: text('app_id').primaryKey(),
  name: text('name').notNull(),
})

const appId = () =>
  text('app_id')
    .notNull()
    .references(() => apps.appId)

export const apiKeys = sqliteTable(
  'kyc_relay_api_keys',
  {
    appId: appId(),
    version: integer('version').notNull(),
    hash: bytes('hash').notNull().unique('kyc_relay_api_keys_by_hash'),
    sealed: bytes('sealed').notNull(),
    createdAt: instant('created_at').notNull(),
    signsFrom: instant('signs_from').notNull(),
    retiredAt: instant('retired_at'),
    /** The operator's reason. */
    issuedReason: text('issued_reason'),
    revokedReason: text('revoked_reason'),
  },
  (table) => [primaryKey({ columns: [table.appId, table.version] }), atLeast(table.version, 1)],
)

export const grants = sqliteTable(
  'kyc_relay_grants',
  {
    appId: appId(),
    userId: text('user_id').notNull(),
    accountId: text('account_id').notNull(),
    externalReferenceId: text('external_reference_id').notNull(),
    /** JSON array. */
    scopes: text('scopes').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.appId, table.userId] }),
    index('kyc_relay_grants_of_user').on(table.userId),
    index('kyc_relay_grants_by_reference').on(table.appId, table.externalReferenceId, table.userId),
  ],
)

export const revokedGrants = sqliteTable(
  'kyc_relay_revoked_grants',
  {
    appId: appId(),
    userId: text('user_id').notNull(),
    revokedAt: instant('revoked_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.appId, table.userId] }),
    index('kyc_relay_revoked_grants_of_user').on(table.userId),
  ],
)

export const accessTokens = sqliteTable(
  'kyc_relay_access_tokens',
  {
    hash: bytes('hash').primaryKey(),
    appId: text('app_id').notNull(),
    userId: text('user_id').notNull(),
    /** JSON array. */
    scopes: text('scopes').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    foreignKey({ columns: [table.appId, table.userId], foreignColumns: [grants.appId, grants.userId] }).onDelete(
      'cascade',
    ),
    index('kyc_relay_access_tokens_of_grant').on(table.appId, table.userId),
    index('kyc_relay_access_tokens_by_expiry').on(table.expiresAt),
  ],
)
