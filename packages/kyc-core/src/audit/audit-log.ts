import type { AuditEntry, AuditHead, AuditLogName } from './audit-entry.js'

/** A row that the entries of its log do not account for. */
export interface UnaccountedRow {
  /**
   * `ROW_WITHOUT_ENTRY`: nothing was written down about it. `STATUS_UNFOUNDED`: no verification gave the user this status.
   * `STATUS_MISSING`: the status that this verification gave is not there.
   */
  readonly code: 'ROW_WITHOUT_ENTRY' | 'STATUS_UNFOUNDED' | 'STATUS_MISSING'
  /** Its id: a verification id, a position, or a user id. */
  readonly subject: string
}

/**
 * Reading one audit log. A store that offers one promises: each thing an {@link AuditEntry} can speak of is written in one
 * transaction with its entry, or not at all; entries are never changed or removed; what is read is committed.
 */
export interface AuditLog {
  readonly name: AuditLogName
  /**
   * How many chains it has, for ever. Appending to a chain waits for the transaction that appended to it before: where
   * several transactions write at once, several chains let them.
   */
  readonly chains: number
  /** The newest entry of every chain, by number of chain; empty when the log was never begun. */
  listHeads(): Promise<readonly AuditHead[]>
  /** Entries of one chain with a sequence above `after`, in order. */
  listEntries(page: {
    readonly chain: number
    readonly after: number
    readonly limit: number
  }): Promise<readonly AuditEntry[]>
  /**
   * Digests, as of now, of the rows that entries with these subjects recorded, by subject. What has no row any more is left
   * out.
   */
  findRecorded(subjects: readonly string[]): Promise<ReadonlyMap<string, string>>
  /**
   * Walks the rows that came after position `startedAfter` and answers those that no entry accounts for, with how many
   * were looked at. `nextCursor` null: that was the last of them.
   */
  listUnaccounted(page: {
    readonly startedAfter: number
    readonly cursor: string | null
    readonly limit: number
  }): Promise<{
    readonly rows: readonly UnaccountedRow[]
    readonly examined: number
    readonly nextCursor: string | null
  }>
}
