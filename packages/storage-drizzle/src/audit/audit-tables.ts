import type { AuditKind, AuditLogName } from '@kyc-relay/kyc-core/internal'

/** Tables of an audit log, and of the rows that its entries record. */
export interface AuditTables {
  readonly log: AuditLogName
  readonly entries: string
  /** Table with the newest entry of each chain, if there are several. */
  readonly heads: string
  /** Table in which each row has an entry. */
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
