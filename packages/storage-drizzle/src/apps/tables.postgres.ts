import { integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { bytea, instant } from '../engine/postgres/column-types.js'

// Columns as migrations/postgres/*.sql makes them.

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
    /** What the operator gave as the reason. */
    issuedReason: text('issued_reason'),
    revokedReason: text('revoked_reason'),
  },
  (table) => [primaryKey({ columns: [table.appId, table.version] })],
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
  (table) => [primaryKey({ columns: [table.appId, table.userId] })],
)

export const revokedGrants = pgTable(
  'kyc_relay_revoked_grants',
  {
    appId: text('app_id').notNull(),
    userId: text('user_id').notNull(),
    revokedAt: instant('revoked_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.appId, table.userId] })],
)

export const accessTokens = pgTable('kyc_relay_access_tokens', {
  hash: bytea('hash').primaryKey(),
  appId: text('app_id').notNull(),
  userId: text('user_id').notNull(),
  /** JSON array. */
  scopes: text('scopes').notNull(),
  expiresAt: instant('expires_at').notNull(),
})
