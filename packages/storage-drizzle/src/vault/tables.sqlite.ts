import { sql } from 'drizzle-orm'
import { check, index, integer, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'
import type { Token } from '@kyc-relay/kyc-core'
import { bytes, instant, oneOf, position, reusedPosition } from '../engine/sqlite/columns.js'
import { keyPurposes, tokenizedFields } from './values.js'

export const dataKeys = sqliteTable(
  'kyc_relay_vault_data_keys',
  {
    position: position(),
    appId: text('app_id').notNull(),
    userId: text('user_id').notNull(),
    keyId: text('key_id').notNull(),
    wrapped: bytes('wrapped').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    unique('kyc_relay_vault_data_keys_of_owner').on(table.appId, table.userId),
    index('kyc_relay_vault_data_keys_by_key').on(table.keyId, table.position),
  ],
)

export const tokens = sqliteTable(
  'kyc_relay_vault_tokens',
  {
    // Only orders tokens of the same time.
    position: reusedPosition(),
    token: text('token').$type<Token>().notNull().unique('kyc_relay_vault_tokens_by_token'),
    appId: text('app_id').notNull(),
    userId: text('user_id').notNull(),
    field: text('field', { enum: tokenizedFields }).notNull(),
    fingerprint: bytes('fingerprint').notNull(),
    sealed: bytes('sealed'),
    createdAt: instant('created_at').notNull(),
    dataKey: integer('data_key').notNull(),
    quarantinedAt: instant('quarantined_at'),
  },
  (table) => [
    oneOf(table.field, tokenizedFields),
    check('kyc_relay_vault_tokens_sealed_check', sql`(field = 'ssn') = (sealed IS NOT NULL)`),
    index('kyc_relay_vault_tokens_by_age').on(table.createdAt, table.position),
    index('kyc_relay_vault_tokens_of_data_key').on(table.dataKey),
    index('kyc_relay_vault_tokens_in_quarantine')
      .on(table.quarantinedAt, table.position)
      .where(sql`quarantined_at IS NOT NULL`),
  ],
)

export const vaultAudit = sqliteTable(
  'kyc_relay_vault_audit',
  {
    position: position(),
    at: instant('at').notNull(),
    appId: text('app_id').notNull(),
    userId: text('user_id').notNull(),
    actor: text('actor').notNull(),
    purpose: text('purpose').notNull(),
    token: text('token'),
    recordId: text('record_id'),
    part: text('part'),
  },
  (table) => [
    check('kyc_relay_vault_audit_token_check', sql`(token IS NULL) = (record_id IS NOT NULL)`),
    check('kyc_relay_vault_audit_part_check', sql`(record_id IS NULL) = (part IS NULL)`),
    index('kyc_relay_vault_audit_of_owner').on(table.appId, table.userId, table.position),
  ],
)

export const keyChecks = sqliteTable(
  'kyc_relay_vault_key_checks',
  {
    keyId: text('key_id').primaryKey(),
    purpose: text('purpose', { enum: keyPurposes }).notNull(),
    checkValue: text('check_value').notNull(),
  },
  (table) => [oneOf(table.purpose, keyPurposes)],
)
