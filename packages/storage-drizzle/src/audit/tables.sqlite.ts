import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { AuditKind } from '@kyc-relay/kyc-core/internal'
import { atLeast, bytes, instant } from '../engine/sqlite/columns.js'

const columns = () => ({
  sequence: integer('sequence').primaryKey(),
  kind: text('kind').$type<AuditKind>().notNull(),
  at: instant('at').notNull(),
  appId: text('app_id'),
  userId: text('user_id'),
  subject: text('subject').notNull(),
  actor: text('actor'),
  reason: text('reason'),
  contentDigest: bytes('content_digest').notNull(),
  keyId: text('key_id').notNull(),
  previousMac: bytes('previous_mac').notNull(),
  mac: bytes('mac').notNull(),
})

export const auditEntries = sqliteTable('kyc_relay_audit_entries', columns(), (table) => [
  atLeast(table.sequence, 1),
  uniqueIndex('kyc_relay_audit_entries_of_row')
    .on(table.subject)
    .where(sql`kind = 'VERIFICATION_RECORDED'`),
])

export const vaultAuditEntries = sqliteTable('kyc_relay_vault_audit_entries', columns(), (table) => [
  atLeast(table.sequence, 1),
  uniqueIndex('kyc_relay_vault_audit_entries_of_row')
    .on(table.subject)
    .where(sql`kind = 'VALUE_REVEALED'`),
  index('kyc_relay_vault_audit_entries_of_erased')
    .on(table.appId, table.userId)
    .where(sql`kind = 'OWNER_ERASED'`),
])
