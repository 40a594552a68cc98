import type { AuditEntry, AuditHead, AuditLogName } from './audit-entry.js'

/** A row that no entry of its log explains. */
export interface UnaccountedRow {
  /**
   * `ROW_WITHOUT_ENTRY`: no entry records the row. `STATUS_UNFOUNDED`: no verification gave the user this status.
   * `STATUS_MISSING`: the status that this verification gave the user is missing.
   */
  readonly code: 'ROW_WITHOUT_ENTRY' | 'STATUS_UNFOUNDED' | 'STATUS_MISSING'
  /** Id of the row: a verification id, a position, or a user id. */
  readonly subject: string
}

/** A row that an entry recorded, as it is now. */
export interface RecordedRow {
  /** Digest of its data. Parts that an erasure blanks count by their HMAC, which stays. */
  readonly digest: string
  /** True when these parts were blanked. Right only beside an erasure of the row's user that came later. */
  readonly erased: boolean
}

/** A row that entries of its audit log speak of, as it is now. */
export interface AccessRow {
  /**
   * `app <appId>`, `key <appId> <version>`, `token <hash>`, `grant <appId> <userId>`, `revocation <appId> <userId>`,
   * `endpoint <endpointId>`, `correction <correctionId>`, `hold <userId>` or `closure <userId>`.
   */
  readonly name: string
  /** Digest of the row, as the newest entry about it has it if nothing changed it since. */
  readonly digest: string
}

/**
 * Reads one audit log. The store writes each change and its {@link AuditEntry} in one transaction. It never changes or
 * removes an entry. Reads see committed entries only.
 */
export interface AuditLog {
  readonly name: AuditLogName
  /**
   * Number of chains; it never changes. A transaction that appends to a chain waits for the previous one on that chain,
   * so several chains allow concurrent writes.
   */
  readonly chains: number
  /** Returns the newest entry of every chain, ordered by chain; empty when the log was never started. */
  listHeads(): Promise<readonly AuditHead[]>
  /** Returns entries of one chain with a sequence above `after`, in order. */
  listEntries(page: {
    readonly chain: number
    readonly after: number
    readonly limit: number
  }): Promise<readonly AuditEntry[]>
  /** Returns the rows that entries with these subjects recorded, by subject. Removed rows are absent. */
  findRecorded(subjects: readonly string[]): Promise<ReadonlyMap<string, RecordedRow>>
  /**
   * Reads a page of the apps, API keys, access tokens, grants, revocations, endpoints, corrections, legal holds and
   * closures. `nextCursor` is null on the last page. Absent if the log records none.
   */
  listAccess?(page: {
    readonly cursor: string | null
    readonly limit: number
  }): Promise<{ readonly rows: readonly AccessRow[]; readonly nextCursor: string | null }>
  /**
   * Reads a page of the rows after position `startedAfter`. Returns the rows without an entry and the number of rows
   * read. `nextCursor` is null on the last page.
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
