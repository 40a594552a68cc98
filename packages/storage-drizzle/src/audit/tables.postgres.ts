import { sql } from 'drizzle-orm'
import { bigint, index, integer, pgTable, primaryKey, uniqueIndex } from 'drizzle-orm/pg-core'
import type { AuditKind } from '@kyc-relay/kyc-core/internal'
import { atLeast, bytea, instant, text } from '../engine/postgres/columns.js'

const columns = () => ({
  chain: integer('chain').notNull(),
  sequence: bigint('sequence', { mode: 'number' }).notNull(),
  kind: text<AuditKind>('kind').notNull(),
  at: instant('at').notNull(),
  appId: text('app_id'),
  userId: text('user_id'),
  subject: text('subject').notNull(),
  actor: text('actor'),
  reason: text('reason'),
  contentDigest: bytea('content_digest').notNull(),
  keyId: text('key_id').notNull(),
  previousMac: bytea('previous_mac').notNull(),
  mac: bytea('mac').notNull(),
})

export const auditEntries = pgTable('kyc_relay_audit_entries', columns(), (table) => [
  primaryKey({ name: 'kyc_relay_audit_entries_pkey', columns: [table.chain, table.sequence] }),
  atLeast(table.sequence, 1),
  uniqueIndex('kyc_relay_audit_entries_of_row')
    .on(table.subject)
    .where(sql`kind = 'VERIFICATION_RECORDED'`),
])

export const vaultAuditEntries = pgTable('kyc_relay_vault_audit_entries', columns(), (table) => [
  primaryKey({ name: 'kyc_relay_vault_audit_entries_pkey', columns: [table.chain, table.sequence] }),
  atLeast(table.sequence, 1),
  uniqueIndex('kyc_relay_vault_audit_entries_of_row')
    .on(table.subject)
    .where(sql`kind = 'VALUE_REVEALED'`),
  index('kyc_relay_vault_audit_entries_of_erased')
    .on(table.appId, table.userId)
    .where(sql`kind = 'OWNER_ERASED'`),
])

/** The newest entry of each chain. */
const heads = (name: string) =>
  pgTable(name, {
    chain: integer('chain').primaryKey(),
    sequence: bigint('sequence', { mode: 'number' }).notNull(),
    mac: bytea('mac').notNull(),
  })

export const auditHeads = heads('kyc_relay_audit_heads')
export const vaultAuditHeads = heads('kyc_relay_vault_audit_heads')
