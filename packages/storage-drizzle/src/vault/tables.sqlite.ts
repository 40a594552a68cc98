import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Token } from '@kyc-relay/kyc-core'

// Columns as migrations/sqlite-vault/*.sql makes them; instants are milliseconds since 1970 in UTC.

export const dataKeys = sqliteTable('kyc_relay_vault_data_keys', {
  position: integer('position').primaryKey({ autoIncrement: true }),
  appId: text('app_id').notNull(),
  userId: text('user_id').notNull(),
  keyId: text('key_id').notNull(),
  wrapped: blob('wrapped', { mode: 'buffer' }).notNull(),
  createdAt: integer('created_at').notNull(),
})

export const tokens = sqliteTable('kyc_relay_vault_tokens', {
  position: integer('position').primaryKey({ autoIncrement: true }),
  token: text('token').$type<Token>().notNull(),
  appId: text('app_id').notNull(),
  userId: text('user_id').notNull(),
  field: text('field', { enum: ['ssn', 'document_number'] }).notNull(),
  fingerprint: blob('fingerprint', { mode: 'buffer' }).notNull(),
  sealed: blob('sealed', { mode: 'buffer' }),
  createdAt: integer('created_at').notNull(),
  dataKey: integer('data_key'),
  quarantinedAt: integer('quarantined_at'),
})

export const vaultAudit = sqliteTable('kyc_relay_vault_audit', {
  position: integer('position').primaryKey({ autoIncrement: true }),
  at: integer('at').notNull(),
  appId: text('app_id').notNull(),
  userId: text('user_id').notNull(),
  actor: text('actor').notNull(),
  purpose: text('purpose').notNull(),
  token: text('token'),
  recordId: text('record_id'),
  part: text('part'),
})

export const keyChecks = sqliteTable('kyc_relay_vault_key_checks', {
  keyId: text('key_id').primaryKey(),
  purpose: text('purpose', { enum: ['seal', 'fingerprint', 'audit'] }).notNull(),
  checkValue: text('check_value').notNull(),
})
