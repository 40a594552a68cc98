import type { AuditLogName } from './audit-entry.js'

/** Findings of an audit log verification, each with its text. */
export const AUDIT_FINDING_MESSAGES = {
  CHAIN_MISSING: 'The chain is missing: the log was never started, or the whole chain was removed.',
  ENTRY_CHANGED: 'The MAC of the entry is wrong: the entry was changed or forged.',
  ENTRY_MOVED: 'The entry was sealed for another position: entries were reordered.',
  ENTRIES_REMOVED: 'Entries before this one are missing.',
  ENTRY_REPLACED: 'The entry does not follow the previous one: the chain was combined from two histories.',
  ENTRY_KEY_UNKNOWN: 'The key file does not hold the key that sealed the entry.',
  CHAIN_CUT_OFF: 'The chain ends before this position: the newest entries were removed, or an older copy was restored.',
  HEAD_DIFFERS: 'The last entry of the chain differs from the head of the chain.',
  CHECKPOINT_DIFFERS: 'The entry differs from the one in the checkpoint: the chain was rewritten.',
  CHECKPOINT_CHANGED:
    'The MAC of the checkpoint is wrong: it was changed or forged, or the key file does not hold its key.',
  ROW_DIFFERS: 'The row was changed after it was recorded.',
  ERASED_WITHOUT_ENTRY: 'Parts of the row were erased, and no entry records an erasure of its user.',
  ROW_MISSING: 'The recorded row was removed.',
  ROW_WITHOUT_ENTRY: 'No entry records this row: it was written without the service, or its entry was removed.',
  STATUS_UNFOUNDED: 'No verification gave the user this status.',
  STATUS_MISSING: 'The status that this verification gave the user is missing.',
} as const satisfies Readonly<Record<string, string>>

/** Codes of {@link AUDIT_FINDING_MESSAGES}. */
export type AuditFindingCode = keyof typeof AUDIT_FINDING_MESSAGES

/** One difference from the log as it was written, and its position. */
export interface AuditFinding {
  readonly code: AuditFindingCode
  readonly log: AuditLogName
  /** Null for a row without an entry, which belongs to no chain. */
  readonly chain: number | null
  /** Position in the chain; for missing entries, the first missing position. */
  readonly sequence: number | null
  /** Last missing position, or the position that a moved entry was sealed for. */
  readonly toSequence?: number
  /** Subject of the entry, or id of the row. */
  readonly subject: string | null
}
