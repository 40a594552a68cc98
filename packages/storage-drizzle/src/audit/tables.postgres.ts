import { bigint, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { AuditKind } from '@kyc-relay/kyc-core/audit'
import { bytea, instant } from '../engine/postgres/column-types.js'

// Columns as the migrations make them.

const entriesOf = (name: string) =>
  pgTable(
    name,
    {
      chain: integer('chain').notNull(),
      sequence: bigint('sequence', { mode: 'number' }).notNull(),
      kind: text('kind').$type<AuditKind>().notNull(),
      at: instant('at').notNull(),
      appId: text('app_id'),
      userId: text('user_id'),
      subject: text('subject').notNull(),
      contentDigest: bytea('content_digest').notNull(),
      keyId: text('key_id').notNull(),
      previousMac: bytea('previous_mac').notNull(),
      mac: bytea('mac').notNull(),
    },
    (table) => [primaryKey({ columns: [table.chain, table.sequence] })],
  )

const headsOf = (name: string) =>
  pgTable(name, {
    chain: integer('chain').primaryKey(),
    sequence: bigint('sequence', { mode: 'number' }).notNull(),
    mac: bytea('mac').notNull(),
  })

export const auditEntries = entriesOf('kyc_relay_audit_entries')
export const vaultAuditEntries = entriesOf('kyc_relay_vault_audit_entries')
export const auditHeads = headsOf('kyc_relay_audit_heads')
export const vaultAuditHeads = headsOf('kyc_relay_vault_audit_heads')
