import type { AuditKind, AuditLogName } from '@kyc-relay/kyc-core/audit'

/** Where an audit log is kept, and what its entries account for. */
export interface AuditTables {
  readonly log: AuditLogName
  readonly entries: string
  /** The newest entry of each chain, where there are several. */
  readonly heads: string
  /** The table whose rows have an entry each. */
  readonly rows: string
  /** Kind of those entries. */
  readonly rowKind: AuditKind
}

/** The tables of each log. */
export const auditTables: Readonly<Record<AuditLogName, AuditTables>> = {
  stores: {
    log: 'stores',
    entries: 'kyc_relay_audit_entries',
    heads: 'kyc_relay_audit_heads',
    rows: 'kyc_relay_verifications',
    rowKind: 'VERIFICATION_RECORDED',
  },
  vault: {
    log: 'vault',
    entries: 'kyc_relay_vault_audit_entries',
    heads: 'kyc_relay_vault_audit_heads',
    rows: 'kyc_relay_vault_audit',
    rowKind: 'VALUE_REVEALED',
  },
}
