import { sql } from 'drizzle-orm'
import { bigint, check, index, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import type { Token } from '@kyc-relay/kyc-core'
import { bytea, instant, oneOf, position, text } from '../engine/postgres/columns.js'
import { keyPurposes, tokenizedFields } from './values.js'

export const dataKeys = pgTable(
  'kyc_relay_vault_data_keys',
  {
    appId: text('app_id').notNull(),
    userId: text('user_id').notNull(),
    /** Tells the key from a later one of its owner. */
    position: position(),
    keyId: text('key_id').notNull(),
    wrapped: bytea('wrapped').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    primaryKey({ name: 'kyc_relay_vault_data_keys_pkey', columns: [table.userId, table.appId] }),
    index('kyc_relay_vault_data_keys_by_key').on(table.keyId, table.position),
  ],
)

export const tokens = pgTable(
  'kyc_relay_vault_tokens',
  {
    token: text<Token>('token').notNull(),
    position: position(),
    appId: text('app_id').notNull(),
    userId: text('user_id').notNull(),
    field: text<(typeof tokenizedFields)[number]>('field').notNull(),
    fingerprint: bytea('fingerprint').notNull(),
    sealed: bytea('sealed'),
    createdAt: instant('created_at').notNull(),
    dataKey: bigint('data_key', { mode: 'number' }).notNull(),
    quarantinedAt: instant('quarantined_at'),
  },
  (table) => [
    primaryKey({ name: 'kyc_relay_vault_tokens_pkey', columns: [table.userId, table.token] }),
    oneOf(table.field, tokenizedFields),
    check('kyc_relay_vault_tokens_sealed_check', sql`(field = 'ssn') = (sealed IS NOT NULL)`),
    index('kyc_relay_vault_tokens_by_age').on(table.createdAt, table.position),
    index('kyc_relay_vault_tokens_in_quarantine')
      .on(table.quarantinedAt, table.position)
      .where(sql`quarantined_at IS NOT NULL`),
  ],
)

export const vaultAudit = pgTable(
  'kyc_relay_vault_audit',
  {
    position: position().primaryKey(),
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

export const keyChecks = pgTable(
  'kyc_relay_vault_key_checks',
  {
    keyId: text('key_id').primaryKey(),
    purpose: text<(typeof keyPurposes)[number]>('purpose').notNull(),
    checkValue: text('check_value').notNull(),
  },
  (table) => [oneOf(table.purpose, keyPurposes)],
)
