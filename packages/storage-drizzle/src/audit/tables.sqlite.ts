import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { AuditKind } from '@kyc-relay/kyc-core/audit'

// Columns as the migrations make them; instants are milliseconds since 1970 in UTC.

const entriesOf = (name: string) =>
  sqliteTable(name, {
    sequence: integer('sequence').primaryKey(),
    kind: text('kind').$type<AuditKind>().notNull(),
    at: integer('at').notNull(),
    appId: text('app_id'),
    userId: text('user_id'),
    subject: text('subject').notNull(),
    contentDigest: blob('content_digest', { mode: 'buffer' }).notNull(),
    keyId: text('key_id').notNull(),
    previousMac: blob('previous_mac', { mode: 'buffer' }).notNull(),
    mac: blob('mac', { mode: 'buffer' }).notNull(),
  })

export const auditEntries = entriesOf('kyc_relay_audit_entries')
export const vaultAuditEntries = entriesOf('kyc_relay_vault_audit_entries')
