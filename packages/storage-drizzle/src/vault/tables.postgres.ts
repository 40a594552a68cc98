import { bigint, pgTable, text } from 'drizzle-orm/pg-core'
import type { Token } from '@kyc-relay/kyc-core'
import { bytea, instant, position } from '../engine/postgres/column-types.js'

// Columns as migrations/postgres-vault/*.sql makes them.

export const dataKeys = pgTable('kyc_relay_vault_data_keys', {
  position: position(),
  appId: text('app_id').notNull(),
  userId: text('user_id').notNull(),
  keyId: text('key_id').notNull(),
  wrapped: bytea('wrapped').notNull(),
  createdAt: instant('created_at').notNull(),
})

export const tokens = pgTable('kyc_relay_vault_tokens', {
  position: position(),
  token: text('token').$type<Token>().notNull(),
  appId: text('app_id').notNull(),
  userId: text('user_id').notNull(),
  field: text('field', { enum: ['ssn', 'document_number'] }).notNull(),
  fingerprint: bytea('fingerprint').notNull(),
  sealed: bytea('sealed'),
  createdAt: instant('created_at').notNull(),
  dataKey: bigint('data_key', { mode: 'number' }),
  quarantinedAt: instant('quarantined_at'),
})

export const vaultAudit = pgTable('kyc_relay_vault_audit', {
  position: position(),
  at: instant('at').notNull(),
  appId: text('app_id').notNull(),
  userId: text('user_id').notNull(),
  actor: text('actor').notNull(),
  purpose: text('purpose').notNull(),
  token: text('token'),
  recordId: text('record_id'),
  part: text('part'),
})

export const keyChecks = pgTable('kyc_relay_vault_key_checks', {
  keyId: text('key_id').primaryKey(),
  purpose: text('purpose', { enum: ['seal', 'fingerprint', 'audit'] }).notNull(),
  checkValue: text('check_value').notNull(),
})
