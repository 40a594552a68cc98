import { foreignKey, index, integer, pgTable, primaryKey, unique } from 'drizzle-orm/pg-core'
import { atLeast, bytea, instant, references, text } from '../engine/postgres/columns.js'

export const apps = pgTable('kyc_relay_apps', {
  appId: text('app_id').primaryKey(),
  name: text('name').notNull(),
})

export const apiKeys = pgTable(
  'kyc_relay_api_keys',
  {
    appId: text('app_id').notNull(),
    version: integer('version').notNull(),
    hash: bytea('hash').notNull(),
    sealed: bytea('sealed').notNull(),
    createdAt: instant('created_at').notNull(),
    signsFrom: instant('signs_from').notNull(),
    retiredAt: instant('retired_at'),
    /** The operator's reason. */
    issuedReason: text('issued_reason'),
    revokedReason: text('revoked_reason'),
  },
  (table) => [
    primaryKey({ name: 'kyc_relay_api_keys_pkey', columns: [table.appId, table.version] }),
    unique('kyc_relay_api_keys_by_hash').on(table.hash),
    references(table.appId, apps.appId),
    atLeast(table.version, 1),
  ],
)

export const grants = pgTable(
  'kyc_relay_grants',
  {
    appId: text('app_id').notNull(),
    userId: text('user_id').notNull(),
    accountId: text('account_id').notNull(),
    externalReferenceId: text('external_reference_id').notNull(),
    /** JSON array. */
    scopes: text('scopes').notNull(),
  },
  (table) => [
    primaryKey({ name: 'kyc_relay_grants_pkey', columns: [table.appId, table.userId] }),
    references(table.appId, apps.appId),
    index('kyc_relay_grants_of_user').on(table.userId),
    index('kyc_relay_grants_by_reference').on(table.externalReferenceId, table.appId, table.userId),
  ],
)

export const revokedGrants = pgTable(
  'kyc_relay_revoked_grants',
  {
    appId: text('app_id').notNull(),
    userId: text('user_id').notNull(),
    revokedAt: instant('revoked_at').notNull(),
  },
  (table) => [
    primaryKey({ name: 'kyc_relay_revoked_grants_pkey', columns: [table.appId, table.userId] }),
    references(table.appId, apps.appId),
    index('kyc_relay_revoked_grants_of_user').on(table.userId),
  ],
)

export const accessTokens = pgTable(
  'kyc_relay_access_tokens',
  {
    hash: bytea('hash').primaryKey(),
    appId: text('app_id').notNull(),
    userId: text('user_id').notNull(),
    /** JSON array. */
    scopes: text('scopes').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    foreignKey({
      name: 'kyc_relay_access_tokens_grant_fkey',
      columns: [table.appId, table.userId],
      foreignColumns: [grants.appId, grants.userId],
    }).onDelete('cascade'),
    index('kyc_relay_access_tokens_of_grant').on(table.appId, table.userId),
    index('kyc_relay_access_tokens_by_expiry').on(table.expiresAt),
  ],
)
